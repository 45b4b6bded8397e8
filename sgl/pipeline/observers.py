"""Observe the rows of a dataset as they are written: for the report, for warnings, and for other tools.

A package registers an observer by an entry point of the group ``sgl.observers``: its name is a group of patterns, its
value a function of the compiled grammar and the sampler.  The function is imported only for grammars with patterns in
this group.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Protocol

import numpy as np

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import TRAIN, Plan
from sgl.dataset import DataFile
from sgl.dataset.rows import Chunk
from sgl.frontend import Compiled
from sgl.sampling.strata import Sampler

#: The entry-point group for observers.
GROUP = "sgl.observers"

#: Examples shown for each pattern, taken at regular intervals.
EXAMPLES = 3


class DatasetObserver(Protocol):
    """Observes the rows of a dataset, and writes a file about them."""

    def __call__(self, chunk: Chunk) -> None:
        """Record the rows of a chunk."""

    def write(self, directory: Path) -> Sequence[DataFile]:
        """Write files into the dataset directory, and return their manifest entries."""


#: Makes the observer of a dataset; the sampler derives the items of chunks from their numbers.
ObserverFactory = Callable[[Compiled, Sampler], DatasetObserver]


def registered_observers(compiled: Compiled, sampler: Sampler) -> list[DatasetObserver]:
    """Return an observer for each registered group to which a pattern of the plan belongs."""
    makers: list[ObserverFactory] = [point.load() for _, point in sorted(_registered(compiled.plan).items())]
    return [make(compiled, sampler) for make in makers]


def all_built_in(plan: Plan) -> bool:
    """Return whether all observers of a plan belong to SGL, so that its version says what they write."""
    return all(point.value.startswith("sgl.") for point in _registered(plan).values())


def _registered(plan: Plan) -> dict[str, EntryPoint]:
    groups = {group for pattern in plan.patterns for group in pattern.groups}
    points = reversed([*entry_points(group=GROUP)] if groups else [])  # the first one counts
    return {point.name: point for point in points if point.name in groups}


class Observer:
    """Watches the chunks go by: lengths, a few examples, how often they, and training, use each rule."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        self._sampler = sampler
        self.used, self.trained = np.zeros((2, len(grammar.rules)), np.int64)
        self.lengths: dict[str, Counter[int]] = {}
        self.examples: dict[str, list[Derivation]] = {}
        self.sizes: Counter[str] = Counter()
        for stratum in plan.strata:
            self.sizes[stratum.category] += stratum.count
        self.seen = dict.fromkeys(self.sizes, 0)

    def __call__(self, chunk: Chunk) -> None:
        """Record the rows of a chunk."""
        lengths = enumerate(np.bincount(chunk.words).tolist())
        found = {length: number for length, number in lengths if number}
        self.lengths.setdefault(chunk.split, Counter()).update(found)
        for stratum, numbers in chunk.selections:
            derivations = self._sampler.derive(stratum, numbers).derivations
            counts = np.bincount(derivations.rules[: int(derivations.offsets[-1])], minlength=len(self.used))
            self.used += counts
            self.trained += counts * (chunk.split == TRAIN)
            # The items that stand at regular distances in their category are kept.
            distance = max(self.sizes[stratum.category] // EXAMPLES, 1)
            kept = self.examples.setdefault(stratum.category, [])
            before = self.seen[stratum.category]
            shown = np.arange(-before % distance, len(numbers), distance)[: EXAMPLES - len(kept)]
            kept += map(derivations.at, shown.tolist())
            self.seen[stratum.category] += len(numbers)
