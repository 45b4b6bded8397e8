"""The grammars of the page *Phrases in several parts*, and ``flat.sgl``, say what the page says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from same_grammar import core_of

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.parsing import Parser

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "discontinuity.md").read_text("utf-8")
FILES = {name: (DOCS / "examples" / name).read_text("utf-8") for name in ("calls.sgl", "calls.yaml", "dutch.sgl")}
FILES["flat.sgl"] = Path(__file__).with_name("flat.sgl").read_text("utf-8")
#: Words of the longest sentences that are compared: a clause with another one in it.
LONGEST = 9


@cache
def grammar(name: str) -> CoreGrammar:
    return core_of(FILES[name], {"calls.yaml": FILES["calls.yaml"]})


def derivations(core: CoreGrammar, category: int, words: int) -> Iterator[Derivation]:
    """The derivations of a category with so many words of the source."""
    for rule in core.rules_of[category]:
        rest = words - core.source_tokens[rule.id]
        yield from ((rule.id, *below) for below in joined(core, rule.rhs, rest))


def joined(core: CoreGrammar, children: Sequence[int], words: int) -> Iterator[Derivation]:
    if not children:
        yield from [()] * (words == 0)
    for size in range(1, words - len(children) + 2) if children else ():
        for first in derivations(core, children[0], size):
            yield from ((*first, *rest) for rest in joined(core, children[1:], words - size))


def sentences(core: CoreGrammar) -> set[tuple[object, ...]]:
    """Texts with their graphs."""
    every = (d for n in range(LONGEST + 1) for d in derivations(core, core.start, n))
    items = (interpret(core, derivation) for derivation in every)
    return {(*item.texts, item.graphs[0].edges) for item in items}


def test_both_grammars_have_the_same_sentences() -> None:
    with_parts, flat = sentences(grammar("calls.sgl")), sentences(grammar("flat.sgl"))
    assert with_parts == flat
    assert len(with_parts) > 1_000


def lines(text: str, names: str) -> int:
    """The lines of the rules whose names begin so."""
    rules = re.findall(rf"^rule (?:{names})\w*:.*\n(?:  .*\n)*", text, re.MULTILINE)
    return sum(rule.count("\n") for rule in rules)


def test_the_page_counts_the_lines_of_both() -> None:
    said = re.findall(r"has (\d+) lines of rules in place of (\d+)", PAGE)
    kinds = "transitive|ditransitive|perfect|clause|fronted"
    counted = (lines(FILES["flat.sgl"], kinds), lines(FILES["calls.sgl"], kinds))
    assert said == [tuple(map(str, counted))]


@pytest.mark.parametrize("number", range(1, 6))
def test_dutch_verbs_cross_in_any_number(number: int) -> None:
    """Noun n belongs to verb n."""
    core = grammar("dutch.sgl")
    nouns, verbs = ["Piet"] * number, ["zag", *["helpen"] * (number - 1)]
    (reading,) = Parser(core).parse(["dat", "Jan", *nouns, *verbs])
    edges = interpret(core, reading).graphs[0].edges
    first = 2 + number
    assert {(s - first, t - 2) for s, label, t in edges if label == "obj"} == {(n, n) for n in range(number)}
    assert Parser(core).parse(["dat", "Jan", *nouns, *verbs, "helpen"]) == ()
