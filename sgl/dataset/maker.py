"""Make chunks: from the numbers of candidates to the bytes of every file.

A chunk is a function of the grammar, the plan, its place in the split and the candidates
that it is made of, so chunks can be made in any order and by anybody::

    maker = ChunkMaker(grammar, plan, Sampler(tables))
    chunk = maker.chunk("train", 1, [Piece(stratum, numbers), ...])
    chunk.rows, chunk.conllu, chunk.parquet

Nothing here goes item by item but the identifiers, which are hashes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Slot
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Plan
from sgl.dataset.arrays import arrow_array, content, joined, rows_of
from sgl.dataset.chunk import Chunk, Piece
from sgl.dataset.columns import FeatureColumns, NotationColumns
from sgl.dataset.notation import recursive_labels
from sgl.dataset.parquet import schema_of
from sgl.dataset.row_kernel import count_words
from sgl.rendering.graph_columns import DerivedColumn, GraphColumns
from sgl.sampling.batch import Sampler
from sgl.sampling.text_writer import text_writer


class _Part(NamedTuple):
    """What one piece adds to a chunk."""

    rows: list[bytes]
    conllu: bytes
    columns: list[Column]
    heights: NDArray[np.int32]
    ids: list[str]
    words: NDArray[np.int32]


class _Target(NamedTuple):
    """A target by its number: a text layer, or a view."""

    number: int
    is_view: bool


class _Sentences(NamedTuple):
    """What CoNLL-U shows: text layers and targets that are views, by number."""

    texts: list[int]
    views: list[int]
    features: DerivedColumn


def split_kind(category: str) -> str:
    """``iid``, ``exposure``, ``part`` or ``gen``."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART_PREFIX):
        return "part"
    return "exposure" if category.startswith(EXPOSURE_PREFIX) else "gen"


class ChunkMaker:
    """Makes the chunks of a dataset."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        self._sampler = sampler
        self._schema = schema_of(plan)
        self._source = grammar.text_layer(plan.source)
        self._layers = len(grammar.text_layers)
        names = [text.name for text in grammar.text_layers]
        wanted = [name for name in plan.targets if name not in names]
        views = [next(view for view in grammar.views if view.name == name) for name in wanted]
        self._targets = [
            _Target(names.index(name), is_view=False)
            if name in names
            else _Target(wanted.index(name), is_view=True)
            for name in plan.targets
        ]
        self._notation = NotationColumns(grammar, self._source)
        self._count = _WordCounter(grammar)
        conllu = None
        order: list[int] = []
        shown = [number for number, target in enumerate(self._targets) if target.is_view]
        if plan.lemma_layer:
            layer = grammar.graph_layer(plan.lemma_layer)
            anchor = grammar.text_layer(grammar.graph_layers[layer].anchor)
            order = [anchor, *(number for number in range(len(names)) if number != anchor)]
            headings = [names[number] for number in order] + [plan.targets[n] for n in shown]
            conllu = (layer, headings)
        texts = [layer for layer in range(len(names)) if layer != self._source]
        self._graphs = GraphColumns(grammar, views, conllu, text_writer, texts)
        self._sentences: _Sentences | None = None
        if conllu is not None:
            features = _feature_column(self._graphs, grammar, conllu[0])
            self._sentences = _Sentences(order, shown, features)

    def chunks(self, parts: Iterable[tuple[str, int, list[Piece]]]) -> Iterator[Chunk]:
        """The chunks that these parts of splits are made into."""
        for split, first, pieces in parts:
            yield self.chunk(split, first, pieces)

    def chunk(self, split: str, first: int, pieces: Sequence[Piece]) -> Chunk:
        """The rows of a split from number ``first`` on, made of these candidates.

        Raises:
            ConlluError: a sentence has no faithful form.
            ViewError: a graph has no form in a view that is a target.
            ValueError: a text has a tab or line end.
        """
        parts: list[_Part] = []
        number = first
        for piece in pieces:
            parts.append(self._part(split, number, piece))
            number += len(piece.numbers)
        return Chunk(
            split=split,
            first=first,
            rows=tuple(b"".join(rows) for rows in zip(*(part.rows for part in parts), strict=True)),
            conllu=None if self._sentences is None else b"".join(part.conllu for part in parts),
            table=self._table(pieces, parts),
            words=np.concatenate([part.words for part in parts]),
            pieces=tuple(pieces),
        )

    def _part(self, split: str, first: int, piece: Piece) -> _Part:
        batch = self._sampler.derive(piece.stratum, piece.numbers)
        sources, derivations = batch.sources, batch.derivations
        graphs = self._graphs.batch(derivations)
        texts = [
            sources if layer == self._source else graphs.words(layer)
            for layer in range(self._layers)
        ]
        targets = [
            graphs.view(target.number) if target.is_view else texts[target.number]
            for target in self._targets
        ]
        category = piece.stratum.category
        conllu, features = b"", Column.of([""] * derivations.number)
        if self._sentences is not None:
            shown = [texts[layer] for layer in self._sentences.texts]
            shown += [targets[number] for number in self._sentences.views]
            sentences = graphs.conllu(shown, split=split, category=category, first=first)
            conllu = content(sentences).tobytes()
            features = graphs.text(self._sentences.features)
        expressions = self._notation.expressions(derivations)
        return _Part(
            rows=[rows_of(sources, target, category) for target in targets],
            conllu=conllu,
            columns=[sources, targets[0], expressions, features, *targets[1:]],
            heights=self._notation.heights(derivations),
            ids=_ids(expressions),
            words=self._count(derivations),
        )

    def _table(self, pieces: Sequence[Piece], parts: Sequence[_Part]) -> Any:  # noqa: ANN401
        """The rows as a table of Arrow; pyarrow ships no types."""
        source, target, expression, features, *further = (
            arrow_array(joined(columns))
            for columns in zip(*(part.columns for part in parts), strict=True)
        )
        categories = [piece.stratum.category for piece in pieces for _ in piece.numbers]
        streams = [
            f"{piece.stratum.stream}#{number}"
            for piece in pieces
            for number in piece.numbers.tolist()
        ]
        arrays = [
            pa.array([name for part in parts for name in part.ids], pa.string()),
            source,
            target,
            pa.array(categories, pa.string()),
            pa.array([split_kind(category) for category in categories], pa.string()),
            expression,
            pa.array(np.concatenate([part.heights for part in parts]), pa.int32()),
            features,
            pa.array(streams, pa.string()),
            *further,
        ]
        return pa.table(arrays, schema=self._schema)


def _ids(expressions: Column) -> list[str]:
    """The ids of items, as ``sgl.dataset.notation.item_id`` makes them."""
    data = content(expressions).tobytes()
    ends = (expressions.offsets - expressions.offsets[0]).tolist()
    return [sha256(data[start:end]).hexdigest()[:16] for start, end in pairwise(ends)]


class _WordCounter:
    """Counts the words of derivations in the first text layer."""

    def __init__(self, grammar: CoreGrammar) -> None:
        rules = grammar.rules
        self._arity = np.array(grammar.arity, np.int32)
        self._own = np.array(grammar.source_tokens, np.int32)
        self._uses = np.zeros((len(rules), max(grammar.arity, default=0) + 1), np.int32)
        for rule in rules:
            for item in rule.templates[0]:
                if isinstance(item, Slot):
                    self._uses[rule.id, item.child] += 1

    def __call__(self, derivations: Derivations) -> NDArray[np.int32]:
        counts = np.empty(derivations.number, np.int32)
        longest = int(np.diff(derivations.offsets).max(initial=0)) + 1
        count_words(
            derivations.rules,
            derivations.offsets,
            self._arity,
            self._own,
            self._uses,
            counts,
            np.empty(longest, np.int32),
        )
        return counts


def _feature_column(columns: GraphColumns, grammar: CoreGrammar, layer: int) -> DerivedColumn:
    """The features of a graph layer, as a text of graphs."""
    labels = recursive_labels(grammar, layer)
    return columns.constant(layer, lambda packed: FeatureColumns(packed, labels).column)
