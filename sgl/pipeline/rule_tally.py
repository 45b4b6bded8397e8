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
from sgl.core.grammar import CoreGrammar
from sgl.research.divergence.divergence import ATOM_ALPHA, COMPOUND_ALPHA, divergence
from sgl.research.divergence.measure import Measured
from sgl.research.divergence.preorder_kernel import find_parents

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
        end = int(derivations.offsets[-1])
        rules = derivations.rules[:end].astype(np.int64)
        parent, place = np.zeros(end, np.int64), np.zeros(end, np.int64)
        longest = int(np.diff(derivations.offsets).max(initial=0))
        stack = np.zeros((longest + 1, 2), np.int64)
        find_parents(rules, derivations.offsets, self._arity, parent, place, stack)
        number = len(self._arity)
        counts = self._rules.setdefault(split, np.zeros(number, np.int64))
        counts += np.bincount(rules, minlength=number)
        inner = parent >= 0
        keys = (rules[parent[inner]] * self._places + place[inner]) * number + rules[inner]
        self._pairs.setdefault(split, []).append(np.unique(keys, return_counts=True))

    def against(self, train: str) -> dict[str, Measured]:
        """The measures of each other split, in the order in which they came."""
        if train not in self._rules:
            return {}
        parts = [part for parts in self._pairs.values() for part in parts]
        kinds = np.unique(np.concatenate([keys for keys, _ in parts]))
        pairs = {split: _summed(kinds, found) for split, found in self._pairs.items()}
        return {
            split: _measured(self._rules[train], rules, pairs[train], pairs[split])
            for split, rules in self._rules.items()
            if split != train
        }


def _summed(kinds: _Counts, parts: list[tuple[_Counts, _Counts]]) -> _Counts:
    """The counts of all batches, by the place of a pair among all of them."""
    sums = np.zeros(len(kinds), np.int64)
    for keys, counts in parts:
        sums[np.searchsorted(kinds, keys)] += counts
    return sums


def _measured(
    train_rules: _Counts, rules: _Counts, train_pairs: _Counts, pairs: _Counts
) -> Measured:
    new = (train_pairs == 0) & (pairs > 0)
    total = int(pairs.sum())
    return Measured(
        atoms=divergence(train_rules, rules, ATOM_ALPHA),
        compounds=divergence(train_pairs, pairs, COMPOUND_ALPHA),
        kinds=int(np.count_nonzero(pairs)),
        unseen=int(np.count_nonzero(new)),
        unseen_share=int(pairs[new].sum()) / total if total else 0.0,
        unseen_atoms=int(np.count_nonzero((train_rules == 0) & (rules > 0))),
        examples=(),
    )
