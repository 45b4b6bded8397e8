"""Assemble the certificate of a plan: grammar, structures, splits, and claims with evidence for a small program.

The program is :mod:`sgl.verify.certificate`; ``docs/certificate.md`` describes the format and why it is sufficient.
Everything is numbered in the order of first use, so equal plans give equal bytes.  A *split* here is the grammar of one
constraint; strata with equal constraints share it.  ``docs/certificate.md`` says which claims follow from which facts
of a split (*excludes*, *requires*, *exposes*, *contains*).

A *symbol* represents rules that neither the automata nor the splits of a certificate distinguish: every rule with
children is one, and so is each set of indistinguishable words of one category.

``sgl.core.encoding`` writes grammar, plan and bodies, omitting members that have their default.
"""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sgl.automata.common import Numbering
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.evidence import Evidence, claim_pieces, inventory_of
from sgl.automata.proofs.invariant import AutomatonView, invariant
from sgl.automata.weights.split import SplitGrammar
from sgl.core.bits import members
from sgl.core.claims import Reason, Verdict
from sgl.core.encoding import Json, stated
from sgl.core.interpret import Derivation, fold
from sgl.core.plan import EXPOSURE_PREFIX, GEN, TRAIN, Pattern, Plan, Stratum, foreign
from sgl.core.structure import Structure
from sgl.values import dataclass, replace

FORMAT = "sgl-certificate/4"

Group = tuple[Structure, ...]

#: A symbol, the state that it leads to, and the states of its children.
Transition = tuple[int, ...]

#: An index into one list and an index into another.
Pair = tuple[int, int]

#: A state that rows are drawn from: the bounds, rules and children of its alternatives, the last child first.
DrawnState = tuple[Sequence[int], Sequence[int], Sequence[Transition]]


class DrawnTables(NamedTuple):
    """All states, the state from which each stratum starts, and the states of its instances, if it has contexts."""

    states: Sequence[DrawnState]
    starts: Sequence[int]
    found: Sequence[Sequence[int]] = ()


class Fact(NamedTuple):
    """The content of a claim, whoever makes it: its kind, its split by number, and its structures."""

    kind: str
    split: int
    group: Group = ()


@dataclass(frozen=True)
class StatedClaim:
    """A fact that a pattern claims under some word, not yet proved; ``given`` has material for the proof."""

    pattern: str
    word: str
    fact: Fact
    given: tuple[Any, ...] = ()

    def follows_from(self, strata: Sequence[Sequence[Stratum]]) -> set[Fact]:
        """Return the facts that the claim needs; ``strata`` lists the strata of each split."""
        kind, split, group = self.fact
        if kind in ("waived", "exposes"):
            return set()
        kinds = [{stratum.split for stratum in own} for own in strata]
        if kind == "disjoint":
            trained = [number for number, own in enumerate(kinds) if TRAIN in own]
            excluded = {Fact("excludes", number, (s,)) for number in trained for s in group}
            return {Fact("requires", split, group), *excluded}
        if self.word == "held out":
            others = [number for number, own in enumerate(kinds) if own != {GEN}]
            return {self.fact, *(self.fact._replace(split=number) for number in others)}
        return {self.fact}


class Certificate(NamedTuple):
    """The content of a certificate, and the claims for which it has no evidence."""

    content: Json
    missing: tuple[StatedClaim, ...]


def certificate(compiler: StructureCompiler, plan: Plan, head: Mapping[str, Json], drawn: DrawnTables) -> Certificate:
    """Return a certificate of every claim of a plan that holds; raises the errors of :class:`StructureCompiler`."""
    evidence = Evidence(compiler, plan)
    numbers_of: dict[SplitGrammar, list[int]] = {}
    for number, stratum in enumerate(evidence.strata):
        numbers_of.setdefault(stratum.split, []).append(number)
    splits = [*numbers_of]
    claims = _distinct(_stated(evidence, splits))
    structures = list(dict.fromkeys(s for claim in claims for s in claim.fact.group))
    automata = {s: compiler.view(compiler.presence(s)) for s in structures}
    symbol = _symbols(compiler, automata.values(), splits)
    numbered = [_numbered(split, symbol) for split in splits]
    facts = _shown(claims, splits, automata, numbered, symbol)
    strata = [[plan.strata[number] for number in numbers] for numbers in numbers_of.values()]
    shown = {fact for fact, found in facts.items() if found is not None}
    proved = dict.fromkeys(claim for claim in claims if shown.issuperset(claim.follows_from(strata)))
    content = {
        "format": FORMAT,
        **head,
        "symbols": symbol,
        "structures": [_structure(own, automaton, symbol) for own, automaton in automata.items()],
        "splits": [
            {
                "strata": numbers,
                "states": split.category,
                "transitions": [*transitions],
                "roots": [root for root, _ in split.roots],
                "drawn": _drawn(split, drawn, numbers[0]),
            }
            for (split, numbers), transitions in zip(numbers_of.items(), numbered, strict=True)
        ],
        "sampler": drawn,
        "claims": [*_written(proved, facts, structures)],
    }
    return Certificate(stated(content, exact=True), tuple(claim for claim in claims if claim not in proved))


def _distinct(claims: Iterable[StatedClaim]) -> list[StatedClaim]:
    """Return each claim once; structures that read the same count as one, whatever the order of their variables."""
    alike: dict[tuple[str, str], Structure] = {}

    def once(fact: Fact) -> Fact:
        return fact._replace(group=tuple(alike.setdefault((s.layer, str(s)), s) for s in fact.group))

    return list(dict.fromkeys(replace(claim, fact=once(claim.fact)) for claim in claims))


def _numbered(split: SplitGrammar, symbol: Sequence[int]) -> dict[Transition, int]:
    """Number the transitions of a split; words of one symbol share a number."""
    rows = dict.fromkeys((symbol[rule], state, *below) for state, rule, below, _ in split.transitions.rows())
    return {transition: number for number, transition in enumerate(rows)}


def _shown(
    claims: Iterable[StatedClaim],
    splits: Sequence[SplitGrammar],
    automata: Mapping[Structure, AutomatonView],
    numbered: Sequence[Mapping[Transition, int]],
    symbol: Sequence[int],
) -> dict[Fact, Sequence[object] | None]:
    """Return the facts of all claims, each with its evidence, or None if it has none."""
    facts: dict[Fact, Sequence[object] | None] = {}
    for claim in claims:
        kind, split, group = claim.fact
        if claim.fact in facts:
            continue
        if kind in ("excludes", "requires"):
            facts[claim.fact] = invariant(splits[split], [automata[s] for s in group], accepted=kind == "requires")
        elif kind == "contains":
            facts[claim.fact] = _steps(splits[split], claim.given, numbered[split], symbol)
    return facts


def _structure(structure: Structure, automaton: AutomatonView, symbol: Sequence[int]) -> Json:
    return {
        "name": str(structure),
        "layer": structure.layer,
        "bodies": (structure.body, *structure.without),
        "transitions": automaton.transitions(symbol),
        "accepting": [*members(automaton.accepting)],
    }


def _written(
    proved: Iterable[StatedClaim], facts: dict[Fact, Sequence[object] | None], structures: Sequence[Structure]
) -> Iterator[Json]:
    """Yield claims as they are written, each fact with its evidence where it is first claimed."""
    places = {structure: place for place, structure in enumerate(structures)}
    for claim in proved:
        kind, split, group = claim.fact
        evidence: Json = facts.pop(claim.fact, None)
        if kind == "exposes":
            evidence = [{"kind": own, "name": name, "reason": why} for own, name, why in claim.given]
        numbers = [places[structure] for structure in group]
        said = {"pattern": claim.pattern, "claim": claim.word, "kind": kind, "split": split, "structures": numbers}
        yield said if evidence is None else said | {"evidence": evidence}


def certificate_text(content: Json) -> str:
    """Return a certificate as it is written, on one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _stated(evidence: Evidence, splits: Sequence[SplitGrammar]) -> Iterator[StatedClaim]:
    plan = evidence.plan
    number = {split: place for place, split in enumerate(splits)}
    split_of = {e.stratum.stream: number[e.split] for e in evidence.strata}
    for own in plan.strata:
        split = split_of[own.stream]
        for structure in plan.nowhere:
            yield StatedClaim("", "held out", Fact("excludes", split, (structure,)))
        if own.split == GEN:
            yield from _of_items(evidence, own, split) if own.count else ()
            continue
        for pattern in plan.patterns:
            for structure in pattern.held_out:
                yield StatedClaim(pattern.name, "held out", Fact("excludes", split, (structure,)))
        exposed = own.category.startswith(EXPOSURE_PREFIX)
        name = own.category.removeprefix(EXPOSURE_PREFIX) if exposed else ""
        for group in own.constraint.require:
            yield StatedClaim(name, "exposed" if exposed else "instance", Fact("requires", split, group))
    known: dict[Structure, Structure] = {}
    for pattern in plan.patterns:
        yield from _of_training(evidence, pattern, split_of, known)


def _of_items(evidence: Evidence, stratum: Stratum, split: int) -> Iterator[StatedClaim]:
    plan, constraint = evidence.plan, stratum.constraint
    pattern = evidence.patterns[stratum.category]
    outside = {structure for quota in pattern.quotas for structure in quota.outside}
    excluded = [*pattern.exclude, *foreign(pattern, plan.patterns)]
    excluded += [structure for structure in constraint.exclude if structure in outside]
    for structure in excluded:
        yield StatedClaim(pattern.name, "instance", Fact("excludes", split, (structure,)))
    for group in (*constraint.require, pattern.gen or pattern.held_out):
        yield StatedClaim(pattern.name, "instance", Fact("requires", split, group))
    # These keep the items apart from training, which contains none of them.
    marks = evidence.marks(pattern.name)
    yield StatedClaim(pattern.name, "disjoint", Fact("requires", split, marks))
    yield StatedClaim(pattern.name, "disjoint", Fact("disjoint", split, marks))


def _of_training(
    evidence: Evidence, pattern: Pattern, split_of: Mapping[str, int], known: dict[Structure, Structure]
) -> Iterator[StatedClaim]:
    pieces = claim_pieces(evidence, pattern)
    waived = [piece.structure for piece in pieces if piece.verdict is Verdict.WAIVED]
    alike = [known.setdefault(p.structure.canonical(), p.structure) for p in pieces]
    for structure in dict.fromkeys([*(need.structure for need in pattern.need), *alike]):
        if (seen := evidence.find_in_training(structure.canonical())) is not None:
            stream, derivation = seen
            yield StatedClaim(pattern.name, "licensed", Fact("contains", split_of[stream], (structure,)), derivation)
    training = split_of[evidence.training[0].stratum.stream] if evidence.training else 0
    for structure in waived:
        yield StatedClaim(pattern.name, "licensed", Fact("waived", training, (structure,)))
    unseen = inventory_of(evidence, pattern).unseen
    if evidence.populated_training and all(thing.reason is not Reason.MISSING for thing in unseen):
        excuses = tuple((thing.kind, thing.name, thing.reason) for thing in unseen)
        for own in evidence.plan.strata:
            if own.split == GEN and own.category == pattern.name and own.count:
                yield StatedClaim(pattern.name, "exposed", Fact("exposes", split_of[own.stream]), excuses)


def _symbols(
    compiler: StructureCompiler, automata: Iterable[AutomatonView], splits: Iterable[SplitGrammar]
) -> list[int]:
    """Return the symbol of each rule."""
    words = compiler.index.words
    given = [automaton.words for automaton in automata]
    for split in splits:
        states = np.full(len(words), -1)
        states[np.searchsorted(words, split.lexical.rules)] = split.lexical.states
        given.append(states)
    rows = np.array(given).reshape(len(given), len(words)).T.tolist()
    alike = dict(zip(words.tolist(), map(tuple, rows), strict=True))
    symbols: Numbering[Hashable] = Numbering()
    return [symbols.number(r.id if r.rhs else (r.lhs, alike[r.id])) for r in compiler.grammar.rules]


def _drawn(split: SplitGrammar, tables: DrawnTables, stratum: int) -> list[Pair]:
    """Return the split's state for each drawn state; the drawn start has the alternatives of all roots."""
    found: dict[int, int] = {}
    states, start = tables.states, tables.starts[stratum]
    waiting = [(start, [root for root, _ in split.roots])]
    for number, places in waiting:
        rows = [row for q in places for row in split.transitions_of[q] if row.probability > 0.0]
        for row, children in zip(rows, states[number][2], strict=True):
            for place, child in zip(row.children, reversed(children), strict=True):
                if child not in found:
                    found[child] = place
                    waiting.append((child, [place]))
    return sorted(found.items())


def _steps(
    split: SplitGrammar, derivation: Derivation, numbers: Mapping[Transition, int], symbol: Sequence[int]
) -> list[int]:
    state_of = {(rule, below): state for state, rule, below, _ in split.transitions.rows()}

    def step(rule: int, parts: tuple[tuple[int, list[int]], ...]) -> tuple[int, list[int]]:
        children = tuple([state for state, _ in parts])
        state = state_of[rule, children]
        own = numbers[symbol[rule], state, *children]
        return state, [own, *(number for _, steps in parts for number in steps)]

    return fold(derivation, split.grammar.arity, step)[1]
