"""The templates of a layer as productions in which every part is seen.

The kernel reads productions whose parts all cover something.  What a template says beyond
that is settled here, once for each grammar.  Words that stand together are one part; a
phrase whose first letter is raised is a symbol of its own; a child that may be empty is
there in one production and left out in another; and a child that leaves no words, because
it is empty or because the template drops it, is *unseen*: so many ways, with one likeliest
derivation::

    N = Det Noun : 1        犬          right  Noun     order  Det: unseen, 2 ways (the, a)
                                                               Noun: part 0
    S = NP V : 0^ "had" "been" 1        right  ^NP  "had been"  V

``order`` says for each child of the rule which part it is, so that a derivation can be
written down.  Templates that repeat a child say that two parts are equal, which no
production can; they are refused, and so are categories that can be rewritten into
themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from math import inf, log, prod
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Rule, Slot
from sgl.core.interpret import Derivation, capitalised
from sgl.parsing.templates import Dropped, TemplateIndex, recurring, symbol

#: A symbol, or words that stand together.
Part = int | tuple[str, ...]

#: Children of one template that may be empty; each doubles the number of productions.
_MOST_OPTIONAL = 6


class UnsuitableLayerError(Exception):
    """A layer has templates that are not productions; the message is the reason."""


class Production(NamedTuple):
    """A rule of a symbol, as far as it is seen.

    ``order`` has for each child of the rule the number of its part, or -1 minus the number
    of the unseen derivation that stands for it.  ``ways`` and ``log_weight`` count what is
    unseen in.
    """

    left: int
    right: tuple[Part, ...]
    rule: int
    ways: int
    log_weight: float
    order: tuple[int, ...]


class Unseen(NamedTuple):
    """What stands for a child without words: the ways, and the likeliest of them."""

    ways: int
    log_weight: float
    derivation: Derivation


class Productions:
    """The productions of a text layer.

    Attributes:
        start: the symbol of whole texts.
        all: the productions of all symbols below the start.
        unseen: the derivations that stand for unseen children.
    """

    def __init__(self, index: TemplateIndex) -> None:
        """Collect the productions; raise ``UnsuitableLayerError`` if there are none."""
        if recurring(index):
            raise UnsuitableLayerError("a category can be rewritten into itself")
        self._index = index
        self._grammar = index.grammar
        self._dropped = _DroppedChildren(index.grammar)
        self._empty = _empty_children(index, self._dropped)
        self._numbers: dict[Derivation, int] = {}
        self.start = symbol(index.grammar.start, False)
        self.all = list(self._below(self.start))
        self.unseen = tuple(self._numbers)

    def _below(self, start: int) -> Iterator[Production]:
        waiting, met = [start], {start}
        while waiting:
            left = waiting.pop()
            for rule in self._grammar.rules_of[left // 2]:
                for production in self._of_rule(rule, left):
                    yield production
                    for part in production.right:
                        if isinstance(part, int) and part not in met:
                            met.add(part)
                            waiting.append(part)

    def _of_rule(self, rule: Rule, left: int) -> Iterator[Production]:
        """Return the productions of a rule for one mode of its category."""
        template = rule.templates[self._index.layer]
        slots = [item.child for item in template if isinstance(item, Slot)]
        if len(set(slots)) < len(slots):
            raise UnsuitableLayerError(f"the rule {rule.name} repeats a child")
        optional = [child for child in slots if rule.rhs[child] in self._index.nullable]
        if len(optional) > _MOST_OPTIONAL:
            raise UnsuitableLayerError(f"the rule {rule.name} has many children that may be empty")
        dropped = {*range(len(rule.rhs))}.difference(slots)
        for empty in _subsets(optional):
            if len(empty) < len(template):
                yield from self._production(rule, left, dropped, set(empty))

    def _production(
        self, rule: Rule, left: int, dropped: set[int], empty: set[int]
    ) -> Iterator[Production]:
        """Return the production in which these children are unseen, if they can be."""
        order = [0] * len(rule.rhs)
        right = tuple(self._parts(rule, left % 2 == 1, empty, order))
        ways, score = 1, _log(rule.weight)
        for child in sorted(dropped | empty):
            category = rule.rhs[child]
            found = self._empty[category] if child in empty else self._dropped.of(category)
            order[child] = -1 - self._numbers.setdefault(found.derivation, len(self._numbers))
            ways *= found.ways
            score += found.log_weight
        if ways:
            yield Production(left, right, rule.id, ways, score, tuple(order))

    def _parts(self, rule: Rule, raised: bool, empty: set[int], order: list[int]) -> list[Part]:
        """Return the parts of a template without its empty children, and note them in ``order``."""
        parts: list[Part] = []
        for item in rule.templates[self._index.layer]:
            up = raised and not parts
            if isinstance(item, Slot):
                if item.child not in empty:
                    order[item.child] = len(parts)
                    parts.append(symbol(rule.rhs[item.child], item.capital or up))
                continue
            word = capitalised(item.text) if up else item.text
            last = parts[-1] if parts else None
            if isinstance(last, tuple):
                parts[-1] = (*last, word)
            else:
                parts.append((word,))
        return parts


def _subsets(children: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(children) + 1):
        yield from combinations(children, size)


def _log(weight: float) -> float:
    return log(weight) if weight > 0 else -inf


class _DroppedChildren:
    """What stands for a child that a template drops (:mod:`sgl.parsing.templates`)."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._dropped = Dropped(grammar)
        self._known: dict[int, Unseen] = {}
        self._ways: dict[int, int] | None = None

    def of(self, category: int) -> Unseen:
        """Return what stands for a category."""
        if category not in self._known:
            self._known[category] = self._find(category)
        return self._known[category]

    def _find(self, category: int) -> Unseen:
        rules: list[Rule] = []
        stack = [category]
        while stack:
            best = self._dropped.likeliest(stack.pop())
            if best is None:
                return Unseen(0, -inf, ())
            rules.append(best)
            stack.extend(reversed(best.rhs))
        score = sum(_log(rule.weight) for rule in rules)
        if self._ways is None:
            self._ways = self._count()
        return Unseen(self._ways.get(category, 1), score, tuple(rule.id for rule in rules))

    def _count(self) -> dict[int, int]:
        """Return the number of derivations of the categories that have finitely many."""
        rules_of = self._grammar.rules_of
        ways: dict[int, int] = {}
        waiting = [c for c in range(len(rules_of)) if self._dropped.finite(c)]
        while waiting:
            ready = [c for c in waiting if all(ways.keys() >= {*r.rhs} for r in rules_of[c])]
            for category in ready:
                ways[category] = sum(prod(ways[c] for c in r.rhs) for r in rules_of[category])
            waiting = [category for category in waiting if category not in ways]
        return ways


def _empty_children(index: TemplateIndex, dropped: _DroppedChildren) -> dict[int, Unseen]:
    """Return what stands for a child that is in its template and derives no words."""
    found: dict[int, Unseen] = {}
    waiting = sorted(index.nullable)
    while waiting:
        for category in waiting:
            rules = index.nullable_rules[category]
            if all(found.keys() >= {*_seen(rule, index.layer)} for rule in rules):
                choices = [_combined(rule, index.layer, found, dropped) for rule in rules]
                best = max(choices, key=lambda choice: (choice.ways > 0, choice.log_weight))
                found[category] = best._replace(ways=sum(choice.ways for choice in choices))
        waiting = [category for category in waiting if category not in found]
    return found


def _seen(rule: Rule, layer: int) -> Iterable[int]:
    """Return the categories of the children that a wordless template has."""
    return (rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot))


def _combined(
    rule: Rule, layer: int, empty: dict[int, Unseen], dropped: _DroppedChildren
) -> Unseen:
    """Return what a rule makes of children that are all unseen."""
    slots = {item.child for item in rule.templates[layer] if isinstance(item, Slot)}
    children = [
        empty[category] if child in slots else dropped.of(category)
        for child, category in enumerate(rule.rhs)
    ]
    return Unseen(
        prod(child.ways for child in children),
        _log(rule.weight) + sum(child.log_weight for child in children),
        (rule.id, *(number for child in children for number in child.derivation)),
    )
