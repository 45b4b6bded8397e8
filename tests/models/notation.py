"""Does the short notation mean what its rules mean when they are written out?

Draws small grammars in the notation that says things once: clauses and weights under ``if``,
ordered features, ``forms`` with parameters, features of a word in its node, ``literal`` words,
clauses for two layers, ports that a role binds, structures and quotas with parameters, sizes
over a range.  A model that shares nothing with the compiler writes the same grammars out, one
rule for each choice of values, and lists all their sentences::

    python benchmarks/models.py notation --grammars 100 --seed 1

Compared are, for each grammar, the sentences with both texts and both graphs, the probability of
each, the readings of the parser, and, for each part of the dataset, which sentences belong to it.
Of ``--draws`` sampled sentences the frequencies are compared with the probabilities.  A difference
is printed with its seed, and the exit status is then 1.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import count, product
from pathlib import Path
from random import Random

from harness import Compare, command, first_of
from notation_meaning import Edge, Key, key_of_phrase, meaning, parts_of, trees
from notation_model import Model
from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Constraint
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.grammar import open_grammar
from sgl.sampling import pack
from sgl.sampling.engine import candidate_key, derive, stream_key

#: Beyond so many standard errors a frequency is no chance.
ALARM = 6.0
#: A frequency is compared if it is expected so often.
OFTEN = 10


def key_of_item(compiled: Compiled, derivation: Derivation) -> Key:
    """The same of a derivation of the compiler."""
    item = interpret(compiled.grammar, derivation)
    syn, sem = item.graphs
    labels = tuple(
        (n.get("lemma"), n.get("upos"), {"Sing": "sg"}.get(n.get("Number"), n.get("Number"))) for n in syn.nodes
    )
    return item.texts[0], item.texts[1], labels, _edges(syn), _edges(sem)


def _edges(graph: Graph) -> frozenset[Edge]:
    place = [node.position for node in graph.nodes]
    return frozenset((place[s], label, place[t]) for s, label, t in graph.edges)


def derivations(grammar: CoreGrammar) -> list[tuple[Derivation, float]]:
    """All derivations with their probabilities."""

    @cache
    def of(category: int) -> tuple[tuple[Derivation, float], ...]:
        return tuple(
            ((rule.id, *(r for part, _ in parts for r in part)), rule.weight * math.prod(p for _, p in parts))
            for rule in grammar.rules_of[category]
            for parts in product(*(of(child) for child in rule.rhs))
        )

    return list(of(grammar.start))


def compare(seed: int, folder: Path, draws: int, figures: Counter[str]) -> Iterator[str]:
    """Compare one grammar; yields what differs."""
    random = Random(seed)  # noqa: S311
    model = Model(random)
    folder.mkdir(parents=True)
    for name, text in model.files().items():
        (folder / name).write_text(text, "utf-8")
    try:
        sentences = trees(model)
    except OverflowError:
        figures["too many sentences"] += 1
        return
    diagnostics = Diagnostics()
    compiled = open_grammar(folder / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None:
        codes = {found.code for found in diagnostics.found if found.severity is Severity.ERROR}
        # A pattern names a label that no rule happens to have.
        figures["without a label that patterns name"] += codes == {"SGL0807"}
        if codes != {"SGL0807"}:
            yield f"it is refused: {[str(found.message) for found in diagnostics.found]}"
        return
    figures["grammars"] += 1
    figures["sentences"] += len(sentences)
    expected: defaultdict[Key, float] = defaultdict(float)
    readings: Counter[str] = Counter()
    for tree in sentences:
        key = key_of_phrase(meaning(tree, count()))
        expected[key] += tree.probability
        readings[key[0]] += 1
    listed = dict(derivations(compiled.grammar))
    if len(listed) != len(sentences):
        yield f"{len(listed)} derivations, not {len(sentences)}"
    keys = {derivation: key_of_item(compiled, derivation) for derivation in listed}
    found: defaultdict[Key, float] = defaultdict(float)
    for derivation, probability in listed.items():
        found[keys[derivation]] += probability
    yield from _probabilities(expected, found, figures)
    members = _Members(compiled, keys)
    yield from members.differences(figures)
    yield from _frequencies(members, listed, draws, figures)
    parser = Parser(compiled.grammar)
    for text in random.sample(sorted(readings), min(len(readings), 100)):
        figures["parses"] += 1
        if len(parser.parse(text)) != readings[text]:
            yield f"{text!r} has not {readings[text]} readings"


def _probabilities(expected: Mapping[Key, float], found: Mapping[Key, float], figures: Counter[str]) -> Iterator[str]:
    """Compare the probability of each sentence with its graphs."""
    for key in expected.keys() | found.keys():
        figures["probabilities"] += 1
        if not math.isclose(expected.get(key, 0), found.get(key, 0), rel_tol=1e-9):
            yield f"{key} has probability {found.get(key)}, not {expected.get(key)}"
            return


class _Members:
    """Which sentences the parts of a dataset may have."""

    def __init__(self, compiled: Compiled, keys: Mapping[Derivation, Key]) -> None:
        self.compiled = compiled
        self.keys = keys
        self.structures = StructureCompiler(compiled.grammar)

    def differences(self, figures: Counter[str]) -> Iterator[str]:
        """Compare the automata of each part with the model."""
        for derivation, key in self.keys.items():
            wanted = parts_of(key[3])
            for stratum in self.compiled.plan.strata:
                figures["verdicts"] += 1
                if self._belongs(stratum.constraint, derivation) != wanted[stratum.stream]:
                    yield f"{key[0]} in {stratum.stream}: {not wanted[stratum.stream]}"
                    return

    def _belongs(self, constraint: Constraint, derivation: Derivation) -> bool:
        def has(structure: Structure) -> bool:
            automaton = self.structures.structure_automaton(structure)
            return automaton.accepts(self.compiled.grammar, derivation)

        return all(any(map(has, group)) for group in constraint.require) and not any(
            has(structure) for structure in (*constraint.exclude, *constraint.cut)
        )


def _frequencies(
    members: _Members, probability: Mapping[Derivation, float], draws: int, figures: Counter[str]
) -> Iterator[str]:
    """Compare how often a derivation is sampled with its probability, given its part."""
    grammar, plan = members.compiled.grammar, members.compiled.plan
    splits = {s.stream: members.structures.split(s.constraint) for s in plan.strata}
    strata = tuple(stratum for stratum in plan.strata if splits[stratum.stream].roots)
    tables = pack(grammar, replace(plan, strata=strata), splits)
    for stratum in tables.strata:
        inside = {
            derivation: probability[derivation]
            for derivation, key in members.keys.items()
            if parts_of(key[3])[stratum.stream]
        }
        whole = sum(inside.values())
        key = stream_key(tables.seed, stratum.stream)
        drawn: Counter[Derivation] = Counter()
        for number in range(draws):
            rules = derive(tables.states, stratum.start, candidate_key(key, number))
            drawn[tuple(rules or ())] += 1
        if drawn.keys() - inside.keys():
            yield f"{stratum.stream} samples what it does not contain"
        for derivation, weight in inside.items():
            share = weight / whole
            deviation = math.sqrt(draws * share * (1 - share))
            if draws * share >= OFTEN and deviation:
                figures["frequencies"] += 1
                z = (drawn[derivation] - draws * share) / deviation
                if abs(z) > ALARM:
                    yield f"{stratum.stream}: {members.keys[derivation][0]} is {z:.1f} off"


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, comparison, {"draws": (2000, "sampled sentences of each grammar")})


def comparison(*, draws: int) -> Compare:
    """Compare grammars and samples of so many sentences."""
    return first_of(lambda seed, place, figures: compare(seed, place, draws, figures))
