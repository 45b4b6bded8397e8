"""Assemble the certificate of a plan: grammar, structures, splits, claims.

Everything is numbered in the order of its first use, so that equal plans give equal bytes.
A *split* here is the grammar of one constraint; strata with equal constraints share it.
What is claimed of each::

    train/in_distribution, dev/…, test/…   excludes  every held-out structure
    train/exposure:p/0                     excludes  the same      requires  its exposure
    gen/p/0                                excludes  what other patterns hold out, `not`, `outside`
                                           requires  a structure of p, its quota
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.certificate.grammar import Json, grammar_data, structure_data
from sgl.automata.certificate.invariants import States, WrittenAutomaton, invariant
from sgl.automata.proofs.evidence import GENERALIZATION, Evidence, StratumEvidence
from sgl.automata.proofs.invariant import SplitView
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern, Plan, Stratum, foreign
from sgl.core.structure import Structure

Group = tuple[Structure, ...]


@dataclass(frozen=True, slots=True)
class SplitClaims:
    """The claims about one split; ``contains`` pairs structures with derivations."""

    strata: tuple[Stratum, ...]
    view: SplitView
    excludes: tuple[Structure, ...]
    requires: tuple[Group, ...]
    contains: tuple[tuple[Structure, Derivation], ...]

    @property
    def structures(self) -> Iterator[Structure]:
        """Every structure that the claims speak of."""
        yield from self.excludes
        for group in self.requires:
            yield from group
        for structure, _ in self.contains:
            yield structure


def claims_of(compiler: StructureCompiler, plan: Plan) -> list[SplitClaims]:
    """Every static claim of a plan, in the order of its strata."""
    evidence = Evidence(compiler, plan)
    shared: dict[SplitView, list[StratumEvidence]] = {}
    for stratum in evidence.strata:
        shared.setdefault(stratum.view, []).append(stratum)
    licences = _licences(evidence)
    return [
        SplitClaims(
            strata=tuple(member.stratum for member in members),
            view=view,
            excludes=tuple(dict.fromkeys(s for e in members for s in _excluded(plan, e.stratum))),
            requires=tuple(dict.fromkeys(g for e in members for g in _required(evidence, e))),
            contains=tuple(licences.get(view, {}).items()),
        )
        for view, members in shared.items()
    ]


def _pattern_of(plan: Plan, stratum: Stratum) -> Pattern | None:
    """Return the pattern whose generalization items a stratum holds."""
    if stratum.split != GENERALIZATION:
        return None
    return next(pattern for pattern in plan.patterns if pattern.name == stratum.category)


def _excluded(plan: Plan, stratum: Stratum) -> Iterator[Structure]:
    pattern = _pattern_of(plan, stratum)
    yield from plan.nowhere
    if pattern is None:
        for other in plan.patterns:
            yield from other.held_out
    else:
        outside = {structure for quota in pattern.quotas for structure in quota.outside}
        yield from (*pattern.exclude, *foreign(pattern, plan.patterns))
        yield from (s for s in stratum.constraint.exclude if s in outside)


def _required(evidence: Evidence, stratum: StratumEvidence) -> Iterator[Group]:
    pattern = _pattern_of(evidence.plan, stratum.stratum)
    yield from stratum.stratum.constraint.require
    if pattern is not None:
        yield pattern.gen or pattern.held_out
        # What keeps the items apart from training: it contains none of these.
        yield evidence.marks(pattern.name)


def _licences(evidence: Evidence) -> dict[SplitView, dict[Structure, Derivation]]:
    """For each split of training the parts that patterns need, each where it occurs first."""
    licences: dict[SplitView, dict[Structure, Derivation]] = {}
    needed = (need.structure for p in evidence.plan.patterns for need in p.need)
    for structure in dict.fromkeys(needed):
        presence = evidence.compiler.presence(structure)
        for stratum in evidence.populated_training:
            derivation = evidence.smallest(stratum, presence)
            if derivation is not None:
                licences.setdefault(stratum.view, {})[structure] = derivation
                break
    return licences


FORMAT = "sgl-certificate/2"

#: A symbol, the state that it leads to, and the states of its children.
Transition = tuple[int, ...]

#: Kind, split, structures, evidence.
Claim = tuple[str, int, list[int], Sequence[object]]


def certificate(compiler: StructureCompiler, plan: Plan, name: str, fingerprint: str) -> Json:
    """Return the certificate of every claim of a plan that holds.

    ``name`` is for the reader.  ``fingerprint``, the SHA-256 of grammar and plan,
    ties the certificate to a dataset.

    Raises:
        UnsupportedStructure, StructureTooCostly: as :class:`StructureCompiler`.
    """
    made = claims_of(compiler, plan)
    structures = list(dict.fromkeys(s for claims in made for s in claims.structures))
    layers = list(dict.fromkeys(structure.layer for structure in structures))
    automata = {s: WrittenAutomaton.of(compiler, s) for s in structures}
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
    """Return a certificate as it is written: one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _alike(
    compiler: StructureCompiler,
    automata: Iterable[WrittenAutomaton],
    splits: Iterable[SplitGrammar],
) -> dict[int, States]:
    """For each word the states that the automata and the splits give it."""
    given = [automaton.words for automaton in automata]
    given += [
        {t.rule: state for state, row in enumerate(split.transitions_of) for t in row}
        for split in splits
    ]
    words = compiler.index.lexicon.rules.tolist()
    return {word: tuple([states.get(word, -1) for states in given]) for word in words}


def _transitions(automaton: WrittenAutomaton, symbol: Sequence[int]) -> list[Transition]:
    """Return the transitions into other states than 0."""
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
    automata: dict[Structure, WrittenAutomaton]
    symbol: Sequence[int]

    def split(self) -> Json:
        """Return the grammar of the split."""
        split = self.made.view.split
        return {
            "strata": [(s.split, s.category, s.stream) for s in self.made.strata],
            "states": split.category,
            "transitions": list(self._transitions()),
            "roots": [root for root, _ in split.roots],
        }

    def claims(self) -> Iterator[Claim]:
        """Yield the claims that hold, with their evidence."""
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
        """Return the transitions of the split, numbered; words of one symbol share one."""
        found: dict[Transition, int] = {}
        for state, transitions in enumerate(self.made.view.split.transitions_of):
            for t in transitions:
                found.setdefault((self.symbol[t.rule], state, *t.children), len(found))
        return found

    def _steps(self, derivation: Derivation) -> list[int]:
        """Return a derivation as the numbers of its transitions, in preorder."""
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
