"""Grammars of one text layer, for tests in which their rules are to be seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, TextLayer, Token


def grammar(rules: Mapping[str, tuple[str, float]]) -> CoreGrammar:
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
