"""The product of two tree automata, which runs both at once.

A state of the product is a pair of states, one of each; the pair (a, b) of a
category is number ``a * n + b``, n being the number of states that the second
automaton has there.  Where the second has one state, that is ``a``::

    first            plain        plain        open               open
    second           plain        open         plain              open
    table            plain        the second's the first's        from pairs

so that tables are computed only where both automata have something to say.
Which pairs occur is found from the leaves upwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from sgl.automata.minimise import trimmed_to
from sgl.automata.tree_automaton import DEAD, Table, TreeAutomaton, check_size


def intersected(first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; trim.  The automata have the same lexicon.

    Raises:
        UnsupportedStructure: if there are too many pairs.
    """
    pairs = _Pairs(first, second)
    pairs.find()
    return trimmed_to(pairs.automaton(), pairs.live)


class _Pairs:
    """The pairs found so far, ``live``, by category, and the tables over them."""

    def __init__(self, first: TreeAutomaton, second: TreeAutomaton) -> None:
        self._first, self._second = first, second
        self._index = first.index
        self._factors = second.sizes
        self._sizes = [a * b for a, b in zip(first.sizes, second.sizes, strict=True)]
        self.live: list[set[int]] = [set() for _ in second.sizes]
        self._words = []
        for category, a, b in zip(first.lexicon.category, first.words, second.words, strict=True):
            word = DEAD if DEAD in (a, b) else a * self._factors[category] + b
            self._words.append(word)
            if word != DEAD:
                self.live[category].add(word)
        # The transitions of rules that are open in both, ``DEAD`` where one has none.
        self._joint: dict[int, dict[tuple[int, ...], int]] = {
            rule: {} for rule in first.open_tables if rule in second.open_tables
        }

    def find(self) -> None:
        """Follow the rules upwards until there is no new pair."""
        pending: Sequence[int] = self._index.upwards
        before, count = -1, 0
        while count > before:
            pending = [rule for rule in pending if not self._exhausted(rule)]
            before, count = count, sum(map(len, self.live))
            check_size(count)

    def _exhausted(self, rule: int) -> bool:
        """Add the pairs that a rule leads to; whether it cannot lead to others later."""
        first = self._first.open_tables.get(rule)
        second = self._second.open_tables.get(rule)
        if first is None and second is None:
            return self._plain(rule)
        if not self._sizes[self._index.lhs[rule]]:
            return True
        if first is None or second is None:
            return self._single(rule, first or second or {})
        return self._both(rule, first, second)

    def _plain(self, rule: int) -> bool:
        lhs = self._index.lhs[rule]
        if self.live[lhs] or not self._sizes[lhs]:
            return True
        if all([self.live[child] for child in self._index.rhs[rule]]):
            self.live[lhs].add(0)
        return bool(self.live[lhs])

    def _single(self, rule: int, table: Table) -> bool:
        target = self.live[self._index.lhs[rule]]
        sources = [self.live[child] for child in self._index.rhs[rule]]
        every = True
        for children, result in table.items():
            if result not in target:
                if all([child in live for child, live in zip(children, sources, strict=True)]):
                    target.add(result)
                else:
                    every = False
        return every

    def _both(self, rule: int, first: Table, second: Table) -> bool:
        lhs, rhs = self._index.lhs[rule], self._index.rhs[rule]
        target, factor = self.live[lhs], self._factors[lhs]
        factors = [self._factors[child] for child in rhs]
        sources = [self.live[child] for child in rhs]
        table = self._joint[rule]
        if len(table) == prod(map(len, sources)):
            return False
        for children in product(*map(tuple, sources)):
            if children in table:
                continue
            parts = [divmod(child, n) for child, n in zip(children, factors, strict=True)]
            a = first.get(tuple([part[0] for part in parts]), DEAD)
            b = second.get(tuple([part[1] for part in parts]), DEAD)
            table[children] = DEAD if DEAD in (a, b) else a * factor + b
            if table[children] != DEAD:
                target.add(table[children])
        return False

    def automaton(self) -> TreeAutomaton:
        """The product over all pairs, found or not."""
        first, second = self._first, self._second
        tables: dict[int, Table] = {**first.open_tables, **second.open_tables}
        for rule, table in self._joint.items():
            tables[rule] = {children: q for children, q in table.items() if q != DEAD}
        factor = self._factors[self._index.start]
        return TreeAutomaton.of(
            self._index,
            first.lexicon,
            sizes=self._sizes,
            words=self._words,
            tables=tables,
            final=frozenset([a * factor + b for a in first.final for b in second.final]),
        )
