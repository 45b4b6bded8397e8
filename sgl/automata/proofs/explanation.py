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

from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.algebra.witness import SmallestDerivations
from sgl.automata.proofs.invariant import AutomatonView, assignment, members
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


def state_examples(split: SplitGrammar, automaton: TreeAutomaton) -> Iterator[StateExample]:
    """Yield the states of a total automaton in the categories that it has several states for."""
    sets = assignment(split, AutomatonView(automaton))
    assert sets is not None, "the automaton is total"
    reached = frozenset(state for bits in sets for state in members(bits))
    smallest = SmallestDerivations(automaton)
    crowded = automaton.sizes[automaton.categories] > 1
    for category, state in sorted(zip(automaton.category, range(automaton.size), strict=True)):
        if crowded[state]:
            accepting = state in automaton.accepting
            phrase = smallest.derivation(state)
            yield StateExample(category, state, accepting, state in reached, phrase)


def with_other_words(
    automaton: TreeAutomaton,
    derivation: Derivation,
    lemmas: list[tuple[str, ...]],
) -> Derivation:
    """Return the derivation with other words where a lemma is repeated, as far as there are any.

    ``lemmas`` are those of each rule.  A word is exchanged for one of the same
    state, so that the automaton accepts what it accepted before.
    """
    leaf = automaton.word_states
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
