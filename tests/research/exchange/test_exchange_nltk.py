"""PCFGs for NLTK: well-formed without it, and the same probabilities where it is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import fsum

import pytest
from exchanging import OUR_GRAMMARS, marked, our_grammar
from small_grammars import grammar
from toy import random_derivations

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_tokens, finish
from sgl.parsing import Parser, best_readings
from sgl.research.exchange import without_capitals, write_nltk
from sgl.research.exchange.write_tools import repeating

PRODUCTION = re.compile(
    r"""(?P<left>\w[\w-]*) [ ] -> (?P<right> (?:[ ](?:\w[\w-]*|'[^']*'|"[^"]*"))* ) [ ]"""
    r"""\[(?P<probability>[0-9]+\.[0-9]+)\]""",
    re.VERBOSE,
)
#: The layers that are compared; those of our grammars have no repeated child.
LAYERS = [marked(name, layer) for name in OUR_GRAMMARS for layer in (0, 1) if (name, layer) != ("slog", 1)]


def pcfg(core: CoreGrammar, layer: int) -> str:
    return write_nltk(without_capitals(core, [layer]).grammar, layer, "title")


def productions(text: str) -> Iterator[tuple[str, str, str]]:
    first, *lines = text.splitlines()
    assert first == "# title"
    for line in lines:
        match = PRODUCTION.fullmatch(line)
        assert match is not None, line
        yield match["left"], match["right"], match["probability"]


@pytest.mark.parametrize(("name", "layer"), LAYERS)
def test_probabilities_sum_to_1_and_every_nonterminal_has_productions(name: str, layer: int) -> None:
    found = list(productions(pcfg(our_grammar(name), layer)))
    assert found[0][0] == "Text"
    assert len({(left, right) for left, right, _ in found}) == len(found)
    sums: dict[str, Fraction] = {}
    for left, _, probability in found:
        sums[left] = sums.get(left, Fraction(0)) + Fraction(probability)
    assert max(abs(total - 1) for total in sums.values()) < Fraction(1, 10**12)
    mentioned = {symbol for _, right, _ in found for symbol in re.sub(r"'[^']*'|\"[^\"]*\"", " ", right).split()}
    assert mentioned <= set(sums)


def test_equal_productions_are_one_and_children_without_words_are_gone() -> None:
    core = grammar(
        """
        S = A B C : 0 1 "it's"
        S = B A C : 1 0 "it's"
        A = : "a"
        A = : "b"
        B = :
        C = : "c"
        """
    )
    # The weights of each category sum to 1.
    rules = tuple(replace(r, weight=1 / len(core.rules_of[r.lhs])) for r in core.rules)
    assert pcfg(replace(core, rules=rules), 0).splitlines()[1:] == [
        """S -> A "it's" [1.0]""",
        "A -> 'a' [0.5]",
        "A -> 'b' [0.5]",
    ]


def test_names_of_categories_are_what_nltk_can_read() -> None:
    names = {left for left, _, _ in productions(pcfg(our_grammar("slog"), 0))}
    assert {"NP-yes-none", "NP_capital-no-pp", "V-ditransitive-base"} <= names


def test_repeated_children_are_found() -> None:
    assert repeating(grammar('S = A : 0 0\nA = : "a"'), 0) == [0]
    assert repeating(grammar('S = A : 0\nA = : "a"'), 0) == []


@pytest.mark.parametrize(("name", "layer"), LAYERS)
def test_nltk_reads_it_and_gives_sentences_their_probabilities(name: str, layer: int) -> None:
    nltk = pytest.importorskip("nltk", reason="NLTK is compared with where it is installed")
    core = our_grammar(name)
    theirs = nltk.PCFG.fromstring(pcfg(core, layer))
    parser = nltk.parse.pchart.InsideChartParser(theirs)
    ours = Parser(core, layer)
    compared = 0
    for derivation in random_derivations(core, 25 if name == "slog" else 40, seed=6, longest=18):
        words = list(filter(None, derive_tokens(core, derivation, layer)))
        forest = ours.forest(finish(core.text_layers[layer], words))
        assert forest is not None
        # A dropped child is any of its phrases for us, and nothing at all for a PCFG.
        if forest.count > 2_000:
            continue
        probability = fsum(r.probability for r in best_readings(forest, forest.count))
        assert fsum(tree.prob() for tree in parser.parse(words)) == pytest.approx(probability, rel=1e-9)
        compared += 1
    assert compared >= 20
