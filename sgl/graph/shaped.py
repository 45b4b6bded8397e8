"""Columns written shape by shape: CoNLL-U, views and other texts of graphs.

Each column is worked out for a shape by the function that defines it, on a graph whose
lemmas are marks.  Where a mark comes out, the word of the derivation will stand::

    graph      1 entity 𠀀     3 event 𠀁     𠀁 -agent-> 𠀀
    cogs       * 𠀀 ( x _ 1 ) ; 𠀁 . agent ( x _ 3 , x _ 1 )
    code       "* "  lemma of word 1  " ( x _ 1 ) ; "  lemma of word 3  …
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import capitalised, derive_graph, derive_tokens
from sgl.core.word_order import WordPlace, word_order
from sgl.graph.conllu import ConlluError, edge_lines, is_token, word_columns
from sgl.graph.meaning import Meaning, ViewError, is_word
from sgl.graph.shape_kernel import (
    CONSTANT,
    HEAD,
    ITEM,
    OPERATION_BITS,
    PLACE_BITS,
    TEXT,
    WORD,
    write_shaped,
)
from sgl.kernel.column import SHIFT, SLACK, Column, StringPool

#: Tables of words: as lemmas; with their columns of CoNLL-U, plain and with a capital; MISC.
LEMMA, PLAIN, RAISED, MISC = range(4)

#: The first mark: letters that no lexicon is likely to have, and that count as letters.
_MARK, _MOST_MARKS = 0x20000, 4_096
_MARKS = re.compile(f"[{chr(_MARK)}-{chr(_MARK + _MOST_MARKS - 1)}]")

#: An instruction in the making: constant text, or an operation with its argument.
Step = str | int

#: Works out the text of a shape from an example; None if it cannot be.
WorkOut = Callable[[tuple[int, ...]], "list[Step] | None"]


class Others(NamedTuple):
    """The texts of the items that have no number; of each so many bytes give its number."""

    column: Column
    skipped: int = 0


class WordTables:
    """The pieces that words are written by, for each token of each rule in a text layer."""

    def __init__(self, grammar: CoreGrammar, graph: int) -> None:
        """``graph`` is a graph layer, whose nodes are the words."""
        self.grammar = grammar
        self.graph = graph
        self.anchor = grammar.text_layer(grammar.graph_layers[graph].anchor)
        self.pool = StringPool()
        self.slots = np.zeros(len(grammar.rules) + 1, np.int32)
        rows: list[tuple[int, ...]] = []
        for rule in grammar.rules:
            attributes = {node.token: node.attributes for node in rule.fragments[graph].nodes}
            for number, item in enumerate(rule.templates[self.anchor]):
                word = item.text if isinstance(item, Token) else ""
                rows.append(self._row(word, attributes.get(number) or ()))
            self.slots[rule.id + 1] = len(rows)
        #: What several columns ask of the same derivations is worked out once.
        self.example = lru_cache(maxsize=4_096)(self._evaluate)
        self.words = np.array(rows or [(0, 0, 0, 0)], np.int64).T.copy()

    def _evaluate(self, derivation: tuple[int, ...]) -> Example:
        return Example(
            word_order(self.grammar, derivation, self.anchor),
            derive_tokens(self.grammar, derivation, self.anchor),
            derive_graph(self.grammar, derivation, self.graph),
        )

    def _row(self, word: str, attributes: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
        try:
            columns, misc = word_columns(attributes)
        except ConlluError:
            columns, misc = "", ()
        pieces = (
            dict(attributes).get("lemma", ""),
            f"{word}\t{columns}",
            f"{capitalised(word)}\t{columns}",
            "|".join(misc),
        )
        return tuple(map(self.pool.add, pieces))


class Example(NamedTuple):
    """A derivation with what is worked out from it: its words in the anchor layer, its graph."""

    order: tuple[WordPlace, ...]
    tokens: list[str]
    graph: Graph


class ShapedColumn:
    """One column, written by the code that was worked out for each shape."""

    def __init__(self, tables: WordTables, work_out: WorkOut) -> None:
        self._tables = tables
        self._work_out = work_out
        self._code: list[int] = []
        self._ends = [0]
        self._failed: list[bool] = []
        self._packed: tuple[NDArray[np.int64], ...] | None = None
        self._pool = np.zeros(SLACK, np.uint8)
        #: Bytes of the longest piece.
        self._longest = 64

    def learn(self, examples: Sequence[tuple[int, ...]]) -> NDArray[np.bool_]:
        """Work out the shapes that are new among these; which of all cannot be written so."""
        for example in examples[len(self._failed) :]:
            try:
                steps = self._work_out(example)
            except LookupError:
                # Phrases without a head have no graph; those who write them say so.
                steps = None
            self._failed.append(steps is None)
            self._code += [self._instruction(step) for step in _merged(steps or [])]
            self._ends.append(len(self._code))
            self._packed = None
        return np.array(self._failed, np.bool_)

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

        ``texts`` and ``heads`` are what the code refers to, ``first`` is the number of the
        first item.
        """
        if self._packed is None:
            code_of = np.array(self._code, np.int64)
            self._packed = (code_of, np.array(self._ends, np.int64))
            self._pool = self._tables.pool.packed()
            constants = code_of & ((1 << OPERATION_BITS) - 1) == CONSTANT
            pieces = code_of[constants] >> (OPERATION_BITS + SHIFT)
            longest_word = int((self._tables.words >> SHIFT).max())
            self._longest = max(64, longest_word, int(pieces.max(initial=0)))
        code, ends = self._packed
        text, text_ends = _beside(texts, derivations.number)
        head_pool = StringPool()
        head = np.array([head_pool.add(piece) for piece in heads], np.int64)
        data = np.empty(
            64 * derivations.number + 8 * (text.size + others.column.size) + 4096, np.uint8
        )
        written = np.zeros(derivations.number + 1, np.int64)
        item = other = 0
        while True:
            item, other = write_shaped(
                derivations.rules,
                derivations.offsets,
                numbers,
                code,
                ends,
                self._tables.slots,
                self._tables.words,
                self._pool,
                self._longest,
                text,
                text_ends,
                head,
                head_pool.packed(),
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
                return Column(data, written)
            data = np.concatenate([data, np.empty(len(data), np.uint8)])

    def _instruction(self, step: Step) -> int:
        if isinstance(step, str):
            return self._tables.pool.add(step) << OPERATION_BITS | CONSTANT
        return step


def _merged(steps: Sequence[Step]) -> list[Step]:
    """The steps with constant texts that follow one another as one."""
    merged: list[Step] = []
    for step in steps:
        if isinstance(step, str) and merged and isinstance(merged[-1], str):
            merged[-1] += step
        else:
            merged.append(step)
    return merged


def _beside(texts: Sequence[Column], rows: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Several columns in one buffer, and the offsets of each in it."""
    if not texts:
        return np.zeros(SLACK, np.uint8), np.zeros((0, rows + 1), np.int64)
    data = [text.data[text.offsets[0] : text.offsets[-1]] for text in texts]
    shifts = np.cumsum([0, *(len(part) for part in data[:-1])])
    offsets = [text.offsets - text.offsets[0] + by for text, by in zip(texts, shifts, strict=True)]
    return np.concatenate([*data, np.zeros(SLACK, np.uint8)]), np.array(offsets, np.int64)


def word_step(word: WordPlace, table: int) -> int:
    """The instruction that writes a word as one of the tables has it."""
    return (
        word.place | table << PLACE_BITS | word.item << (PLACE_BITS + 8)
    ) << OPERATION_BITS | WORD


def text_step(text: int) -> int:
    """The instruction that writes a text of the item."""
    return text << OPERATION_BITS | TEXT


def worked_out_constant(tables: WordTables, describe: Callable[[Graph], str]) -> WorkOut:
    """Works out a text in which no word shows."""
    return lambda example: [describe(tables.example(example).graph)]


def worked_out_view(tables: WordTables, render: Callable[[Graph, Sequence[str]], str]) -> WorkOut:
    """Works out a view: ``render`` is asked for the text of a graph with marks for lemmas."""

    def work_out(example: tuple[int, ...]) -> list[Step] | None:
        order, tokens, graph = tables.example(example)
        if len(tokens) > _MOST_MARKS:
            return None
        try:
            if len(Meaning(graph).nodes) < 2:
                return None
            text = render(_marked(graph), tokens)
        except ViewError:
            return None
        steps: list[Step] = []
        at = 0
        for mark in _MARKS.finditer(text):
            steps += [text[at : mark.start()]] if mark.start() > at else []
            steps.append(word_step(order[ord(mark.group()) - _MARK], LEMMA))
            at = mark.end()
        return [*steps, *([text[at:]] if at < len(text) else [])]

    return work_out


def _marked(graph: Graph) -> Graph:
    """The graph with a mark in place of each lemma: the letter for its position."""
    return graph._replace(
        nodes=tuple(
            GraphNode(
                tuple(
                    (name, chr(_MARK + node.position) if _is_lemma(name, value) else value)
                    for name, value in node.attributes
                ),
                node.position,
            )
            for node in graph.nodes
        )
    )


def _is_lemma(name: str, value: str) -> bool:
    return name == "lemma" and is_word(value)


def head_step(head: int) -> int:
    """The instruction that writes what all items begin with."""
    return head << OPERATION_BITS | HEAD


def worked_out_conllu(tables: WordTables, names: Sequence[str]) -> WorkOut:
    """Works out a sentence of CoNLL-U; ``names`` are those of the texts in the comments.

    Its heads are the beginning of the name of the sentence, and its category.
    """
    layer = tables.grammar.text_layers[tables.anchor]

    def work_out(example: tuple[int, ...]) -> list[Step] | None:
        order, tokens, graph = tables.example(example)
        if not tokens or [node.position for node in graph.nodes] != list(range(len(tokens))):
            return None
        try:
            edges = edge_lines(len(tokens), graph.edges, graph.head)
        except ConlluError:
            return None
        if layer.join not in ("", " ") or not all(map(is_token, tokens)):
            return None
        steps: list[Step] = ["# sent_id = ", head_step(0), ITEM]
        steps += ["\n# category = ", head_step(1), "\n# text = "]
        for text, name in enumerate(names):
            steps += [f"\n# text_{name} = "] if text else []
            steps.append(text_step(text))
        for number, (word, (line, extracted)) in enumerate(zip(order, edges, strict=True)):
            following = tokens[number + 1] if number + 1 < len(tokens) else None
            spaced = following is None or (bool(layer.join) and following not in layer.attach)
            own = bool(word_columns(graph.nodes[number].attributes)[1])
            misc = ["Extracted=Yes"] if extracted else []
            misc += [] if spaced else ["SpaceAfter=No"]
            form = word_step(word, RAISED if word.capital else PLAIN)
            steps += [f"\n{number + 1}\t", form, f"\t{line}\t"]
            steps += [word_step(word, MISC)] if own else []
            steps.append("|".join(["", *misc] if own else misc or ["_"]))
        return [*steps, "\n\n"]

    return work_out
