"""Find structures in the graphs of derivations and of dataset files, as the verifier does.

``GraphFinder`` searches graphs of ``sgl.core``, ``occurring`` the CoNLL-U of a split.  Tests of text lengths are
ignored; a structure with nothing else occurs everywhere.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sgl.core import structure as core
from sgl.core.graph import Attributes, Graph
from sgl.core.structure import Structure
from sgl.foreign import TREEBANK, opened
from sgl.verify import structure as written
from sgl.verify.conllu import Malformed, MalformedError, Sentence, TokenTable, WordForm, read_sentences
from sgl.verify.items import ShapeTable, at_layers, conllu_path, merged
from sgl.verify.manifest import Manifest, ManifestError, read_manifest
from sgl.verify.search import Searcher, SearchError
from sgl.verify.structure import GraphPattern, StructureError, read_structure

#: A node for each variable of a body, by index.
Binding = tuple[int, ...]

#: Maximum number of cached answers about graphs.
MOST_KNOWN = 1 << 14


class GraphFinder:
    """Finds a structure in graphs: every injective match that extends to no ``without`` body."""

    def __init__(self, structure: Structure) -> None:
        self.body = replace(structure.body, lengths=())
        self._table = ShapeTable([_written(structure)] if self.body.variables else [])
        self._searcher = Searcher(self._table)
        self._known: dict[object, list[Binding]] = {}

    def bindings(self, graph: Graph) -> list[Binding]:
        """Return the matches, in order."""
        if not self.body.variables:
            return [()]
        shape = self._table.of(_sentence(graph))
        # Graphs with equal edges, and nodes that pass the same tests, have the same matches.
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
    """The occurrences of a structure cannot be determined; the message says why."""


class NoStructureError(OccurrenceError):
    """A text is not a structure."""


def occurring(dataset: Path, split: str, structure: str) -> list[bool]:
    """Return for each item of a split whether its graph has a structure, given in the notation without names.

    Raises ``NoStructureError``, and ``OccurrenceError`` if a file cannot be read or the search takes too long.
    """
    return list(map(bool, occurrences(dataset, [structure], written_graphs(dataset, split))))


def occurrences(dataset: Path, structures: Sequence[str], sentences: Iterable[Sentence]) -> list[int]:
    """Return the structures that occur in each of the ``written_graphs`` of a dataset, as a bit set.

    Raises the same exceptions as ``occurring``.
    """
    return occurrence_search(dataset, structures)(sentences)


def occurrence_search(dataset: Path, structures: Sequence[str]) -> Callable[[Iterable[Sentence]], list[int]]:
    """Return ``occurrences`` in any sentences, for a search that is repeated."""
    manifest, patterns = _manifest(dataset), list(map(_read, structures))
    if manifest.layers.written:
        patterns = [at_layers(pattern, manifest.distinct.layer) for pattern in patterns]
    return _search(patterns)


def graph_search(structures: Sequence[Structure]) -> Callable[[Iterable[Graph]], list[int]]:
    """Return a search for structures of one layer: the bit set of those that occur in each graph.

    It raises ``OccurrenceError`` if it takes too long.
    """
    found = _search([_written(structure) for structure in structures])
    return lambda graphs: found(map(_sentence, graphs))


def _written(structure: Structure) -> GraphPattern:
    body = replace(structure.body, lengths=())
    return read_structure(str(replace(structure, body=body, named=False)))


def _sentence(graph: Graph) -> Sentence:
    return Sentence(0, (), tuple([_word(attributes) for attributes, _ in graph.nodes]), graph.edges)


def _search(patterns: Sequence[GraphPattern]) -> Callable[[Iterable[Sentence]], list[int]]:
    def found(sentences: Iterable[Sentence]) -> list[int]:
        table = ShapeTable(patterns)
        shapes = list(map(table.of, sentences))
        searcher = Searcher(table)
        searcher.allow(table.shapes())
        try:
            for shape in table.shapes():
                shape.occurring = searcher.occurring(shape)
        except SearchError:
            raise OccurrenceError("the search for the structure takes too long") from None
        return [shape.occurring for shape in shapes]

    return found


def written_graphs(dataset: Path, split: str) -> Iterator[Sentence]:
    """Yield the sentences of a split with one graph, which combines all layers that patterns may use.

    Raises ``OccurrenceError``, and ``ForeignFileError`` for a missing file.
    """
    manifest = _manifest(dataset)
    layers, names = manifest.layers, [manifest.distinct.layer, *manifest.layers.written]
    graphs = {layer.name: layer for layer in layers.graph}
    paths = [dataset / conllu_path(split, layer) for layer in ("", *layers.written)]
    for path in paths:
        opened(path, TREEBANK, inside=dataset).close()
    files = [read_sentences(path, TokenTable(free=path is not paths[0])) for path in paths]
    for first, *others in zip_longest(*files, fillvalue=Malformed(0, "a sentence is missing")):
        try:
            if isinstance(first, Malformed):
                raise MalformedError(first.reason)
            yield merged([graphs[name] for name in names], first, others) if others else first
        except MalformedError as problem:
            raise OccurrenceError(f"`{paths[0]}`: line {first.line}: {problem}") from None


def _read(text: str) -> GraphPattern:
    try:
        return read_structure(text)
    except StructureError as problem:
        raise NoStructureError(f"`{text}` is not a structure: {problem}") from None


def _manifest(dataset: Path) -> Manifest:
    try:
        return read_manifest(dataset)[0]
    except ManifestError as problem:
        raise OccurrenceError(str(problem)) from None


#: The compiler's class for each class of the verifier: they have the same fields in the same order.
_CLASSES: dict[type, Any] = {
    written.Labels: core.LabelTest,
    written.ValueTest: core.NodeTest,
    written.DegreeComparison: core.DegreeTest,
    written.LengthComparison: core.LengthTest,
    written.NodeVariable: core.Variable,
    written.Link: core.Link,
    written.StructureBody: core.Body,
}


def structure_of(text: str) -> Structure:
    """Return the structure with this notation in a manifest; raise ``NoStructureError`` if it is none."""
    body, without, layer = _read(text)
    return Structure(layer, _own(body), _own(without), named=bool(layer))


def _own(value: Any) -> Any:  # noqa: ANN401 - whatever a structure consists of
    if isinstance(value, tuple):
        return tuple(map(_own, value))
    own = _CLASSES.get(type(value))
    return own(*(_own(getattr(value, each.name)) for each in fields(value))) if own else value
