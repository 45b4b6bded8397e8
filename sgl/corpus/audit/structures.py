"""Which declared structures are in a sentence: all of them in one pass.

Every structure is a tree automaton (:mod:`sgl.automata`).  The *joint* automaton runs
all of them at once: its state is the tuple of their states, by number, and each
combination of a rule and the states of its children is computed once.  A corpus uses
few combinations, so that a sentence costs as many look-ups as it has rules::

    transitive (12, 7) -> 31        31 = (0, 4, 4, 0, 2, …)        one for each structure
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern
from sgl.core.structure import Structure
from sgl.parsing import Forest

#: Combinations that are remembered; a corpus with more of them is only slower.
_REMEMBERED = 1_000_000

#: With more readings than this each structure is looked for by itself.
_JOINTLY = 200


@dataclass(frozen=True, slots=True)
class DeclaredStructure:
    """A structure with what it is called: ``pp_in_subject.need.2``.

    ``pattern`` is the pattern that it belongs to and ``role`` what it is there
    (``forbid``, ``never``, ``gen``, ``exclude``, ``need``, ``expose``); a structure with a
    name of its own has neither.
    """

    name: str
    structure: Structure
    pattern: str = ""
    role: str = ""

    @property
    def held_out(self) -> bool:
        """Whether a pattern claims that training does not contain it."""
        return self.role in ("forbid", "never")


def declared_structures(
    patterns: tuple[Pattern, ...], named: Mapping[str, Structure]
) -> tuple[DeclaredStructure, ...]:
    """Every structure of the patterns, then those with names of their own.

    A ``gen`` structure that only repeats what is held out is left out.
    """
    found: list[DeclaredStructure] = []
    for pattern in patterns:
        roles = {
            "forbid": pattern.forbid,
            "never": pattern.never,
            "gen": tuple(s for s in pattern.gen if s not in pattern.held_out),
            "exclude": pattern.exclude,
            "need": tuple(need.structure for need in pattern.need),
            "expose": tuple(exposure.structure for exposure in pattern.expose),
        }
        for role, structures in roles.items():
            for number, structure in enumerate(structures, 1):
                name = f"{pattern.name}.{role}" + (f".{number}" if len(structures) > 1 else "")
                found.append(DeclaredStructure(name, structure, pattern.name, role))
    found += [DeclaredStructure(name, structure) for name, structure in named.items()]
    return tuple(found)


class StructureFinder:
    """Finds the declared structures in readings; structures are given by index.

    The methods raise ``StructureTooCostly`` and ``UnsupportedStructure``.
    """

    def __init__(
        self,
        grammar: CoreGrammar,
        declared: tuple[DeclaredStructure, ...],
        compiler: StructureCompiler | None = None,
    ) -> None:
        """``compiler`` is one for this grammar, if its automata are there already."""
        compiler = compiler or StructureCompiler(grammar)
        distinct = list(dict.fromkeys(entry.structure.canonical() for entry in declared))
        place = {structure: number for number, structure in enumerate(distinct)}
        self._grammar = grammar
        self._automata = [compiler.structure_automaton(structure) for structure in distinct]
        self._places = [place[entry.structure.canonical()] for entry in declared]
        self._numbers: dict[tuple[int, ...], int] = {}
        self._states: list[tuple[int, ...]] = []
        self._steps: dict[tuple[int, tuple[int, ...]], int] = {}
        self._found: dict[int, frozenset[int]] = {}

    def in_reading(self, derivation: Derivation) -> frozenset[int]:
        """Return the structures that a reading contains."""
        stack: list[int] = []
        rules = self._grammar.rules
        for rule in reversed(derivation):
            children = tuple([stack.pop() for _ in rules[rule].rhs])
            stack.append(self.step(rule, children))
        return self._in_state(stack.pop())

    def in_forest(self, forest: Forest) -> tuple[frozenset[int], frozenset[int]]:
        """Return the structures of some reading, and those of every reading."""
        if forest.count <= _JOINTLY:
            inside = [self._in_state(state) for state in sorted(forest.states(self))]
            return frozenset().union(*inside), frozenset.intersection(*inside)
        verdicts = [
            {automaton.accepts_state(state) for state in forest.states(automaton)}
            for automaton in self._automata
        ]
        places = [(index, verdicts[place]) for index, place in enumerate(self._places)]
        return (
            frozenset(index for index, found in places if True in found),
            frozenset(index for index, found in places if found == {True}),
        )

    def reading_with_one(self, forest: Forest) -> Derivation | None:
        """Return a reading that contains a structure; None if none does."""
        for index in dict.fromkeys(self._places):
            automaton = self._automata[index]
            for state, reading in forest.examples(automaton).items():
                if automaton.accepts_state(state):
                    return reading
        return None

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the joint state of a phrase from its rule and the joint states of its children."""
        state = self._steps.get((rule, children))
        if state is None:
            below = [self._states[child] for child in children]
            states = tuple(
                automaton.step(rule, tuple([child[number] for child in below]))
                for number, automaton in enumerate(self._automata)
            )
            state = self._numbers.setdefault(states, len(self._states))
            if state == len(self._states):
                self._states.append(states)
            if len(self._steps) < _REMEMBERED:
                self._steps[rule, children] = state
        return state

    def _in_state(self, state: int) -> frozenset[int]:
        if state not in self._found:
            states = self._states[state]
            self._found[state] = frozenset(
                index
                for index, place in enumerate(self._places)
                if self._automata[place].accepts_state(states[place])
            )
        return self._found[state]
