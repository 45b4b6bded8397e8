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
from numpy.typing import NDArray

from sgl.automata.inside import Monomial, System, inside_weights
from sgl.automata.moments import Radius, expected_visits, moment_rows, spectral_radius
from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton
from sgl.core.grammar import CoreGrammar, Rule, Token


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
        for rule, expected in zip(self.grammar.rules, self.expected_rules, strict=True):
            tokens = source_tokens(rule)
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


def source_tokens(rule: Rule) -> int:
    """The number of tokens that a rule writes in the first text layer."""
    return sum(isinstance(item, Token) for item in rule.templates[0])


def split_grammar(index: GrammarIndex, automaton: TreeAutomaton) -> SplitGrammar:
    """The grammar of the derivations that a trim automaton accepts."""
    phrasal = _monomials(index, automaton)
    weights = _weights(index, automaton, phrasal)
    mass = _mass(automaton, weights)
    transitions = _lexical_transitions(index, automaton, weights)
    mixed: set[int] = set()
    for rule, monomial in phrasal:
        probability = monomial.weight
        for child in monomial.children:
            probability *= weights[child]
        if probability > 0.0:
            probability /= weights[monomial.state]
            transitions[monomial.state].append(Transition(rule, monomial.children, probability))
            mixed.add(monomial.state)
    for state in mixed:
        transitions[state].sort(key=lambda transition: transition.rule)
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
    if not automaton.accepting:
        return 0.0
    return _mass(automaton, _weights(index, automaton, _monomials(index, automaton)))


def _weights(
    index: GrammarIndex, automaton: TreeAutomaton, phrasal: list[tuple[int, Monomial]]
) -> list[float]:
    size = len(automaton.category)
    states = _word_states(automaton)
    live = states != DEAD
    # ``bincount`` adds in the order of the rules.
    words = np.bincount(states[live], index.word_weights[live], minlength=size)
    system = System.of(size, [monomial for _, monomial in phrasal], words)
    weights: list[float] = inside_weights(system).tolist()
    return weights


def _word_states(automaton: TreeAutomaton) -> NDArray[np.intp]:
    """The state after each leaf rule, in the order of the lexicon's rules."""
    return np.array(automaton.leaves, np.intp)[automaton.lexicon.class_array]


def _mass(automaton: TreeAutomaton, weights: list[float]) -> float:
    mass = 0.0
    for state in sorted(automaton.accepting):
        mass += weights[state]
    return mass


def _lexical_transitions(
    index: GrammarIndex, automaton: TreeAutomaton, weights: list[float]
) -> list[list[Transition]]:
    """For each state its transitions into words."""
    transitions: list[list[Transition]] = [[] for _ in weights]
    states = _word_states(automaton).tolist()
    for rule, weight, state in zip(
        automaton.lexicon.rules, index.word_weights.tolist(), states, strict=True
    ):
        if state != DEAD and weight > 0.0:
            transitions[state].append(Transition(rule, (), weight / weights[state]))
    return transitions


def _monomials(index: GrammarIndex, automaton: TreeAutomaton) -> list[tuple[int, Monomial]]:
    """The phrasal transitions with their rules, in the order of rules and children."""
    rules = index.grammar.rules
    return [
        (rule, Monomial(table[children], rules[rule].weight, children))
        for rule, table in zip(index.phrasal, automaton.tables, strict=True)
        for children in sorted(table)
    ]
