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
from typing import NamedTuple

import numpy as np

from sgl.automata.certificate.grammar import Json, grammar_data, structure_data
from sgl.automata.certificate.invariants import WrittenAutomaton, invariant
from sgl.automata.common import few_collections
from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.evidence import GENERALIZATION, Evidence
from sgl.automata.weights.split import SplitGrammar
from sgl.core.interpret import Derivation, fold
from sgl.core.plan import Plan, Stratum, foreign
from sgl.core.structure import Structure

FORMAT = "sgl-certificate/3"

Group = tuple[Structure, ...]

#: A symbol, the state that it leads to, and the states of its children.
Transition = tuple[int, ...]


class SplitClaims(NamedTuple):
    """The claims about one split.

    Each has a kind, the structures it is about, and for ``contains`` a derivation.  The
    ``strata`` are numbers.
    """

    strata: Sequence[int]
    split: SplitGrammar
    claims: Sequence[tuple[str, Group, Derivation]]


#: A state that rows are drawn from: bounds, rules, and the children, the last first.
DrawnState = tuple[list[int], list[int], list[tuple[int, ...]]]


@few_collections()
def certificate(
    compiler: StructureCompiler,
    plan: Plan,
    head: Json,
    states: Sequence[DrawnState],
    starts: Sequence[int],
) -> Json:
    """Return the certificate of every claim of a plan that holds.

    ``head`` says what it is about: name, core form, digest, seed.  The rows of each stratum
    are drawn from ``states``, beginning at its state of ``starts``.

    Raises:
        UnsupportedStructure, StructureTooCostly: as :class:`StructureCompiler`.
    """
    made = claims_of(compiler, plan)
    structures = list(dict.fromkeys(s for own in made for _, group, _ in own.claims for s in group))
    layers = list(dict.fromkeys(structure.layer for structure in structures))
    automata = {s: WrittenAutomaton(compiler.presence(s)) for s in structures}
    splits = [own.split for own in made]
    alike = _alike(compiler, automata.values(), splits)
    grammar, symbol = grammar_data(compiler.grammar, layers, alike)
    places = {structure: place for place, structure in enumerate(structures)}
    numbered = [_numbered(split, symbol) for split in splits]
    return {
        "format": FORMAT,
        **head,
        **grammar,
        "structures": [
            {
                "name": str(structure),
                "layer": layers.index(structure.layer),
                **structure_data(structure),
                "transitions": automaton.transitions(symbol),
                "accepting": automaton.accepting,
            }
            for structure, automaton in automata.items()
        ],
        "splits": [
            {
                "strata": own.strata,
                "states": own.split.category,
                "transitions": list(transitions),
                "roots": [root for root, _ in own.split.roots],
                "drawn": _drawn(own.split, states, starts[own.strata[0]]),
            }
            for own, transitions in zip(made, numbered, strict=True)
        ],
        "sampler": {"states": states, "starts": starts},
        "claims": list(_proved(made, automata, places, numbered, symbol)),
    }


def _proved(
    made: Sequence[SplitClaims],
    automata: Mapping[Structure, WrittenAutomaton],
    places: Mapping[Structure, int],
    numbered: Sequence[Mapping[Transition, int]],
    symbol: Sequence[int],
) -> Iterator[tuple[object, ...]]:
    """Yield the claims that hold: kind, split, structures, and the evidence."""
    for number, own in enumerate(made):
        for kind, group, derivation in own.claims:
            found: Sequence[object] | None
            if kind == "contains":
                found = _steps(own.split, derivation, numbered[number], symbol)
            else:
                readers = [automata[structure] for structure in group]
                found = invariant(own.split, readers, accepted=kind == "requires")
            if found is not None:
                yield kind, number, [places[structure] for structure in group], found


def certificate_text(content: Json) -> str:
    """Return a certificate as it is written: one line of JSON."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"


def claims_of(compiler: StructureCompiler, plan: Plan) -> list[SplitClaims]:
    """Every static claim of a plan, in the order of its strata."""
    evidence = Evidence(compiler, plan)
    strata_of: dict[SplitGrammar, list[Stratum]] = {}
    for stratum in evidence.strata:
        strata_of.setdefault(stratum.split, []).append(stratum.stratum)
    # The parts that patterns need, each in the first stratum of training that has it.
    licences: dict[SplitGrammar, list[tuple[str, Group, Derivation]]] = {}
    needed = (need.structure for pattern in plan.patterns for need in pattern.need)
    for structure in dict.fromkeys(needed):
        presence = compiler.presence(structure)
        for stratum in evidence.populated_training:
            derivation = evidence.smallest(stratum, presence)
            if derivation is not None:
                found = "contains", (structure,), derivation
                licences.setdefault(stratum.split, []).append(found)
                break
    made = []
    for split, strata in strata_of.items():
        sides = [_claimed(evidence, stratum) for stratum in strata]
        excluded = dict.fromkeys(structure for own, _ in sides for structure in own)
        required = dict.fromkeys(group for _, own in sides for group in own)
        claims: list[tuple[str, Group, Derivation]]
        claims = [("excludes", (structure,), ()) for structure in excluded]
        claims += [("requires", group, ()) for group in required]
        numbers = [plan.strata.index(stratum) for stratum in strata]
        made.append(SplitClaims(numbers, split, [*claims, *licences.get(split, ())]))
    return made


def _claimed(evidence: Evidence, stratum: Stratum) -> tuple[list[Structure], list[Group]]:
    """Return what the texts of a stratum lack, and groups of which they contain a structure."""
    plan, constraint = evidence.plan, stratum.constraint
    excluded, required = list(plan.nowhere), list(constraint.require)
    if stratum.split != GENERALIZATION:
        excluded += [structure for pattern in plan.patterns for structure in pattern.held_out]
        return excluded, required
    pattern = evidence.patterns[stratum.category]
    outside = {structure for quota in pattern.quotas for structure in quota.outside}
    excluded += [*pattern.exclude, *foreign(pattern, plan.patterns)]
    excluded += [structure for structure in constraint.exclude if structure in outside]
    # The last group keeps the items apart from training, which contains none of it.
    return excluded, [*required, pattern.gen or pattern.held_out, evidence.marks(pattern.name)]


def _alike(
    compiler: StructureCompiler,
    automata: Iterable[WrittenAutomaton],
    splits: Iterable[SplitGrammar],
) -> dict[int, tuple[int, ...]]:
    """For each word the states that the automata and the splits give it."""
    words = compiler.index.words
    given = [automaton.words for automaton in automata]
    for split in splits:
        states = np.full(len(words), -1)
        states[np.searchsorted(words, split.lexical.rules)] = split.lexical.states
        given.append(states)
    rows = np.array(given).reshape(len(given), len(words)).T.tolist()
    return dict(zip(words.tolist(), map(tuple, rows), strict=True))


def _numbered(split: SplitGrammar, symbol: Sequence[int]) -> dict[Transition, int]:
    """Return the transitions of a split, numbered; words of one symbol share one."""
    rows = split.transitions.rows()
    found = dict.fromkeys((symbol[rule], state, *below) for state, rule, below, _ in rows)
    return {transition: number for number, transition in enumerate(found)}


def _drawn(split: SplitGrammar, states: Sequence[DrawnState], start: int) -> list[tuple[int, int]]:
    """Return the state of the split that each state is, which rows of it are drawn from.

    The state that they start from has the alternatives of all roots.
    """
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
    split: SplitGrammar,
    derivation: Derivation,
    numbers: Mapping[Transition, int],
    symbol: Sequence[int],
) -> list[int]:
    """Return a derivation as the numbers of its transitions, in preorder."""
    state_of = {(rule, below): state for state, rule, below, _ in split.transitions.rows()}

    def step(rule: int, parts: tuple[tuple[int, list[int]], ...]) -> tuple[int, list[int]]:
        children = tuple([state for state, _ in parts])
        state = state_of[rule, children]
        own = numbers[symbol[rule], state, *children]
        return state, [own, *(number for _, steps in parts for number in steps)]

    return fold(derivation, split.grammar.arity, step)[1]
