"""Plain data for the report on a dataset and its proofs, with pairs of sentences in which the structure is marked.

A pair contrasts what a pattern asks with what training shows: an item, and the possible training sentence that differs
from it by the fewest rules.  The item has the words and edges of the requested structure marked, the other sentence
those of a part that training shows.  Structures are found as the verifier finds them, so the marks are what is checked.
A pattern about words is shown by one word: the other sentence is one of its exposures, and what both sentences have in
common is not marked::

    asked   The cat on the mat slept.         nsubj and nmod marked
    shown   The dog saw the cat on the mat.   obj and nmod marked

    asked   Taylor found a cat.               Taylor marked, and nsubj
    shown   A cat helped Taylor.              Taylor marked, and obj
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any

import networkx as nx

from sgl.automata import StructureCompiler
from sgl.automata.proofs.prove import LONGEST_COUNTED, StratumStatistics
from sgl.automata.weights.nearest import NearestFinder
from sgl.cache import cached
from sgl.core.claims import Claim, Kind, PatternProofs, Proofs, Supply, Unused, Verdict
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import EXPOSURE_PREFIX, TRAIN, Ambiguous, Constraint, Pattern, Plan, content_lemmas
from sgl.core.structure import Body, Link, NodeTest, Structure
from sgl.dataset import computed, remarks, string_figures, target_shares
from sgl.frontend import Compiled
from sgl.pipeline.guarantees import excuses
from sgl.pipeline.matches import Binding, GraphFinder
from sgl.pipeline.observers import Observer
from sgl.pipeline.proofs import known_figures, meaning
from sgl.report import Example, example_of
from sgl.report.words import described, sentence_of
from sgl.values import dataclass, replace
from sgl.verify import Report

#: Maximum number of names in a list of ingredients that training need not show.
_NAMED = 60


#: What takes long to find for a page: the nearest training sentences, and the figures of the strata.
Looked = tuple["PairMaker", Sequence[StratumStatistics]]


def look_up(compiled: Compiled, structures: StructureCompiler, observer: Observer) -> Looked:
    """Return what a page shows that does not depend on the verifier."""
    maker, patterns = PairMaker(compiled, structures), compiled.plan.patterns
    maker.find_all([(p, min(found, key=len)) for p in patterns if (found := observer.examples.get(p.name))])
    return maker, known_figures(compiled, structures)


def report_data(
    compiled: Compiled,
    looked: Looked,
    proofs: Proofs,
    manifest: dict[str, Any],
    observer: Observer,
    verification: Report,
    review: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return all data of the page, with the names that the report's template uses."""
    plan, (maker, statistics) = compiled.plan, looked
    texts = {layer.name for layer in compiled.grammar.text_layers}
    return {
        "title": compiled.project.title or compiled.project.name,
        "identity": manifest["identity"],
        "parameters": sorted(compiled.parameters.items()),
        "release": compiled.release,
        "review": review,
        "splits": {name: split["items"] for name, split in manifest["splits"].items()},
        "layers": (plan.source, plan.targets),
        "computed": computed(manifest),
        "source_language": plan.source,
        "target_language": plan.target if plan.target in texts else "",
        "guarantees": [*_guarantees(manifest, verification)],
        "patterns": [
            _pattern(compiled, proofs.of(pattern.name), pattern, manifest, observer.examples, maker)
            for pattern in plan.patterns
        ],
        "counts": [*_counts(manifest, {entry.stream: entry.mass for entry in statistics})],
        "lengths": observer.lengths,
        "sizes": _sizes(plan, statistics),
        "longest": LONGEST_COUNTED,
        "heights": _heights(plan, statistics),
        "unused": _unused(compiled, proofs),
        "relations": [
            *((pair.first, "share items", pair.second, _sentence(compiled, pair.witness)) for pair in proofs.overlaps),
            *((pair.inner_pattern, "nested", pair.outer_pattern, pair.inner) for pair in proofs.nestings),
        ],
    }


def _counts(manifest: Mapping[str, Any], masses: Mapping[str, float]) -> Iterator[dict[str, Any]]:
    said = remarks(manifest)
    for split, entry in manifest["splits"].items():
        for part in entry["strata"]:
            rejected = {reason: number for reason, number in part["rejected"].items() if number}
            own = {"split": split, "mass": masses[part["stream"]], "remarks": said[part["stream"]]}
            yield part | own | {"rejected": rejected, "shares": target_shares(part)}


def _sentence(compiled: Compiled, derivation: Derivation | None) -> str:
    layer = compiled.grammar.text_layer(compiled.plan.source)
    return "" if derivation is None else interpret(compiled.grammar, derivation).texts[layer]


def _guarantees(manifest: dict[str, Any], verification: Report) -> Iterator[dict[str, str]]:
    figures = string_figures(manifest)
    verdict = Verdict.CHECKED
    if figures.policy is Ambiguous.IGNORE:
        verdict = Verdict.NOT_CHECKED
    elif figures.ambiguous and not figures.policy.rejects:
        verdict = Verdict.REFUTED
    claim = "No string has another reading with what is held out, or with another output."
    yield {"claim": claim, "method": Kind.STRINGS.method, "result": verdict.value, "detail": figures.sentence}
    for check in verification.results:
        detail = check.reason or f"{check.checked:,} checked, {check.total:,} violations"
        # A check without anything to check has shown nothing.
        empty = check.status == Verdict.PASSED.value and not check.checked
        result = Verdict.EMPTY.value if empty else check.status
        yield {"claim": check.claim, "method": "checked", "result": result, "detail": detail}


def _sizes(plan: Plan, statistics: Sequence[StratumStatistics]) -> list[tuple[list[str], StratumStatistics]]:
    constraint = {stratum.stream: stratum.constraint for stratum in plan.strata}
    rows: dict[Constraint | None, tuple[list[str], StratumStatistics]] = {}
    for entry in statistics:
        names, _ = rows.setdefault(constraint.get(entry.stream), ([], entry))
        names.append(entry.stream)
    return list(rows.values())


def _heights(plan: Plan, statistics: Sequence[StratumStatistics]) -> dict[str, list[float]]:
    by_stream = {entry.stream: entry.heights for entry in statistics}
    found: dict[str, list[float]] = {}
    for stratum in plan.strata:
        if stratum.count:
            total = sum(other.count for other in plan.strata if other.split == stratum.split)
            own = [share * stratum.count / total for share in by_stream[stratum.stream]]
            sums = zip_longest(found.get(stratum.split, ()), own, fillvalue=0.0)
            found[stratum.split] = [before + more for before, more in sums]
    return found


def _unused(compiled: Compiled, proofs: Proofs) -> list[tuple[str, str, str]]:
    grammar = compiled.grammar
    source = grammar.text_layer(compiled.plan.source)
    entry = next((entry for entry in proofs.unused if entry.split == TRAIN), Unused(TRAIN, (), ()))
    dead = set(entry.rules)
    alive = {rule.name for rule in grammar.rules if rule.rhs and rule.id not in dead}
    found: list[tuple[str, str, str]] = []
    for rule in (grammar.rules[number] for number in entry.rules):
        variant = f"{rule.name} as {grammar.categories[rule.lhs].name}"
        found.append((TRAIN, "rule", variant if rule.name in alive else rule.name))
    found += [(TRAIN, "word", " ".join(grammar.rules[number].words(source))) for number in entry.words]
    return list(dict.fromkeys(found))


def _pattern(
    compiled: Compiled,
    proved: PatternProofs,
    pattern: Pattern,
    manifest: Mapping[str, Any],
    examples: Mapping[str, Sequence[Derivation]],
    maker: "PairMaker",
) -> dict[str, Any]:
    # The shortest example shows most plainly what is asked.
    items = sorted(examples.get(pattern.name, ()), key=len)
    structures = pattern.gen or pattern.held_out
    return {
        "name": pattern.name,
        "title": pattern.title,
        "groups": pattern.groups,
        "sentence": sentence_of(pattern.held_out),
        "asked": [described(structure) for structure in structures] if structures != pattern.held_out else [],
        "items": sum(s.count for s in compiled.plan.strata if s.split != TRAIN and s.category == pattern.name),
        "pair": maker.pair(pattern, items[0], proved.licences) if items else None,
        "guarantees": [g for g in manifest["guarantees"] if g["pattern"] == pattern.name],
        "held_out": proved.held_out,
        "parts": [
            *(_part(compiled, "need", c, f"{c.evidence.expected:,.0f} expected") for c in proved.licences),
            *(_part(compiled, "piece", claim, claim.verdict.value) for claim in proved.pieces),
        ],
        "excused": excuses(proved.exposed.evidence, _NAMED),
        "examples": [maker.marked(found, structures) for found in items[1:]],
    }


def _part(compiled: Compiled, role: str, claim: Claim[Any], text: str) -> dict[str, Any]:
    if isinstance(claim.evidence, Supply):
        text += f", {claim.evidence.minimum:,} asked for"
    return {
        "role": role,
        "structure": claim.structure,
        "words": described(claim.structure),
        "result": claim.verdict.value,
        "text": text,
        "sentence": _sentence(compiled, claim.example),
    }


#: Maximum number of parts shown with an item.
_PARTS = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """An item, the nearest training sentence if any, and training sentences with ``parts`` that the pattern needs."""

    asked: Example
    shown: Example | None = None
    parts: tuple[Example, ...] = ()


class PairMaker:
    """Makes the pairs of a grammar.  The first pair compiles the training grammar, unless the result is cached."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        self._compiled, self._structures = compiled, structures
        #: The nearest training sentence of each item.
        self._nearest: dict[Derivation, Derivation | None] = {}
        self._finders: dict[Constraint, NearestFinder | None] = {}

    def _finder(self, constraint: Constraint) -> NearestFinder | None:
        if constraint not in self._finders:
            split = self._structures.split(constraint)
            lemmas = content_lemmas(self._compiled.grammar, self._compiled.plan)
            self._finders[constraint] = None if split.empty else NearestFinder(split, lemmas)
        return self._finders[constraint]

    def find_all(self, items: Sequence[tuple[Pattern, Derivation]]) -> None:
        """Find the nearest training sentences of all these items, or take them from the cache."""
        # The representation of a pattern has sets, whose order differs in every process.
        key = *meaning(self._compiled), repr([(pattern.name, item) for pattern, item in items])
        self._nearest |= cached(
            dict, "nearest", key, lambda: {item: self._find(*of) for of in items for item in of[1:]}
        )

    def _find(self, pattern: Pattern, item: Derivation) -> Derivation | None:
        """Return the nearest training sentence, with the same word if the pattern is about words."""
        word, learned = self._word(pattern, item), self._compiled.plan.in_distribution(TRAIN)
        constraints = [own.requiring(structure) for own, structure in self._before(pattern, word)]
        for constraint in (*constraints, *([learned.constraint] if learned else [])):
            finder = self._finder(constraint)
            if finder is not None and (found := finder.find(item)) is not None:
                return found.derivation
        return None

    def _before(self, pattern: Pattern, word: str) -> Iterator[tuple[Constraint, Structure]]:
        """Yield where training has a word: exposures, needed parts, exposures of other patterns."""
        plan = self._compiled.plan
        strata = {stratum.stream: stratum.constraint for stratum in plan.strata}
        learned = plan.in_distribution(TRAIN)
        found = [(learned.constraint, need.structure) for need in pattern.need if learned]
        for at, other in enumerate((pattern, *plan.patterns)):
            streams = ((f"{TRAIN}/{EXPOSURE_PREFIX}{other.name}/{n}", e.structure) for n, e in enumerate(other.expose))
            own = [(strata[stream], structure) for stream, structure in streams if stream in strata]
            found = [*found, *own] if at else [*own, *found]
        narrowed = ((constraint, _about(structure, word)) for constraint, structure in found if word)
        yield from ((constraint, structure) for constraint, structure in narrowed if structure is not None)

    def _word(self, pattern: Pattern, item: Derivation) -> str:
        """Return the word of an item that the pattern is about; empty if it is not about words."""
        graph, targets = self._graph(item), frozenset(pattern.targets)
        for structure in self._found(pattern.gen or pattern.held_out):
            for binding in GraphFinder(structure).bindings(graph)[:1]:
                for variable, node in zip(structure.body.variables, binding, strict=True):
                    if any(_names(test, targets) for test in variable.tests):
                        return graph.nodes[node].get("lemma")
        return ""

    def _graph(self, derivation: Derivation) -> Graph:
        grammar = self._compiled.grammar
        return interpret(grammar, derivation).graphs[grammar.graph_layer(self._compiled.plan.lemma_layer)]

    def _found(self, structures: Iterable[Structure]) -> list[Structure]:
        """Return the structures that pictures can show."""
        layer = self._compiled.plan.lemma_layer
        return [structure for structure in structures if structure.layer == layer and not structure.body.lengths]

    def pair(self, pattern: Pattern, item: Derivation, licences: Iterable[Claim[Supply]] = ()) -> Pair:
        """Return the pair of an item of ``pattern``, with examples of the parts that license it."""
        word = self._word(pattern, item)
        asked = self.marked(item, pattern.gen or pattern.held_out, word)
        nearest = self._nearest[item] if item in self._nearest else self._find(pattern, item)
        needed = [structure for _, structure in self._before(pattern, word)] or [
            need.structure for need in pattern.need
        ]
        shown = None if nearest is None else self.marked(nearest, needed, word)
        if word and shown is not None:
            asked, shown = _apart(asked, shown), _apart(shown, asked)
        examples = ((licence.example, licence.structure) for licence in licences)
        parts = tuple(self.marked(found, [structure]) for found, structure in examples if found is not None)
        return Pair(asked, shown, parts[:_PARTS])

    def marked(self, derivation: Derivation, structures: Sequence[Structure], word: str = "") -> Example:
        """Return a sentence in which the first of these structures is marked; if ``word`` is given, only that word."""
        grammar, plan = self._compiled.grammar, self._compiled.plan
        example = example_of(grammar, derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)
        graph = self._graph(derivation)
        for structure in self._found(structures):
            for binding in GraphFinder(structure).bindings(graph)[:1]:
                marked = _with_marks(example, graph, structure.body, binding)
                if word:
                    own = {node.position for node in graph.nodes if node.get("lemma") == word}
                    words = [replace(w, marked=place in own) for place, w in enumerate(marked.words)]
                    marked = replace(marked, words=tuple(words))
                return marked
        return example


def _names(test: NodeTest, words: Collection[str]) -> bool:
    """Return whether a test requires the lemma to be one of these words."""
    return test.attribute == "lemma" and not test.negated and {""} < {"", *test.values} <= {"", *words}


def _about(structure: Structure, word: str) -> Structure | None:
    """Return a structure about several words restricted to one word; None if no test names only that word."""
    body, only = structure.body, frozenset({word})
    variables = tuple(
        replace(
            v,
            tests=tuple(
                replace(t, values=only) if t.attribute == "lemma" and not t.negated and word in t.values else t
                for t in v.tests
            ),
        )
        for v in body.variables
    )
    if not any(_names(test, only) for variable in variables for test in variable.tests):
        return None
    return replace(structure, body=replace(body, variables=variables))


def _apart(example: Example, other: Example) -> Example:
    """Return a sentence without the marks on edges that the other sentence has marked as well."""
    common = {(arc.label, arc.extracted) for arc in other.arcs if arc.marked}
    arcs = (replace(arc, marked=arc.marked and (arc.label, arc.extracted) not in common) for arc in example.arcs)
    return replace(example, arcs=tuple(arcs))


def _with_marks(example: Example, graph: Graph, body: Body, binding: Binding) -> Example:
    """Return a sentence with the words and edges of a match marked."""
    used = {*_used_edges(graph, body, binding)}
    nodes = {*binding, *(source for source, _, _ in used), *(target for _, _, target in used)}
    words = {graph.nodes[node].position for node in nodes}
    arcs = zip(example.arcs, graph.edges, strict=True)
    return replace(
        example,
        words=tuple(replace(word, marked=place in words) for place, word in enumerate(example.words)),
        arcs=tuple(replace(arc, marked=edge in used) for arc, edge in arcs),
    )


def _used_edges(graph: Graph, body: Body, binding: Binding) -> Iterator[tuple[int, str, int]]:
    for link in body.links:
        fitting = [edge for edge in graph.edges if link.labels.accepts(edge[1])]
        steps = _steps(link, binding[link.source], binding[link.target], fitting)
        yield from (edge for edge in fitting if (edge[0], edge[2]) in steps)
    for variable, node in zip(body.variables, binding, strict=True):
        own = [edge for edge in graph.edges if edge[0] == node]
        for degree in variable.degrees:
            yield from (edge for edge in own if degree.labels.accepts(edge[1]))


def _steps(link: Link, start: int, end: int, fitting: Sequence[tuple[int, str, int]]) -> set[tuple[int, int]]:
    """Return the edges of a walk between two nodes, as pairs of nodes."""
    if link.is_edge:
        return {(start, end)}
    graph = nx.DiGraph((source, target) for source, _, target in fitting)
    if link.high == 0 or start == end or not (graph.has_node(start) and graph.has_node(end)):
        return set()
    paths = nx.all_simple_paths(graph, start, end)
    return set(pairwise(next((path for path in paths if len(path) > link.low), ())))
