"""Find structures in graphs as the verifier finds them: in those of derivations, and in the files of a dataset.

``GraphFinder`` looks at graphs of ``sgl.core``, ``occurring`` at the CoNLL-U of a split.  How long texts are is
not asked of a graph; a structure that is about nothing else is everywhere.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from sgl.core.graph import Attributes, Graph
from sgl.core.structure import Structure
from sgl.foreign import TREEBANK, opened
from sgl.verify.conllu import Malformed, Sentence, TokenTable, WordForm, read_sentences
from sgl.verify.items import ShapeTable, conllu_path
from sgl.verify.search import Searcher, SearchError
from sgl.verify.structure import StructureError, read_structure

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
    table = ShapeTable([pattern])
    shapes = list(map(table.of, _sentences(dataset, dataset / conllu_path(split, pattern.layer), pattern.layer)))
    searcher = Searcher(table)
    searcher.allow(table.shapes())
    try:
        for shape in table.shapes():
            shape.occurring = searcher.occurring(shape)
    except SearchError:
        raise OccurrenceError("the search for the structure takes too long") from None
    return [bool(shape.occurring) for shape in shapes]


def _sentences(dataset: Path, path: Path, layer: str) -> Iterator[Sentence]:
    opened(path, TREEBANK, inside=dataset).close()
    for block in read_sentences(path, TokenTable(free=bool(layer))):
        if isinstance(block, Malformed):
            raise OccurrenceError(f"`{path}`: line {block.line}: {block.reason}")
        yield block
