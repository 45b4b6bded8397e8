"""Read a range of a CoNLL-U file, and keep what the checks need of its sentences.

A file is read in ranges, which processes share.  What is read of a range, a
``RangeContent``, counts entries and groups from its own start; ``SplitBuilder`` puts the
ranges of a split together, so that nothing depends on where the file was cut::

    range 1   entries 0 … 4999    groups 0: {category a, shape 0}  1: {b, 1}
    range 2   entries 0 … 4999    groups 0: {b, 1}                 1: {c, 0}
    split     entries 0 … 9999    groups 0: {a, 0}  1: {b, 1}  2: {c, 0}

``Knowledge`` is what a process has found out so far, to be recognised in the next range.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.verify.conllu import Malformed, Sentence, TokenTable, WordForm, line_at, read_sentences
from sgl.verify.items import EXPOSURE, GENERALIZATION, TRAIN, Group, Hashing, Split
from sgl.verify.manifest import Manifest
from sgl.verify.search import Searcher
from sgl.verify.shape import MaskedEdges, QuestionTable, ShapeTable
from sgl.verify.structure import GraphPattern

_LONGEST_NUMBER = 18

#: All that a word says.
WordKey = tuple[str, tuple[tuple[str, str], ...], bool, bool]


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """What to find out about sentences, for all ranges.

    ``texts`` are the comments that hold the source and the targets; ``distinct`` the
    parts of speech whose lemmas are not to be repeated; ``shares`` by split and category
    the lemmas that items are counted for; ``key`` is that of the hashes.
    """

    structures: tuple[GraphPattern, ...]
    texts: tuple[str, ...]
    distinct: frozenset[str]
    shares: dict[tuple[str, str], tuple[str, ...]]
    key: bytes

    @classmethod
    def of(cls, manifest: Manifest, structures: Sequence[GraphPattern], key: bytes) -> ReadingTask:
        """Return what to find out about the sentences of a dataset."""
        prefixes = ((GENERALIZATION, ""), (TRAIN, EXPOSURE))
        shares = {
            (split, prefix + pattern.name): pattern.targets
            for split, prefix in prefixes
            for pattern in manifest.patterns
            if pattern.targets
        }
        distinct = frozenset(manifest.distinct_lemmas)
        return cls(tuple(structures), tuple(text_keys(manifest)), distinct, shares, key)


class Range(NamedTuple):
    """A range of bytes of the file of a split."""

    split: str
    path: Path
    start: int
    end: int


class LocalGroup(NamedTuple):
    """A group as plain values: category, shape (size, edges, nodes) and target."""

    category: str
    size: int
    edges: MaskedEdges
    nodes: tuple[int, ...]
    target: str


@dataclass(slots=True)
class RangeContent:
    """What is read of a range.

    ``numbers`` are those that the `sent_id` of each entry gives, 0 where it gives none;
    ``columns`` are those of ``Split``.
    """

    columns: tuple[array[int], ...]
    groups: list[LocalGroup] = field(default_factory=list)
    malformed: dict[int, Malformed] = field(default_factory=dict)
    words: dict[WordForm, int] = field(default_factory=dict)
    repeating: array[int] = field(default_factory=lambda: array("q"))
    numbers: array[int] = field(default_factory=lambda: array("q"))
    error: str = ""


class Knowledge:
    """What a process knows: words, lines and trees, shapes, which structures occur where."""

    def __init__(self, task: ReadingTask) -> None:
        self.task = task
        questions = QuestionTable(task.structures)
        self.shapes = ShapeTable(questions)
        self.tokens = TokenTable()
        self.lemmas = _DistinctLemmas(task.distinct)
        self.hashing = Hashing(task.key)
        self.searcher = Searcher(questions.compiled())


#: A shape as plain values: size, edges, nodes.
PlainShape = tuple[int, MaskedEdges, tuple[int, ...]]


def text_keys(manifest: Manifest) -> list[str]:
    """Return the comments that hold the source of a sentence and its targets."""
    layers = (manifest.source, manifest.target, *manifest.further)
    return ["text" if layer == manifest.anchor else f"text_{layer}" for layer in layers]


def read_range(known: Knowledge, read: Range) -> RangeContent:
    """Read a range, up to where it can be read if that fails."""
    reader = _RangeReader(known, read.split)
    try:
        for sentence in read_sentences(read.path, known.tokens, read.start, read.end):
            reader.add(sentence)
    except OSError as failure:
        reader.content.error = failure.strerror or str(failure)
    return reader.content


def search_shapes(known: Knowledge, shapes: Sequence[PlainShape]) -> list[int]:
    """Return which structures occur in each shape; shapes come frame by frame."""
    return [known.searcher.occurring(known.shapes.known(*shape)) for shape in shapes]


class _RangeReader:
    """Takes the sentences of a range, one after the other, and keeps what the checks need."""

    def __init__(self, known: Knowledge, split: str) -> None:
        task = known.task
        self.content = RangeContent(Split.new_columns(len(task.texts) - 1))
        self._known = known
        self._prefix = f"{split}-"
        self._previous = 0
        self._numbers: dict[tuple[str, int, str], int] = {}
        self._shares = {name: lemmas for (of, name), lemmas in task.shares.items() if of == split}

    def add(self, sentence: Sentence | Malformed) -> None:
        """Add the next entry of the range."""
        content, texts = self.content, self._known.task.texts
        entry = len(content.numbers)
        if isinstance(sentence, Malformed):
            self._add_malformed(sentence)
            return
        comments = dict(sentence.comments)
        try:
            source, *targets = [comments[key] for key in texts]
        except KeyError as missing:
            self._add_malformed(Malformed(sentence.line, f"no comment # {missing.args[0]}"))
            return
        lemmas = self._known.lemmas
        own = [name for name in map(lemmas.__getitem__, sentence.words) if name is not None]
        if len(set(own)) < len(own):
            content.repeating.append(entry)
        if not content.words.keys() >= set(sentence.words):
            for word in sentence.words:
                content.words.setdefault(word, entry)
        category, hashing = comments["category"], self._known.hashing
        hashes = (hashing.text(source), hashing.text(targets[0]))
        rows = [hashing.row(source, target, category) for target in targets]
        self._append(
            self._number(comments["sent_id"]),
            (sentence.offset, self._group(sentence, category), *hashes, *rows),
        )

    def _add_malformed(self, entry: Malformed) -> None:
        self.content.malformed[len(self.content.numbers)] = entry
        columns = len(self.content.columns)
        self._append(0, (0, -1, *(0,) * (columns - 2)))

    def _append(self, number: int, values: tuple[int, ...]) -> None:
        self.content.numbers.append(number)
        for column, value in zip(self.content.columns, values, strict=True):
            column.append(value)

    def _number(self, sent_id: str) -> int:
        """Return the number that a `sent_id` gives: six digits or more behind the split."""
        number = self._previous + 1
        if sent_id != f"{self._prefix}{number:06d}":
            digits = sent_id.removeprefix(self._prefix)
            plain = digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER
            number = int(digits) if plain else 0
            number = number if sent_id == f"{self._prefix}{number:06d}" else 0
        self._previous = number
        return number

    def _group(self, sentence: Sentence, category: str) -> int:
        """Return the number of the group that a sentence belongs to."""
        target = ""
        if category in self._shares:
            lemmas = {word.get("lemma") for word in sentence.words}
            target = next(filter(lemmas.__contains__, self._shares[category]), "")
        shape = self._known.shapes.of(sentence)
        key = (category, shape.number, target)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.content.groups)
            frame = shape.frame
            group = LocalGroup(category, frame.size, frame.edges, shape.nodes, target)
            self.content.groups.append(group)
        return number


class _DistinctLemmas(dict[WordForm, str | None]):
    """The lemmas of words of some parts of speech, ``None`` for all other words."""

    def __init__(self, tags: frozenset[str]) -> None:
        super().__init__()
        self._tags = tags

    def __missing__(self, word: WordForm) -> str | None:
        name = self[word] = word.get("lemma") if word.get("upos") in self._tags else None
        return name


class SplitBuilder:
    """Makes a split of its ranges, in the order of its file.

    ``words`` are those of all splits, one for each content.
    """

    def __init__(
        self, name: str, targets: int, shapes: ShapeTable, words: dict[WordKey, WordForm]
    ) -> None:
        self.split = Split(name, Split.new_columns(targets))
        self._shapes = shapes
        self._words = words
        self._numbers: dict[tuple[str, int, str], int] = {}

    def add(self, read: Range, content: RangeContent) -> None:
        """Add the range that follows."""
        split, before = self.split, len(self.split)
        if content.malformed:
            lines = line_at(read.path, read.start) - 1
            for entry, malformed in content.malformed.items():
                split.malformed[before + entry] = replace(malformed, line=malformed.line + lines)
        for word, entry in content.words.items():
            said = (word.form, word.attributes, word.space_after, word.extracted)
            split.words.setdefault(self._words.setdefault(said, word), before + entry)
        groups = _array(content.columns[1])
        wanted = np.arange(before + 1, before + 1 + len(groups))
        misnumbered = (groups >= 0) & (_array(content.numbers) != wanted)
        _extend(split.misnumbered, before + np.flatnonzero(misnumbered))
        _extend(split.repeating, before + _array(content.repeating))
        # A malformed entry has group -1, which is the last of those that are known here.
        known = np.array([*map(self._number, content.groups), -1], np.int64)
        _extend(split.group_of, known[groups])
        for rank, column in enumerate(content.columns):
            if rank != 1:
                split.columns[rank].extend(column)
        split.error = content.error

    def _number(self, local: LocalGroup) -> int:
        """Return the number of a group in the split."""
        shape = self._shapes.known(local.size, local.edges, local.nodes)
        key = (local.category, shape.number, local.target)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.split.groups)
            group = Group(number, self.split.name, local.category, shape, local.target)
            self.split.groups.append(group)
        return number


def _array(column: array[int]) -> NDArray[np.int64]:
    return np.frombuffer(column, np.int64) if column else np.empty(0, np.int64)


def _extend(column: array[int], values: NDArray[np.int64]) -> None:
    column.frombytes(np.ascontiguousarray(values, np.int64).tobytes())
