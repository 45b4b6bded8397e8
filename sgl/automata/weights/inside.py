"""Inside weights: how probable it is that a state derives anything at all.

They are the least solution of

    W(q) = sum of  w(r) W(q1) ... W(qk)   over the transitions  q -> r(q1 ... qk)

Kleene iteration from 0 is too slow near the critical radius 1, so Newton's method, one strongly
connected component after the other, goes on from where it stopped: monotone, and quadratic below
that radius (Etessami & Yannakakis 2009; Esparza, Kiefer & Luttenberger 2010).  Both stop on the
relative change of *every* component: an absolute bound would leave the rare ones wrong.  Linear
systems are solved here, because library solvers reorder operations and differ between machines.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from sgl.automata.common import Mask

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

    A term has a ``state``, a ``weight`` and ``children``: ``children[i]`` are the ``i``-th ones, ``size`` where there
    are none (its value is 1).  ``constant`` is what the words of each state weigh.
    """

    size: int
    state: NDArray[np.intp]
    weight: Vector
    children: NDArray[np.intp]
    constant: Vector

    def terms(self, values: Vector) -> Vector:
        """Return the value of each term, given those of the states and 1 for missing children."""
        terms = self.weight.copy()
        for children in self.children:
            terms *= values[children]
        return terms

    def apply(self, values: Vector) -> Vector:
        """Return the right-hand sides, and 1 after them, as ``values`` are for :meth:`terms`."""
        # ``bincount`` adds in the order of the terms.
        sums = np.bincount(self.state, self.terms(values), minlength=self.size)
        improved = np.empty_like(values)
        np.add(sums, self.constant, out=improved[:-1])
        improved[-1] = 1.0
        return improved


def inside_weights(system: EquationSystem) -> Vector:
    """Return the least solution of the system; the weight of a state that derives nothing is 0."""
    inside = np.append(system.constant, 1.0)
    for _ in range(KLEENE_STEPS):
        improved = system.apply(inside)
        settled: Mask = np.abs(improved - inside) <= RELATIVE_CHANGE * improved
        if settled.all():
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
            total += _product(weight, children, values)
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
                    matrix[row, place_of[child]] += _product(weight, others, values)
    return matrix


def _product(weight: float, children: Sequence[int], values: Sequence[float]) -> float:
    for child in children:
        weight *= values[child]
    return weight


def components(successors: Sequence[Iterable[int]]) -> list[list[int]]:
    """Return the components of the graph, each sorted, successors before predecessors.

    >>> components([[1], [0, 2], []])
    [[2], [0, 1]]
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(successors)))
    graph.add_edges_from((node, other) for node, own in enumerate(successors) for other in own)
    return [sorted(component) for component in nx.strongly_connected_components(graph)]


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
