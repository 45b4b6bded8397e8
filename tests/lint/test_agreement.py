"""Features that a rule leaves open although the rest of the grammar makes them agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from diagnostics import MAIN, Outcome, diagnose

from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.grammar import open_grammar

#: English with number; the rules of sentences, verb phrases and noun phrases come in variants.
WORDS = """\
layer en  : text (attach ".")
layer syn : graph on en

feature num = sg | pl

category Text
category S
category VP[num]
category NP[num]
category Det[num]
category N[num]
category V[num]

word Det[num=sg]: "this"
  syn node(upos=DET)
word Det[num=pl]: "these"
  syn node(upos=DET)
word N[num=sg]: "dog"
  syn node(upos=NOUN)
word N[num=pl]: "dogs"
  syn node(lemma=dog, upos=NOUN)
word V[num=sg]: "sees"
  syn node(lemma=see, upos=VERB)
word V[num=pl]: "see"
  syn node(upos=VERB)

rule text: Text -> capital S "."
  syn S -[punct]-> "."(upos=PUNCT)

dataset
  from Text
  train 5
"""
CLAUSE = """
rule clause: S -> {0} {1}
  syn VP -[nsubj]-> NP
"""
VERB_PHRASES = """
rule intransitive: {0} -> {1}
rule transitive: {0} -> {1} NP
  syn V -[obj]-> NP
"""
NOUN_PHRASE = """
rule noun_phrase: {0} -> {1} {2}
  syn N -[det]-> Det
"""
AGREEING_CLAUSE = CLAUSE.format("NP[num=n]", "VP[num=n]")
AGREEING_VERBS = VERB_PHRASES.format("VP[num=n]", "V[num=n]")
AGREEING_NOUN = NOUN_PHRASE.format("NP[num=n]", "Det[num=n]", "N[num=n]")
AGREEING = WORDS + AGREEING_CLAUSE + AGREEING_VERBS + AGREEING_NOUN


def check(grammar: str, directory: Path) -> Outcome:
    return diagnose({MAIN: grammar}, directory, prove=False)


@dataclass(frozen=True)
class Slip:
    """A grammar in which an agreement is forgotten, and what there is to say about it."""

    grammar: str
    rule: str
    marked: str
    witness: str


SLIPS = {
    "nobody asks for the number of subjects and verbs": Slip(
        WORDS + CLAUSE.format("NP", "VP") + AGREEING_VERBS + AGREEING_NOUN,
        "clause",
        "NP",
        'witness: "This dog see.", beside "These dogs see."',
    ),
    "a second kind of clause forgets what the first one says": Slip(
        AGREEING + 'rule today: S -> "today" NP VP\n' + '  syn VP -[nsubj]-> NP; VP -[advmod]-> "today"(upos=ADV)\n',
        "today",
        "VP",
        'witness: "Today this dog see.", beside "Today this dog sees."',
    ),
    "an article has any number": Slip(
        WORDS + AGREEING_CLAUSE + AGREEING_VERBS + NOUN_PHRASE.format("NP[num=n]", "Det", "N[num=n]"),
        "noun_phrase",
        "Det",
        'witness: "This dogs see.", beside "These dogs see."',
    ),
    "an article has any number beside modifiers": Slip(
        AGREEING
        + 'rule here: NP[num=n] -> Det N[num=n] "here"\n'
        + '  syn N -[det]-> Det; N -[advmod]-> "here"(upos=ADV)\n',
        "here",
        "Det",
        'witness: "This dogs here see.", beside "These dogs here see."',
    ),
    "an article has any number beside an adjective that agrees": Slip(
        AGREEING.replace("category N[num]", "category N[num]\ncategory A[num]")
        + 'word A[num=sg]: "single"\n  syn node(upos=ADJ)\n'
        + 'word A[num=pl]: "several"\n  syn node(lemma=single, upos=ADJ)\n'
        + "rule modified: NP[num=n] -> Det A[num=n] N[num=n]\n"
        + "  syn N -[det]-> Det; N -[amod]-> A\n",
        "modified",
        "Det",
        'witness: "This several dogs see.", beside "These several dogs see."',
    ),
    "a noun phrase does not take over the number of its noun": Slip(
        WORDS + AGREEING_CLAUSE + AGREEING_VERBS + NOUN_PHRASE.format("NP", "Det", "N"),
        "noun_phrase",
        "NP",
        'witness: "This dog see.", beside "This dog sees."',
    ),
    "of two kinds of verb phrases one takes over the number of its verb": Slip(
        AGREEING + 'rule again: VP -> V "again"\n' + '  syn V -[advmod]-> "again"(upos=ADV)\n',
        "again",
        "VP",
        'witness: "These dogs sees again.", beside "This dog sees again."',
    ),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_a_forgotten_agreement_is_shown_with_what_comes_of_it(slip: Slip, tmp_path: Path) -> None:
    outcome = check(slip.grammar, tmp_path)
    assert outcome.places() == [("SGL0405", slip.marked)], outcome.rendered()
    (found,) = outcome.found
    assert f"the rule `{slip.rule}` leaves `num` of `{slip.marked}` open" in found.message
    assert slip.witness in found.notes


def test_it_is_said_how_other_rules_do_it(tmp_path: Path) -> None:
    outcome = check(SLIPS["a second kind of clause forgets what the first one says"].grammar, tmp_path)
    (found,) = outcome.found
    (label,) = found.labels
    assert label.text == "here it agrees with `NP`"
    assert AGREEING[label.span.start : label.span.end] == "VP[num=n]"


def test_an_article_without_a_number_of_its_own_need_not_agree(tmp_path: Path) -> None:
    the = WORDS.replace('[num=sg]: "this"', ': "the"').replace('word Det[num=pl]: "these"\n  syn node(upos=DET)\n', "")
    noun = NOUN_PHRASE.format("NP[num=n]", "Det", "N[num=n]")
    assert check(the + AGREEING_CLAUSE + AGREEING_VERBS + noun, tmp_path).codes == []


#: A participle has no number, and the auxiliary has one.
PASSIVE = (
    AGREEING.replace("category V[num]", "category V[num, form]\ncategory Aux[num]")
    .replace("feature num", "feature form = fin | part\nfeature num")
    .replace(" V[num=n]", " V[num=n, form=fin]")
    .replace("word V[num=sg]", "word V[num=sg, form=fin]")
    .replace("word V[num=pl]", "word V[num=pl, form=fin]")
    + 'word V[form=part]: "seen"\n  syn node(lemma=see, upos=VERB)\n'
    + 'word Aux[num=sg]: "is"\n  syn node(lemma=be, upos=AUX)\n'
    + 'word Aux[num=pl]: "are"\n  syn node(lemma=be, upos=AUX)\n'
    + "rule passive: VP[num=n] -> Aux[num=n] V[form=part]\n  syn V -[aux]-> Aux\n"
)


def test_forms_that_are_alike_are_said_to_have_several_derivations(tmp_path: Path) -> None:
    (found,) = check(PASSIVE, tmp_path).found
    assert "leaves `num` of `V` open, so that it says the same in several ways" in found.message
    assert found.notes[-1] == 'witness: "This dog is seen." has several derivations'
    assert found.hint.startswith("write `V[num=n, form=part]`;")


#: The articles of both numbers are one word in English, and two in French.
ARTICLES = """layer en  : text (attach ".")
layer fr  : text (attach ".")
layer syn : graph on en

feature num = sg | pl

category Text
category Det[num]
category N[num]

word Det[num=sg]: "the"
  fr  "le"
  syn node(upos=DET)
word Det[num=pl]: "the"
  fr  "les"
  syn node(upos=DET)
word N[num=sg]: "dog"
  fr  "chien"
  syn node(upos=NOUN)
word N[num=pl]: "dogs"
  fr  "chiens"
  syn node(lemma=dog, upos=NOUN)

rule text: Text -> capital Det N "."
  fr  Det N "."
  syn N -[det]-> Det; N -[punct]-> "."(upos=PUNCT)

dataset
  from Text
  train 2
"""


def test_what_the_source_does_not_show_is_shown_in_another_layer(tmp_path: Path) -> None:
    (found,) = check(ARTICLES, tmp_path).found
    assert found.notes[-1] == 'witness: "le chiens.", beside "les chiens." (`fr`)'


def test_the_hint_is_what_can_be_written_there(tmp_path: Path) -> None:
    """Other settings stay, and the variable is a name that is free."""
    grammar = (
        WORDS.replace("feature num = sg | pl", "feature num = n | nu\nfeature kind = big | small")
        .replace("num=sg", "num=n")
        .replace("num=pl", "num=nu")
        .replace("category NP[num]", "category NP[num, kind]")
    )
    clause = CLAUSE.format("NP[kind=big]", "VP")
    rest = VERB_PHRASES.format("VP[num=x]", "V[num=x]") + NOUN_PHRASE.format("NP[num=x]", "Det[num=x]", "N[num=x]")
    (found,) = (one for one in check(grammar + clause + rest, tmp_path).found if one.code == "SGL0405")
    assert found.hint == (
        "write `NP[num=num, kind=big]` and `VP[num=num]`; if you mean any value, `NP[num=_, kind=big]`"
    )


#: Grammars in which a feature is open and nothing is forgotten.
MEANT = {
    "everything agrees": AGREEING,
    "the object of a verb has a number of its own": AGREEING,
    "a coordination is plural, whatever its parts are": AGREEING
    + 'rule both: NP[num=pl] -> a:NP "and" b:NP  ~ 0.2\n'
    + '  syn a -[conj]-> b; b -[cc]-> "and"(upos=CCONJ)\n',
    "a coordination has the number of its first part": AGREEING
    + 'rule both: NP[num=n] -> a:NP[num=n] "and" b:NP  ~ 0.2\n'
    + '  syn a -[conj]-> b; b -[cc]-> "and"(upos=CCONJ)\n',
    "of two noun phrases only the subject agrees": WORDS.replace("category VP[num]\n", "")
    + "\nrule clause: S -> subj:NP[num=n] V[num=n] obj:NP\n"
    + "  syn V -[nsubj]-> subj; V -[obj]-> obj\n"
    + AGREEING_NOUN,
    "a verb agrees with what follows it in one kind of clause": AGREEING
    + 'rule there: S -> "there" V[num=n] NP[num=n]\n'
    + '  syn V -[nsubj]-> NP; V -[expl]-> "there"(upos=PRON)\n',
    "a preposition has an object of any number": AGREEING
    + 'rule near: NP[num=n] -> Det[num=n] N[num=n] "near" NP\n'
    + '  syn N -[det]-> Det; N -[nmod]-> NP; NP -[case]-> "near"(upos=ADP)\n',
    "an article agrees with the adjective, whose forms the noun does not have": (
        WORDS.replace("feature num = sg | pl", "feature num = sg | pl\nfeature sound = c | v")
        .replace("category Det[num]", "category Det[sound]")
        .replace("category N[num]", "category N[sound]\ncategory A[sound]")
        .replace('Det[num=sg]: "this"', 'Det[sound=c]: "a"')
        .replace('Det[num=pl]: "these"', 'Det[sound=v]: "an"')
        .replace('N[num=sg]: "dog"', 'N[sound=c]: "dog"')
        .replace('N[num=pl]: "dogs"\n  syn node(lemma=dog, ', 'N[sound=v]: "ox"\n  syn node(')
        + 'word A[sound=v]: "old"\n  syn node(upos=ADJ)\n'
        + 'word A[sound=c]: "big"\n  syn node(upos=ADJ)\n'
        + AGREEING_CLAUSE
        + AGREEING_VERBS
        + NOUN_PHRASE.format("NP", "Det[sound=s]", "N[sound=s]")
        + "rule modified: NP -> Det[sound=s] A[sound=s] N\n"
        + "  syn N -[det]-> Det; N -[amod]-> A\n"
    ),
    "a phrase in a relative clause has a gender that nothing else asks for": (
        WORDS.replace("feature num", "feature gen = m | f\nfeature num")
        .replace("category N[num]", "category N[num, gen]\ncategory RC[gen]\ncategory Rel[gen]")
        .replace("category NP[num]", "category NP[num, gen]")
        .replace('word N[num=sg]: "dog"', 'word N[num=sg, gen=m]: "dog"')
        .replace('word N[num=pl]: "dogs"', 'word N[num=pl, gen=f]: "dogs"')
        + 'word Rel[gen=m]: "whom"\n  syn node(upos=PRON)\n'
        + 'word Rel[gen=f]: "which"\n  syn node(upos=PRON)\n'
        + AGREEING_CLAUSE
        + AGREEING_VERBS
        + NOUN_PHRASE.format("NP[num=n, gen=g]", "Det[num=n]", "N[num=n, gen=g]")
        + "rule with_clause: NP[num=n, gen=g] -> Det[num=n] N[num=n, gen=g] RC[gen=g]  ~ 0.2\n"
        + "  syn N -[det]-> Det; N -[acl]-> RC\n"
        + "rule relative: RC[gen=g] -> Rel[gen=g] NP[num=n] V[num=n]\n"
        + "  syn V -[obj]-> Rel; V -[nsubj]-> NP\n"
    ),
    "the author says that any value is meant": AGREEING
    + 'rule again: VP[num=_] -> V "again"\n  syn V -[advmod]-> "again"(upos=ADV)\n',
    "the author lists all values": AGREEING
    + 'rule again: VP[num=sg|pl] -> V "again"\n  syn V -[advmod]-> "again"(upos=ADV)\n',
}


@pytest.mark.parametrize("name", MEANT)
def test_a_feature_that_is_rightly_open_gives_no_warning(name: str, tmp_path: Path) -> None:
    outcome = check(MEANT[name], tmp_path)
    assert outcome.codes == [], outcome.rendered()


def test_any_value_is_the_same_as_none_that_is_mentioned(tmp_path: Path) -> None:
    """``NP[num=_]`` has the same rules and weights as ``NP``, each mention by itself."""
    rules = []
    for index, object_phrase in enumerate(("NP", "NP[num=_]")):
        path = tmp_path / f"{index}.sgl"
        path.write_text(AGREEING.replace("V[num=n] NP", f"V[num=n] {object_phrase}"))
        compiled = open_grammar(path, {}, SourceMap(), Diagnostics())
        assert compiled is not None
        rules.append([(r.name, r.lhs, r.rhs, r.weight) for r in compiled.grammar.rules])
    assert rules[0] == rules[1]
