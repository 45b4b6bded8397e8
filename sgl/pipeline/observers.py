"""Observers: tools outside the compiler that write a file beside the rows of a dataset.

A package registers an observer by an entry point of the group ``sgl.observers``.  Its name is
a group of patterns, its value a function that makes the observer.  The function is imported
only for a grammar that has patterns in this group::

    # pyproject.toml                          # my_package/lengths.py
    [project.entry-points."sgl.observers"]    def observe(compiled, sampler):
    long = "my_package.lengths:observe"           return LengthObserver(compiled.plan)

The observer sees every chunk of rows after it was written, in order, and writes its files
when all rows are there.  The manifest lists these files, so that the verifier knows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Derivations
from sgl.core.divergence import ElementCounts, SplitDivergence, compare_counts
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan
from sgl.dataset import Chunk, DataFile
from sgl.frontend import Compiled
from sgl.sampling.batch import Sampler

#: The group of entry points that register observers.
GROUP = "sgl.observers"

#: Items shown for each pattern, taken at regular distances.
EXAMPLES = 3

_Counts = NDArray[np.int64]


class DatasetObserver(Protocol):
    """Watch the rows of a dataset go by, and write a file about them."""

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the rows of a chunk."""

    def write(self, directory: Path) -> Sequence[DataFile]:
        """Write into the directory of the dataset; return the entries for the manifest."""


#: Makes the observer of a dataset; the sampler derives the items that chunks have the numbers of.
ObserverFactory = Callable[[Compiled, Sampler], DatasetObserver]


def registered_observers(compiled: Compiled, sampler: Sampler) -> list[DatasetObserver]:
    """Return an observer for each registered group that a pattern of the plan is in."""
    groups = {group for pattern in compiled.plan.patterns for group in pattern.groups}
    if not groups:
        return []
    found: dict[str, ObserverFactory] = {}
    for point in entry_points(group=GROUP):
        if point.name in groups and point.name not in found:
            found[point.name] = point.load()
    return [make(compiled, sampler) for _, make in sorted(found.items())]


# ---- what the report shows


class RuleTally:
    """How often each rule, and each rule with a child at its place, occurs in each split.

    Derivations go by in batches and are not kept::

        tally.add("train", 10,000 derivations)
        tally.add("gen", 10,000 derivations)
        tally.against("train")                   gen: D_A 0.02, D_C 0.09, 1 compound unseen
    """

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

    def total(self) -> _Counts:
        """Return how often all splits together have each rule."""
        return sum(self._rules.values(), np.zeros(len(self._arity), np.int64))

    def against(self, train: str) -> dict[str, SplitDivergence]:
        """Compare each other split with training, in the order in which they came."""
        if train not in self._rules:
            return {}
        batches = [keys for pairs in self._pairs.values() for keys, _ in pairs]
        kinds = np.unique(np.concatenate(batches))
        counts = {}
        for split, rules in self._rules.items():
            sums = np.zeros(len(kinds), np.int64)
            for keys, occurrences in self._pairs[split]:
                sums[np.searchsorted(kinds, keys)] += occurrences
            counts[split] = ElementCounts(rules, sums)
        reference = counts.pop(train)
        return {split: compare_counts(reference, found) for split, found in counts.items()}


class Observer:
    """Watches the chunks go by: lengths, a few examples, what their derivations are made of."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        self._sampler = sampler
        self.tally = RuleTally(grammar)
        self.lengths: dict[str, Counter[int]] = {}
        self.examples: dict[str, list[Derivation]] = {}
        self.sizes: Counter[str] = Counter()
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the rows of a chunk."""
        lengths = enumerate(np.bincount(chunk.words).tolist())
        found = {length: number for length, number in lengths if number}
        self.lengths.setdefault(chunk.split, Counter()).update(found)
        for stratum, numbers in chunk.pieces:
            derivations = self._sampler.derive(stratum, numbers).derivations
            if len(numbers):
                self.tally.add(chunk.split, derivations)
            # The items that stand at regular distances in their category are kept.
            distance = max(self.sizes[stratum.category] // EXAMPLES, 1)
            kept = self.examples.setdefault(stratum.category, [])
            before = self.seen[stratum.category]
            shown = np.arange(-before % distance, len(numbers), distance)[: EXAMPLES - len(kept)]
            kept += map(derivations.at, shown.tolist())
            self.seen[stratum.category] += len(numbers)
