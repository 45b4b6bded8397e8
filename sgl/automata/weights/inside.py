"""Compute inside weights and first moments: is anything derived, does sampling end, how long are derivations?

The inside weight of a state is the probability that it derives anything at all.  The weights are the least solution of

    W(q) = sum of  w(r) W(q1) ... W(qk)   over the transitions  q -> r(q1 ... qk)

Kleene iteration from 0 is too slow near the critical radius 1, so Newton's method continues from where it stopped, one
strongly connected component after another: it is monotone, and quadratic below that radius (Etessami & Yannakakis 2009;
Esparza, Kiefer & Luttenberger 2010).  Both stop on the relative change of *every* component, as an absolute bound would
leave rare ones wrong.  Linear systems are solved here, because library solvers reorder operations and differ between
machines.

The entry ``M[q, p]`` of the moment matrix is the expected number of children in state ``p`` of a phrase in state ``q``.
If its spectral radius is below 1, derivations end and have a finite expected size.  At 1 or above, some never end, and
the probabilities of the others sum to less than 1 (Booth & Thompson 1973).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.automata.common import Mask
from sgl.core import graphs
from sgl.core.grammar import CoreGrammar
from sgl.values import dataclass

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

RELATIVE_CHANGE = 1e-15
KLEENE_STEPS = 600
NEWTON_STEPS = 100

#: The weight and the children of a term.
_Term = tuple[float, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class EquationSystem:
    """The equations of ``size`` states as columns.

    A term has a ``state``, a ``weight`` and ``children``: ``children[i]`` has the ``i``-th child, or ``size`` for a
    missing one (whose value is 1).  ``constant`` is the total weight of each state's words.
    """

    size: int
    state: NDArray[np.intp]
    weight: Vector
    children: NDArray[np.intp]
    constant: Vector

    def terms(self, values: Vector) -> Vector:
        """Return the value of each term, given the values of the states followed by 1 for missing children."""
        values.take(self._present, out=self._factors[1:], mode="clip")
        terms: Vector = np.multiply.reduce(self._factors)
        return terms

    @cached_property
    def _present(self) -> NDArray[np.intp]:
        # The children without the rows in which all are missing.
        present: NDArray[np.intp] = self.children[(self.children != self.size).any(axis=1)]
        return present

    @cached_property
    def _factors(self) -> Matrix:
        # The weight of each term, with room for the values of its children.
        return np.vstack((self.weight, np.empty(self._present.shape)))

    def apply(self, values: Vector) -> Vector:
        """Return the right-hand sides followed by 1, in the form that :meth:`terms` takes."""
        # ``bincount`` adds in the order of the terms.
        sums = np.bincount(self.state, self.terms(values), minlength=self.size)
        improved = np.empty_like(values)
        np.add(sums, self.constant, out=improved[:-1])
        improved[-1] = 1.0
        return improved


def inside_weights(system: EquationSystem) -> Vector:
    """Return the least solution of the system; a state that derives nothing has weight 0."""
    inside = np.append(system.constant, 1.0)
    # A state that had not settled is asked before all others are.
    restless = 0
    for _ in range(KLEENE_STEPS):
        improved = system.apply(inside)
        value = improved.item(restless)
        if abs(value - inside.item(restless)) <= RELATIVE_CHANGE * value:
            settled: Mask = np.abs(improved - inside) <= RELATIVE_CHANGE * improved
            restless = int(settled.argmin())
            if settled[restless]:
                return improved[:-1]
        inside = improved
    return _newton(system, inside[:-1])


def _newton(system: EquationSystem, inside: Vector) -> Vector:
    terms_of: list[list[_Term]] = [[] for _ in range(system.size)]
    columns = system.state, system.weight, system.children.T
    for state, weight, children in zip(*[column.tolist() for column in columns], strict=True):
        terms_of[state].append((weight, tuple(c for c in children if c < system.size)))
    values: list[float] = inside.tolist()
    constants: list[float] = system.constant.tolist()

    def right(state: int) -> float:
        total = constants[state]
        for weight, children in terms_of[state]:
            total += math.prod([values[child] for child in children], start=weight)
        return total

    successors = [[child for _, own in terms for child in own] for terms in terms_of]
    for component in components(successors):
        if not any(child in component for state in component for child in successors[state]):
            values[component[0]] = right(component[0])
            continue
        for _ in range(NEWTON_STEPS):
            old = np.array([values[state] for state in component])
            gap = np.array([right(state) for state in component]) - old
            step = solve(_jacobian(terms_of, component, values), gap)
            if step is None:
                break
            new = old + np.maximum(step, 0.0)
            for state, value in zip(component, new.tolist(), strict=True):
                values[state] = value
            if np.all(np.abs(new - old) <= RELATIVE_CHANGE * new):
                break
    return np.array(values)


def _jacobian(terms_of: Sequence[Sequence[_Term]], component: Sequence[int], values: Sequence[float]) -> Matrix:
    place_of = {state: place for place, state in enumerate(component)}
    matrix = np.zeros((len(component), len(component)))
    for row, state in enumerate(component):
        for weight, children in terms_of[state]:
            for place, child in enumerate(children):
                if child in place_of:
                    others = children[:place] + children[place + 1 :]
                    matrix[row, place_of[child]] += math.prod([values[other] for other in others], start=weight)
    return matrix


def components(successors: Sequence[Iterable[int]]) -> list[list[int]]:
    """Return the strongly connected components of a graph, each sorted, successors before predecessors.

    >>> components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    return [sorted(component) for component in graphs.components(dict(enumerate(successors)))]


def solve(matrix: Matrix, right: Vector) -> Vector | None:
    """Solve ``(I - matrix) x = right``; None if the spectral radius is not below 1."""
    size = len(right)
    left = np.where(np.eye(size, dtype=bool), 1.0 - matrix, -matrix)
    solution = right.astype(np.float64)
    for column in range(size):
        pivot = left[column, column]
        if not pivot > 0.0:
            return None
        rows = column + 1 + np.flatnonzero(left[column + 1 :, column])
        factors = left[rows, column] / pivot
        left[rows, column:] -= factors[:, None] * left[column, column:][None, :]
        solution[rows] -= factors * solution[column]
    for column in range(size - 1, -1, -1):
        solution[column] /= left[column, column]
        solution[:column] -= left[:column, column] * solution[column]
    return solution


#: Power iteration stops at this precision of the radius or after this many steps; it checks the bounds every few steps.
RADIUS_TOLERANCE = 1e-9
POWER_STEPS = 20_000
LOOK_EVERY = 10

#: Added to the diagonal, as a periodic matrix would never settle otherwise.
SHIFT = 0.25


class Radius(NamedTuple):
    """A spectral radius with its component's growth vector: the relative numbers of distant descendants by state."""

    value: float
    growth: Mapping[int, float]


@dataclass(frozen=True)
class Moments:
    """The first moments: ``rows[q]`` maps ``p`` to the expected number of children ``p`` of ``q``."""

    rows: Sequence[Mapping[int, float]]

    @classmethod
    def of(cls, size: int, transitions: Iterable[tuple[int, int, tuple[int, ...], float]]) -> "Moments":
        """Return the moments of transitions (state, rule, children, probability)."""
        rows: list[dict[int, float]] = [{} for _ in range(size)]
        for state, _, children, probability in transitions:
            row = rows[state]
            for child in children:
                row[child] = row.get(child, 0.0) + probability
        return cls(rows)

    @cached_property
    def components(self) -> list[list[int]]:
        """The strongly connected components of the states, children before parents."""
        return components(self.rows)

    @cached_property
    def radius(self) -> Radius:
        """The spectral radius of the matrix: the largest of its components' radii."""
        largest = Radius(0.0, {})
        for component in self.components:
            if self.recursive(component):
                radius = _component_radius(self._within(component), component)
                if radius.value > largest.value:
                    largest = radius
        return largest

    def expected_visits(self, roots: Iterable[tuple[int, float]]) -> list[float]:
        """Return the expected number of phrases in each state, which may be infinite."""
        visits = [0.0] * len(self.rows)
        for state, probability in roots:
            visits[state] += probability
        for component in reversed(self.components):
            if self.recursive(component):
                entering: Vector = np.array([visits[state] for state in component])
                solution = None
                if np.all(np.isfinite(entering)):
                    solution = solve(self._within(component).T.copy(), entering)
                for place, state in enumerate(component):
                    visits[state] = math.inf if solution is None else float(solution[place])
            members = set(component)
            for state in component:
                for child, expected in self.rows[state].items():
                    if child not in members:
                        visits[child] += visits[state] * expected
        return visits

    def recursive(self, component: Sequence[int]) -> bool:
        """Return whether a phrase in a state of the component can contain another such phrase."""
        return len(component) > 1 or component[0] in self.rows[component[0]]

    def _within(self, component: Sequence[int]) -> Matrix:
        place = {state: index for index, state in enumerate(component)}
        matrix = np.zeros((len(component), len(component)))
        for state in component:
            for child, expected in self.rows[state].items():
                if child in place:
                    matrix[place[state], place[child]] = expected
        return matrix


def _component_radius(matrix: Matrix, component: Sequence[int]) -> Radius:
    """Run power iteration on ``M + SHIFT I``, which is primitive, between Collatz-Wielandt bounds."""
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
    return Radius(radius, dict(zip(component, vector.tolist(), strict=True)))


#: The most by which rounding may keep a probability of 1 below it.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class Consistency:
    """Whether derivations end.

    ``cycle`` lists the categories, by index, through which most of the growth goes, each above the next and the last
    above the first; it is empty if no category is below itself.  ``termination`` is the probability that a derivation
    from the start ends.
    """

    spectral_radius: float
    cycle: tuple[int, ...]
    termination: float

    @property
    def proper(self) -> bool:
        """Whether derivations end and have a finite expected size."""
        return self.spectral_radius < 1.0 - TOLERANCE and self.termination > 1.0 - TOLERANCE


def consistency(grammar: CoreGrammar) -> Consistency:
    """Decide whether derivations end, considering only the categories that the start reaches."""
    size = len(grammar.categories)
    below = {lhs: [child for rule in own for child in rule.rhs] for lhs, own in enumerate(grammar.rules_of)}
    reached = graphs.reachable([grammar.start], below)
    rules = [rule for rule in grammar.rules if rule.lhs in reached and rule.weight > 0.0]
    absent = (size,) * max((len(rule.rhs) for rule in rules), default=0)
    padded = [(*rule.rhs, *absent)[: len(absent)] for rule in rules]
    system = EquationSystem(
        size=size,
        state=np.array([rule.lhs for rule in rules], np.intp),
        weight=np.array([rule.weight for rule in rules], np.float64),
        children=np.array(padded, np.intp).reshape(len(rules), len(absent)).T,
        constant=np.zeros(size),
    )
    moments = Moments.of(size, ((rule.lhs, rule.id, rule.rhs, rule.weight) for rule in rules))
    radius, growth = moments.radius
    # The heaviest cycle: start where most grows, and always follow the child through which most of it goes.
    path: list[int] = []
    state = max(growth, key=growth.__getitem__, default=-1)
    while growth and state not in path:
        path.append(state)
        row = moments.rows[state]
        children = sorted(child for child in row if child in growth)
        state = max(children, key=lambda child: row[child] * growth[child])
    cycle = tuple(path[path.index(state) :]) if path else ()
    return Consistency(radius, cycle, termination=float(inside_weights(system)[grammar.start]))
