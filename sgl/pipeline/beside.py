"""What a pattern asks, beside what training shows: pairs of sentences with the structure marked.

An item of a pattern stands beside the sentence that training can contain and that differs from it by the fewest
rules.  In the item the words and edges of the structure that is asked for are marked, in the other sentence those of
a part that training has.  The structures are found as the verifier finds them, so what is marked is what is checked::

    asked   The cat on the mat slept.     nsubj and nmod marked
    shown   The dog saw the cat on the mat.   obj and nmod marked
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import networkx as nx

from sgl.automata import Licence, StructureCompiler
from sgl.automata.weights.nearest import NearestFinder
from sgl.core.grammar import EXTRACTED
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Pattern, content_lemmas
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.report import Arc, Example, example_of
from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.items import ShapeTable
from sgl.verify.search import Match, Searcher
from sgl.verify.structure import GraphPattern, Labels, read_structure

#: Parts that stand beside an item.
_PARTS = 4


@dataclass(frozen=True, slots=True)
class Pair:
    """An item, the nearest sentence of training, if it has any, and those with ``parts`` that the pattern needs."""

    asked: Example
    shown: Example | None = None
    parts: tuple[Example, ...] = ()


class PairMaker:
    """Makes the pairs of a grammar.  The first one compiles the grammar of training."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        self._compiled, self._structures = compiled, structures
        self._finder: NearestFinder | None = None
        stratum = compiled.plan.in_distribution("train")
        split = None if stratum is None else structures.split(stratum.constraint)
        if split is not None and not split.empty:
            self._finder = NearestFinder(split, content_lemmas(compiled.grammar, compiled.plan))

    def pair(self, pattern: Pattern, item: Derivation, licences: Iterable[Licence] = ()) -> Pair:
        """Return the pair of an item of ``pattern``, with the examples of what licenses it."""
        asked = self.marked(item, pattern.gen or pattern.held_out)
        nearest = None if self._finder is None else self._finder.find(item)
        needed = [need.structure for need in pattern.need]
        shown = None if nearest is None else self.marked(nearest.derivation, needed)
        examples = ((licence.example, licence.structure) for licence in licences)
        parts = tuple(self.marked(found, [structure]) for found, structure in examples if found is not None)
        return Pair(asked, shown, parts[:_PARTS])

    def marked(self, derivation: Derivation, structures: Sequence[Structure]) -> Example:
        """Return a sentence, with the first of these structures that it contains marked."""
        grammar, plan = self._compiled.grammar, self._compiled.plan
        example = example_of(grammar, derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)
        sentence = self._sentence(derivation, example)
        for structure in structures:
            if structure.layer == plan.lemma_layer and not structure.body.lengths:
                found = read_structure(str(structure))
                table = ShapeTable([found])
                if (match := Searcher(table).match(table.of(sentence), 0)) is not None:
                    return _with_marks(example, found, match)
        return example

    def _sentence(self, derivation: Derivation, example: Example) -> Sentence:
        """Return the graph of a sentence as the verifier reads it."""
        graph = interpret(self._compiled.grammar, derivation).graphs[
            self._compiled.grammar.graph_layer(self._compiled.plan.lemma_layer)
        ]
        nodes = {node.position: node.attributes for node in graph.nodes}
        words = [
            WordForm(word.form, nodes.get(place, ()), space_after=True, extracted=False, outside=place not in nodes)
            for place, word in enumerate(example.words)
        ]
        edges = sorted((arc.governor, _label(arc), arc.dependent) for arc in example.arcs)
        return Sentence(0, (), tuple(words), tuple(edges), example.root)


def _label(arc: Arc) -> str:
    return (EXTRACTED if arc.extracted else "") + arc.label


def _with_marks(example: Example, structure: GraphPattern, match: Match) -> Example:
    """Return a sentence with the words and the edges of a match marked."""
    places = [match[variable.name] for variable in structure.body.variables]
    edges = set(_matched(example.arcs, structure, places))
    words = {*places, *(place for arc in edges for place in (arc.governor, arc.dependent))}
    return replace(
        example,
        words=tuple(replace(word, marked=place in words) for place, word in enumerate(example.words)),
        arcs=tuple(replace(arc, marked=arc in edges) for arc in example.arcs),
    )


def _matched(arcs: Sequence[Arc], structure: GraphPattern, places: Sequence[int]) -> Iterator[Arc]:
    """Return the edges that a match of ``structure`` uses; its variables stand at ``places``."""
    for link in structure.body.links:
        start, end, walk = places[link.source], places[link.target], link.walk
        fitting = _fitting(arcs, walk.labels)
        if walk.is_edge:
            yield from (arc for arc in fitting if (arc.governor, arc.dependent) == (start, end))
        elif walk.high != 0 and start != end:
            yield from _path(fitting, start, end, walk.low)
    for variable, place in zip(structure.body.variables, places, strict=True):
        for degree in variable.degrees:
            yield from (arc for arc in _fitting(arcs, degree.labels) if arc.governor == place)


def _fitting(arcs: Iterable[Arc], labels: Labels) -> list[Arc]:
    return [arc for arc in arcs if labels.accept(_label(arc))]


def _path(arcs: Sequence[Arc], start: int, end: int, low: int) -> Iterator[Arc]:
    """Return the edges of a path with at least ``low`` edges, as short as there is."""
    graph = nx.DiGraph((arc.governor, arc.dependent) for arc in arcs)
    if graph.has_node(start) and graph.has_node(end) and nx.has_path(graph, start, end):
        for path in nx.all_simple_paths(graph, start, end):
            if len(path) > low:
                steps = set(pairwise(path))
                yield from (arc for arc in arcs if (arc.governor, arc.dependent) in steps)
                return
