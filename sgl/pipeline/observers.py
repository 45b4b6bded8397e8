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

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Protocol

from sgl.dataset import Chunk, DataFile
from sgl.frontend import Compiled
from sgl.sampling.batch import Sampler

#: The group of entry points that register observers.
GROUP = "sgl.observers"


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
