"""All columns of the graphs of some derivations, whichever way each of them is written.

::

    columns = GraphColumns(grammar, views, conllu=(layer, names))
    batch = columns.batch(derivations)
    batch.view(0)                                          texts of the first view
    batch.conllu(texts, split="train", category="c", first=1)

Derivations of shapes that have been met often are written by what was worked out for
their shape (``sgl.graph.shapes``); the graphs of the others are glued.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Token, View
from sgl.core.graph import Graph
from sgl.core.interpret import derive_graph, derive_tokens
from sgl.graph.columns import ConlluColumns
from sgl.graph.conllu import ConlluError, is_one_line
from sgl.graph.meaning import ViewError
from sgl.graph.output import ViewOutput
from sgl.graph.packed import Graphs, PackedLayer, pack_layer
from sgl.graph.shaped import (
    Others,
    ShapedColumn,
    WordTables,
    worked_out_conllu,
    worked_out_constant,
    worked_out_view,
)
from sgl.graph.shapes import OFTEN, Shapes
from sgl.graph.view_columns import PACKED_VIEWS, ViewColumns
from sgl.kernel.column import Column

#: Writes a column of glued graphs.
General = Callable[[Graphs], Column]


class TextOfGraphs(NamedTuple):
    """A column: by shapes, in general, and the graph layer that it is of."""

    shaped: ShapedColumn
    general: General
    layer: int


class GraphColumns:
    """Views, CoNLL-U and constant texts of the graphs of a grammar."""

    def __init__(
        self,
        grammar: CoreGrammar,
        views: Sequence[View],
        conllu: tuple[int, Sequence[str]] | None,
        often: int = OFTEN,
    ) -> None:
        """``conllu`` is a graph layer and the names of the texts in the comments."""
        self._grammar = grammar
        used = dict.fromkeys([*([conllu[0]] if conllu else []), *(view.layer for view in views)])
        self.layers: dict[int, PackedLayer] = {n: pack_layer(grammar, n) for n in used}
        self._tables = {layer: WordTables(grammar, layer) for layer in used}
        of_views = list(dict.fromkeys(view.layer for view in views))
        self.shapes = Shapes(grammar, [conllu[0]] if conllu else [], of_views, often)
        self.shaped: list[ShapedColumn] = []
        self.views = [self._view(view) for view in views]
        #: What defines the views, for who wants to know why one cannot be written.
        self.outputs = [ViewOutput(grammar, view) for view in views]
        self.conllu: tuple[ShapedColumn, ConlluColumns, int] | None = None
        if conllu is not None:
            layer, names = conllu
            general = ConlluColumns(self.layers[layer], names)
            work_out = worked_out_conllu(self._tables[layer], names)
            if not self._one_line(names):
                work_out = _never
            self.conllu = (self._add(layer, work_out), general, layer)

    def constant(
        self, layer: int, describe: Callable[[Graph], str], general: General
    ) -> TextOfGraphs:
        """A column of texts of a graph layer in which no word shows."""
        shaped = self._add(layer, worked_out_constant(self._tables[layer], describe))
        return TextOfGraphs(shaped, general, layer)

    def batch(self, derivations: Derivations) -> GraphBatch:
        """The graphs of these derivations."""
        return GraphBatch(self, derivations)

    def _view(self, view: View) -> TextOfGraphs:
        output = ViewOutput(self._grammar, view)
        packed = view.kind in PACKED_VIEWS
        work_out = worked_out_view(self._tables[view.layer], output.render) if packed else _never
        general = ViewColumns(self.layers[view.layer], view).column
        return TextOfGraphs(self._add(view.layer, work_out), general, view.layer)

    def _add(
        self, layer: int, work_out: Callable[[tuple[int, ...]], list[str | int] | None]
    ) -> ShapedColumn:
        column = ShapedColumn(self._tables[layer], work_out)
        self.shaped.append(column)
        return column

    def _one_line(self, names: Sequence[str]) -> bool:
        """Whether the texts of these names are certain to be one line each."""
        layers = {layer.name: n for n, layer in enumerate(self._grammar.text_layers)}
        lines = {view.name for view in self._grammar.views if view.kind in PACKED_VIEWS}
        return all(name in lines or self._layer_is_lines(layers.get(name)) for name in names)

    def _layer_is_lines(self, layer: int | None) -> bool:
        if layer is None:
            return False
        return is_one_line(self._grammar.text_layers[layer].join) and all(
            is_one_line(item.text)
            for rule in self._grammar.rules
            for item in rule.templates[layer]
            if isinstance(item, Token)
        )


def _never(_example: tuple[int, ...]) -> list[str | int] | None:
    """Works out nothing."""
    return None


class GraphBatch:
    """The graphs of some derivations."""

    def __init__(self, columns: GraphColumns, derivations: Derivations) -> None:
        self._columns = columns
        self._derivations = derivations
        numbers = columns.shapes.numbers(derivations)
        examples = columns.shapes.examples
        if examples and columns.shaped:
            failed = np.logical_or.reduce([column.learn(examples) for column in columns.shaped])
            numbers[(numbers >= 0) & failed[numbers]] = -1
        self._numbers = numbers
        self._others = np.flatnonzero(numbers < 0)
        rest = derivations.take(self._others)
        self._graphs = {n: layer.graphs(rest) for n, layer in columns.layers.items()}

    @property
    def shaped(self) -> int:
        """How many of them are written by their shape."""
        return self._derivations.number - len(self._others)

    def view(self, view: int) -> Column:
        """The texts of a view, by its number.

        Raises:
            ViewError: a graph has no form in the view; the message has the sentence.
        """
        try:
            return self.text(self._columns.views[view])
        except ViewError as problem:
            raise self._with_sentence(self._columns.outputs[view], problem) from problem

    def text(self, column: TextOfGraphs) -> Column:
        """The texts of a column."""
        shaped, general, layer = column
        others = Others(general(self._graphs[layer]))
        return shaped.column(self._derivations, self._numbers, others)

    def conllu(self, texts: Sequence[Column], *, split: str, category: str, first: int) -> Column:
        """The sentences, numbered from ``first``; raises ``ConlluError`` if one has no form."""
        assert self._columns.conllu is not None
        shaped, general, layer = self._columns.conllu
        beside = [text.take(self._others) for text in texts]
        try:
            others = general.column(self._graphs[layer], beside, split=split, category=category)
        except ConlluError:
            # The message names the sentence: by its number among all.
            graphs = self._columns.layers[layer].graphs(self._derivations)
            return general.column(graphs, texts, split=split, category=category, first=first)
        return shaped.column(
            self._derivations,
            self._numbers,
            Others(others, skipped=len(f"# sent_id = {split}-".encode()) + 6),
            texts,
            (f"{split}-", category),
            first,
        )

    def _with_sentence(self, output: ViewOutput, problem: ViewError) -> ViewError:
        """The error of a view with the sentence that it is about, the first that has no form."""
        grammar = output.grammar
        for derivation in self._derivations.take(self._others):
            tokens = derive_tokens(grammar, derivation, output.anchor)
            try:
                output.render(derive_graph(grammar, derivation, output.view.layer), tokens)
            except ViewError as found:
                return ViewError(f"{output.name}: {found}, in “{' '.join(tokens)}”")
        return problem
