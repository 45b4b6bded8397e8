"""Inductive invariants of splits: which automaton states the phrases of each state can have.

Most phrases of most categories are in one state of an automaton, the one in which nothing
of its structure has begun.  States are therefore counted within each category, the most
common one first.  That one is number 0, and what leads to a state 0 is not written::

    V -[obj]-> N      NP: 0     VP: 0 nothing, 1 found     VP -> V NP: 1 after (0, 0)

The invariants are the smallest ones.  A state of the split whose phrases are all in state 0
of every automaton is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.algebra.tree_automaton import leaf_states
from sgl.automata.proofs.invariant import AutomatonView, Bits, SplitView, assignment, members
from sgl.core.structure import Structure

States = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class WrittenAutomaton:
    """The automaton that finds a structure.

    ``words[r]`` is the state after a word, ``tables[r]`` has the transitions of a rule with
    children, both by rule id; ``accepting`` are the accepted states of texts.  ``reader``
    reads splits with the automaton; ``number[q]`` is the new number of its state ``q``.
    """

    reader: AutomatonView
    number: States
    words: dict[int, int]
    tables: dict[int, dict[States, int]]
    accepting: States
    _written: dict[Bits, States] = field(default_factory=dict, repr=False)

    def written(self, states: Bits) -> States:
        """Return the numbers of states of one category, in order, or () for number 0 alone."""
        known = self._written.get(states)
        if known is None:
            numbers = sorted(self.number[q] for q in members(states))
            known = self._written[states] = tuple(numbers) if any(numbers) else ()
        return known

    @classmethod
    def of(cls, compiler: StructureCompiler, structure: Structure) -> WrittenAutomaton:
        """Return, with numbered states, the automaton of ``structure``."""
        automaton = compiler.presence(structure)
        leaves = leaf_states(automaton)
        uses = Counter(leaves.values())
        for table in automaton.tables:
            uses.update(table.values())
        number = [0] * len(automaton.category)
        met: Counter[int] = Counter()
        for state in sorted(range(len(number)), key=lambda state: (-uses[state], state)):
            number[state] = met[automaton.category[state]]
            met[automaton.category[state]] += 1
        return cls(
            reader=AutomatonView(automaton),
            number=tuple(number),
            words={rule: number[state] for rule, state in leaves.items()},
            tables={
                rule: {
                    tuple([number[q] for q in qs]): number[result] for qs, result in table.items()
                }
                for rule, table in zip(
                    compiler.index.phrasal.tolist(), automaton.tables, strict=True
                )
            },
            accepting=tuple(sorted(number[state] for state in automaton.accepting)),
        )


#: A state of the split, and after it the automaton states, one for each automaton in turn.
Invariant = list[tuple[int, ...]]


def invariant(
    view: SplitView, automata: Sequence[WrittenAutomaton], *, accepted: bool
) -> Invariant | None:
    """Return the invariant that shows what all texts of a split have in common.

    Every text is accepted by one of the automata, or (``accepted`` is false) by
    none; ``None`` if that is not so.
    """
    if len(automata) == 1:
        return _single(view, automata[0], accepted=accepted)
    states = _joint(view.split, automata)
    for root, _ in view.split.roots:
        for reached in states[root]:
            one = any(q in a.accepting for q, a in zip(reached, automata, strict=True))
            if one != accepted:
                return None
    usual = {(0,) * len(automata)}
    return [
        (state, *(q for reached in sorted(members) for q in reached))
        for state, members in enumerate(states)
        if members and members != usual
    ]


def _single(view: SplitView, automaton: WrittenAutomaton, *, accepted: bool) -> Invariant | None:
    """Return the invariant for one automaton.

    The only state of a category has number 0, so that nothing is to be written of it.
    """
    reader = automaton.reader
    sets = assignment(view, reader)
    assert sets is not None, "the automaton of a structure is total"
    wrong = ~reader.accepting if accepted else reader.accepting
    if any(sets[root] & wrong for root, _ in view.split.roots):
        return None
    crowded = (reader.automaton.sizes > 1).tolist()
    written = [
        (state, automaton.written(sets[state]))
        for state, category in enumerate(view.split.category)
        if crowded[category]
    ]
    return [(state, *numbers) for state, numbers in written if numbers]


def _joint(split: SplitGrammar, automata: Sequence[WrittenAutomaton]) -> list[set[States]]:
    """For each state of a split the combinations of states that several automata can be in."""
    states: list[set[States]] = [set() for _ in split.category]
    for state, transitions in enumerate(split.transitions_of):
        words = (t.rule for t in transitions if not t.children)
        states[state].update(tuple([a.words[word] for a in automata]) for word in words)
    grown = True
    while grown:
        grown = False
        for state, transitions in enumerate(split.transitions_of):
            before = len(states[state])
            for transition in transitions:
                if transition.children:
                    tables = [automaton.tables[transition.rule] for automaton in automata]
                    for parts in product(*[states[child] for child in transition.children]):
                        columns = zip(*parts, strict=True)
                        pairs = zip(tables, columns, strict=True)
                        states[state].add(tuple([table[column] for table, column in pairs]))
            grown |= len(states[state]) > before
    return states
