"""Search for the split whose divergences are nearest to their targets.

Two methods find labels for items.  ``anneal`` starts with a random split within the bounds
and improves it; ``greedy`` fills empty sets, as Moisio, Creutz & Kurimo (2023) do.  Both
minimise the negated score of that paper,

    |D_C - target for compounds| + |D_A - target for atoms|

and both are functions of the seed: the same items, options and seed give the same split on
every machine (:mod:`sgl.research.divergence.powers`, :mod:`sgl.sampling.random`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.bounds import DISCARDED, SETS, Bounds, NoSuchSplitError
from sgl.research.divergence.elements import Elements, Occurrences
from sgl.research.divergence.powers import scale_for, tenth_roots
from sgl.sampling.random import stream_key

if TYPE_CHECKING:
    from sgl.research.divergence.anneal_kernel import Placement

Progress = Callable[[int, int], None]

#: Temperatures fall from 2 ** -WARM to 2 ** -COLD, in this many steps for each halving.
_WARM, _COLD, _STAGES = 13, 27, 8

#: Small problems are solved again from other starts, until so many moves are made.
_MOVES_IN_ALL, _MOST_STARTS = 200_000, 30

#: Choices between two reports of progress.
_CHOICES = 500


@dataclass(frozen=True, slots=True)
class Target:
    """The divergences that are wanted.

    ``weight`` is what one unit of atom divergence counts, ``limit`` how great it may be at
    most; a greater one is allowed only while no move makes it smaller.
    """

    compounds: float
    atoms: float = 0.0
    weight: float = 1.0
    limit: float = 1.0


@dataclass(frozen=True, slots=True)
class Annealing:
    """How long to anneal: so many moves for each item."""

    moves: int = 100


@dataclass(frozen=True, slots=True)
class Greedy:
    """How to choose greedily: candidates, and after how many choices they are drawn anew."""

    candidates: int = 1000
    every: int = 2


class _Problem:
    """Everything that kernels are called with."""

    def __init__(self, elements: Elements, target: Target, bounds: Bounds) -> None:
        from sgl.research.divergence.anneal_kernel import Limits
        from sgl.research.divergence.objective_kernel import Bags, Objective

        atoms, compounds = elements
        self.items = atoms.items
        self.kinds = len(atoms.names), len(compounds.names)
        self.atoms, self.compounds = (
            Bags(part.start, part.kinds, part.times, _sizes(part)) for part in elements
        )
        totals = int(self.atoms.size.sum()), int(self.compounds.size.sum())
        self.objective = Objective(
            tenth_roots(totals[1]),
            scale_for(totals[0]),
            scale_for(totals[1]),
            float(target.atoms),
            float(target.compounds),
            float(target.weight),
            float(target.limit),
        )
        self.limits = Limits(
            bounds.least.numerator,
            bounds.least.denominator,
            bounds.most.numerator,
            bounds.most.denominator,
            bounds.discards,
            max(50, self.items // 200),
        )
        rows = np.repeat(np.arange(self.items, dtype=np.int32), np.diff(compounds.start))
        self.holders = rows[np.argsort(compounds.kinds, kind="stable")]
        self.holder_start = np.zeros(self.kinds[1] + 1, np.int64)
        np.cumsum(np.bincount(compounds.kinds, minlength=self.kinds[1]), out=self.holder_start[1:])

    def placement(self) -> Placement:
        """All items discarded, nothing counted on either side."""
        from sgl.research.divergence.anneal_kernel import Placement
        from sgl.research.divergence.objective_kernel import (
            ATOMS,
            COMPOUNDS,
            ITEMS,
            NUMBERS,
            Counts,
        )

        numbers = np.zeros(NUMBERS, np.int64)
        numbers[ITEMS + DISCARDED] = self.items
        numbers[ATOMS + DISCARDED] = self.atoms.size.sum()
        numbers[COMPOUNDS + DISCARDED] = self.compounds.size.sum()
        atoms, compounds = (
            Counts(np.zeros((2, kinds), np.int64), np.zeros(kinds, np.int64))
            for kinds in self.kinds
        )
        labels = np.full(self.items, DISCARDED, np.int8)
        return Placement(labels, numbers, atoms, compounds, self.holders, self.holder_start)


def anneal(
    elements: Elements,
    target: Target,
    bounds: Bounds,
    seed: int,
    settings: Annealing = Annealing(),
    progress: Progress | None = None,
) -> NDArray[np.int8]:
    """The label of each item, found by simulated annealing.

    Raises:
        NoSuchSplitError: no split keeps to the bounds.
    """
    problem = _Problem(elements, target, bounds)
    sizes = bounds.start(problem.items)
    moves = settings.moves * problem.items
    starts = min(max(_MOVES_IN_ALL // max(moves, 1), 1), _MOST_STARTS)
    best, nearest = np.zeros(0, np.int8), np.inf
    for start in range(starts):
        key = stream_key(seed, f"split/anneal/{start}")
        labels, distance = _anneal_once(problem, sizes, key, moves, progress)
        if distance < nearest:
            best, nearest = labels, distance
    return best


def _anneal_once(
    problem: _Problem, sizes: tuple[int, int], key: int, moves: int, progress: Progress | None
) -> tuple[NDArray[np.int8], float]:
    """One run from a random split: its labels, and how far they are from the targets."""
    from sgl.research.divergence.anneal_kernel import anneal as run
    from sgl.research.divergence.anneal_kernel import place

    placement = problem.placement()
    start = _random_labels(problem.items, sizes, key)
    place(start, problem.atoms, problem.compounds, placement, problem.objective)
    buffers = np.zeros(problem.limits.block, np.int32), np.zeros(problem.limits.block, np.int8)
    stages = (_COLD - _WARM) * _STAGES
    distance = np.inf
    for stage in range(stages):
        done, after = moves * stage // stages, moves * (stage + 1) // stages
        halvings, part = divmod(stage, _STAGES)
        # From one power of two to the next in equal steps: exact everywhere.
        temperature = 2.0 ** -(_WARM + halvings) * (1 - part / (2 * _STAGES))
        distance = run(
            np.uint64(key),
            done,
            after - done,
            temperature,
            problem.atoms,
            problem.compounds,
            placement,
            problem.limits,
            problem.objective,
            *buffers,
        )
        if progress is not None:
            progress(after, moves)
    labels: NDArray[np.int8] = placement.labels
    return labels, float(distance)


def greedy(
    elements: Elements,
    target: Target,
    bounds: Bounds,
    seed: int,
    settings: Greedy = Greedy(),
    progress: Progress | None = None,
) -> NDArray[np.int8]:
    """The label of each item, chosen greedily; as many as may be are left and discarded.

    Raises:
        NoSuchSplitError: no split keeps to the bounds, or this procedure finds none.
    """
    problem = _Problem(elements, target, bounds)
    wanted = bounds.fewest(problem.items)
    labels, _ = _divide(problem, seed, settings, wanted, progress)
    train, test, discarded = np.bincount(labels, minlength=len(SETS)).tolist()
    fault = bounds.fault(train, test, discarded)
    if fault:
        raise NoSuchSplitError(f"the greedy procedure ends outside of the bounds: {fault}")
    return labels


def choices(
    elements: Elements, target: Target, bounds: Bounds, seed: int, settings: Greedy, number: int
) -> list[tuple[int, int]]:
    """The first choices of ``greedy``: which item, with which label."""
    problem = _Problem(elements, target, bounds)
    labels, order = _divide(problem, seed, settings, number, None)
    return [(item, int(labels[item])) for item in order]


def _divide(
    problem: _Problem, seed: int, settings: Greedy, wanted: int, progress: Progress | None
) -> tuple[NDArray[np.int8], list[int]]:
    """The labels after so many choices, and the chosen items in their order."""
    from sgl.research.divergence.greedy_kernel import divide

    placement = problem.placement()
    pool = np.arange(problem.items, dtype=np.int32)
    for first in range(0, wanted, _CHOICES):
        divide(
            np.uint64(stream_key(seed, "split/greedy")),
            first,
            min(_CHOICES, wanted - first),
            min(settings.candidates, problem.items),
            min(settings.every, problem.items),
            pool,
            problem.atoms,
            problem.compounds,
            placement,
            problem.limits,
            problem.objective,
        )
        if progress is not None:
            progress(first, wanted)
    labels: NDArray[np.int8] = placement.labels
    # A chosen item goes to the end of what is left.
    return labels, pool[problem.items - wanted :][::-1].tolist()


def _random_labels(items: int, sizes: tuple[int, int], key: int) -> NDArray[np.int8]:
    """Labels in random order: the items with the smallest random numbers are in test."""
    used, test = sizes
    numbers = _numbers(key, items)
    order = np.argsort(numbers, kind="stable")
    labels = np.zeros(items, np.int8)
    labels[order[:test]] = 1
    labels[order[used:]] = DISCARDED
    return labels


def _numbers(key: int, number: int) -> NDArray[np.uint64]:
    """``sgl.sampling.random.number`` of the first draws, for a key of its own."""
    from sgl.sampling.random import GAMMA, MASK, MIX_1, MIX_2, mix

    base = mix(key ^ MASK)
    with np.errstate(over="ignore"):
        value = np.uint64(base) + np.arange(1, number + 1, dtype=np.uint64) * np.uint64(GAMMA)
        value = (value ^ (value >> np.uint64(30))) * np.uint64(MIX_1)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(MIX_2)
        return value ^ (value >> np.uint64(31))


def _sizes(part: Occurrences) -> NDArray[np.int64]:
    """How much occurs in each item."""
    sums = np.concatenate((np.zeros(1, np.int64), np.cumsum(part.times)))
    return np.asarray(sums[part.start[1:]] - sums[part.start[:-1]], np.int64)
