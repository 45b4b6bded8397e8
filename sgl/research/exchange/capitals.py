"""Say ``capital`` without ``capital``: by categories whose phrases begin with a capital.

A template may raise the first letter of a child.  Other formalisms have no such
operation, but a context-free grammar can do it: beside ``S`` there is ``S_capital``,
whose rules are those of ``S`` with the first word raised, or the first child in turn::

    Text -> capital S "."          Text      -> S_capital "."
    S    -> NP VP                  S_capital -> NP_capital VP
    Det  -> "the"                  Det_capital -> "The"

Derivations correspond one to one and have equal weights.  Where the first child may
be empty in one sentence and not in another, the first *word* is not known from the
category; such places are counted as inexact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sgl.core.grammar import Category, CoreGrammar, Item, Rule, Slot, Template, Token
from sgl.research.exchange.names import FreeNames

#: The text layers in which a phrase begins with a capital.
Raised = frozenset[int]


@dataclass(frozen=True)
class WithoutCapitals:
    """A grammar without ``capital``.

    ``category_of`` and ``rule_of`` lead from each category and rule to the one that it
    is a copy of; ``inexact`` are pairs of an original rule and a text layer in which the
    wrong word may begin with a capital, or none.
    """

    grammar: CoreGrammar
    category_of: tuple[int, ...]
    rule_of: tuple[int, ...]
    inexact: tuple[tuple[int, int], ...]


def without_capitals(grammar: CoreGrammar, layers: Sequence[int] | None = None) -> WithoutCapitals:
    """Return the grammar with the ``capital`` of some text layers, or all, in its categories."""
    return _Copying(grammar, range(len(grammar.text_layers)) if layers is None else layers).run()


class Emptiness(NamedTuple):
    """Whether the phrases of a category can be empty in a layer, and can be not."""

    empty: bool
    filled: bool


def emptiness(grammar: CoreGrammar, layer: int) -> list[Emptiness]:
    """Return what the phrases of each category can be in a text layer, as a least fixed point."""
    found = [Emptiness(False, False)] * len(grammar.categories)
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            parts = [
                found[rule.rhs[item.child]]
                if isinstance(item, Slot)
                else Emptiness(not item.text, bool(item.text))
                for item in rule.templates[layer]
            ]
            old = found[rule.lhs]
            new = Emptiness(
                old.empty or all(part.empty for part in parts),
                old.filled or (all(map(any, parts)) and any(part.filled for part in parts)),
            )
            changed |= new != old
            found[rule.lhs] = new
    return found


class _Copying:
    """Copies rules from the start on; a category has a copy for each set of layers."""

    def __init__(self, grammar: CoreGrammar, layers: Sequence[int]) -> None:
        self.grammar = grammar
        self.layers = frozenset(layers)
        self.emptiness = {layer: emptiness(grammar, layer) for layer in self.layers}
        self.copies: dict[tuple[int, Raised], int] = {}
        self.order: list[tuple[int, Raised]] = []
        self.inexact: dict[tuple[int, int], None] = {}

    def run(self) -> WithoutCapitals:
        start = self._copy(self.grammar.start, frozenset())
        rules: list[Rule] = []
        rule_of: list[int] = []
        # The list grows while it is read: every rule may ask for further copies.
        for category, raised in self.order:
            for rule in self.grammar.rules_of[category]:
                rules.append(self._rule(rule, raised, len(rules)))
                rule_of.append(rule.id)
        grammar = replace(
            self.grammar, categories=tuple(self._categories()), rules=tuple(rules), start=start
        )
        origins = tuple(category for category, _ in self.order)
        return WithoutCapitals(grammar, origins, tuple(rule_of), tuple(self.inexact))

    def _copy(self, category: int, raised: Raised) -> int:
        """Return the copy of a category; layers in which it is always empty make no difference."""
        filled = frozenset(x for x in raised if self.emptiness[x][category].filled)
        number = self.copies.setdefault((category, filled), len(self.order))
        if number == len(self.order):
            self.order.append((category, filled))
        return number

    def _rule(self, rule: Rule, raised: Raised, number: int) -> Rule:
        wanted: list[set[int]] = [set() for _ in rule.rhs]
        templates = tuple(
            self._template(rule, layer, layer in raised, wanted)
            if layer in self.layers
            else template
            for layer, template in enumerate(rule.templates)
        )
        lhs = self._copy(rule.lhs, raised)
        rhs = tuple(map(self._copy, rule.rhs, map(frozenset, wanted)))
        return replace(rule, id=number, lhs=lhs, rhs=rhs, templates=templates)

    def _template(
        self, rule: Rule, layer: int, raise_first: bool, wanted: list[set[int]]
    ) -> Template:
        """Return the template without capitals; ``wanted`` collects the children to be raised."""
        items: list[Item] = []
        plain: set[int] = set()
        pending = raise_first
        for item in rule.templates[layer]:
            if isinstance(item, Token):
                text = item.text
                raising = pending and bool(text)
                items.append(Token(text[0].upper() + text[1:]) if raising else item)
                pending = pending and not raising
                continue
            child = self.emptiness[layer][rule.rhs[item.child]]
            items.append(Slot(item.child))
            if item.capital or (pending and child.filled):
                wanted[item.child].add(layer)
            else:
                plain.add(item.child)
            if pending and child.filled:
                if child.empty:
                    self.inexact[rule.id, layer] = None
                pending = False
        if any(layer in wanted[child] for child in plain):
            self.inexact[rule.id, layer] = None
        return tuple(items)

    def _categories(self) -> list[Category]:
        old = self.grammar.categories
        names = FreeNames(*(category.name for category in old))
        several = len({layer for _, raised in self.order for layer in raised}) > 1
        copies = []
        for category, raised in self.order:
            name = old[category].name
            if raised:
                base, bracket, features = name.partition("[")
                layers = [self.grammar.text_layers[x].name for x in sorted(raised)]
                suffix = "_".join(["", "capital", *(layers if several else ())])
                name = names.free(f"{base}{suffix}{bracket}{features}")
            copies.append(Category(name, old[category].ports))
        return copies
