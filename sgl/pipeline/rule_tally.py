"""Divergences of derivations that go by in batches, without keeping them.

What the report of a dataset shows is counted while the dataset is written::

    tally.add("train", 10,000 derivations)   rules and rules with a child, by number
    tally.add("gen", 10,000 derivations)
    tally.against("train")                   gen: D_A 0.02, D_C 0.09, 1 compound unseen
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.core.derivations import Derivations
from sgl.core.divergence import ElementCounts, SplitDivergence, compare_counts
from sgl.core.grammar import CoreGrammar

_Counts = NDArray[np.int64]


class RuleTally:
    """How often each rule, and each rule with a child at its place, occurs in each split."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._arity = np.array(grammar.arity, np.int64)
        self._places = max(grammar.arity, default=0) or 1
        self._rules: dict[str, _Counts] = {}
        self._pairs: dict[str, list[tuple[_Counts, _Counts]]] = {}

    def add(self, split: str, derivations: Derivations) -> None:
        """Count the derivations of a batch."""
        rules, parent, place = derivations.nodes(self._arity)
        number = len(self._arity)
        counts = self._rules.setdefault(split, np.zeros(number, np.int64))
        counts += np.bincount(rules, minlength=number)
        inner = parent >= 0
        keys = (rules[parent[inner]] * self._places + place[inner]) * number + rules[inner]
        self._pairs.setdefault(split, []).append(np.unique(keys, return_counts=True))

    def against(self, train: str) -> dict[str, SplitDivergence]:
        """Compare each other split with training, in the order in which they came."""
        if train not in self._rules:
            return {}
        batches = [batch for batches in self._pairs.values() for batch in batches]
        kinds = np.unique(np.concatenate([keys for keys, _ in batches]))
        counts = {
            split: ElementCounts(rules, _sum_batches(kinds, self._pairs[split]))
            for split, rules in self._rules.items()
        }
        return {
            split: compare_counts(counts[train], found)
            for split, found in counts.items()
            if split != train
        }


def _sum_batches(kinds: _Counts, batches: list[tuple[_Counts, _Counts]]) -> _Counts:
    """Return the counts of all batches, by the place of a pair in ``kinds``."""
    sums = np.zeros(len(kinds), np.int64)
    for keys, counts in batches:
        sums[np.searchsorted(kinds, keys)] += counts
    return sums
