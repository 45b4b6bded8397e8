"""What an automaton makes of the phrases of a split, for people to read.

The proof that a structure is held out assigns to every state of the training
grammar the states that the structure's automaton can be in after its phrases, an
inductive invariant (:mod:`sgl.automata.invariant`).  Here the assignment is given
itself, each state with its smallest phrase::

    NP   state 4   the dog
    NP   state 5   the dog near the cat      an nmod is found, a subject edge is not
    S    state 9   the dog near the cat ran  accepting: in no training sentence
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from sgl.automata.split import SplitGrammar
from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton, leaf_states
from sgl.automata.witness import smallest_derivation
from sgl.core.interpret import Derivation


@dataclass(frozen=True, slots=True)
class Reading:
    """A state of an automaton: its smallest phrase, and whether a split reaches it."""

    category: int
    state: int
    accepting: bool
    reached: bool
    phrase: Derivation


def reached_states(
    index: GrammarIndex, split: SplitGrammar, automaton: TreeAutomaton
) -> frozenset[int]:
    """The states of an automaton that phrases of a split can be in."""
    leaf = leaf_states(index, automaton)
    tables = dict(zip(index.phrasal, automaton.tables, strict=True))
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


def readings(
    index: GrammarIndex, split: SplitGrammar, automaton: TreeAutomaton
) -> Iterator[Reading]:
    """The states of categories that an automaton has several states for."""
    reached = reached_states(index, split, automaton)
    crowd: dict[int, list[int]] = {}
    for state, category in enumerate(automaton.category):
        crowd.setdefault(category, []).append(state)
    for category in sorted(crowd):
        if len(crowd[category]) == 1:
            continue
        for state in crowd[category]:
            phrase = smallest_derivation(index, replace(automaton, accepting=frozenset({state})))
            if phrase is not None:
                accepting = state in automaton.accepting
                yield Reading(category, state, accepting, state in reached, phrase)


def with_other_words(
    index: GrammarIndex,
    automaton: TreeAutomaton,
    derivation: Derivation,
    lemmas: list[tuple[str, ...]],
) -> Derivation:
    """The derivation with other words where a lemma is repeated, as far as there are any.

    ``lemmas`` are those of each rule.  A word is exchanged for one of the same
    state, so that the automaton accepts what it accepted before.
    """
    leaf = leaf_states(index, automaton)
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
