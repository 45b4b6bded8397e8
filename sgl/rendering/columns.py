"""Graphs of many derivations as columns: CoNLL-U and views, without an object for each.

The graphs of some ten thousand derivations are glued once and written in several ways::

    layer = pack_layer(grammar, 0)
    graphs = layer.graphs(derivations)
    ConlluColumns(layer, ["en", "ja"]).column(graphs, [en, ja], split="train", category="c")

What is written is what ``conllu`` and the functions of ``VIEWS`` write.  A graph that they
refuse is refused with their exception.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import SLACK, Column, StringPool
from sgl.core.grammar import EXTRACTED
from sgl.core.interpret import capitalised, derive_graph, derive_tokens
from sgl.rendering.conllu import ConlluError, conllu, is_label, is_one_line, is_token, word_columns
from sgl.rendering.packed import Graphs, PackedLayer

#: Writes items from one on into a buffer with its offsets; see ``write_conllu``.
Fill = Callable[[NDArray[np.uint8], NDArray[np.int64], int], int]


def filled(rows: int, guess: int, fill: Fill, plain: Callable[[int], str]) -> Column:
    """A column of so many rows, of some ``guess`` bytes each.

    What ``fill`` leaves out, ``plain`` writes, or raises what is to be raised.
    """
    data = np.empty(rows * guess + SLACK, np.uint8)
    offsets = np.zeros(rows + 1, np.int64)
    item = 0
    while item < rows:
        item = fill(data[: len(data) - SLACK], offsets, item)
        if 0 <= item < rows:
            data = _larger(data, len(data))
        elif item < 0:
            item = -1 - item
            text = plain(item).encode()
            end = int(offsets[item]) + len(text)
            if end + SLACK > len(data):
                data = _larger(data, end)
            data[offsets[item] : end] = np.frombuffer(text, np.uint8)
            item += 1
            offsets[item] = end
    return Column(data, offsets)


def _larger(data: NDArray[np.uint8], more: int) -> NDArray[np.uint8]:
    return np.concatenate((data, np.empty(more, np.uint8)))


class ConlluColumns:
    """Sentences with one graph layer as CoNLL-U.

    ``names`` are those of the texts in the comments, that of the words of the graph first.
    """

    def __init__(self, layer: PackedLayer, names: Sequence[str]) -> None:
        self._layer = layer
        self._names = tuple(names)
        self._pool = StringPool()
        word = [self._pool.add(form) for form in _forms(layer)]
        text_layer = layer.grammar.text_layers[layer.anchor]
        kind = [is_token(form) | 2 * (form in text_layer.attach) for form in _forms(layer)]
        self._spaced = text_layer.join == " "
        #: Other joins cannot be written, except in texts of a single word.
        self._plain = text_layer.join not in ("", " ")
        columns, misc = self._attribute_pieces()
        arcs, labels, self._root = self._arc_pieces()
        #: Words, their kinds, columns, MISC, arcs and labels; see ``Pieces``.
        self._pieces = (
            _longs(word),
            np.array(kind, np.uint8),
            _longs(columns),
            _longs(misc),
            _longs(arcs),
            _longs(labels),
        )
        lengths = (max((p >> 32 for p in k), default=0) for k in (word, columns, misc, labels))
        self._longest = 100 + 2 * sum(lengths)

    def _attribute_pieces(self) -> tuple[list[int], list[int]]:
        columns: list[int] = []
        misc: list[int] = []
        for attributes in (*self._layer.attributes, ()):
            try:
                written, others = word_columns(attributes)
            except ConlluError:
                columns.append(-1)
                misc.append(0)
            else:
                columns.append(self._pool.add(written))
                misc.append(self._pool.add("|".join(others)))
        return columns, misc

    def _arc_pieces(self) -> tuple[list[int], list[int], int]:
        from sgl.rendering.tree_kernel import MARK

        names = {label.removeprefix(EXTRACTED) for label in self._layer.labels}
        ranks = {name: rank for rank, name in enumerate(sorted({*names, "root"}))}
        arcs = []
        for label in self._layer.labels:
            name = label.removeprefix(EXTRACTED)
            arcs.append(ranks[name] + MARK * (name != label) if is_label(name) else -1)
        return arcs, [self._pool.add(name) for name in ranks], ranks["root"]

    def column(
        self,
        graphs: Graphs,
        texts: Sequence[Column],
        *,
        split: str,
        category: str,
        first: int = 1,
        refused: str | None = None,
    ) -> Column:
        """The sentences of a category of a split, numbered from ``first``.

        ``texts`` are the columns of the texts, by the names of the constructor.  A sentence
        that has no such form is written as ``refused``, if that is given.

        Raises:
            ConlluError: if a sentence has no such form.
        """

        def plain(item: int) -> str:
            if refused is not None:
                return refused
            derivation = graphs.derivations.at(item)
            return conllu(
                derive_graph(self._layer.grammar, derivation, self._layer.layer),
                derive_tokens(self._layer.grammar, derivation, self._layer.anchor),
                [
                    (name, text.bytes_of(item).decode())
                    for name, text in zip(self._names, texts, strict=True)
                ],
                sent_id=f"{split}-{first + item:06d}",
                category=category,
            )

        rows = graphs.derivations.number
        if self._plain or not is_one_line(category):
            return Column.of([plain(item) for item in range(rows)])
        fill = self._fill(graphs, texts, split, category, first)
        size = int(graphs.first_node[-1]) * 56 + sum(text.size for text in texts)
        return filled(rows, 128 + size // max(rows, 1), fill, plain)

    def _fill(
        self, graphs: Graphs, texts: Sequence[Column], split: str, category: str, first: int
    ) -> Fill:
        from sgl.rendering.conllu_kernel import Pieces, write_conllu

        pool, fixed = self._fixed(split, category)
        data = np.concatenate([text.data[: text.offsets[-1]] for text in texts])
        shifts = np.cumsum([0, *(int(text.offsets[-1]) for text in texts[:-1])])
        words = int(np.diff(graphs.first_word).max(initial=0))
        arcs = words + int(np.diff(graphs.first_edge[graphs.first_node]).max(initial=0))
        given = (
            *graphs[1:],
            *Pieces(pool, *self._pieces, fixed, self._longest, self._root, self._spaced),
            np.concatenate((data, np.zeros(SLACK, np.uint8))),
            np.array([text.offsets + by for text, by in zip(texts, shifts, strict=True)]),
            np.zeros(arcs + 1, np.int64),
            np.zeros((4, words + 2), np.int32),
            first,
        )
        return lambda data, offsets, item: int(write_conllu(*given, data, offsets, item))

    def _fixed(self, split: str, category: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The pool with the pieces of this split and category, and these pieces."""
        add = self._pool.add
        pieces = [
            add(f"# sent_id = {split}-"),
            add(f"\n# category = {category}\n"),
            add("Extracted=Yes"),
            add("SpaceAfter=No"),
            *(add(f"# {name} = ") for name in self._comments()),
        ]
        return self._pool.packed(), np.array(pieces, np.int64)

    def _comments(self) -> list[str]:
        """The names of the comments with texts."""
        return ["text", *(f"text_{name}" for name in self._names[1:])]

    def heads(self, split: str, category: str) -> list[str]:
        """What stands before the number of a sentence, before each of its texts, and behind."""
        first, *others = self._comments()
        return [
            f"# sent_id = {split}-",
            f"\n# category = {category}\n# {first} = ",
            *(f"\n# {name} = " for name in others),
            "\n",
        ]


def _longs(numbers: Sequence[int]) -> NDArray[np.int64]:
    return np.array(numbers, np.int64)


def _forms(layer: PackedLayer) -> list[str]:
    """The words of the texts, each as it is and with its first letter raised."""
    return [form for word in layer.words for form in (word, capitalised(word))]
