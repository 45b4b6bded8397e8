"""Inductive invariants of splits: which automaton states the phrases of each state can have.

They are the smallest ones, and are written without what goes by itself: a state of the
split whose phrases are all in state 0 of every automaton is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from sgl.automata import SplitGrammar
from sgl.automata.certificate.numbering import NumberedAutomaton, States
from sgl.automata.proofs.invariant import SplitView, assignment

#: A state of the split, and after it the automaton states, one for each automaton in turn.
Invariant = list[tuple[int, ...]]


def invariant(
    view: SplitView, automata: Sequence[NumberedAutomaton], *, accepted: bool
) -> Invariant | None:
    """The invariant that shows what all texts of a split have in common.

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


def _single(view: SplitView, automaton: NumberedAutomaton, *, accepted: bool) -> Invariant | None:
    """The invariant for one automaton.

    The only state of a category has number 0, so that nothing is to be written of it.
    """
    reader = automaton.reader
    sets = assignment(view, reader)
    assert sets is not None, "the automaton of a structure is total"
    wrong = ~reader.accepting if accepted else reader.accepting
    if any(sets[root] & wrong for root, _ in view.split.roots):
        return None
    written = ((state, automaton.written(sets[state])) for state in view.states_in(reader.crowded))
    return [(state, *numbers) for state, numbers in written if numbers]


def _joint(split: SplitGrammar, automata: Sequence[NumberedAutomaton]) -> list[set[States]]:
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
