"""First moments of a grammar: does sampling end, and how long are derivations?

The matrix ``M[q, p]`` is the expected number of children in state ``p`` of a phrase in state ``q``.
Its spectral radius says how a derivation grows from one level to the next.  Below 1 it ends and has
a finite expected size.  At 1 or above some derivations never end, and those that do no longer have
probabilities that sum to 1 (Booth & Thompson 1973).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import networkx as nx
import numpy as np

from sgl.automata.algebra.tree_automaton import GrammarIndex
from sgl.automata.weights.inside import EquationSystem, Matrix, Vector, components, inside_weights, solve
from sgl.core.grammar import CoreGrammar

#: Power iteration stops when it knows the radius this precisely, or after so many
#: steps; the bounds are looked at every few steps.
RADIUS_TOLERANCE = 1e-9
POWER_STEPS = 20_000
LOOK_EVERY = 10

#: Added to the diagonal: without it a periodic matrix would never settle.
SHIFT = 0.25


@dataclass(frozen=True, slots=True)
class Radius:
    """A spectral radius, its component, and its growth vector: numbers of descendants many levels down, by state."""

    value: float
    growth: Mapping[int, float]


@dataclass(frozen=True)
class Moments:
    """The first moments: ``rows[q]`` maps ``p`` to the expected number of ``p`` below ``q``."""

    rows: Sequence[Mapping[int, float]]

    @classmethod
    def of(cls, size: int, transitions: Iterable[tuple[int, float, tuple[int, ...]]]) -> "Moments":
        """Return the matrix of transitions (state, probability, children)."""
        rows: list[dict[int, float]] = [{} for _ in range(size)]
        for state, probability, children in transitions:
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
            if self._recursive(component):
                radius = _component_radius(self._within(component), component)
                if radius.value > largest.value:
                    largest = radius
        return largest

    def expected_visits(self, roots: Iterable[tuple[int, float]]) -> list[float]:
        """Return the expected number of phrases in each state; infinite where it has no bound."""
        visits = [0.0] * len(self.rows)
        for state, probability in roots:
            visits[state] += probability
        for component in reversed(self.components):
            if self._recursive(component):
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

    def _recursive(self, component: Sequence[int]) -> bool:
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
    """Power iteration on ``M + SHIFT I``, which is primitive, between Collatz-Wielandt bounds."""
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


#: Rounding may keep a probability that is 1 this far below it.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Consistency:
    """Whether derivations end.

    ``cycle`` are indices of categories, each above the next and the last above the first, through
    which most of the growth goes; it is empty if no category is below itself.  ``termination`` is
    the probability that a derivation from the start ends.
    """

    spectral_radius: float
    cycle: tuple[int, ...]
    termination: float

    @property
    def proper(self) -> bool:
        """Whether derivations end and have a finite expected size."""
        return self.spectral_radius < 1.0 - TOLERANCE and self.termination > 1.0 - TOLERANCE


def consistency(grammar: CoreGrammar) -> Consistency:
    """Say whether derivations end, looking only at the categories that the start reaches."""
    size, index = len(grammar.categories), GrammarIndex(grammar)
    below = nx.DiGraph((rule.lhs, child) for rule in grammar.rules for child in rule.rhs)
    below.add_node(grammar.start)
    reachable = np.zeros(size, np.bool_)
    reachable[[grammar.start, *nx.descendants(below, grammar.start)]] = True
    used = reachable[index.results] & (index.weights > 0.0)
    weights = np.where(reachable[index.word_categories], index.word_weights, 0.0)
    system = EquationSystem(
        size=size,
        state=index.results[used],
        weight=index.weights[used],
        children=index.children[:, used],
        constant=np.bincount(index.word_categories, weights, size).astype(np.float64),
    )
    rules = (grammar.rules[rule] for rule in index.phrasal[used].tolist())
    moments = Moments.of(size, ((rule.lhs, rule.weight, rule.rhs) for rule in rules))
    return Consistency(
        spectral_radius=moments.radius.value,
        cycle=_heaviest_cycle(moments),
        termination=float(inside_weights(system)[grammar.start]),
    )


def _heaviest_cycle(moments: Moments) -> tuple[int, ...]:
    rows, growth = moments.rows, moments.radius.growth
    if not growth:
        return ()
    state = max(growth, key=lambda category: growth[category])
    path: list[int] = []
    while state not in path:
        path.append(state)
        row = rows[state]
        children = sorted(child for child in row if child in growth)
        state = max(children, key=lambda child: row[child] * growth[child])
    return tuple(path[path.index(state) :])
