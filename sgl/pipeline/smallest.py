"""Smallest texts: for a rule, a text that contains it and has as few rules as can be.

They show what a rule does, to an author and to checks.  The smallest phrase of each
category is found from the words upwards, the smallest text around a phrase from the
start downwards::

    rule pp: PP -> "near" NP          "the dog near the dog sleeps"
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import Derivation


class SmallestTexts:
    """The smallest texts of a grammar, one for each rule."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._below = _smallest_phrases(grammar)
        self._above = _smallest_contexts(grammar, self._below)

    def of(self, number: int) -> Derivation:
        """A smallest text with this rule."""
        rule = self._grammar.rules[number]
        phrase: Derivation = (rule.id, *(s for child in rule.rhs for s in self._below[child]))
        category = rule.lhs
        while category in self._above:
            outer, place = self._above[category]
            parts = [
                phrase if i == place else self._below[child] for i, child in enumerate(outer.rhs)
            ]
            phrase = (outer.id, *(step for part in parts for step in part))
            category = outer.lhs
        return phrase

    def of_all(self) -> Iterator[Derivation]:
        """Smallest texts in which all rules occur; none for rules that an earlier one has."""
        used = set[int]()
        for rule in self._grammar.rules:
            if rule.id not in used:
                derivation = self.of(rule.id)
                used.update(derivation)
                yield derivation


def _smallest_phrases(grammar: CoreGrammar) -> list[Derivation]:
    """A derivation of each category with as few rules as can be."""
    found: list[Derivation | None] = [None] * len(grammar.categories)
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            parts = [found[child] for child in rule.rhs]
            known = [part for part in parts if part is not None]
            before = found[rule.lhs]
            size = 1 + sum(map(len, known))
            if len(known) == len(parts) and (before is None or size < len(before)):
                found[rule.lhs] = (rule.id, *(step for part in known for step in part))
                changed = True
    return [derivation or () for derivation in found]


def _smallest_contexts(
    grammar: CoreGrammar, below: Sequence[Derivation]
) -> dict[int, tuple[Rule, int]]:
    """For each category but the start the rule and the place where a smallest text has it."""
    sizes = {grammar.start: 0}
    above: dict[int, tuple[Rule, int]] = {}
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            for place, child in enumerate(rule.rhs if rule.lhs in sizes else ()):
                others = sum(len(below[other]) for i, other in enumerate(rule.rhs) if i != place)
                size = sizes[rule.lhs] + 1 + others
                if child not in sizes or size < sizes[child]:
                    sizes[child] = size
                    above[child] = rule, place
                    changed = True
    return above
