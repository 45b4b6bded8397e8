"""What the data files say of many derivations, as columns: s-expressions, depth, features.

The functions of ``notation`` say the same of one derivation; the columns are made without
an object for each::

    NotationColumns(grammar, source).expressions(derivations)    (statement (clause …
    NotationColumns(grammar, source).heights(derivations)        5, 7, …
    FeatureColumns(layer, labels).column(graphs)                 acl:relcl=0;ccomp=2
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import Column, StringPool
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_graph
from sgl.dataset.notation import DerivationNotation, features
from sgl.rendering.columns import filled
from sgl.rendering.packed import Graphs, PackedLayer


class NotationColumns:
    """Writes the derivations of a grammar as s-expressions; see ``DerivationNotation``."""

    def __init__(self, grammar: CoreGrammar, source: int) -> None:
        """``source`` is the text layer whose words name the lexical rules."""
        self._notation = DerivationNotation(grammar, source)
        self._arity = np.array(grammar.arity, np.int32)
        pool = StringPool()
        labels = [
            pool.add(f"({label}" if arity else label)
            for label, arity in zip(self._notation.labels, grammar.arity, strict=True)
        ]
        self._labels = np.array(labels, np.int64)
        self._pool = pool.packed()

    def expressions(self, derivations: Derivations) -> Column:
        """The s-expressions."""
        from sgl.dataset.notation_kernel import write_expressions

        rules, offsets, left = _given(derivations)
        longest = int(self._labels.max(initial=0)) >> 32

        def fill(data: NDArray[np.uint8], ends: NDArray[np.int64], item: int) -> int:
            given = (rules, offsets, self._arity, self._pool, self._labels, longest, left)
            return int(write_expressions(*given, data, ends, item))

        def plain(item: int) -> str:
            return self._notation.write(derivations.at(item))

        rows = derivations.number
        return filled(rows, 64 + 12 * int(offsets[-1] - offsets[0]) // max(rows, 1), fill, plain)

    def heights(self, derivations: Derivations) -> NDArray[np.int32]:
        """The number of rules on the longest path of each derivation."""
        from sgl.dataset.notation_kernel import measure_heights

        rules, offsets, left = _given(derivations)
        heights = np.zeros(derivations.number, np.int32)
        measure_heights(rules, offsets, self._arity, left, heights)
        return heights


def _given(
    derivations: Derivations,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Rules and offsets as kernels take them, and a table for the longest derivation."""
    offsets = np.array(derivations.offsets, np.int64)
    longest = int(np.diff(offsets).max(initial=0))
    rules = np.ascontiguousarray(derivations.rules, np.int32)
    return rules, offsets, np.zeros(longest + 1, np.int32)


class FeatureColumns:
    """How often some labels occur in the graphs of a layer; see ``features``."""

    def __init__(self, layer: PackedLayer, labels: Sequence[str]) -> None:
        self._layer = layer
        self._labels = tuple(labels)
        place = {label: column for column, label in enumerate(labels)}
        self._place = np.array([place.get(label, -1) for label in layer.labels], np.int32)
        pool = StringPool()
        names = [pool.add(f"{';' * (column > 0)}{label}=") for column, label in enumerate(labels)]
        self._names = np.array(names, np.int64)
        self._pool = pool.packed()

    def column(self, graphs: Graphs) -> Column:
        """The features of the graphs: ``acl:relcl=0;ccomp=2``."""
        from sgl.dataset.notation_kernel import count_labels, write_counts

        layer, rows = self._layer, graphs.derivations.number
        counts = np.zeros((rows, len(self._labels)), np.int64)
        count_labels(graphs.first_node, graphs.first_edge, graphs.edges, self._place, counts)
        longest = int(self._names.max(initial=0)) >> 32

        def fill(data: NDArray[np.uint8], ends: NDArray[np.int64], item: int) -> int:
            given = (graphs.odd, counts, self._pool, self._names, longest)
            return int(write_counts(*given, data, ends, item))

        def plain(item: int) -> str:
            graph = derive_graph(layer.grammar, graphs.derivations.at(item), layer.layer)
            return features(graph, self._labels)

        return filled(rows, (longest + 2) * len(self._labels), fill, plain)
