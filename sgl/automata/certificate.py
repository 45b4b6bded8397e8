"""Assemble the certificate of a plan: grammar, structures, splits, and claims with evidence for a small program.

The program is :mod:`sgl.verify.certificate`; ``docs/certificate.md`` describes the format and why it is enough.
Everything is numbered in the order of its first use, so that equal plans give equal bytes.  A *split* here is the
grammar of one constraint; strata with equal constraints share it.  Which claims follow from which facts of a split
(*excludes*, *requires*, *exposes*, *contains*) is in ``docs/certificate.md``.

A *symbol* stands for rules that the automata and the splits of a certificate do not tell apart: every rule with
children is one, and so are such words of one category.  A structure is written body by body::

    { V -[nsubj|nsubj:pass]-> N[lemma=dog] } without { N -[nmod]{2,}-> M[#amod>=1] }

    variables [V, N]  links [[V, [0, [nsubj, nsubj:pass]], 1, 1, N]]  tests [[N, lemma, [0, [dog]]]]
    variables [N, M]  links [[N, [0, [nmod]], 2, null, M]]  degrees [[M, [0, [amod]], ">=", 1]]

A list of labels or values has a number in front: 1 if it is negated.  A link is a walk with its
least and largest number of edges; an edge is a walk of one.
"""

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sgl.automata.common import Numbering, few_collections
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.evidence import GENERALIZATION, TRAIN, Evidence, claim_pieces, inventory_of
from sgl.automata.proofs.invariant import WrittenAutomaton, invariant
from sgl.automata.weights.split import SplitGrammar
from sgl.core.claims import Reason, Verdict
from sgl.core.interpret import Derivation, fold
from sgl.core.plan import EXPOSURE_PREFIX, Pattern, Plan, Stratum, foreign
from sgl.core.structure import Body, Structure

Json = dict[str, object]

FORMAT = "sgl-certificate/3"

#: The reason of what training lacks for no reason.
MISSING = Reason.MISSING.value

Group = tuple[Structure, ...]

#: What a claim says, whoever claims it: kind, split, structures.
Fact = tuple[str, int, Group]

#: A symbol, the state that it leads to, and the states of its children.
Transition = tuple[int, ...]

#: A state that rows are drawn from: bounds, rules, and the children, the last first.
DrawnState = tuple[list[int], list[int], list[tuple[int, ...]]]
#: States, the one from which each stratum starts, and those of its instances.
Drawn = tuple[Sequence[DrawnState], Sequence[int], Sequence[Sequence[int]]]


class StatedClaim(NamedTuple):
    """A claim before it is shown, with its split's number; ``given`` is what proves it."""

    pattern: str
    word: str
    kind: str
    split: int
    group: Group = ()
    given: tuple[Any, ...] = ()

    @property
    def fact(self) -> Fact:
        """What the claim says, whoever claims it."""
        return self.kind, self.split, self.group

    def follows_from(self, strata: Sequence[Sequence[Stratum]]) -> set[Fact]:
        """Return the facts that the claim needs; ``strata`` are those of each split."""
        if self.kind in ("waived", "exposes"):
            return set()
        kinds = [{stratum.split for stratum in own} for own in strata]
        if self.kind == "disjoint":
            trained = [number for number, own in enumerate(kinds) if TRAIN in own]
            excluded = {("excludes", number, (s,)) for number in trained for s in self.group}
            return {("requires", self.split, self.group), *excluded}
        if self.word == "held out":
            others = [number for number, own in enumerate(kinds) if own != {GENERALIZATION}]
            return {self.fact, *((self.kind, number, self.group) for number in others)}
        return {self.fact}


class Certificate(NamedTuple):
    """The content of a certificate, and the claims that it has no evidence for."""

    content: Json
    missing: tuple[StatedClaim, ...]


@few_collections()
def certificate(compiler: StructureCompiler, plan: Plan, head: Json, drawn: Drawn) -> Certificate:
    """Return the certificate of every claim of a plan that holds.

    ``head`` says what it is about: name, core form, digest, seed.  Rows are ``drawn`` from these states; for each
    stratum there are its start, and the states of its instances.  Raises as :class:`StructureCompiler`.
    """
    states, starts, found = drawn
    evidence = Evidence(compiler, plan)
    numbers_of: dict[SplitGrammar, list[int]] = {}
    for number, stratum in enumerate(evidence.strata):
        numbers_of.setdefault(stratum.split, []).append(number)
    splits = [*numbers_of]
    # Structures that read alike are one, in whatever order their variables were met.
    alike: dict[tuple[str, str], Structure] = {}
    stated = [
        claim._replace(group=tuple(alike.setdefault((s.layer, str(s)), s) for s in claim.group))
        for claim in _stated(evidence, splits)
    ]
    stated = list(dict.fromkeys(stated))
    structures = list(dict.fromkeys(s for claim in stated for s in claim.group))
    automata = {s: WrittenAutomaton(compiler.presence(s)) for s in structures}
    symbol = _symbols(compiler, automata.values(), splits)
    numbered: list[dict[Transition, int]] = []
    for split in splits:
        # Words of one symbol share a transition.
        rows = dict.fromkeys((symbol[rule], state, *below) for state, rule, below, _ in split.transitions.rows())
        numbered.append({transition: number for number, transition in enumerate(rows)})
    facts: dict[Fact, Sequence[object] | None] = {}
    for claim in stated:
        if claim.kind in ("excludes", "requires") and claim.fact not in facts:
            readers, required = [automata[s] for s in claim.group], claim.kind == "requires"
            facts[claim.fact] = invariant(splits[claim.split], readers, accepted=required)
        elif claim.kind == "contains":
            own = splits[claim.split], claim.given, numbered[claim.split], symbol
            facts.setdefault(claim.fact, _steps(*own))
    strata = [[plan.strata[number] for number in numbers] for numbers in numbers_of.values()]
    shown = {fact for fact, found in facts.items() if found is not None}
    proved = dict.fromkeys(c for c in stated if shown.issuperset(c.follows_from(strata)))
    places = {structure: place for place, structure in enumerate(structures)}
    content = {
        "format": FORMAT,
        **head,
        "symbols": symbol,
        "structures": [
            {
                "name": str(structure),
                "layer": structure.layer,
                "bodies": [_body(body) for body in (structure.body, *structure.without)],
                "transitions": automaton.transitions(symbol),
                "accepting": automaton.accepting,
            }
            for structure, automaton in automata.items()
        ],
        "splits": [
            {
                "strata": numbers,
                "states": split.category,
                "transitions": list(transitions),
                "roots": [root for root, _ in split.roots],
                "drawn": _drawn(split, states, starts[numbers[0]]),
            }
            for (split, numbers), transitions in zip(numbers_of.items(), numbered, strict=True)
        ],
        "sampler": {"states": states, "starts": starts, **({"found": found} if any(found) else {})},
        "claims": [
            # A fact has its evidence where it is claimed first.
            (
                *claim[:4],
                [places[structure] for structure in claim.group],
                claim.given if claim.kind == "exposes" else facts.pop(claim.fact, None),
            )
            for claim in proved
        ],
    }
    return Certificate(content, tuple(claim for claim in stated if claim not in proved))


def certificate_text(content: Json) -> str:
    """Return a certificate as it is written: one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def _stated(evidence: Evidence, splits: Sequence[SplitGrammar]) -> Iterator[StatedClaim]:
    plan = evidence.plan
    number = {split: place for place, split in enumerate(splits)}
    split_of = {e.stratum.stream: number[e.split] for e in evidence.strata}
    for own in plan.strata:
        split = split_of[own.stream]
        for structure in plan.nowhere:
            yield StatedClaim("", "held out", "excludes", split, (structure,))
        if own.split == GENERALIZATION:
            yield from _of_items(evidence, own, split) if own.count else ()
            continue
        for pattern in plan.patterns:
            for structure in pattern.held_out:
                yield StatedClaim(pattern.name, "held out", "excludes", split, (structure,))
        exposed = own.category.startswith(EXPOSURE_PREFIX)
        name = own.category.removeprefix(EXPOSURE_PREFIX) if exposed else ""
        for group in own.constraint.require:
            yield StatedClaim(name, "exposed" if exposed else "instance", "requires", split, group)
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
        yield StatedClaim(pattern.name, "instance", "excludes", split, (structure,))
    for group in (*constraint.require, pattern.gen or pattern.held_out):
        yield StatedClaim(pattern.name, "instance", "requires", split, group)
    # These keep the items apart from training, which contains none of them.
    marks = evidence.marks(pattern.name)
    yield StatedClaim(pattern.name, "disjoint", "requires", split, marks)
    yield StatedClaim(pattern.name, "disjoint", "disjoint", split, marks)


def _of_training(
    evidence: Evidence, pattern: Pattern, split_of: Mapping[str, int], known: dict[Structure, Structure]
) -> Iterator[StatedClaim]:
    pieces = claim_pieces(evidence, pattern)
    waived = [piece.structure for piece in pieces if piece.verdict is Verdict.WAIVED]
    alike = [known.setdefault(p.structure.canonical(), p.structure) for p in pieces]
    for structure in dict.fromkeys([*(need.structure for need in pattern.need), *alike]):
        if (seen := evidence.find_in_training(structure.canonical())) is not None:
            stream, derivation = seen
            yield StatedClaim(pattern.name, "licensed", "contains", split_of[stream], (structure,), derivation)
    training = split_of[evidence.training[0].stratum.stream] if evidence.training else 0
    for structure in waived:
        yield StatedClaim(pattern.name, "licensed", "waived", training, (structure,))
    unseen = inventory_of(evidence, pattern).unseen
    excuses = tuple((thing.kind.value, thing.name, thing.reason.value) for thing in unseen)
    if evidence.populated_training and all(reason != MISSING for *_, reason in excuses):
        for own in evidence.plan.strata:
            if own.split == GENERALIZATION and own.category == pattern.name and own.count:
                yield StatedClaim(pattern.name, "exposed", "exposes", split_of[own.stream], (), excuses)


def _symbols(
    compiler: StructureCompiler, automata: Iterable[WrittenAutomaton], splits: Iterable[SplitGrammar]
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


def _drawn(split: SplitGrammar, states: Sequence[DrawnState], start: int) -> list[tuple[int, int]]:
    """Return the state of the split that each state is; that of the start has the alternatives of all roots."""
    found: dict[int, int] = {}
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


def _body(body: Body) -> Json:
    """Return all that decides whether a graph has a body of a structure."""
    names = [variable.name for variable in body.variables]

    def written(members: Collection[str], *, negated: bool) -> tuple[int, list[str]]:
        return int(negated), sorted(members)

    links = []
    for atom in body.links:
        labels = written(atom.labels.labels, negated=atom.labels.negated)
        links.append((names[atom.source], labels, atom.low, atom.high, names[atom.target]))
    return {
        "variables": names,
        "tests": [
            (variable.name, test.attribute, written(test.values, negated=test.negated))
            for variable in body.variables
            for test in variable.tests
        ],
        "degrees": [
            (variable.name, written(test.labels.labels, negated=test.labels.negated), test.comparison, test.number)
            for variable in body.variables
            for test in variable.degrees
        ],
        "links": links,
        **({"lengths": [(x.layer, x.comparison, x.number) for x in body.lengths]} if body.lengths else {}),
    }
