"""Automata with their states counted within each category, the most common one first.

Most phrases of most categories are in one state of an automaton, the one in which nothing
of its structure has begun.  That state is number 0, and what leads to a state 0 need not be
written down::

    V -[obj]-> N      NP: 0     VP: 0 nothing, 1 found     VP -> V NP: 1 after (0, 0)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sgl.automata import StructureCompiler
from sgl.automata.algebra.tree_automaton import leaf_states
from sgl.automata.proofs.invariant import Bits, Reader, members
from sgl.core.structure import Structure

States = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class NumberedAutomaton:
    """The automaton that finds a structure.

    ``words[r]`` is the state after a word, ``tables[r]`` has the transitions of a rule with
    children, both by rule id; ``accepting`` are the accepted states of texts.  ``reader``
    reads splits with the automaton; ``number[q]`` is the new number of its state ``q``.
    """

    reader: Reader
    number: States
    words: dict[int, int]
    tables: dict[int, dict[States, int]]
    accepting: States
    _written: dict[Bits, States] = field(default_factory=dict, repr=False)

    def written(self, states: Bits) -> States:
        """The numbers of states of one category, in order; nothing if it is number 0 alone."""
        known = self._written.get(states)
        if known is None:
            numbers = sorted(self.number[q] for q in members(states))
            known = self._written[states] = tuple(numbers) if any(numbers) else ()
        return known

    @classmethod
    def of(cls, compiler: StructureCompiler, structure: Structure) -> NumberedAutomaton:
        """Number the states of the automaton of ``structure``."""
        automaton = compiler.presence(structure)
        leaves = leaf_states(compiler.index, automaton)
        uses = Counter(leaves.values())
        for table in automaton.tables:
            uses.update(table.values())
        number = [0] * len(automaton.category)
        met: Counter[int] = Counter()
        for state in sorted(range(len(number)), key=lambda state: (-uses[state], state)):
            number[state] = met[automaton.category[state]]
            met[automaton.category[state]] += 1
        return cls(
            reader=Reader.of(compiler.index, automaton),
            number=tuple(number),
            words={rule: number[state] for rule, state in leaves.items()},
            tables={
                rule: {
                    tuple([number[q] for q in qs]): number[result] for qs, result in table.items()
                }
                for rule, table in zip(compiler.index.phrasal, automaton.tables, strict=True)
            },
            accepting=tuple(sorted(number[state] for state in automaton.accepting)),
        )
