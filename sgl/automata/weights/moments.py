"""First moments of a grammar: will derivations end, and how long are they?

The matrix ``M[q, p]`` is the expected number of children in state ``p`` of a
phrase in state ``q``.  Its spectral radius says how a derivation grows from one
level to the next: below 1 it ends and has a finite expected size; at 1 or above
it has not, or need not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sgl.automata.weights.components import components
from sgl.automata.weights.linear import solve

#: Power iteration stops when it knows the radius this precisely, or after so many
#: steps; the bounds are looked at every few steps.
RADIUS_TOLERANCE = 1e-9
POWER_STEPS = 20_000
LOOK_EVERY = 10

#: Added to the diagonal: without it a periodic matrix would never settle.
SHIFT = 0.25


@dataclass(frozen=True)
class Moments:
    """The matrix of first moments.

    ``rows[q]`` maps each state ``p`` to the expected number of ``p`` below ``q``.
    """

    rows: Sequence[Mapping[int, float]]

    @classmethod
    def of(cls, size: int, transitions: Iterable[tuple[int, float, tuple[int, ...]]]) -> Moments:
        """The matrix of transitions (state, probability, children)."""
        rows: list[dict[int, float]] = [{} for _ in range(size)]
        for state, probability, children in transitions:
            row = rows[state]
            for child in children:
                row[child] = row.get(child, 0.0) + probability
        return cls(rows)

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components of the states, children before parents."""
        return components([list(row) for row in self.rows])


@dataclass(frozen=True, slots=True)
class Radius:
    """A spectral radius with the component that has it and its growth vector.

    ``growth[i]`` is proportional to the number of descendants, many levels
    down, of state ``component[i]``.
    """

    value: float
    component: tuple[int, ...]
    growth: tuple[float, ...]


def spectral_radius(moments: Moments) -> Radius:
    """The spectral radius of the matrix: the largest of its components' radii."""
    rows, largest = moments.rows, Radius(0.0, (), ())
    for component in moments.components:
        if len(component) > 1 or component[0] in rows[component[0]]:
            radius = _component_radius(rows, component)
            if radius.value > largest.value:
                largest = radius
    return largest


def _component_radius(rows: Sequence[Mapping[int, float]], component: list[int]) -> Radius:
    """Power iteration on ``M + SHIFT I``, which is primitive, between Collatz-Wielandt bounds."""
    matrix = _submatrix(rows, component)
    source, target = np.nonzero(matrix)
    weight = matrix[source, target]
    vector = np.ones(len(component))
    radius = 0.0
    for step in range(POWER_STEPS):
        image = np.bincount(source, weight * vector[target], len(component)) + SHIFT * vector
        if step % LOOK_EVERY == 0:
            ratio = image / vector
            low, high = float(ratio.min()), float(ratio.max())
            radius = (low + high) / 2 - SHIFT
            image /= float(image.max())
            if high - low <= RADIUS_TOLERANCE:
                break
        vector = image
    return Radius(radius, tuple(component), tuple(vector.tolist()))


def _submatrix(
    rows: Sequence[Mapping[int, float]], component: Sequence[int]
) -> NDArray[np.float64]:
    position = {state: index for index, state in enumerate(component)}
    matrix = np.zeros((len(component), len(component)))
    for state in component:
        for child, expected in rows[state].items():
            if child in position:
                matrix[position[state], position[child]] = expected
    return matrix


def expected_visits(moments: Moments, roots: Iterable[tuple[int, float]]) -> list[float]:
    """The expected number of phrases in each state; infinite where it has no bound."""
    rows = moments.rows
    visits = [0.0] * len(rows)
    for state, probability in roots:
        visits[state] += probability
    for component in reversed(moments.components):
        if len(component) > 1 or component[0] in rows[component[0]]:
            solution = _inside_component(rows, component, visits)
            for state, value in zip(component, solution, strict=True):
                visits[state] = value
        members = set(component)
        for state in component:
            for child, expected in rows[state].items():
                if child not in members:
                    visits[child] += visits[state] * expected
    return visits


def _inside_component(
    rows: Sequence[Mapping[int, float]], component: list[int], visits: Sequence[float]
) -> list[float]:
    entering = np.array([visits[state] for state in component])
    solution = None
    if np.all(np.isfinite(entering)):
        solution = solve(_submatrix(rows, component).T.copy(), entering)
    return [math.inf] * len(component) if solution is None else solution.tolist()
