"""Grammars of one text layer, written in a line or two, for the tests of the parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, Template, TextLayer, Token
from sgl.core.interpret import Derivation


def grammar(text: str, *, join: str = " ", attach: str = ".", weights: dict[str, float] | None = None) -> CoreGrammar:
    """Rules ``S = NP VP : 0 1 "."``: children by number, ``^0`` capital, words in quotes.

    The first left-hand side is the start; the name of a rule is its line.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    names = list(dict.fromkeys(line.split(" = ")[0] for line in lines))
    rules = []
    for line in lines:
        production, _, template = line.partition(" :")
        left, _, right = production.partition(" =")
        rules.append(
            Rule(
                id=len(rules),
                name=line,
                lhs=names.index(left),
                rhs=tuple(names.index(child) for child in right.split()),
                weight=(weights or {}).get(line, 1.0),
                templates=(template_of(template),),
                fragments=(),
            )
        )
    layer = TextLayer("en", join, frozenset(attach.split()))
    return CoreGrammar("test", tuple(Category(name) for name in names), tuple(rules), 0, (layer,), ())


def template_of(text: str) -> Template:
    return tuple(
        Token(part.strip('"')) if part.startswith('"') else Slot(int(part.lstrip("^")), part.startswith("^"))
        for part in text.split()
    )


def names(core: CoreGrammar, derivation: Derivation) -> list[str]:
    return [core.rules[rule].name.split(" = ")[0] for rule in derivation]


def weighted_grammar(rules: Mapping[str, tuple[str, float]]) -> CoreGrammar:
    """A grammar of one text layer: ``name: ("S -> A B" or "A -> word", weight)``."""
    names = list(dict.fromkeys(text.split()[0] for text, _ in rules.values()))
    totals: Counter[str] = Counter()
    for text, weight in rules.values():
        totals[text.split()[0]] += weight  # type: ignore[assignment]
    made = []
    for number, (name, (text, weight)) in enumerate(rules.items()):
        left, _, *right = text.split()
        children = [item for item in right if item in names]
        places = iter(range(len(children)))
        template = tuple(Slot(next(places)) if item in names else Token(item) for item in right)
        lhs, rhs = names.index(left), tuple(names.index(child) for child in children)
        made.append(Rule(number, name, lhs, rhs, weight / totals[left], (template,), ()))
    categories = tuple(Category(name) for name in names)
    return CoreGrammar("g", categories, tuple(made), 0, (TextLayer("en"),), ())
