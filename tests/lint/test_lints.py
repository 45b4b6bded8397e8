"""What is allowed and hardly meant: twins, idle weights, odd dependencies, government."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import diagnostics
import pytest
from diagnostics import MAIN, diagnose
from diagnostics import UNREAD as BASE

assert_diagnostics = partial(diagnostics.assert_diagnostics, base=BASE)

TWIN = """
rule np_again: NP -> "the" N
  ja  N
  syn N -[det]-> "the"(upos=DET)
"""


def test_a_rule_under_another_name_is_a_twin(tmp_path: Path) -> None:
    outcome = assert_diagnostics(TWIN, [("SGL0406", "np_again")], tmp_path)
    assert "makes the same phrases as `np`" in outcome.rendered()


@pytest.mark.parametrize(
    ("old", "new"), [('"the" N', '"a" N'), ("  ja  N", '  ja  N "たち"'), ("-[det]->", "-[amod]->")]
)
def test_what_differs_in_one_layer_is_no_twin(old: str, new: str, tmp_path: Path) -> None:
    text = TWIN.replace(old, new).replace('"the"(', '"a"(' if '"a"' in new else '"the"(')
    if "amod" in new:
        text = text.replace("upos=DET", "upos=ADJ")
    assert_diagnostics(text, [], tmp_path)


def test_twins_for_some_values_of_a_feature(tmp_path: Path) -> None:
    text = """
rule vp_past: VP[form=past] -> V[form=past] NP
  ja  NP "を" V
  syn V -[obj]-> NP
"""
    outcome = assert_diagnostics(text, [("SGL0406", "vp_past")], tmp_path)
    assert "makes the same phrases as `vp`" in outcome.rendered()


def test_a_weight_without_a_rival(tmp_path: Path) -> None:
    text = """
feature tail = plain | comma
category Closed[tail]
rule vp_closed: VP[form=f] -> V[form=f] Closed
  ja  Closed "へ" V
  syn V -[obl]-> Closed
rule closed_plain: Closed[tail=plain] -> "to" NP  ~ 9
  ja  NP
  syn NP -[case]-> "to"(upos=ADP)
rule closed_comma: Closed[tail=comma] -> "to" NP ","  ~ 1
  ja  NP
  syn NP -[case]-> "to"(upos=ADP); NP -[punct]-> ","(upos=PUNCT)
"""
    outcome = assert_diagnostics(text, [("SGL0713", "~ 9"), ("SGL0713", "~ 1")], tmp_path)
    assert "no other rule makes a `Closed` with these features; others come from `closed_comma`" in (outcome.rendered())


def test_a_rival_that_a_setting_leaves_out_is_a_rival(tmp_path: Path) -> None:
    text = """
param long = off
category Closed
rule vp_closed: VP[form=f] -> V[form=f] Closed
  ja  Closed "へ" V
  syn V -[obl]-> Closed
rule closed: Closed -> "to" NP  ~ 9
  ja  NP
  syn NP -[case]-> "to"(upos=ADP)
rule closed_long: Closed -> "up" "to" NP
  when long
  ja  NP
  syn NP -[case]-> "to"(upos=ADP); NP -[advmod]-> "up"(upos=ADV)
"""
    assert_diagnostics(text, [], tmp_path)


def test_an_edge_the_wrong_way_round(tmp_path: Path) -> None:
    text = """
rule clause_in: S -> NP VP PP
  ja  NP "が" PP VP
  syn NP -[nsubj]-> VP; NP -[nmod]-> PP
"""
    outcome = assert_diagnostics(text, [("SGL0515", "clause_in")], tmp_path)
    assert "`nsubj` leads from NOUN to VERB" in outcome.rendered()
    assert "reverse the edge" in outcome.rendered()


@pytest.mark.parametrize(
    "edge", ['V -[obl]-> "to"(upos=ADP)', 'V -[compound:prt]-> "to"(upos=ADP)', 'V -[x]-> "to"(upos=X)']
)
def test_edges_that_languages_have_are_not_odd(edge: str, tmp_path: Path) -> None:
    text = f"""
rule vp_to: VP[form=f] -> V[form=f] NP "to"
  ja  NP "を" V
  syn V -[obj]-> NP; {edge}
"""
    assert_diagnostics(text, [], tmp_path)


GERMAN = """\
layer en  : text
layer de  : text
layer syn : graph on en

feature case = nom | acc | dat

category Text
category S
category VP
category NP[case]
category Vt
category Vs
category Vh

rule text: Text -> S
rule clause: S -> subj:NP[case=nom] VP
  de  subj VP
  syn VP -[nsubj]-> subj
rule transitive: VP -> Vt obj:NP[case=acc]
  de  Vt obj
  syn Vt -[obj]-> obj
rule separable: VP -> Vs obj:NP "in"
  de  Vs obj "ein"
  syn Vs -[obj]-> obj; Vs -[compound:prt]-> "in"(upos=ADP)
rule hearing: VP -> Vh obj:NP[case=acc]
  de  Vh obj
  syn Vh -[obj]-> obj

word NP[case=nom]: "bears"
  de  "ein" "Bär"
  syn node(lemma=bear, upos=NOUN)
word NP[case=acc]: "bears"
  de  "einen" "Bären"
  syn node(lemma=bear, upos=NOUN)
word NP[case=dat]: "bears"
  de  "einem" "Bären"
  syn node(lemma=bear, upos=NOUN)
word Vt: "saw"
  de  "sah"
  syn node(lemma=see, upos=VERB)
word Vs: "invited"
  de  "lud"
  syn node(lemma=invite, upos=VERB)
word Vh: "heard"
  de  "hörte"
  syn node(lemma=hear, upos=VERB)

dataset
  from Text
  train 2
  ambiguous ignore
"""


def test_government_that_one_rule_forgets(tmp_path: Path) -> None:
    outcome = diagnose({MAIN: GERMAN}, tmp_path)
    assert outcome.places() == [("SGL0405", "NP")]
    said = outcome.rendered()
    assert "leaves `case` of `NP` open, so that any `case` can stand here" in said
    assert "the other rules say `NP[case=acc]` of `obj`" in said
    assert '"ein Bär lud ein Bär ein", beside "ein Bär lud einen Bären ein"' in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The author says that any case is meant.
        ('obj:NP "in"', 'obj:NP[case=_] "in"'),
        # One other rule is no rule of grammar.
        ("obj:NP[case=acc]\n  de  Vh", "obj:NP[case=_]\n  de  Vh"),
        # The child has another function.
        ("Vs -[obj]-> obj", "Vs -[obl]-> obj"),
    ],
)
def test_no_government(old: str, new: str, tmp_path: Path) -> None:
    assert old in GERMAN
    assert diagnose({MAIN: GERMAN.replace(old, new)}, tmp_path).codes == []


@pytest.mark.parametrize(("labels", "told"), [("$RECIPIENT", True), ("$SUBJECT", False), ("^$RECIPIENT", False)])
def test_a_set_of_the_library_that_no_rule_makes_is_told(labels: str, told: bool, tmp_path: Path) -> None:
    """The verifier would refuse a claim about labels that no graph has, after sampling."""
    pattern = f"pattern p\n  forbid {{ V -[obj]-> N }}\n  exclude {{ V -[{labels}]-> N }}\n"
    outcome = diagnose({MAIN: f"{BASE}\nuse stdlib.ud\n\n{pattern}"}, tmp_path)
    assert ("SGL0807" in [code for code, _ in outcome.places()]) == told


WORDS = """
category Adv
word Adv: "now"
  ja  "今"
  syn node(upos=AVD)
rule vp_now: VP[form=f] -> V[form=f] NP Adv "!"
  ja  Adv NP "を" V
  syn V -[obj]-> NP; V -[advmdo]-> Adv; V -[punct]-> "!"
"""


def test_tags_and_labels_that_are_a_slip_away_from_those_of_ud(tmp_path: Path) -> None:
    word = WORDS[WORDS.index("word") : WORDS.index("\nrule")]
    outcome = assert_diagnostics(WORDS, [("SGL0517", word), ("SGL0517", "vp_now"), ("SGL0517", "advmdo")], tmp_path)
    for said in ("did you mean `ADV`?", 'the word "!" has no part of speech', "did you mean `advmod`?"):
        assert said in outcome.rendered()


def test_labels_of_a_scheme_of_their_own_are_not_told(tmp_path: Path) -> None:
    own = WORDS.replace("advmdo", "time").replace("AVD", "ADV").replace('"!"\n', '"!"(upos=PUNCT)\n')
    assert_diagnostics(own.replace('Adv "!"(upos=PUNCT)', 'Adv "!"'), [], tmp_path)


def test_tags_of_a_scheme_of_their_own_are_not_told(tmp_path: Path) -> None:
    text = re.sub(r", upos=\w+|\(upos=\w+\)", "", BASE)
    assert "SGL0517" not in diagnose({MAIN: text}, tmp_path).rendered()
