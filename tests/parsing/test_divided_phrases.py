"""Phrases with several parts: what they mean, and how their sentences are parsed.

``tests/models/random_parts.py`` holds them against a model that shares nothing with the compiler.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from same_grammar import core_of

from random_parts import compare
from sgl.core.interpret import Derivation, interpret
from sgl.parsing import Parser
from sgl.parsing.parser import describe_failure

#: Verbs with a prefix, in the target; who calls whom may be twice the same.
CALLS = """
layer en : text (attach "." ",")
layer de : text (attach "." ",")
layer syn : graph on en
category Text
category S
category NP
category V with de.prefix
category VP with de.prefix

rule text: Text -> capital S "."
  de  capital S "."
  syn S -[punct]-> "."(upos=PUNCT)
rule clause: S -> NP VP  ~ 3
  de  NP VP VP.prefix
  syn VP -[nsubj]-> NP
rule because: S -> "because" sub:S "," S
  de  "weil" sub "," S
  syn S -[advcl]-> sub; S -[mark]-> "because"(upos=SCONJ); S -[punct]-> ","(upos=PUNCT)
rule object: VP -> V NP
  syn V -[obj]-> NP
  de  V NP
word NP: "Anna"
  de  "Anna"
  syn node(upos=PROPN)
word NP: "Ben"
  de  "Ben"
  syn node(upos=PROPN)
word V: "calls"
  de  "ruft"
  de.prefix "an"
  syn node(upos=VERB)
word V: "sees"
  de  "sieht"
  syn node(upos=VERB)
dataset
  from Text
  train 10
"""

#: Dutch verbs in the order of their objects.
CLUSTERS = (
    """
layer nl : text
layer syn : graph on nl
category S
category NP
category V
category VP with nl.cluster
rule clause: S -> NP VP VP.cluster
  syn VP -[nsubj]-> NP
rule first: VP -> NP V VP  ~ 1
  nl.cluster V VP.cluster
  syn V -[obj]-> NP; V -[xcomp]-> VP
rule last: VP -> NP V  ~ 2
  nl.cluster V
  syn V -[obj]-> NP
"""
    + "".join(
        f'word {category}: "{text}"\n  syn node(upos=X)\n'
        for category, texts in (("NP", ("Jan", "Piet", "Marie")), ("V", ("zag", "helpen", "leren")))
        for text in texts
    )
    + "dataset\n  from S\n  train 10\n"
)


def texts(core: object, readings: tuple[Derivation, ...], layer: int) -> list[str]:
    return [interpret(core, reading).texts[layer] for reading in readings]  # type: ignore[arg-type]


def test_a_prefix_goes_up_to_the_rule_that_places_it() -> None:
    core = core_of(CALLS)
    readings = Parser(core).parse("Anna calls Ben.")
    assert texts(core, readings, 1) == ["Anna ruft Ben an."]
    assert Parser(core, 1).parse("Anna ruft Ben an.") == readings


def test_a_word_that_says_nothing_of_a_part_has_none() -> None:
    parser = Parser(core_of(CALLS), 1)
    assert len(parser.parse("Ben sieht Anna.")) == 1
    assert parser.parse("Ben sieht Anna an.") == ()


def test_every_part_comes_from_the_same_phrase() -> None:
    """The prefix belongs to the verb of its clause, and there are two clauses."""
    parser = Parser(core_of(CALLS), 1)
    assert len(parser.parse("Weil Ben ruft Anna an, Anna sieht Ben.")) == 1
    assert parser.parse("Weil Ben ruft Anna, Anna sieht Ben an.") == ()


def test_verbs_cross_over_their_objects() -> None:
    core = core_of(CLUSTERS)
    parser = Parser(core)
    (reading,) = parser.parse("Jan Piet Marie zag helpen")
    graph = interpret(core, reading).graphs[0]
    assert graph.edges == ((3, "nsubj", 0), (3, "obj", 1), (3, "xcomp", 4), (4, "obj", 2))
    assert parser.parse("Jan Piet Marie zag helpen leren") == ()
    assert parser.parse("Jan Piet Marie zag") == ()


def test_the_words_of_a_cluster_may_be_repeated() -> None:
    """Names and verbs: as many of the one as of the other, in any length."""
    parser = Parser(core_of(CLUSTERS))
    for number in range(1, 9):
        sentence = " ".join(["Jan", *["Piet"] * number, *["zag"] * number])
        assert len(parser.parse(sentence)) == 1
        assert parser.parse(sentence + " zag") == ()


def test_a_part_may_begin_the_sentence_with_a_capital() -> None:
    core = core_of(CLUSTERS.replace("S -> NP VP VP.cluster", "S -> capital VP.cluster NP VP"))
    assert len(Parser(core).parse("Zag helpen Jan Piet Marie")) == 1
    assert Parser(core).parse("zag helpen Jan Piet Marie") == ()


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("Anna ruft Ben.", "parsed up to “Anna ruft Ben”; expected “an”"),
        ("Anna ruft an.", "parsed up to “Anna ruft”; expected NP"),
        ("Ruft Anna.", "no sentence begins like this; expected “Anna”, “Ben”, “Weil”, Text"),
        ("Anna sieht Ben an.", "parsed up to “Anna sieht Ben”; expected “.”"),
    ],
)
def test_a_failure_says_which_part_is_missing(sentence: str, told: str) -> None:
    core = core_of(CALLS)
    failure = Parser(core, 1).failure(sentence)
    assert describe_failure(core, sentence, failure) == told


def test_a_grammar_that_rewrites_a_category_into_itself_has_finitely_many_readings() -> None:
    """Only the target can be written so: there the child is all that is left of a rule."""
    circle = CALLS.replace(
        "rule object:",
        'rule really: VP -> "really" VP\n  de  VP\n  syn VP -[advmod]-> "really"(upos=ADV)\nrule object:',
    )
    core = core_of(circle)
    readings = Parser(core, 1).parse("Anna ruft Ben an.")
    assert texts(core, readings, 0) == ["Anna calls Ben."]


def test_an_empty_part_may_be_repeated_inside_itself(tmp_path: Path) -> None:
    """`A -> … copy A …` where A may be empty: the same part at the same place is known already."""
    figures: Counter[str] = Counter()
    compare(91, tmp_path / "91.sgl", figures)
    assert figures["texts parsed in nl"] > 10


@pytest.mark.slow
def test_random_grammars_are_what_the_model_says(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in range(1, 13):
        compare(seed, tmp_path / f"{seed}.sgl", figures)
    assert figures["compiled"] > 5
    assert figures["readings"] > 500
    assert figures["texts of the checker"] > 500


def test_a_clause_may_be_about_the_parts_of_several_layers() -> None:
    """As a clause may be about several layers: what is said is said of each of them."""
    layer, also = '  de.prefix "an"\n', '  de.prefix nl.prefix "an"\n'
    twice = CALLS.replace("layer syn", "layer nl : text\nlayer syn").replace(
        "with de.prefix", "with de.prefix, nl.prefix"
    )
    apart = "".join(
        f"{line}\n" + (line.replace("  de", "  nl") + "\n" if line.startswith("  de ") else "")
        for line in twice.splitlines()
    )
    assert layer in apart
    together = core_of(apart.replace(layer, also))
    assert together == core_of(apart.replace(layer, layer + layer.replace("de.", "nl.")))
