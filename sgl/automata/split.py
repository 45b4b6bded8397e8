"""The grammar of a split: the author's distribution, conditioned on a constraint.

Its states are the pairs of a category and a state of the constraint's automaton.
With the inside weight W of each state, expanding state ``q`` by a transition
with probability

    w(r) W(q1) ... W(qk) / W(q)

derives every text that satisfies the constraint with exactly the probability it
has under the author's grammar given the constraint, and derives no other; the
products telescope.  This is sampling without rejection, however improbable the
constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sgl.automata.inside import System, inside_weights
from sgl.automata.linear import Vector
from sgl.automata.moments import Radius, expected_visits, moment_rows, spectral_radius
from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton
from sgl.core.grammar import CoreGrammar


@dataclass(frozen=True, slots=True)
class Transition:
    """A rule over child states, with its probability given the parent's state."""

    rule: int
    children: tuple[int, ...]
    probability: float


@dataclass(frozen=True)
class SplitGrammar:
    """A grammar whose derivations satisfy a constraint, with exact probabilities.

    Attributes:
        grammar: the grammar that was cut.
        category: the category of each state.
        transitions_of: the transitions of each state, by rule and children.
        roots: the states of whole texts, with probabilities that sum to 1.
        inside: the inside weight of each state.
        mass: the probability of the constraint under the grammar.
    """

    grammar: CoreGrammar
    category: tuple[int, ...]
    transitions_of: tuple[tuple[Transition, ...], ...]
    roots: tuple[tuple[int, float], ...]
    inside: tuple[float, ...]
    mass: float

    @property
    def empty(self) -> bool:
        """Whether no text satisfies the constraint."""
        return not self.roots

    @cached_property
    def spectral_radius(self) -> float:
        """The spectral radius of the first-moment matrix."""
        return self._radius.value

    @cached_property
    def expected_rules(self) -> tuple[float, ...]:
        """The expected number of uses of each rule of the grammar in a text."""
        visits = expected_visits(self._moments, self.roots)
        expected = [0.0] * len(self.grammar.rules)
        for state, transitions in enumerate(self.transitions_of):
            for transition in transitions:
                expected[transition.rule] += visits[state] * transition.probability
        return tuple(expected)

    @cached_property
    def expected_tokens(self) -> float:
        """The expected number of tokens of a text in the first text layer."""
        total = 0.0
        for tokens, expected in zip(self.grammar.source_tokens, self.expected_rules, strict=True):
            if tokens and expected:
                total += tokens * expected
        return total

    @cached_property
    def used_rules(self) -> frozenset[int]:
        """The rules that some text uses."""
        return frozenset(t.rule for transitions in self.transitions_of for t in transitions)

    @cached_property
    def _moments(self) -> list[dict[int, float]]:
        return moment_rows(
            len(self.category),
            (
                (state, transition.probability, transition.children)
                for state, transitions in enumerate(self.transitions_of)
                for transition in transitions
            ),
        )

    @cached_property
    def _radius(self) -> Radius:
        return spectral_radius(self._moments)


def split_grammar(index: GrammarIndex, automaton: TreeAutomaton) -> SplitGrammar:
    """The grammar of the derivations that a trim automaton accepts."""
    system = _system(index, automaton)
    inside = inside_weights(system)
    mass = _mass(automaton, inside)
    transitions = _lexical_transitions(index, automaton, inside)
    _add_phrasal(transitions, index, automaton, system.terms(inside) / inside[automaton.results])
    weights: list[float] = inside.tolist()
    return SplitGrammar(
        grammar=index.grammar,
        category=automaton.category,
        transitions_of=tuple(tuple(row) for row in transitions),
        roots=tuple(
            (state, weights[state] / mass) for state in sorted(automaton.accepting) if mass > 0.0
        ),
        inside=tuple(weights),
        mass=mass,
    )


def acceptance_probability(index: GrammarIndex, automaton: TreeAutomaton) -> float:
    """The probability under the grammar that a trim automaton accepts a derivation."""
    if automaton.empty:
        return 0.0
    return _mass(automaton, inside_weights(_system(index, automaton)))


def _system(index: GrammarIndex, automaton: TreeAutomaton) -> System:
    """The equations of the inside weights; a row of the automaton is a monomial."""
    states = automaton.words[automaton.lexicon.class_array]
    live = states != DEAD
    # ``bincount`` adds in the order of the rules.
    constant: Vector = np.bincount(
        states[live], index.word_weights[live], minlength=automaton.size
    ).astype(np.float64)
    return System(
        size=automaton.size,
        state=automaton.results,
        weight=index.weights[automaton.rules],
        children=automaton.children.T,
        constant=constant.astype(np.float64),
    )


def _mass(automaton: TreeAutomaton, inside: Vector) -> float:
    mass = 0.0
    for weight in inside[automaton.final].tolist():
        mass += weight
    return mass


def _lexical_transitions(
    index: GrammarIndex, automaton: TreeAutomaton, inside: Vector
) -> list[list[Transition]]:
    """For each state its transitions into words, in the order of the rules."""
    transitions: list[list[Transition]] = [[] for _ in range(automaton.size)]
    states = automaton.words[automaton.lexicon.class_array]
    live = (states != DEAD) & (index.word_weights > 0.0)
    states = states[live]
    rules = np.array(automaton.lexicon.rules, np.intp)[live]
    probabilities = index.word_weights[live] / inside[states]
    for state, rule, probability in zip(
        states.tolist(), rules.tolist(), probabilities.tolist(), strict=True
    ):
        transitions[state].append(Transition(rule, (), probability))
    return transitions


def _add_phrasal(
    transitions: list[list[Transition]],
    index: GrammarIndex,
    automaton: TreeAutomaton,
    probabilities: Vector,
) -> None:
    """Add the phrasal transitions to those into words, in the order of the rules."""
    lexical = {state for state, row in enumerate(transitions) if row}
    mixed: set[int] = set()
    for rule, children, state, probability in zip(
        automaton.rules.tolist(),
        automaton.children.T.tolist(),
        automaton.results.tolist(),
        probabilities.tolist(),
        strict=True,
    ):
        if probability > 0.0:
            arity = len(index.rhs[rule])
            transitions[state].append(
                Transition(index.phrasal[rule], tuple(children[:arity]), probability)
            )
            if state in lexical:
                mixed.add(state)
    for state in mixed:
        transitions[state].sort(key=lambda transition: transition.rule)
