"""What an automaton makes of the phrases of a split, for people to read.

The proof that a structure is held out assigns to every state of the training
grammar the states that the structure's automaton can be in after its phrases, an
inductive invariant (:mod:`sgl.automata.proofs.invariant`).  Here the assignment is given
itself, each state with its smallest phrase::

    NP   state 4   the dog
    NP   state 5   the dog near the cat      an nmod is found, a subject edge is not
    S    state 9   the dog near the cat ran  accepting: in no training sentence
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton, leaf_states
from sgl.automata.weights.split import SplitGrammar
from sgl.core.interpret import Derivation


@dataclass(frozen=True, slots=True)
class StateExample:
    """A state of an automaton: its smallest phrase, and whether a split reaches it."""

    category: int
    state: int
    accepting: bool
    reached: bool
    phrase: Derivation


def reached_states(split: SplitGrammar, automaton: TreeAutomaton) -> frozenset[int]:
    """Return the states of an automaton that phrases of a split can be in."""
    leaf = leaf_states(automaton)
    tables = dict(zip(automaton.index.phrasal, automaton.tables, strict=True))
    states: list[set[int]] = [set() for _ in split.category]
    growing = True
    while growing:
        growing = False
        for state, transitions in enumerate(split.transitions_of):
            before = len(states[state])
            for transition in transitions:
                if not transition.children:
                    states[state].add(leaf[transition.rule])
                    continue
                table = tables[transition.rule]
                for children in product(*[states[child] for child in transition.children]):
                    states[state].add(table.get(children, DEAD))
            growing = growing or len(states[state]) > before
    return frozenset().union(*states) - {DEAD}


def state_examples(split: SplitGrammar, automaton: TreeAutomaton) -> Iterator[StateExample]:
    """Yield the states of categories that an automaton has several states for."""
    reached = reached_states(split, automaton)
    phrases = smallest_phrases(automaton)
    crowd: dict[int, list[int]] = {}
    for state, category in enumerate(automaton.category):
        crowd.setdefault(category, []).append(state)
    for category in sorted(crowd):
        for state in crowd[category] if len(crowd[category]) > 1 else ():
            accepting = state in automaton.accepting
            yield StateExample(category, state, accepting, state in reached, phrases[state])


def smallest_phrases(automaton: TreeAutomaton) -> dict[int, Derivation]:
    """Return a smallest derivation of each state; small is of few rules and few tokens."""
    tokens = automaton.index.grammar.source_tokens
    best: dict[int, tuple[int, Derivation]] = {}

    def offer(state: int, size: int, derivation: Derivation) -> bool:
        better = state != DEAD and (state not in best or size < best[state][0])
        if better:
            best[state] = size, derivation
        return better

    for rule, state in leaf_states(automaton).items():
        offer(state, tokens[rule] + 1, (rule,))
    tables = list(zip(automaton.index.phrasal, automaton.tables, strict=True))
    growing = True
    while growing:
        growing = False
        for rule, table in tables:
            own = tokens[rule] + 1
            for children, result in table.items():
                if all(child in best for child in children):
                    size = own + sum(best[child][0] for child in children)
                    parts = (step for child in children for step in best[child][1])
                    growing = offer(result, size, (rule, *parts)) or growing
    return {state: derivation for state, (_, derivation) in best.items()}


def with_other_words(
    automaton: TreeAutomaton,
    derivation: Derivation,
    lemmas: list[tuple[str, ...]],
) -> Derivation:
    """Return the derivation with other words where a lemma is repeated, as far as there are any.

    ``lemmas`` are those of each rule.  A word is exchanged for one of the same
    state, so that the automaton accepts what it accepted before.
    """
    leaf = leaf_states(automaton)
    alike: dict[int, list[int]] = {}
    for rule, state in leaf.items():
        alike.setdefault(state, []).append(rule)
    used: set[str] = set()
    result = []
    for rule in derivation:
        chosen = rule
        if rule in leaf and not used.isdisjoint(lemmas[rule]):
            others = (r for r in alike[leaf[rule]] if used.isdisjoint(lemmas[r]))
            chosen = next(others, rule)
        used.update(lemmas[chosen])
        result.append(chosen)
    return tuple(result)
