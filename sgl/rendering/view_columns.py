"""Logical forms of many derivations as columns, without an object for each.

The graphs are glued once for all views of their layer::

    layer = pack_layer(grammar, view.layer)
    graphs = layer.graphs(derivations)
    ViewColumns(layer, view).column(graphs)

Views that have no kernel are written one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import Column, StringPool
from sgl.core.gluing import Attributes
from sgl.core.grammar import View
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import derive_graph, derive_tokens
from sgl.rendering.cogs import cogs
from sgl.rendering.columns import Fill, filled
from sgl.rendering.meaning import DET, ENTITY, EVENT, PROPERTY, Meaning, ViewError, is_word
from sgl.rendering.output import ViewOutput
from sgl.rendering.packed import Graphs, PackedLayer
from sgl.rendering.varfree import DEEPEST, MOST_HEADS

#: The kinds of views that kernels write, with what they write for the label of an edge.
PACKED_VIEWS = {"cogs": " . {} ( x _ ", "varfree": "{} = "}


class ViewColumns:
    """A view of a packed graph layer."""

    def __init__(self, layer: PackedLayer, view: View) -> None:
        self._output = ViewOutput(layer.grammar, view)
        self._pieces = None if view.kind not in PACKED_VIEWS else _pieces(layer, view.kind)

    def column(self, graphs: Graphs, refused: str | None = None) -> Column:
        """The texts of the view; ``refused`` stands for what has none, if it is given.

        Raises:
            ViewError: if a graph has no such form.
        """
        output = self._output

        def plain(item: int) -> str:
            if refused is not None:
                return refused
            derivation = graphs.derivations.at(item)
            return output.render(
                derive_graph(output.grammar, derivation, output.view.layer),
                derive_tokens(output.grammar, derivation, output.anchor),
            )

        rows = graphs.derivations.number
        if self._pieces is None:
            return Column.of([plain(item) for item in range(rows)])
        guess = 64 + 40 * int(graphs.first_edge[graphs.first_node[-1]]) // max(rows, 1)
        return filled(rows, guess, _fill(output.view.kind, self._pieces, graphs), plain)


class _Pieces(NamedTuple):
    """What kernels write, and what attributes mean, by number; see ``write_cogs``."""

    pool: NDArray[np.uint8]
    kind: NDArray[np.uint8]
    definite: NDArray[np.uint8]
    is_open: NDArray[np.uint8]
    lemma: NDArray[np.int64]
    single: NDArray[np.int64]
    label: NDArray[np.int64]
    fixed: NDArray[np.int64]
    longest: int


class _Word(NamedTuple):
    """What the attributes of a node mean; ``single`` is its COGS form by itself."""

    kind: int
    definite: bool
    is_open: bool
    lemma: str
    single: str | None


def _pieces(layer: PackedLayer, kind: str) -> _Pieces:
    from sgl.rendering import cogs_kernel, varfree_kernel
    from sgl.rendering.meaning_kernel import NO_FORM, NO_TEXT

    pool = StringPool()

    def added(texts: Sequence[str]) -> NDArray[np.int64]:
        return np.array([pool.add(text) for text in texts], np.int64)

    words = [_word(attributes) for attributes in (*layer.attributes, ())]
    none = [NO_FORM if word.is_open else NO_TEXT for word in words]
    single = [
        other if word.single is None else pool.add(word.single)
        for word, other in zip(words, none, strict=True)
    ]
    labels = [
        pool.add(PACKED_VIEWS[kind].format(" . ".join(label.split(":"))))
        if all(map(is_word, label.split(":")))
        else NO_TEXT
        for label in layer.labels
    ]
    lemmas = added([word.lemma for word in words])
    fixed = added(cogs_kernel.FIXED if kind == "cogs" else varfree_kernel.FIXED)
    longest = [
        max((piece >> 32 for piece in pieces), default=0)
        for pieces in (lemmas.tolist(), lemmas.tolist(), labels, single)
    ]
    return _Pieces(
        pool.packed(),
        np.array([word.kind for word in words], np.uint8),
        np.array([word.definite for word in words], np.uint8),
        np.array([word.is_open for word in words], np.uint8),
        lemmas,
        np.array(single, np.int64),
        np.array(labels, np.int64),
        fixed,
        # Two positions, the fixed pieces, or the brackets at the end of the deepest term.
        64 + 2 * DEEPEST + sum(longest),
    )


def _word(attributes: Attributes) -> _Word:
    """What some attributes mean, from the meaning of a graph with one node."""
    from sgl.rendering import meaning_kernel as kinds

    said = dict(attributes)
    if said.get("type") == DET:
        return _Word(kinds.DETERMINER, said.get("definite") == "yes", False, "", None)
    if not said:
        return _Word(kinds.NOTHING, False, False, "", None)
    graph = Graph((GraphNode(attributes, 0),), (), 0)
    try:
        meaning = Meaning(graph)
    except ViewError:
        return _Word(kinds.WRONG, False, False, "", None)
    variable = {ENTITY: kinds.NOUN, PROPERTY: kinds.PROPERTY, EVENT: kinds.EVENT}
    return _Word(
        variable.get(meaning.type[0], kinds.CONSTANT),
        meaning.definite[0],
        bool(meaning.open[0]),
        meaning.constant(0) or meaning.lemma[0],
        _alone(graph) if meaning.constant(0) or meaning.open[0] else None,
    )


def _alone(graph: Graph) -> str | None:
    try:
        return cogs(graph)
    except ViewError:
        return None


def _fill(kind: str, pieces: _Pieces, graphs: Graphs) -> Fill:
    from sgl.rendering.cogs_kernel import write_cogs
    from sgl.rendering.meaning_kernel import COLUMNS
    from sgl.rendering.varfree_kernel import write_varfree

    nodes = int(np.diff(graphs.first_node).max(initial=0))
    given: tuple[object, ...] = (
        graphs.odd,
        graphs.head,
        graphs.first_node,
        graphs.nodes,
        graphs.first_edge,
        graphs.edges,
        *pieces,
        np.zeros((nodes + 1, COLUMNS), np.int32),
    )
    path = np.zeros((DEEPEST, 2), np.int64)

    def fill(data: NDArray[np.uint8], offsets: NDArray[np.int64], item: int) -> int:
        if kind == "cogs":
            return _call(write_cogs, *given, data, offsets, item)
        return _call(write_varfree, *given, path, MOST_HEADS, data, offsets, item)

    return fill


def _call(kernel: Callable[..., int], *arguments: object) -> int:
    return int(kernel(*arguments))
