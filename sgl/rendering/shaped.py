"""Columns written shape by shape: texts, CoNLL-U, views and other texts of graphs.

Each column is worked out for a shape by the kernels that write any graph or text, from an
example whose words are marks.  Where a mark comes out, the word of the derivation will
stand::

    example    (sentence (np the [0]) [1])
    cogs       * [0] ( x _ 1 ) ; [1] . agent ( x _ 3 , x _ 1 )
    template   "* "  lemma of rule 2  " ( x _ 1 ) ; "  lemma of rule 3  …
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import SHIFT, SLACK, Column, StringPool
from sgl.core.derivations import Derivations
from sgl.core.gluing import Attributes
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import capitalised
from sgl.rendering.conllu import ConlluError, word_columns
from sgl.rendering.marked import Uses
from sgl.rendering.shape_kernel import (
    FORM,
    KINDS,
    LEMMA,
    MISC,
    MOST_WORDS,
    RANK_BITS,
    cut_at_marks,
    write_shaped,
)

Number = TypeVar("Number", np.int64, np.uint8)

#: Tabs in what stands for a word in CoNLL-U: its form, and columns LEMMA to FEATS.
_TABS = 4

#: What stands before a mark: a letter before that of a word, the name of the attribute.
_BEFORE_FORM, _BEFORE_MISC = 1, len("misc=")


class Others(NamedTuple):
    """The texts of the items that have no number; of each so many bytes give its number."""

    column: Column
    skipped: int = 0


class Marked(NamedTuple):
    """Texts of examples with marks, each without so many bytes; some are ``refused``."""

    column: Column
    skipped: NDArray[np.int64]
    refused: NDArray[np.bool_]


class Marks(NamedTuple):
    """What marks stand for: for each kind where the pieces of words are; ``cut_at_marks``."""

    kinds: NDArray[np.int64]
    tabs: int = 0


class WordTables:
    """The pieces that words are written by, for each word and node of each lexical rule.

    A table has a row for each rule; that of rule ``r`` is at ``slots[r]``.
    """

    def __init__(self, grammar: CoreGrammar, uses: Uses) -> None:
        self._grammar = grammar
        self.pool = StringPool()
        self.lexical = np.array([rule.lexical for rule in grammar.rules], np.uint8)
        self._rules = [rule for rule in grammar.rules if rule.lexical]
        #: Entries of a row.
        self._width = max(map(_items, self._rules), default=1)
        self.slots = (np.cumsum(self.lexical, dtype=np.int64) - self.lexical) * self._width
        self._tables: list[NDArray[np.int64]] = []
        self.texts = [self._of_text(layer) for layer in range(len(grammar.text_layers))]
        self.conllu = {layer: self._of_conllu(layer) for layer in uses.conllu}
        self.views = {layer: self._of_view(layer) for layer in uses.views}
        #: Of texts in which no word shows.
        self.constant = Marks(_no_kinds())
        self.words = np.concatenate([np.zeros(1, np.int64), *self._tables])
        self.longest = int((self.words >> SHIFT).max())

    @property
    def addressable(self) -> bool:
        """Whether an instruction has room for the places of all tables."""
        return len(self.words) <= MOST_WORDS

    def _of_text(self, layer: int) -> Marks:
        kinds = _no_kinds()
        words = [_words(rule, layer) for rule in self._rules]
        kinds[FORM] = (
            self._add(words),
            self._add([[capitalised(word) for word in row] for row in words]),
            _BEFORE_FORM,
        )
        return Marks(kinds)

    def _of_conllu(self, layer: int) -> Marks:
        anchor = self._grammar.text_layer(self._grammar.graph_layers[layer].anchor)
        plain: list[list[str]] = []
        raised: list[list[str]] = []
        misc: list[list[str]] = []
        for rule in self._rules:
            nodes = rule.fragments[layer].nodes
            columns = {node.token: _columns(node.attributes)[0] for node in nodes}
            words = list(enumerate(_words(rule, anchor)))
            plain.append([f"{word}\t{columns.get(n, '')}" for n, word in words])
            raised.append([f"{capitalised(word)}\t{columns.get(n, '')}" for n, word in words])
            misc.append([_columns(node.attributes)[1] for node in nodes])
        kinds = _no_kinds()
        kinds[FORM] = self._add(plain), self._add(raised), _BEFORE_FORM
        kinds[MISC] = self._add(misc), -1, _BEFORE_MISC
        return Marks(kinds, _TABS)

    def _of_view(self, layer: int) -> Marks:
        kinds = _no_kinds()
        lemmas = [
            [dict(node.attributes or ()).get("lemma", "") for node in rule.fragments[layer].nodes]
            for rule in self._rules
        ]
        kinds[LEMMA] = self._add(lemmas), -1, 0
        return Marks(kinds)

    def _add(self, rows: Sequence[Sequence[str]]) -> int:
        """Add a table with a row for each lexical rule; where it begins."""
        table = np.zeros((len(rows), self._width), np.int64)
        for number, row in enumerate(rows):
            pieces = [self.pool.add(text) for text in row]
            table[number, : len(pieces)] = pieces
        begin = 1 + sum(len(other) for other in self._tables)
        self._tables.append(table.reshape(-1))
        return begin


def _items(rule: Rule) -> int:
    """How many words and nodes a rule has in the layer where it has most."""
    return max(len(own) for own in (*rule.templates, *(f.nodes for f in rule.fragments)))


def _no_kinds() -> NDArray[np.int64]:
    return np.full((KINDS, 3), -1, np.int64)


def _words(rule: Rule, layer: int) -> list[str]:
    return [item.text if isinstance(item, Token) else "" for item in rule.templates[layer]]


def _columns(attributes: Attributes | None) -> tuple[str, str]:
    """Columns LEMMA to FEATS, and MISC; empty if they cannot be written."""
    try:
        columns, misc = word_columns(attributes or ())
    except ConlluError:
        return "", ""
    return columns, "|".join(misc)


class ShapedColumn:
    """One column, written by the templates that were worked out for each shape."""

    def __init__(self, tables: WordTables, marks: Marks) -> None:
        self._tables = tables
        self._marks = marks
        self._code = np.zeros(64, np.int64)
        self._code_ends = np.zeros(1, np.int64)
        self._constants = np.zeros(SLACK, np.uint8)
        self._constant_ends = np.zeros(1, np.int64)
        self._pool = tables.pool.packed()
        #: Bytes of a text, from what was written last.
        self._guess = 64

    @property
    def size(self) -> int:
        """The bytes of all templates."""
        return int(self._constant_ends[-1] + self._code_ends[-1] * self._code.itemsize)

    def learn(self, examples: Derivations, marked: Marked) -> NDArray[np.bool_]:
        """Take in the shapes of these examples; which of them cannot be written so."""
        column = marked.column
        shape = len(self._code_ends) - 1
        rows = np.zeros(column.rows, np.int64)
        size = int(column.offsets[-1])
        code = int(self._code_ends[-1]) + size // 4 + column.rows
        self._code = _with_room(self._code, code)
        self._constants = _with_room(self._constants, int(self._constant_ends[-1]) + size + SLACK)
        self._code_ends = np.concatenate([self._code_ends, rows])
        self._constant_ends = np.concatenate([self._constant_ends, rows])
        failed = np.zeros(column.rows, np.uint8)
        cut_at_marks(
            column.data,
            column.offsets,
            marked.skipped,
            examples.rules,
            examples.offsets,
            self._tables.lexical,
            self._marks.kinds,
            self._marks.tabs,
            np.zeros(1 << RANK_BITS, np.int64),
            self._code,
            self._code_ends,
            self._constants,
            self._constant_ends,
            failed,
            shape,
        )
        return (failed > 0) | marked.refused

    def leave_out(self, shapes: int) -> None:
        """Count so many shapes that nobody will ask for, so that the next have their numbers."""
        for_each = np.zeros(shapes, np.int64)
        self._code_ends = np.concatenate([self._code_ends, for_each + self._code_ends[-1]])
        self._constant_ends = np.concatenate(
            [self._constant_ends, for_each + self._constant_ends[-1]]
        )

    def column(
        self,
        derivations: Derivations,
        numbers: NDArray[np.int32],
        others: Others,
        texts: Sequence[Column] = (),
        heads: Sequence[str] = (),
        first: int = 1,
    ) -> Column:
        """The texts of these derivations; ``others`` are those without a number.

        ``texts`` and ``heads`` are what all begin with, as ``write_shaped`` writes it, and
        ``first`` is the number of the first item.
        """
        text, text_ends = _beside(texts, derivations.number)
        head_pool = StringPool()
        head = np.array([head_pool.add(piece) for piece in heads], np.int64)
        pieces = head_pool.packed()
        data = np.empty(self._guess * derivations.number + (1 << 16), np.uint8)
        written = np.zeros(derivations.number + 1, np.int64)
        item = other = 0
        while True:
            item, other = write_shaped(
                derivations.rules,
                derivations.offsets,
                numbers,
                self._code,
                self._code_ends,
                self._constants,
                self._constant_ends,
                self._tables.slots,
                self._tables.words,
                self._pool,
                self._tables.longest,
                text,
                text_ends,
                head,
                pieces,
                first,
                others.column.data,
                others.column.offsets,
                others.skipped,
                data[: len(data) - SLACK],
                written,
                item,
                other,
            )
            if item == derivations.number:
                self._guess = max(64, int(written[-1]) * 17 // (16 * max(item, 1)))
                return Column(data, written)
            data = np.concatenate([data, np.empty(len(data), np.uint8)])


def _with_room(array: NDArray[Number], needed: int) -> NDArray[Number]:
    """The array, or one of twice the room that has room for so many."""
    if needed <= len(array):
        return array
    larger = np.zeros(2 * needed, array.dtype)
    larger[: len(array)] = array
    return larger


def _beside(texts: Sequence[Column], rows: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Several columns in one buffer, and the offsets of each in it."""
    if not texts:
        return np.zeros(SLACK, np.uint8), np.zeros((0, rows + 1), np.int64)
    data = [text.data[text.offsets[0] : text.offsets[-1]] for text in texts]
    shifts = np.cumsum([0, *(len(part) for part in data[:-1])])
    offsets = [text.offsets - text.offsets[0] + by for text, by in zip(texts, shifts, strict=True)]
    return np.concatenate([*data, np.zeros(SLACK, np.uint8)]), np.array(offsets, np.int64)
