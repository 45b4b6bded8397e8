"""What the compiler finds in rules and words before a sentence is drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import MAIN, UNREAD, assert_diagnostics, diagnose

from sgl.diagnostics.model import one_slip

AGAIN = """\
rule vp_again: VP[form={0}] -> V[form={0}] NP "again"
  ja  NP "を" "また" V
  syn V -[obj]-> NP; V -[advmod]-> "again"(upos=ADV)
"""

#: Several children with thirty words each, so that their combinations are many.
MANY = """\
layer en : text
feature f = {values}
category Text
category W[f]
rule text: Text -> {children}
{words}
dataset
  from Text
  train 1
"""


# ---- the source layer


@pytest.mark.parametrize("clause", ['"a" drop N', '"a" N copy N', 'N "a"'])
def test_a_rule_has_no_clause_for_the_source(clause: str, tmp_path: Path) -> None:
    rule = f'rule np_a: NP -> "a" N\n  en  {clause}\n  ja  N\n  syn N -[det]-> "a"(upos=DET)\n'
    assert_diagnostics(rule, [("SGL0311", f"en  {clause}")], tmp_path)


def test_a_child_may_be_left_out_of_the_target_and_repeated_there(tmp_path: Path) -> None:
    rule = 'rule np_a: NP -> "a" N PP\n  ja  N copy N drop PP\n'
    graph = '  syn N -[det]-> "a"(upos=DET); N -[nmod]-> PP\n'
    assert_diagnostics(rule + graph, [], tmp_path)


# ---- declarations that nothing uses

SOMETIMES = """\
param long = {0}
category Adverb
word Adverb: "often"
  when long
  ja  "よく"
  syn node(lemma=often, upos=ADV)
rule vp_adverb: VP[form=f] -> V[form=f] NP Adverb
  when long
  ja  NP "を" Adverb V
  syn V -[obj]-> NP; V -[advmod]-> Adverb
"""


@pytest.mark.parametrize("setting", ["on", "off"])
def test_a_category_of_another_setting_is_not_unused(setting: str, tmp_path: Path) -> None:
    assert_diagnostics(SOMETIMES.format(setting), [], tmp_path)


def test_a_category_of_no_setting_is_unused(tmp_path: Path) -> None:
    assert_diagnostics("category Adverb\n", [("SGL0204", "Adverb")], tmp_path)


# ---- variables and values


@pytest.mark.parametrize("name", ["psat", "pst", "pasta", "pest"])
def test_a_variable_that_looks_like_a_value_is_a_slip(name: str, tmp_path: Path) -> None:
    assert_diagnostics(AGAIN.format(name), [("SGL0402", name)], tmp_path)


@pytest.mark.parametrize("name", ["p", "pa", "form", "tense"])
def test_other_variables_are_free(name: str, tmp_path: Path) -> None:
    assert_diagnostics(AGAIN.format(name), [], tmp_path)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("past", "psat", True),
        ("past", "pas", True),
        ("past", "past", False),
        ("past", "sapt", False),
        ("past", "pres", False),
    ],
)
def test_one_slip(first: str, second: str, expected: bool) -> None:
    assert one_slip(first, second) is expected
    assert one_slip(second, first) is expected


# ---- words


def test_an_attribute_tells_two_words_apart(tmp_path: Path) -> None:
    word = 'word N: "dog"\n  ja  "駄犬"\n  syn node(upos=NOUN, Style=Coll)\n'
    assert_diagnostics(word, [], tmp_path, base=UNREAD)


def test_a_value_of_a_table_that_conllu_cannot_hold(tmp_path: Path) -> None:
    lexicon = 'lexicon animals from "animals.yaml"\n  N\n    en  $en\n    ja  $ja\n'
    row = "- {en: horse, ja: 馬, tag: N N}"
    (tmp_path / "animals.yaml").write_text(f"{row}\n", encoding="utf-8")
    node = "    syn node(upos=NOUN, xpos=$tag)\n"
    assert_diagnostics(lexicon + node, [("SGL0512", row)], tmp_path)


def test_a_feature_value_that_conllu_cannot_hold(tmp_path: Path) -> None:
    rule = """\
feature mood = "a|b" | c

category Adv[mood]

word Adv: "again"
  ja  "また"
  syn node(upos=ADV)

rule vp_again: VP[form=f] -> V[form=f] NP Adv[mood=m] "now"
  ja  NP "を" Adv V
  syn V -[obj]-> NP; V -[advmod]-> Adv; V -[advmod]-> "now"(upos=ADV, Mood=$m)
"""
    assert_diagnostics(rule, [("SGL0512", "vp_again")], tmp_path)


def test_words_in_a_rule_without_children_make_a_tree_too(tmp_path: Path) -> None:
    rule = """\
rule np_such: NP -> "such" "things"
  ja  "そんなもの"
  syn "things"(upos=NOUN) -[det]-> "such"(upos=DET); "things" -[amod]-> "such"
"""
    assert_diagnostics(rule, [("SGL0508", "np_such")], tmp_path)


# ---- expansion


def _many(children: str) -> dict[str, str]:
    words = "".join(f'word W[f=v{n}]: "w{n}"\n' for n in range(30))
    values = " | ".join(f"v{n}" for n in range(30))
    return {MAIN: MANY.format(values=values, words=words, children=children)}


def test_the_search_for_agreeing_children_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.frontend.lower.expand.MAX_STEPS", 1000)
    outcome = diagnose(_many("a:W[f=x] b:W c:W d:W[f=x]"), tmp_path)
    assert outcome.places() == [("SGL0706", "text")]


def test_a_child_that_cannot_be_built_ends_the_search_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.frontend.lower.expand.MAX_STEPS", 1000)
    files = _many("a:W b:W c:W X[g=no]")
    files[MAIN] += 'feature g = yes | no\ncategory X[g]\nword X[g=yes]: "x"\n'
    outcome = diagnose(files, tmp_path)
    assert "SGL0703" in outcome.codes
    assert "SGL0706" not in outcome.codes


def test_a_rule_that_changes_a_feature_may_pass_its_own_category_up(tmp_path: Path) -> None:
    assert_diagnostics("rule vp_turn: VP[form=past] -> VP[form=pres]\n", [], tmp_path)


def test_a_category_that_passes_itself_up_is_endless(tmp_path: Path) -> None:
    rule = "rule vp_turn: VP[form=f] -> VP[form=f]\n"
    assert_diagnostics(rule, [("SGL0708", "vp_turn")], tmp_path)
