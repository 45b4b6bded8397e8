"""Assemble the certificate of a plan: grammar, structures, splits, claims.

Everything is numbered in the order of its first use, so that equal plans give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.certificate.claims import Group, SplitClaims, claims_of
from sgl.automata.certificate.grammar import Json, grammar_data
from sgl.automata.certificate.invariants import invariant
from sgl.automata.certificate.numbering import NumberedAutomaton, States
from sgl.automata.certificate.structures import structure_data
from sgl.core.interpret import Derivation
from sgl.core.plan import Plan
from sgl.core.structure import Structure

FORMAT = "sgl-certificate/2"

#: A symbol, the state that it leads to, and the states of its children.
Transition = tuple[int, ...]

#: Kind, split, structures, evidence.
Claim = tuple[str, int, list[int], Sequence[object]]


def certificate(compiler: StructureCompiler, plan: Plan, name: str, fingerprint: str) -> Json:
    """The certificate of every claim of a plan that holds.

    ``name`` is for the reader.  ``fingerprint``, the SHA-256 of grammar and plan,
    ties the certificate to a dataset.

    Raises:
        UnsupportedStructure, StructureTooCostly: as :class:`StructureCompiler`.
    """
    made = claims_of(compiler, plan)
    structures = list(dict.fromkeys(s for claims in made for s in claims.structures))
    layers = list(dict.fromkeys(structure.layer for structure in structures))
    automata = {s: NumberedAutomaton.of(compiler, s) for s in structures}
    alike = _alike(compiler, automata.values(), [claims.view.split for claims in made])
    grammar = grammar_data(compiler.grammar, layers, alike)
    places = {structure: place for place, structure in enumerate(structures)}
    writers = [
        _SplitWriter(claims, number, places, automata, grammar.symbol)
        for number, claims in enumerate(made)
    ]
    return {
        "format": FORMAT,
        "name": name,
        "fingerprint": fingerprint,
        **grammar.content,
        "structures": [
            {
                "name": str(structure),
                "layer": layers.index(structure.layer),
                **structure_data(structure),
                "transitions": _transitions(automaton, grammar.symbol),
                "accepting": automaton.accepting,
            }
            for structure, automaton in automata.items()
        ],
        "splits": [writer.split() for writer in writers],
        "claims": [claim for writer in writers for claim in writer.claims()],
    }


def certificate_text(content: Json) -> str:
    """A certificate as it is written: one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _alike(
    compiler: StructureCompiler,
    automata: Iterable[NumberedAutomaton],
    splits: Iterable[SplitGrammar],
) -> dict[int, States]:
    """For each word the states that the automata and the splits give it."""
    given = [automaton.words for automaton in automata]
    given += [
        {t.rule: state for state, row in enumerate(split.transitions_of) for t in row}
        for split in splits
    ]
    words = compiler.index.lexicon.rules
    return {word: tuple([states.get(word, -1) for states in given]) for word in words}


def _transitions(automaton: NumberedAutomaton, symbol: Sequence[int]) -> list[Transition]:
    """The transitions into other states than 0."""
    words = {symbol[word]: state for word, state in automaton.words.items() if state}
    return [
        *words.items(),
        *(
            (symbol[rule], table[children], *children)
            for rule, table in automaton.tables.items()
            for children in sorted(table)
            if table[children]
        ),
    ]


@dataclass(frozen=True, slots=True)
class _SplitWriter:
    """Writes a split and the claims about it."""

    made: SplitClaims
    number: int
    places: Mapping[Structure, int]
    automata: dict[Structure, NumberedAutomaton]
    symbol: Sequence[int]

    def split(self) -> Json:
        """The grammar of the split."""
        split = self.made.view.split
        return {
            "strata": [(s.split, s.category, s.stream) for s in self.made.strata],
            "states": split.category,
            "transitions": list(self._transitions()),
            "roots": [root for root, _ in split.roots],
        }

    def claims(self) -> Iterator[Claim]:
        """The claims that hold, with their evidence."""
        groups: list[tuple[str, Group]] = [("excludes", (s,)) for s in self.made.excludes]
        groups += [("requires", group) for group in self.made.requires]
        for kind, group in groups:
            automata = [self.automata[structure] for structure in group]
            evidence = invariant(self.made.view, automata, accepted=kind == "requires")
            if evidence is not None:
                yield kind, self.number, self._numbers(group), evidence
        for structure, derivation in self.made.contains:
            yield "contains", self.number, self._numbers([structure]), self._steps(derivation)

    def _numbers(self, group: Iterable[Structure]) -> list[int]:
        return [self.places[structure] for structure in group]

    def _transitions(self) -> dict[Transition, int]:
        """The transitions of the split, numbered; words of one symbol share one."""
        found: dict[Transition, int] = {}
        for state, transitions in enumerate(self.made.view.split.transitions_of):
            for t in transitions:
                found.setdefault((self.symbol[t.rule], state, *t.children), len(found))
        return found

    def _steps(self, derivation: Derivation) -> list[int]:
        """A derivation as the numbers of its transitions, in preorder."""
        split = self.made.view.split
        result = {
            (t.rule, t.children): state
            for state, transitions in enumerate(split.transitions_of)
            for t in transitions
        }
        numbers = self._transitions()
        stack: list[tuple[int, list[int]]] = []
        for rule in reversed(derivation):
            parts = [stack.pop() for _ in split.grammar.rules[rule].rhs]
            children = tuple([state for state, _ in parts])
            state = result[rule, children]
            step = numbers[self.symbol[rule], state, *children]
            stack.append((state, [step, *(n for _, steps in parts for n in steps)]))
        return stack.pop()[1]
