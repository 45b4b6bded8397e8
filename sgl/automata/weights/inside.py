"""Inside weights: how probable it is that a state derives anything at all.

The inside weights of the states of a grammar are the least solution of

    W(q) = sum of  w(r) W(q1) ... W(qk)   over the transitions  q -> r(q1 ... qk)

In a grammar that a constraint has cut, W(q) is the probability that a phrase of
q's category turns out to be in state q; at the roots it is the probability of
the constraint.  Kleene iteration from 0 converges linearly, at the rate of the
spectral radius.  For grammars near the critical radius 1 it is too slow, and
Newton's method, one strongly connected component after the other, goes on from
where it stopped: monotone, and quadratic below the critical radius (Etessami &
Yannakakis 2009; Esparza, Kiefer & Luttenberger 2010).  Both stop on the relative
change of *every* component: an absolute bound would leave the rare ones wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.automata.weights.numerics import Vector, components, solve

RELATIVE_CHANGE = 1e-15
KLEENE_STEPS = 600
NEWTON_STEPS = 100


class Monomial(NamedTuple):
    """One transition: ``state`` becomes ``children``, with weight ``weight``."""

    state: int
    weight: float
    children: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class EquationSystem:
    """The equations of ``size`` states as arrays.

    ``children[m, i]`` is ``size`` beyond the arity of monomial ``m``; the value
    at that index is 1.
    """

    size: int
    state: NDArray[np.intp]
    weight: NDArray[np.float64]
    children: NDArray[np.intp]
    constant: Vector

    @classmethod
    def of(cls, size: int, monomials: Iterable[Monomial]) -> EquationSystem:
        """Collect the equations; constants are added up in the given order."""
        constant = np.zeros(size)
        phrasal: list[Monomial] = []
        for monomial in monomials:
            if monomial.children:
                phrasal.append(monomial)
            else:
                constant[monomial.state] += monomial.weight
        width = max((len(monomial.children) for monomial in phrasal), default=1)
        children = np.full((len(phrasal), width), size, np.intp)
        for row, monomial in enumerate(phrasal):
            children[row, : len(monomial.children)] = monomial.children
        return cls(
            size=size,
            state=np.array([monomial.state for monomial in phrasal], np.intp),
            weight=np.array([monomial.weight for monomial in phrasal], np.float64),
            children=children,
            constant=constant,
        )

    @cached_property
    def _factors(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The monomials that have an ``i``-th child, and these children."""
        rows_of = [np.flatnonzero(column != self.size) for column in self.children.T]
        return [(rows, self.children[rows, i]) for i, rows in enumerate(rows_of) if len(rows)]

    def terms(self, values: Vector) -> Vector:
        """Return the value of each monomial; ``values`` are :func:`extended`."""
        terms = self.weight.copy()
        for rows, children in self._factors:
            if len(rows) == len(terms):
                terms *= values[children]
            else:
                terms[rows] *= values[children]
        return terms

    def apply(self, values: Vector) -> Vector:
        """Return the right-hand sides, :func:`extended` as ``values`` are."""
        # ``bincount`` adds in the order of the monomials.
        sums = np.bincount(self.state, self.terms(values), minlength=self.size)
        improved = np.empty_like(values)
        np.add(sums, self.constant, out=improved[:-1])
        improved[-1] = 1.0
        return improved


def extended(inside: Vector) -> Vector:
    """Return the values of the states, and 1 for the children that a rule does not have."""
    return np.append(inside, 1.0)


def inside_weights(system: EquationSystem) -> Vector:
    """Return the least solution of the system.

    Every state must derive something; otherwise its weight is 0.
    """
    inside = extended(system.constant)
    moving = 0
    for _ in range(KLEENE_STEPS):
        improved = system.apply(inside)
        # One state that still moves is enough to go on.
        if not _moves(float(inside[moving]), float(improved[moving])):
            settled = np.abs(improved - inside) <= RELATIVE_CHANGE * improved
            if settled.all():
                return improved[:-1]
            moving = int(settled.argmin())
        inside = improved
    return _newton(system, inside[:-1])


def _moves(old: float, new: float) -> bool:
    return abs(new - old) > RELATIVE_CHANGE * new


def _settled(old: Vector, new: Vector) -> bool:
    return bool(np.all(np.abs(new - old) <= RELATIVE_CHANGE * new))


def _newton(system: EquationSystem, inside: Vector) -> Vector:
    """Newton's method on each component, those that it depends on first."""
    rows_of: list[list[int]] = [[] for _ in range(system.size)]
    successors: list[list[int]] = [[] for _ in range(system.size)]
    for row, state in enumerate(system.state.tolist()):
        rows_of[state].append(row)
        successors[state].extend(c for c in system.children[row].tolist() if c < system.size)
    values = [*inside.tolist(), 1.0]
    for component in components(successors):
        equations = _Component.of(system, component, rows_of)
        if equations.recursive:
            equations.solve(values)
        else:
            values[component[0]] = equations.value(0, values)
    return np.array(values[:-1])


@dataclass(frozen=True, slots=True)
class _Component:
    """The equations of one strongly connected component.

    ``terms[i]`` are the (weight, children) of the component's state ``i``.
    """

    states: Sequence[int]
    position: dict[int, int]
    constants: list[float]
    terms: list[list[tuple[float, tuple[int, ...]]]]
    recursive: bool

    @classmethod
    def of(
        cls, system: EquationSystem, states: Sequence[int], rows_of: list[list[int]]
    ) -> _Component:
        terms = [
            [
                (
                    float(system.weight[row]),
                    tuple(c for c in system.children[row].tolist() if c < system.size),
                )
                for row in rows_of[state]
            ]
            for state in states
        ]
        position = {state: index for index, state in enumerate(states)}
        recursive = any(c in position for row in terms for _, children in row for c in children)
        constants = [float(system.constant[state]) for state in states]
        return cls(states, position, constants, terms, recursive)

    def value(self, index: int, values: Sequence[float]) -> float:
        total = self.constants[index]
        for weight, children in self.terms[index]:
            total += _product(weight, children, values)
        return total

    def solve(self, values: list[float]) -> None:
        """Improve ``values`` of the component's states until they settle."""
        for _ in range(NEWTON_STEPS):
            old = np.array([values[state] for state in self.states])
            gap = np.array([self.value(i, values) for i in range(len(self.states))]) - old
            step = solve(self.jacobian(values), gap)
            if step is None:
                return
            new = old + np.maximum(step, 0.0)
            for state, value in zip(self.states, new.tolist(), strict=True):
                values[state] = value
            if _settled(old, new):
                return

    def jacobian(self, values: Sequence[float]) -> NDArray[np.float64]:
        matrix = np.zeros((len(self.states), len(self.states)))
        for row, terms in enumerate(self.terms):
            for weight, children in terms:
                for place, child in enumerate(children):
                    if child in self.position:
                        others = children[:place] + children[place + 1 :]
                        matrix[row, self.position[child]] += _product(weight, others, values)
        return matrix


def _product(weight: float, children: Sequence[int], values: Sequence[float]) -> float:
    for child in children:
        weight *= values[child]
    return weight
