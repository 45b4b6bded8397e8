"""Turn the templates of a layer into productions in which every part is seen.

Adjacent words are one part; a phrase whose first letter is raised is a symbol of its own; a child that may be empty is
present in one production and absent from another; and a child without words is *unseen*: a number of ways, and one
derivation::

    N = Det Noun : 1        犬          right  Noun     order  Det: unseen, 2 ways (the, a)
                                                               Noun: part 0

Templates that repeat a child require two equal parts, which no production can express; they are refused, and so are
categories that can be rewritten into themselves.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from math import prod
from typing import NamedTuple

from sgl.core.grammar import Rule, Slot
from sgl.core.interpret import Derivation, capitalised, shown_children
from sgl.parsing.layer import TemplateIndex

#: A symbol, or adjacent words.
Part = int | tuple[str, ...]

#: The most children of one template that may be empty; each doubles the number of productions.
_MOST_OPTIONAL = 6


def symbol(category: int, raised: bool) -> int:
    """Return the number of a category in one of its modes."""
    return 2 * category + raised


class UnsuitableLayerError(Exception):
    """A layer has templates that are not productions; the message says why."""


class Production(NamedTuple):
    """The seen parts of a rule for a symbol.

    ``order`` has for each child of the rule the index of its part, or -1 minus the number of its unseen derivation.
    ``ways`` is the number of unseen derivations.
    """

    left: int
    right: tuple[Part, ...]
    rule: int
    ways: int
    order: tuple[int, ...]


class Wordless(NamedTuple):
    """A child without words: its number of derivations, and one of them."""

    ways: int
    derivation: Derivation


class Productions:
    """The productions of a text layer, for the symbol ``start`` of whole texts and all below it."""

    def __init__(self, index: TemplateIndex) -> None:
        """Collect the productions; raises ``UnsuitableLayerError`` if the layer has none."""
        self._index = index
        if index.recurs:
            raise UnsuitableLayerError("a category can be rewritten into itself")
        self._nullable = {category for category, _ in index.nullable}
        self._known: dict[tuple[int, bool], Wordless] = {}
        self._numbers: dict[Derivation, int] = {}
        self.start = symbol(index.grammar.start, False)
        self.all: list[Production] = []
        waiting, met = [self.start], {self.start}
        while waiting:
            left = waiting.pop()
            for rule in index.grammar.rules_of[left // 2]:
                for production in self._of_rule(rule, left):
                    self.all.append(production)
                    fresh = [p for p in production.right if isinstance(p, int) and p not in met]
                    waiting += dict.fromkeys(fresh)
                    met.update(fresh)
        self.unseen = tuple(self._numbers)

    def _of_rule(self, rule: Rule, left: int) -> Iterator[Production]:
        template = rule.templates[self._index.layer]
        slots = [item.child for item in template if isinstance(item, Slot)]
        if len(set(slots)) < len(slots):
            raise UnsuitableLayerError(f"the rule {rule.name} repeats a child")
        optional = [child for child in slots if rule.rhs[child] in self._nullable]
        if len(optional) > _MOST_OPTIONAL:
            raise UnsuitableLayerError(f"the rule {rule.name} has many children that may be empty")
        dropped = {*range(len(rule.rhs))}.difference(slots)
        for size in range(len(optional) + 1):
            for empty in map(set, combinations(optional, size)):
                production = self._production(rule, left, dropped, empty)
                if production.right and production.ways:
                    yield production

    def _production(self, rule: Rule, left: int, dropped: set[int], empty: set[int]) -> Production:
        order = [0] * len(rule.rhs)
        right: list[Part] = []
        for item in rule.templates[self._index.layer]:
            raised = left % 2 == 1 and not right
            if isinstance(item, Slot):
                if item.child not in empty:
                    order[item.child] = len(right)
                    right.append(symbol(rule.rhs[item.child], item.capital or raised))
                continue
            word = capitalised(item.text) if raised else item.text
            last = right[-1] if right else None
            if isinstance(last, tuple):
                right[-1] = (*last, word)
            else:
                right.append((word,))
        ways = 1
        for child in sorted(dropped | empty) if right else ():
            found = self._unseen(rule.rhs[child], empty=child in empty)
            order[child] = -1 - self._numbers.setdefault(found.derivation, len(self._numbers))
            ways *= found.ways
        return Production(left, tuple(right), rule.id, ways, tuple(order))

    def _unseen(self, category: int, *, empty: bool) -> Wordless:
        """Return the derivations of a child that its template drops, or that is present without words."""
        if (category, empty) not in self._known:
            self._known[category, empty] = self._empty(category) if empty else self._dropped(category)
        return self._known[category, empty]

    def _dropped(self, category: int) -> Wordless:
        derivation: list[int] = []
        stack = [category]
        while stack:
            best = self._index.likeliest.get(stack.pop())
            if best is None:
                return Wordless(0, ())
            derivation.append(best.id)
            stack.extend(reversed(best.rhs))
        return Wordless(self._index.ways.get(category, 1), tuple(derivation))

    def _empty(self, category: int) -> Wordless:
        choices = [found for rule in self._index.grammar.rules_of[category] if (found := self._wordless(rule)).ways]
        return Wordless(sum(found.ways for found in choices), choices[0].derivation if choices else ())

    def _wordless(self, rule: Rule) -> Wordless:
        template = rule.templates[self._index.layer]
        if not all(isinstance(item, Slot) and rule.rhs[item.child] in self._nullable for item in template):
            return Wordless(0, ())
        slots = shown_children(template)
        children = [self._unseen(child, empty=place in slots) for place, child in enumerate(rule.rhs)]
        derivation = chain.from_iterable(child.derivation for child in children)
        return Wordless(prod(child.ways for child in children), (rule.id, *derivation))
