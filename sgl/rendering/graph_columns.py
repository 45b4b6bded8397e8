"""All columns of some derivations, whichever way each of them is written.

::

    columns = GraphColumns(grammar, views, (layer, names), text_writer, texts=[1])
    batch = columns.batch(derivations)
    batch.words(1)                                         texts of the second text layer
    batch.view(0)                                          texts of the first view
    batch.conllu(texts, split="train", category="c", first=1)

Derivations of shapes that have been met often are written by what was worked out for
their shape (``sgl.rendering.shapes``); of the others texts are written and graphs are glued.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Token, View
from sgl.core.interpret import derive_graph, derive_tokens
from sgl.rendering.columns import ConlluColumns
from sgl.rendering.conllu import ConlluError, is_one_line
from sgl.rendering.marked import MarkedGrammar, Uses
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import ViewOutput
from sgl.rendering.packed import Graphs, PackedLayer, pack_layer
from sgl.rendering.shaped import Marked, Marks, Others, ShapedColumn, WordTables
from sgl.rendering.shapes import NEVER, OFTEN, Shapes
from sgl.rendering.view_columns import PACKED_VIEWS, ViewColumns

#: Bytes of templates from which on no more shapes are worked out.
MOST_BYTES = 1 << 27

#: Writes derivations in a text layer of a grammar.
Writer = Callable[[Derivations], Column]
WriterOf = Callable[[CoreGrammar, int], Writer]

#: Writes a column of the glued graphs of a layer.
General = Callable[[Graphs], Column]


class Glued(NamedTuple):
    """Some derivations with their graphs in each layer that is written."""

    derivations: Derivations
    graphs: dict[int, Graphs]


class DerivedColumn(NamedTuple):
    """A column: by shapes, and in general."""

    shaped: ShapedColumn
    general: Callable[[Glued], Column]


class GraphColumns:
    """Texts, views, CoNLL-U and constant texts of the derivations of a grammar."""

    def __init__(
        self,
        grammar: CoreGrammar,
        views: Sequence[View],
        conllu: tuple[int, Sequence[str]] | None,
        writer: WriterOf,
        texts: Sequence[int] = (),
        often: int = OFTEN,
    ) -> None:
        """``conllu`` is a graph layer and the names of the texts in the comments.

        ``writer`` gives what writes text layers; ``texts`` are those that are asked for.
        """
        self._grammar = grammar
        uses = Uses(
            (conllu[0],) if conllu else (), tuple(dict.fromkeys(view.layer for view in views))
        )
        packed = all(view.kind in PACKED_VIEWS for view in views)
        self._tables = WordTables(grammar, uses)
        by_shapes = (
            packed and self._tables.addressable and (conllu is None or self._one_line(conllu[1]))
        )
        self._shapes = Shapes(grammar, uses, often if by_shapes else NEVER)
        self._marked = MarkedGrammar(grammar, self._shapes.classes, uses)
        used = dict.fromkeys((*uses.conllu, *uses.views))
        self._layers = {n: pack_layer(grammar, n) for n in used}
        self._marked_layers = {n: pack_layer(self._marked.grammar, n) for n in used}
        #: What is written by shapes, each with what writes the examples with marks.
        self._columns: list[tuple[ShapedColumn, Callable[[Glued], Marked]]] = []
        #: The numbers of shapes that cannot be written so.
        self._failed = np.zeros(0, np.bool_)
        self.texts = {layer: self._text(layer, writer) for layer in texts}
        self.views = [self._view(view) for view in views]
        #: What defines the views, for who wants to know why one cannot be written.
        self.outputs = [ViewOutput(grammar, view) for view in views]
        self.conllu = None if conllu is None else self._sentences(*conllu, writer)

    def constant(self, layer: int, write: Callable[[PackedLayer], General]) -> DerivedColumn:
        """A column of texts of a graph layer in which no word shows."""
        general, marked = write(self._layers[layer]), write(self._marked_layers[layer])
        return self._add(
            self._tables.constant,
            lambda glued: general(glued.graphs[layer]),
            lambda glued: _marked(marked(glued.graphs[layer])),
        )

    def batch(self, derivations: Derivations) -> GraphBatch:
        """The texts and graphs of these derivations."""
        room = sum(shaped.size for shaped, _ in self._columns) < MOST_BYTES
        numbers, fresh = self._shapes.numbers(derivations, room=room)
        if len(fresh):
            self._learn(derivations.take(fresh))
        if self._failed.any():
            numbers[(numbers >= 0) & self._failed[numbers]] = -1
        return GraphBatch(self, derivations, numbers)

    def glued(self, derivations: Derivations) -> Glued:
        """These derivations with their graphs."""
        graphs = {n: layer.graphs(derivations) for n, layer in self._layers.items()}
        return Glued(derivations, graphs)

    def _learn(self, examples: Derivations) -> None:
        """Work out the shapes of these examples, which are new."""
        derivations, fits = self._marked.derivations(examples)
        graphs = {n: layer.graphs(derivations) for n, layer in self._marked_layers.items()}
        for found in graphs.values():
            fits &= found.odd == 0
        if not fits.all():
            # What has no marks gets the template of another, which nobody will ask for.
            rows = np.where(fits, np.arange(len(fits)), np.argmax(fits))
            derivations, examples = derivations.take(rows), examples.take(rows)
            graphs = {n: layer.graphs(derivations) for n, layer in self._marked_layers.items()}
        failed = ~fits
        for shaped, marked in self._columns:
            if fits.any():
                failed |= shaped.learn(examples, marked(Glued(derivations, graphs)))
            else:
                shaped.leave_out(len(fits))
        self._failed = np.concatenate([self._failed, failed])

    def _text(self, layer: int, writer: WriterOf) -> DerivedColumn:
        general, marked = writer(self._grammar, layer), writer(self._marked.grammar, layer)
        return self._add(
            self._tables.texts[layer],
            lambda glued: general(glued.derivations),
            lambda glued: _marked(marked(glued.derivations)),
        )

    def _view(self, view: View) -> DerivedColumn:
        layer = view.layer
        general = ViewColumns(self._layers[layer], view)
        marked = ViewColumns(self._marked_layers[layer], view)
        return self._add(
            self._tables.views[layer],
            lambda glued: general.column(glued.graphs[layer]),
            lambda glued: _refusing(marked.column(glued.graphs[layer], refused="")),
        )

    def _sentences(
        self, layer: int, names: Sequence[str], writer: WriterOf
    ) -> tuple[ShapedColumn, ConlluColumns, int]:
        anchor = self._layers[layer].anchor
        text = writer(self._marked.grammar, anchor)
        marked = ConlluColumns(self._marked_layers[layer], names[:1])

        def write(glued: Glued) -> Marked:
            texts = text(glued.derivations)
            graphs = glued.graphs[layer]
            column = marked.column(graphs, [texts], split="", category="", refused="")
            before = len("# sent_id = -000001\n# category = \n# text = \n")
            return _refusing(column)._replace(skipped=np.diff(texts.offsets) + before)

        general = ConlluColumns(self._layers[layer], names)
        shaped = ShapedColumn(self._tables, self._tables.conllu[layer])
        self._columns.append((shaped, write))
        return shaped, general, layer

    def _add(
        self,
        marks: Marks,
        general: Callable[[Glued], Column],
        marked: Callable[[Glued], Marked],
    ) -> DerivedColumn:
        column = DerivedColumn(ShapedColumn(self._tables, marks), general)
        self._columns.append((column.shaped, marked))
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


def _marked(column: Column) -> Marked:
    """Texts of examples, none of them refused."""
    return Marked(column, np.zeros(column.rows, np.int64), np.zeros(column.rows, np.bool_))


def _refusing(column: Column) -> Marked:
    """Texts of examples of which the empty ones are refused."""
    return _marked(column)._replace(refused=np.diff(column.offsets) == 0)


class GraphBatch:
    """The texts and graphs of some derivations, of shapes with these numbers or without."""

    def __init__(
        self, columns: GraphColumns, derivations: Derivations, numbers: NDArray[np.int32]
    ) -> None:
        self._columns = columns
        self._derivations = derivations
        self._numbers = numbers
        self._others = np.flatnonzero(numbers < 0)
        self._rest = columns.glued(derivations.take(self._others))

    @property
    def shaped(self) -> int:
        """How many of them are written by their shape."""
        return self._derivations.number - len(self._others)

    def words(self, layer: int) -> Column:
        """The texts of a text layer, one of those that the columns were made for."""
        return self.text(self._columns.texts[layer])

    def view(self, view: int) -> Column:
        """The texts of a view, by its number.

        Raises:
            ViewError: a graph has no form in the view; the message has the sentence.
        """
        try:
            return self.text(self._columns.views[view])
        except ViewError as problem:
            raise self._with_sentence(self._columns.outputs[view], problem) from problem

    def text(self, column: DerivedColumn) -> Column:
        """The texts of a column."""
        others = Others(column.general(self._rest))
        return column.shaped.column(self._derivations, self._numbers, others)

    def conllu(self, texts: Sequence[Column], *, split: str, category: str, first: int) -> Column:
        """The sentences, numbered from ``first``; raises ``ConlluError`` if one has no form."""
        assert self._columns.conllu is not None
        shaped, general, layer = self._columns.conllu
        beside = [text.take(self._others) for text in texts]
        try:
            others = general.column(
                self._rest.graphs[layer], beside, split=split, category=category
            )
        except ConlluError:
            # The message names the sentence: by its number among all.
            graphs = self._columns.glued(self._derivations).graphs[layer]
            return general.column(graphs, texts, split=split, category=category, first=first)
        return shaped.column(
            self._derivations,
            self._numbers,
            Others(others, skipped=len(f"# sent_id = {split}-".encode()) + 6),
            texts,
            general.heads(split, category),
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
