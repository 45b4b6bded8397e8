"""Search for the split whose divergences are nearest to their targets.

Two methods find labels for items.  ``anneal`` starts with a random split within the bounds
and improves it; ``greedy`` fills empty sets, as Moisio, Creutz & Kurimo (2023) do.  Both
minimise the negated score of that paper,

    |D_C - target for compounds| + |D_A - target for atoms|

and both are functions of the seed: the same items, options and seed give the same split on
every machine.  The steps are in :mod:`sgl.research.divergence.search_kernel`, which is
compiled where Numba is installed, and only when a search begins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgl.research.divergence.elements import Elements
from sgl.research.divergence.problem import (
    DISCARDED,
    SETS,
    TEST,
    TRAIN,
    Annealing,
    Bounds,
    Greedy,
    NoSuchSplitError,
    SplitTarget,
)
from sgl.sampling.random import MASK, mix, stream_key

if TYPE_CHECKING:
    from sgl.research.divergence.objective_kernel import SplitState

Progress = Callable[[int, int], None]
Labels = NDArray[np.int8]

#: Temperatures fall from 2 ** -WARM to 2 ** -COLD, in this many steps for each halving.
_WARM, _COLD, _STAGES = 13, 27, 8

#: Small problems are solved again from other starts, until so many moves are made.
_MOVES_IN_ALL, _MOST_STARTS = 200_000, 30

#: Choices between two reports of progress.
_CHOICES = 500


def anneal(
    elements: Elements,
    target: SplitTarget,
    bounds: Bounds,
    seed: int,
    settings: Annealing | None = None,
    progress: Progress | None = None,
) -> Labels:
    """Return labels found by annealing; raises ``NoSuchSplitError`` if none are within bounds."""
    from sgl.research.divergence.objective_kernel import new_state

    items = elements.atoms.items
    sizes = bounds.start(items)
    moves = (settings or Annealing()).moves * items
    found = []
    for start in range(min(max(_MOVES_IN_ALL // max(moves, 1), 1), _MOST_STARTS)):
        state = new_state(elements, target, bounds)
        key = stream_key(seed, f"split/anneal/{start}")
        found.append((_anneal_once(state, sizes, key, moves, progress), start, state.labels))
    return min(found)[2]


def _anneal_once(
    state: SplitState, sizes: tuple[int, int], key: int, moves: int, progress: Progress | None
) -> float:
    """Anneal once from a random split, in place; return how far it is from the targets."""
    from sgl.research.divergence.objective_kernel import place
    from sgl.research.divergence.search_kernel import anneal_steps

    stages = (_COLD - _WARM) * _STAGES
    distance = np.inf
    # The scalars of NumPy warn when a product loses its upper bits, as those of random numbers do.
    with np.errstate(over="ignore"):
        place(_random_labels(len(state.labels), sizes, key), state)
        for stage in range(stages):
            done, after = moves * stage // stages, moves * (stage + 1) // stages
            halvings, part = divmod(stage, _STAGES)
            # From one power of two to the next in equal steps: exact everywhere.
            temperature = 2.0 ** -(_WARM + halvings) * (1 - part / (2 * _STAGES))
            distance = anneal_steps(np.uint64(key), done, after - done, temperature, state)
            if progress is not None:
                progress(after, moves)
    return float(distance)


def greedy(
    elements: Elements,
    target: SplitTarget,
    bounds: Bounds,
    seed: int,
    settings: Greedy | None = None,
    progress: Progress | None = None,
) -> Labels:
    """Return labels chosen greedily, with as many discarded as can be; raises as ``anneal``."""
    wanted = bounds.fewest(elements.atoms.items)
    labels, _ = choose(elements, target, bounds, seed, settings or Greedy(), wanted, progress)
    train, test, discarded = np.bincount(labels, minlength=len(SETS)).tolist()
    fault = bounds.fault(train, test, discarded)
    if fault:
        raise NoSuchSplitError(f"the greedy procedure ends outside of the bounds: {fault}")
    return labels


def choose(
    elements: Elements,
    target: SplitTarget,
    bounds: Bounds,
    seed: int,
    settings: Greedy,
    wanted: int,
    progress: Progress | None = None,
) -> tuple[Labels, list[int]]:
    """Make so many choices of the greedy procedure.

    Returns:
        The labels after them, and the chosen items in their order.
    """
    from sgl.research.divergence.objective_kernel import new_state
    from sgl.research.divergence.search_kernel import greedy_choices

    state = new_state(elements, target, bounds)
    items = len(state.labels)
    key = np.uint64(stream_key(seed, "split/greedy"))
    candidates, every = min(settings.candidates, items), min(settings.every, items)
    pool = np.arange(items, dtype=np.int32)
    for first in range(0, wanted, _CHOICES):
        number = min(_CHOICES, wanted - first)
        with np.errstate(over="ignore"):
            greedy_choices(key, first, number, candidates, every, pool, state)
        if progress is not None:
            progress(first, wanted)
    # A chosen item goes to the end of what is left.
    return state.labels, pool[items - wanted :][::-1].tolist()


def _random_labels(items: int, sizes: tuple[int, int], key: int) -> Labels:
    """Return labels in random order: the items with the smallest random numbers are in test."""
    from sgl.research.divergence.search_kernel import GAMMA
    from sgl.research.divergence.search_kernel import mix as mix_array

    used, test = sizes
    counters = np.uint64(mix(key ^ MASK)) + np.arange(1, items + 1, dtype=np.uint64) * GAMMA
    order = np.argsort(mix_array(counters), kind="stable")
    labels = np.full(items, TRAIN, np.int8)
    labels[order[:test]] = TEST
    labels[order[used:]] = DISCARDED
    return labels
