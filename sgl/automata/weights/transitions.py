"""The transitions of a split grammar: values, and the same as columns.

A split has thousands of transitions, nearly all of them into words.  What is
computed of all of them at once is computed on columns, as for automata
(:mod:`sgl.automata.algebra.tree_automaton`)::

    state  rule           children  probability
    0      S -> NP VP     3  7      0.75
    0      S -> NP VP     4  7      0.25
    1      N -> dog       -  -      0.04
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.automata.weights.linear import Vector

#: In place of a child that a rule does not have.
NO_CHILD = -1


@dataclass(frozen=True, slots=True)
class Transition:
    """A rule over child states, with its probability given the parent's state."""

    rule: int
    children: tuple[int, ...]
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """The transitions of all states as columns, sorted by state, rule and children.

    ``children[i]`` is the column of the ``i``-th children.
    """

    states: NDArray[np.intp]
    rules: NDArray[np.intp]
    children: NDArray[np.intp]
    probabilities: Vector

    @classmethod
    def of(cls, transitions_of: Sequence[Iterable[Transition]]) -> Transitions:
        """The columns of the sorted transitions of each state."""
        rows = [(state, t) for state, own in enumerate(transitions_of) for t in own]
        width = max((len(t.children) for _, t in rows), default=0)
        children = [(*t.children, *(NO_CHILD,) * (width - len(t.children))) for _, t in rows]
        return cls(
            states=np.array([state for state, _ in rows], np.intp),
            rules=np.array([t.rule for _, t in rows], np.intp),
            children=np.array(children, np.intp).reshape(len(rows), width).T,
            probabilities=np.array([t.probability for _, t in rows], np.float64),
        )

    def by_state(self, size: int) -> tuple[tuple[Transition, ...], ...]:
        """The transitions of each of ``size`` states."""
        table: list[list[Transition]] = [[] for _ in range(size)]
        for state, rule, children, probability in self.rows():
            table[state].append(Transition(rule, children, probability))
        return tuple([tuple(own) for own in table])

    def rows(self) -> Iterable[tuple[int, int, tuple[int, ...], float]]:
        """State, rule, children and probability of each transition."""
        return zip(
            self.states.tolist(),
            self.rules.tolist(),
            _trees(self.children),
            self.probabilities.tolist(),
            strict=True,
        )

    def lexical(self) -> Transitions:
        """The transitions into words."""
        return self._chosen(self._leaves())

    def phrasal(self) -> Transitions:
        """The transitions with children."""
        return self._chosen(~self._leaves())

    def _leaves(self) -> NDArray[np.bool_]:
        leaves: NDArray[np.bool_] = (self.children == NO_CHILD).all(axis=0)
        return leaves

    def _chosen(self, rows: NDArray[np.bool_]) -> Transitions:
        return Transitions(
            self.states[rows], self.rules[rows], self.children[:, rows], self.probabilities[rows]
        )


def _trees(columns: NDArray[np.intp]) -> list[tuple[int, ...]]:
    """The rows of children, each as long as the rule has children."""
    arity = (columns != NO_CHILD).sum(axis=0)
    rows = columns.T.tolist()
    return [tuple(row[:n]) if n else () for row, n in zip(rows, arity.tolist(), strict=True)]
