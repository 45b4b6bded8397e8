"""Assemble the certificate of a plan.

Certificates are compact by what they leave out.  The states of an automaton are counted
within each category, the most common one first, so that it is number 0; transitions into a
state 0 are not written, nor are the states of a split whose phrases are always in state 0.
Words that no automaton and no split tells apart are one *symbol*; every rule with children
is a symbol of its own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.invariant import Reader, assignment
from sgl.automata.tree_automaton import GrammarIndex, TreeAutomaton, leaf_states
from sgl.certify.claims import Group, SplitClaims, claims_of
from sgl.certify.grammar import Json, grammar_data
from sgl.certify.structures import structure_entry
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.core.structure import Structure

FORMAT = "sgl-certificate/1"

#: The states that differ from 0: a state of the split, then the automaton states it can have.
Invariant = list[list[int]]


def certificate(compiler: StructureCompiler, plan: Plan, name: str, fingerprint: str) -> Json:
    """The certificate of every claim of a plan that holds.

    ``fingerprint`` is the SHA-256 of the grammar and the plan, which ties the
    certificate to a dataset.

    Raises:
        UnsupportedStructure, StructureTooCostly: as :class:`StructureCompiler`.
    """
    claims = claims_of(compiler, plan)
    structures = _structures(claims)
    layers = list(dict.fromkeys(structure.layer for structure in structures))
    automata = [NumberedAutomaton.of(compiler, structure) for structure in structures]
    alike = _alike(compiler.index, automata, [claim.split for claim in claims])
    grammar = grammar_data(compiler.grammar, layers, alike)
    writer = _Writer(structures, dict(zip(structures, automata, strict=True)), grammar.symbol, [len(r.rhs) for r in compiler.grammar.rules])
    made = [entry for number, claim in enumerate(claims) for entry in writer.claims(number, claim)]
    return {
        "format": FORMAT,
        "name": name,
        "fingerprint": fingerprint,
        **grammar.content,
        "structures": [
            writer.structure(structure, layers.index(structure.layer)) for structure in structures
        ],
        "splits": [writer.split(claim) for claim in claims],
        "claims": made,
    }


def certificate_text(content: Json) -> str:
    """A certificate as it is written: one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _structures(claims: Iterable[SplitClaims]) -> dict[Structure, int]:
    found: dict[Structure, None] = {}
    for claim in claims:
        found.update(dict.fromkeys(claim.excludes))
        found.update(dict.fromkeys(s for group in claim.requires for s in group))
        found.update(dict.fromkeys(s for s, _ in claim.contains))
    return {structure: number for number, structure in enumerate(found)}


@dataclass(frozen=True, eq=False)
class NumberedAutomaton:
    """The automaton of a structure, with its states counted within each category.

    ``words[r]`` is the state after a word, ``tables[r]`` the transitions of a rule with
    children, both by rule id; ``number[q]`` is the new number of state ``q`` of ``automaton``.
    """

    automaton: TreeAutomaton
    reader: Reader
    number: tuple[int, ...]
    words: dict[int, int]
    tables: dict[int, dict[tuple[int, ...], int]]

    @classmethod
    def of(cls, compiler: StructureCompiler, structure: Structure) -> NumberedAutomaton:
        """Number the states of the automaton that finds ``structure``."""
        automaton = compiler.presence(structure)
        leaves = leaf_states(compiler.index, automaton)
        tables = dict(zip(compiler.index.phrasal, automaton.tables, strict=True))
        uses = Counter(leaves.values())
        for table in automaton.tables:
            uses.update(table.values())
        number = [0] * len(automaton.category)
        met: Counter[int] = Counter()
        for state in sorted(range(len(number)), key=lambda state: (-uses[state], state)):
            category = automaton.category[state]
            number[state] = met[category]
            met[category] += 1
        return cls(
            automaton=automaton,
            reader=Reader.of(compiler.index, automaton),
            number=tuple(number),
            words={rule: number[state] for rule, state in leaves.items()},
            tables={
                rule: {
                    tuple([number[child] for child in children]): number[result]
                    for children, result in table.items()
                }
                for rule, table in tables.items()
            },
        )

    @property
    def accepting(self) -> list[int]:
        """The accepting states."""
        return sorted(self.number[state] for state in self.automaton.accepting)


def _alike(
    index: GrammarIndex, automata: Sequence[NumberedAutomaton], splits: Sequence[SplitGrammar]
) -> dict[int, tuple[int, ...]]:
    """For each word the states that the automata and the splits give it."""
    states = [
        {t.rule: state for state, row in enumerate(split.transitions_of) for t in row}
        for split in splits
    ]
    return {
        word: (
            *(automaton.words[word] for automaton in automata),
            *(given.get(word, -1) for given in states),
        )
        for word in index.leaves
    }


class _Writer:
    """Writes structures and splits as data."""

    def __init__(
        self,
        structures: dict[Structure, int],
        automata: dict[Structure, NumberedAutomaton],
        symbol: tuple[int, ...],
        arity,
    ) -> None:
        self._structures = structures
        self._automata = automata
        self._symbol = symbol
        self._arity = arity

    def structure(self, structure: Structure, layer: int) -> Json:
        automaton = self._automata[structure]
        words = {self._symbol[rule]: state for rule, state in automaton.words.items()}
        transitions: list[tuple[int, ...]] = [
            (symbol, state) for symbol, state in words.items() if state
        ]
        for rule, table in automaton.tables.items():
            symbol = self._symbol[rule]
            transitions += [
                (symbol, table[children], *children) for children in sorted(table) if table[children]
            ]
        return {
            "name": str(structure),
            "layer": layer,
            **structure_entry(structure),
            "transitions": transitions,
            "accepting": automaton.accepting,
        }

    def split(self, claims: SplitClaims) -> Json:
        return {
            "strata": [(s.split, s.category, s.stream) for s in claims.strata],
            "states": claims.split.category,
            "transitions": self._transitions(claims.split),
            "roots": [root for root, _ in claims.split.roots],
        }

    def _transitions(self, split: SplitGrammar):
        return list(dict.fromkeys(
            (self._symbol[t.rule], state, *t.children)
            for state, row in enumerate(split.transitions_of)
            for t in row
        ))

    def claims(self, number: int, claims: SplitClaims):
        for structure in claims.excludes:
            invariant = self._invariant(claims, (structure,), wanted=False)
            if invariant is not None:
                yield "excludes", number, [self._structures[structure]], invariant
        for group in claims.requires:
            invariant = self._invariant(claims, group, wanted=True)
            if invariant is not None:
                yield "requires", number, [self._structures[s] for s in group], invariant
        transitions = {t: n for n, t in enumerate(self._transitions(claims.split))}
        for structure, derivation in claims.contains:
            yield "contains", number, [self._structures[structure]], self._steps(claims.split, transitions, derivation)

    def _steps(self, split, transitions, derivation):
        """The derivation as transitions of the split, in preorder."""
        rules = {}
        for state, row in enumerate(split.transitions_of):
            for t in row: rules[t.rule, t.children] = state
        stack = []
        for rule in reversed(derivation):
            children = [stack.pop() for _ in range(self._arity[rule])]
            key = tuple(state for state, _ in children)
            state = rules[rule, key]
            stack.append((state, [transitions[(self._symbol[rule], state, *key)], *(x for _, steps in children for x in steps)]))
        return stack.pop()[1]

    def _invariant(self, claims: SplitClaims, group: Group, *, wanted: bool) -> Invariant | None:
        """The invariant of a claim, None if it does not hold."""
        automata = [self._automata[structure] for structure in group]
        if len(automata) == 1:
            found = assignment(claims.view, automata[0].reader)
            assert found is not None, "the automaton of a structure is total"
            number = automata[0].number
            states = [{(number[q],) for q in members} for members in found]
        else:
            states = _joint(claims.split, automata)
        accepting = [automaton.accepting for automaton in automata]
        for root, _ in claims.split.roots:
            for tuple_ in states[root]:
                if any(q in a for q, a in zip(tuple_, accepting, strict=True)) != wanted:
                    return None
        usual = {(0,) * len(automata)}
        return [
            [state, *(q for tuple_ in sorted(members) for q in tuple_)]
            for state, members in enumerate(states)
            if members and members != usual
        ]


def _joint(split: SplitGrammar, automata: Sequence[NumberedAutomaton]) -> list[set[tuple[int, ...]]]:
    """For each state of a split the tuples of states that several automata can be in."""
    states: list[set[tuple[int, ...]]] = [set() for _ in split.category]
    grown = True
    while grown:
        grown = False
        for state, row in enumerate(split.transitions_of):
            before = len(states[state])
            for t in row:
                if not t.children:
                    states[state].add(tuple(a.words[t.rule] for a in automata))
                for parts in product(*[states[child] for child in t.children]) if t.children else ():
                    states[state].add(
                        tuple(a.tables[t.rule][tuple(p[i] for p in parts)] for i, a in enumerate(automata))
                    )
            grown |= len(states[state]) > before
    return states
