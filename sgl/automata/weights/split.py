"""The grammar of a split: the author's distribution, conditioned on a constraint.

Its states are the pairs of a category and a state of the constraint's automaton.  With the inside
weight W of each state, expanding state ``q`` by a transition with probability

    w(r) W(q1) ... W(qk) / W(q)

derives every text that satisfies the constraint with exactly the probability it has under the
author's grammar given the constraint, since the products telescope: sampling without rejection,
however improbable the constraint.  Transitions are thousands, so they are kept as columns.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.common import Mask
from sgl.automata.weights.inside import EquationSystem, Moments, Vector, inside_weights
from sgl.core.grammar import CoreGrammar

#: In place of a child that a rule does not have.
NO_CHILD = -1


class Transition(NamedTuple):
    """A rule over child states, with its probability given the parent's state."""

    rule: int
    children: tuple[int, ...]
    probability: float


@dataclass(frozen=True, slots=True, eq=False)
class Transitions:
    """The transitions of all states as columns, sorted by state, rule and children."""

    states: NDArray[np.intp]
    rules: NDArray[np.intp]
    children: NDArray[np.intp]
    probabilities: Vector

    def rows(self) -> Iterable[tuple[int, int, tuple[int, ...], float]]:
        """State, rule, children and probability of each transition."""
        arity = (self.children != NO_CHILD).sum(axis=0).tolist()
        rows = zip(self.children.T.tolist(), arity, strict=True)
        return zip(
            self.states.tolist(),
            self.rules.tolist(),
            [tuple(row[:number]) if number else () for row, number in rows],
            self.probabilities.tolist(),
            strict=True,
        )

    def chosen(self, rows: Mask) -> "Transitions":
        """Return some of the transitions."""
        return Transitions(self.states[rows], self.rules[rows], self.children[:, rows], self.probabilities[rows])


class Step(NamedTuple):
    """A phrasal transition, for going through a split from the words upwards.

    ``children_of`` picks the values of the children from a list by state, as a tuple if several.
    ``loop`` is the number of its component, ``None`` if its phrases cannot contain one another.
    """

    loop: int | None
    rule: int
    state: int
    children_of: Callable[[list[int]], Any]


@dataclass(frozen=True, eq=False)
class SplitGrammar:
    """A grammar whose derivations satisfy a constraint, with exact probabilities.

    ``category`` is that of each state; ``roots`` are the states of whole texts, with probabilities
    that sum to 1; ``mass`` is the probability of the constraint under the grammar that was cut.  Where items
    are drawn as instances in contexts, all phrases of the states ``found`` have the structure.
    """

    grammar: CoreGrammar
    category: tuple[int, ...]
    transitions: Transitions
    roots: tuple[tuple[int, float], ...]
    mass: float
    found: frozenset[int] = frozenset()

    @property
    def empty(self) -> bool:
        """Whether no text satisfies the constraint."""
        return not self.roots

    @cached_property
    def transitions_of(self) -> tuple[tuple[Transition, ...], ...]:
        """The transitions of each state, by rule and children."""
        rows = [Transition(*row[1:]) for row in self.transitions.rows()]
        bounds = np.searchsorted(self.transitions.states, np.arange(len(self.category) + 1))
        return tuple([tuple(rows[start:end]) for start, end in pairwise(bounds.tolist())])

    @cached_property
    def phrasal(self) -> Transitions:
        """The transitions with children."""
        return self.transitions.chosen((self.transitions.children != NO_CHILD).any(axis=0))

    @cached_property
    def phrases(self) -> list[tuple[int, int, tuple[int, ...], float]]:
        """State, rule, children and probability of each of them."""
        return [*self.phrasal.rows()]

    @cached_property
    def lexical(self) -> Transitions:
        """The transitions into words."""
        return self.transitions.chosen((self.transitions.children == NO_CHILD).all(axis=0))

    @cached_property
    def equations(self) -> EquationSystem:
        """The equations of the inside weights of the split itself, all of which are 1."""
        phrasal, lexical, size = self.phrasal, self.lexical, len(self.category)
        return EquationSystem(
            size=size,
            state=phrasal.states,
            weight=phrasal.probabilities,
            children=np.where(phrasal.children == NO_CHILD, size, phrasal.children),
            # ``bincount`` adds in the order of the transitions.
            constant=np.bincount(lexical.states, lexical.probabilities, size).astype(np.float64),
        )

    @cached_property
    def moments(self) -> Moments:
        """The expected numbers of phrases below one another."""
        rows = ((state, weight, children) for state, _, children, weight in self.phrases)
        return Moments.of(len(self.category), rows)

    @cached_property
    def steps(self) -> list[Step]:
        """The phrasal transitions, in the order of the components of the split."""
        own: list[list[tuple[int, tuple[int, ...]]]] = [[] for _ in self.category]
        for state, rule, children, _ in self.phrases:
            own[state].append((rule, children))
        steps: list[Step] = []
        for number, component in enumerate(self.moments.components):
            inside = frozenset(component)
            found = [(rule, state, below) for state in component for rule, below in own[state]]
            loops = any(not inside.isdisjoint(below) for _, _, below in found)
            loop = number if loops else None
            steps += [Step(loop, rule, state, itemgetter(*below)) for rule, state, below in found]
        return steps

    @cached_property
    def places_of(self) -> dict[int, list[int]]:
        """Where the transitions of each rule are among the steps."""
        places: dict[int, list[int]] = {}
        for place, step in enumerate(self.steps):
            places.setdefault(step.rule, []).append(place)
        return places

    @cached_property
    def words_in(self) -> dict[int, list[tuple[int, bytes]]]:
        """The states of each category that have words, with these: their ids as an array, as bytes."""
        words = self.lexical
        states, starts = np.unique(words.states, return_index=True)
        bounds = pairwise([*starts.tolist(), len(words.rules)])
        found: dict[int, list[tuple[int, bytes]]] = {}
        for state, (start, end) in zip(states.tolist(), bounds, strict=True):
            found.setdefault(self.category[state], []).append((state, words.rules[start:end].tobytes()))
        return found

    @property
    def spectral_radius(self) -> float:
        """The spectral radius of the first-moment matrix."""
        return self.moments.radius.value

    @cached_property
    def expected_rules(self) -> tuple[float, ...]:
        """The expected number of uses of each rule of the grammar in a text."""
        visits = np.array(self.moments.expected_visits(self.roots), np.float64)
        uses = visits[self.transitions.states] * self.transitions.probabilities
        # ``bincount`` adds in the order of the transitions.
        expected = np.bincount(self.transitions.rules, uses, minlength=len(self.grammar.rules))
        return tuple(expected.tolist())

    @cached_property
    def expected_tokens(self) -> float:
        """The expected number of tokens of a text in the first text layer."""
        tokens, expected = np.array(self.grammar.source_tokens), np.array(self.expected_rules)
        used = (tokens > 0) & (expected > 0.0)
        # ``accumulate`` adds in the order of the rules.
        return float(np.add.accumulate(np.append(0.0, tokens[used] * expected[used]))[-1])

    @cached_property
    def used_rules(self) -> frozenset[int]:
        """The rules that some text uses."""
        return frozenset(self.transitions.rules.tolist())


def split_grammar(automaton: TreeAutomaton) -> SplitGrammar:
    """Return the grammar of the derivations that a trim automaton accepts."""
    system = _system(automaton)
    inside = inside_weights(system)
    mass = _mass(automaton, inside)
    weights: list[float] = inside.tolist()
    roots = sorted(automaton.accepting) if mass > 0.0 else []
    return SplitGrammar(
        grammar=automaton.index.grammar,
        category=automaton.category,
        transitions=_transitions(automaton, inside, system.terms(np.append(inside, 1.0))),
        roots=tuple((state, weights[state] / mass) for state in roots),
        mass=mass,
    )


def acceptance_probability(automaton: TreeAutomaton) -> float:
    """Return the probability under the grammar that a trim automaton accepts a derivation."""
    if automaton.empty:
        return 0.0
    return _mass(automaton, inside_weights(_system(automaton)))


def _system(automaton: TreeAutomaton) -> EquationSystem:
    index = automaton.index
    states = automaton.words
    live = states != DEAD
    # ``bincount`` adds in the order of the rules.
    constant = np.bincount(states[live], index.word_weights[live], minlength=automaton.size)
    return EquationSystem(
        size=automaton.size,
        state=automaton.results,
        weight=index.weights[automaton.rules],
        children=automaton.children,
        constant=constant.astype(np.float64),
    )


def _mass(automaton: TreeAutomaton, inside: Vector) -> float:
    mass = 0.0
    for weight in inside[automaton.final].tolist():
        mass += weight
    return mass


def _transitions(automaton: TreeAutomaton, inside: Vector, terms: Vector) -> Transitions:
    index = automaton.index
    live = (automaton.words != DEAD) & (index.word_weights > 0.0)
    words = automaton.words[live]
    used = terms / inside[automaton.results] > 0.0
    children = automaton.children[:, used]
    states = np.concatenate((words, automaton.results[used]))
    rules = np.concatenate((index.words[live], index.phrasal[automaton.rules[used]]))
    weights = np.concatenate((index.word_weights[live], terms[used]))
    leaves = np.full((index.width, len(words)), NO_CHILD, np.intp)
    columns = np.hstack((leaves, np.where(children == automaton.size, NO_CHILD, children)))
    order = np.lexsort((rules, states))
    return Transitions(
        states=states[order],
        rules=rules[order],
        children=columns[:, order],
        probabilities=(weights / inside[states])[order],
    )
