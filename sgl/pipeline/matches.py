"""Find structures in graphs as the verifier finds them: in those of derivations, and in the files of a dataset.

``GraphFinder`` looks at graphs of ``sgl.core``, ``occurring`` at the CoNLL-U of a split.  How long texts are is
not asked of a graph; a structure that is about nothing else is everywhere.  ``written_graphs`` has the sentences of a
split with their graphs in all layers, and ``occurrences`` looks for many structures in them at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import cast

from sgl.core.graph import Attributes, Graph
from sgl.core.structure import (
    Body,
    Comparison,
    DegreeTest,
    LabelTest,
    LengthTest,
    Link,
    NodeTest,
    Sign,
    Structure,
    Variable,
)
from sgl.foreign import TREEBANK, opened
from sgl.verify.conllu import Malformed, MalformedError, Sentence, TokenTable, WordForm, read_sentences
from sgl.verify.items import ShapeTable, at_layers, conllu_path, merged
from sgl.verify.manifest import ManifestError, read_manifest
from sgl.verify.search import Searcher, SearchError
from sgl.verify.structure import Labels, StructureBody, StructureError, read_structure

#: A node for each variable of a body, by index.
Binding = tuple[int, ...]

#: Answers about graphs that are remembered.
MOST_KNOWN = 1 << 14


class GraphFinder:
    """Finds a structure in graphs: every injective match that no ``without`` body extends."""

    def __init__(self, structure: Structure) -> None:
        self.body = replace(structure.body, lengths=())
        written = [read_structure(str(replace(structure, body=self.body, named=False)))] if self.body.variables else []
        self._table = ShapeTable(written)
        self._searcher = Searcher(self._table)
        self._known: dict[object, list[Binding]] = {}

    def bindings(self, graph: Graph) -> list[Binding]:
        """Return the matches, in order."""
        if not self.body.variables:
            return [()]
        words = tuple([_word(attributes) for attributes, _ in graph.nodes])
        shape = self._table.of(Sentence(0, (), words, graph.edges))
        # Equal edges, and nodes that pass the same tests, have the same matches.
        key = graph.edges, shape.nodes
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            names = [variable.name for variable in self.body.variables]
            found = (tuple([match[name] for name in names]) for match in self._searcher.matches(shape, 0))
            self._known[key] = sorted(found)
        return self._known[key]


@lru_cache(1 << 16)
def _word(attributes: Attributes) -> WordForm:
    return WordForm("", attributes, space_after=True, extracted=False)


class OccurrenceError(ValueError):
    """It cannot be said where a structure occurs; the message says why."""


class NoStructureError(OccurrenceError):
    """A text is no structure."""


def occurring(dataset: Path, split: str, structure: str) -> list[bool]:
    """Tell of each item of a split whether its graph has a structure, which is written without names.

    Raises ``NoStructureError``, and ``OccurrenceError`` for a file that cannot be read or if it takes too long.
    """
    try:
        pattern = read_structure(structure)
    except StructureError as problem:
        raise NoStructureError(f"`{structure}` is no structure: {problem}") from None
    path = dataset / conllu_path(split, pattern.layer)
    found = _found(ShapeTable([pattern]), (_well_formed(path, own) for own in _blocks(dataset, path, pattern.layer)))
    return list(map(bool, found))


def occurrences(dataset: Path, structures: Sequence[str], sentences: Iterable[Sentence]) -> list[int]:
    """Return the structures that occur in each of the ``written_graphs`` of a dataset, a bit for each.

    Raises ``OccurrenceError``.
    """
    try:
        manifest, _ = read_manifest(dataset)
        patterns = list(map(read_structure, structures))
    except (ManifestError, StructureError) as problem:
        raise OccurrenceError(str(problem)) from None
    if manifest.layers.written:
        patterns = [at_layers(pattern, manifest.distinct.layer) for pattern in patterns]
    return _found(ShapeTable(patterns), sentences)


def _found(table: ShapeTable, sentences: Iterable[Sentence]) -> list[int]:
    shapes = list(map(table.of, sentences))
    searcher = Searcher(table)
    searcher.allow(table.shapes())
    try:
        for shape in table.shapes():
            shape.occurring = searcher.occurring(shape)
    except SearchError:
        raise OccurrenceError("the search for the structure takes too long") from None
    return [shape.occurring for shape in shapes]


def written_graphs(dataset: Path, split: str) -> Iterator[Sentence]:
    """Yield the sentences of a split; their graph is that of all layers in which patterns may speak, as one.

    Raises ``OccurrenceError``, and ``ForeignFileError`` if there is no file.
    """
    try:
        manifest, _ = read_manifest(dataset)
    except ManifestError as problem:
        raise OccurrenceError(str(problem)) from None
    graphs, written = {layer.name: layer for layer in manifest.layers.graph}, manifest.layers.written
    path = dataset / conllu_path(split)
    others = [_blocks(dataset, dataset / conllu_path(split, layer), layer) for layer in written]
    for own, *more in zip_longest(_blocks(dataset, path, ""), *others):
        first = _well_formed(path, own or Malformed(0, "a sentence is missing"))
        try:
            yield merged([graphs[x] for x in (manifest.distinct.layer, *written)], first, more) if more else first
        except MalformedError as problem:
            raise OccurrenceError(f"`{path}`: line {first.line}: {problem}") from None


def _blocks(dataset: Path, path: Path, layer: str) -> Iterator[Sentence | Malformed]:
    opened(path, TREEBANK, inside=dataset).close()
    return read_sentences(path, TokenTable(free=bool(layer)))


def _well_formed(path: Path, block: Sentence | Malformed) -> Sentence:
    if isinstance(block, Malformed):
        raise OccurrenceError(f"`{path}`: line {block.line}: {block.reason}")
    return block


def structure_of(text: str) -> Structure:
    """Return the structure that a manifest writes so; raises ``NoStructureError``."""
    try:
        found = read_structure(text)
    except StructureError as problem:
        raise NoStructureError(f"`{text}` is no structure: {problem}") from None
    bodies = tuple(map(_body, found.bodies))
    return Structure(found.layer, bodies[0], bodies[1:], named=bool(found.layer))


def _body(body: StructureBody) -> Body:
    def labels(test: Labels) -> LabelTest:
        return LabelTest(test.labels, test.negated)

    variables = [
        Variable(
            own.name,
            tuple(NodeTest(test.attribute, test.values, test.negated) for test in own.tests),
            tuple(
                DegreeTest(labels(test.labels), cast(Comparison, test.comparison), test.number) for test in own.degrees
            ),
        )
        for own in body.variables
    ]
    links = [Link(link.source, labels(link.labels), link.target, link.low, link.high) for link in body.links]
    return Body(
        tuple(variables),
        tuple(links),
        tuple(LengthTest(x.layer, cast(Sign, x.comparison), x.number) for x in body.lengths),
    )
