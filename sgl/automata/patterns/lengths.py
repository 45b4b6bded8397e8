"""Decide structures that test the length of texts by counting words next to the graph.

A phrase has a number of words in each of its parts, and a rule adds these up; a child that is copied counts again, a
dropped one does not.  From some number on, no test distinguishes numbers, so that number represents all larger ones and
there are finitely many states::

    { V -[nsubj]-> N; length en >= 3 }      dogs        ({∅, N head}, 1)
                                            dogs sleep  (FOUND, 2)
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from sgl.automata.common import Numbering, Numbers
from sgl.automata.patterns.structure_automaton import FOUND, StructureAutomaton
from sgl.core.derivation import RULES, with_derivation
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, fold
from sgl.core.structure import Structure

#: The numbers of words of each part in each layer, and the state of the rest of the structure.
_Counted = tuple[tuple[tuple[int, ...], ...], int]


class MeasuredAutomaton:
    """The automaton of a structure with length tests; ``plain`` compiles its other parts, if it has nodes."""

    def __init__(
        self, structure: Structure, grammar: CoreGrammar, plain: Callable[[Structure], StructureAutomaton]
    ) -> None:
        body = structure.body
        self._tests = body.lengths
        self._plain = None
        if body.variables:
            self._plain = plain(replace(structure, body=replace(body, lengths=())))
        caps: dict[str, int] = {}
        for test in self._tests:
            caps[test.layer] = max(caps.get(test.layer, 0), test.cap)
        self._caps, self._place = tuple(caps.values()), {name: at for at, name in enumerate(caps)}
        grammar = with_derivation(grammar) if RULES in caps else grammar
        self._effects = [*zip(*[grammar.token_counts(layer) for layer in caps], strict=True)]
        self._states: Numbering[_Counted] = Numbering()
        # State 0 is reserved for structures found whatever follows; a text may always grow too long.
        self._states.number(((), FOUND))

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the state of a phrase from its rule's id and its children's states."""
        below = [self._states.values[child] for child in children]
        counts = []
        for at, (cap, effect) in enumerate(zip(self._caps, self._effects[rule], strict=True)):
            found = [own + sum([below[c][0][at][part] for c, part in used]) for own, used in effect]
            counts.append(tuple([min(cap, number) for number in found]))
        state = FOUND
        if self._plain is not None:
            plain = tuple([state for _, state in below])
            state = self._plain.step(rule, plain)
        return self._states.number((tuple(counts), state))

    def extend(self, states: list[int], phrases: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Add the state of each phrase, a rule with the places of its parts among the states."""
        for rule, parts in phrases:
            states.append(self.step(rule, tuple([states[part] for part in parts])))

    def words(self, rules: Numbers) -> Numbers:
        """Return the state of each word."""
        return np.array([self.step(rule, ()) for rule in rules.tolist()], np.intp)

    def accepts_state(self, state: int) -> bool:
        """Return whether a whole text in this state contains the structure."""
        counts, plain = self._states.values[state]
        long = all(test.accepts(sum(counts[self._place[test.layer]])) for test in self._tests)
        return long and (self._plain is None or self._plain.accepts_state(plain))

    def accepts(self, grammar: CoreGrammar, derivation: Derivation) -> bool:
        """Return whether a derivation, its rule ids in preorder, has the structure."""
        return self.accepts_state(fold(derivation, grammar.arity, self.step))
