"""Read a range of a CoNLL-U file, and keep what the checks need of its sentences.

A file is read in ranges, which processes share.  What remains of a range, a ``Part``,
knows nothing of the ranges before it: lines, entries and groups are counted from its own
start.  ``sgl.verify.merging`` puts the parts of a split together in their order::

    gen.conllu   0 … 4 MB   Part   ──┐
                 4 … 8 MB   Part   ──┼──>  Split gen
                 …          …      ──┘

``Tables`` is what a process has found out so far, to be recognised in the next range.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sgl.verify.conllu import Malformed, Sentence, Word, Words, read_sentences
from sgl.verify.items import EXPOSURE, GENERALIZATION, TRAIN, Hashing
from sgl.verify.manifest import Manifest
from sgl.verify.search import Searcher
from sgl.verify.shape import Frame, MaskedEdges, Shape, Shapes, Vocabulary
from sgl.verify.structure import Structure

_CHUNK = 1 << 20
_LONGEST_NUMBER = 18


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be known of sentences, for all ranges.

    ``texts`` are the comments that hold the source and the targets; ``distinct`` the
    parts of speech whose lemmas are not to be repeated; ``shares`` by split and category
    the lemmas that items are counted for; ``key`` is that of the hashes.
    """

    structures: tuple[Structure, ...]
    texts: tuple[str, ...]
    distinct: frozenset[str]
    shares: dict[tuple[str, str], tuple[str, ...]]
    key: bytes


class Range(NamedTuple):
    """A range of bytes of the file of a split."""

    split: str
    path: Path
    start: int
    end: int


class LocalGroup(NamedTuple):
    """Category, shape (size, edges, nodes) and target of sentences: a group as plain values."""

    category: str
    size: int
    edges: MaskedEdges
    nodes: tuple[int, ...]
    target: str


@dataclass(slots=True)
class Part:
    """What remains of a range; its columns are those of ``Split``.

    ``numbers`` are those that the `sent_id` of each entry gives, 0 where it gives none;
    ``length`` is the number of lines.
    """

    rows: tuple[array[int], ...]
    groups: list[LocalGroup] = field(default_factory=list)
    malformed: dict[int, Malformed] = field(default_factory=dict)
    words: dict[Word, int] = field(default_factory=dict)
    repeating: array[int] = field(default_factory=lambda: array("q"))
    numbers: array[int] = field(default_factory=lambda: array("q"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q"))
    group_of: array[int] = field(default_factory=lambda: array("q"))
    sources: array[int] = field(default_factory=lambda: array("q"))
    targets: array[int] = field(default_factory=lambda: array("q"))
    length: int = 0
    error: str = ""

    def append(self, values: Sequence[int], rows: Sequence[int]) -> None:
        """Add an entry: number, line, offset, group, hashes; then the hash of each row."""
        own = (self.numbers, self.lines, self.offsets, self.group_of, self.sources, self.targets)
        for column, value in zip((*own, *self.rows), (*values, *rows), strict=True):
            column.append(value)


class Tables:
    """What a process knows: words, lines and trees, shapes, which structures occur where."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.vocabulary = Vocabulary(task.structures)
        self.shapes = Shapes(self.vocabulary)
        self.words = Words()
        self.names = _Names(task.distinct)
        self.hashing = Hashing(task.key)
        self.searcher = Searcher(self.vocabulary.compiled())


class FrameShapes(NamedTuple):
    """Shapes of one frame: of each its number, its nodes, and the structures to search for."""

    number: int
    size: int
    edges: MaskedEdges
    shapes: tuple[tuple[int, tuple[int, ...], int], ...]


def reading_task(manifest: Manifest, structures: Sequence[Structure], key: bytes) -> Task:
    """What is to be known of the sentences of a dataset."""
    prefixes = ((GENERALIZATION, ""), (TRAIN, EXPOSURE))
    return Task(
        structures=tuple(structures),
        texts=tuple(text_keys(manifest)),
        distinct=frozenset(manifest.distinct_lemmas),
        shares={
            (split, prefix + pattern.name): pattern.targets
            for split, prefix in prefixes
            for pattern in manifest.patterns
            if pattern.targets
        },
        key=key,
    )


def text_keys(manifest: Manifest) -> list[str]:
    """The comments that hold the source of a sentence and its targets."""
    layers = (manifest.source, manifest.target, *manifest.further)
    return ["text" if layer == manifest.anchor else f"text_{layer}" for layer in layers]


def read_range(tables: Tables, read: Range) -> Part:
    """What remains of a range; up to where it could be read, if that fails."""
    reader = _Reader(tables, read.split)
    try:
        for sentence in read_sentences(read.path, tables.words, read.start, read.end):
            reader.add(sentence)
        reader.part.length = _count_lines(read)
    except OSError as failure:
        reader.part.error = failure.strerror or str(failure)
    return reader.part


def search_frames(tables: Tables, asked: Sequence[FrameShapes]) -> list[int]:
    """Which of the structures asked for occur in each shape, frame by frame."""
    found: list[int] = []
    for number, size, edges, shapes in asked:
        frame = Frame(number, size, edges, tables.vocabulary)
        for shape, nodes, wanted in shapes:
            found.append(tables.searcher.among(Shape(shape, frame, nodes), wanted))
    return found


def _count_lines(read: Range) -> int:
    count, left = 0, read.end - read.start
    with read.path.open("rb") as stream:
        stream.seek(read.start)
        while chunk := stream.read(min(_CHUNK, left)):
            count += chunk.count(b"\n")
            left -= len(chunk)
    return count


class _Reader:
    """Takes the sentences of a range, one after the other, and keeps what remains of them."""

    def __init__(self, tables: Tables, split: str) -> None:
        task = tables.task
        self.part = Part(tuple(array("q") for _ in task.texts[1:]))
        self._tables = tables
        self._prefix = f"{split}-"
        self._previous = 0
        self._numbers: dict[tuple[str, int, str], int] = {}
        self._shares = {name: lemmas for (of, name), lemmas in task.shares.items() if of == split}

    def add(self, sentence: Sentence | Malformed) -> None:
        """Add the next entry of the range."""
        part, texts = self.part, self._tables.task.texts
        entry = len(part.group_of)
        if isinstance(sentence, Malformed):
            self._add_malformed(sentence)
            return
        comments = dict(sentence.comments)
        try:
            source, *targets = [comments[key] for key in texts]
        except KeyError as missing:
            reason = f"no comment # {missing.args[0]}"
            self._add_malformed(Malformed(sentence.line, reason))
            return
        names = self._tables.names
        own = [name for name in map(names.__getitem__, sentence.words) if name is not None]
        if len(set(own)) < len(own):
            part.repeating.append(entry)
        if not part.words.keys() >= set(sentence.words):
            for word in sentence.words:
                part.words.setdefault(word, entry)
        category, hashing = comments["category"], self._tables.hashing
        place = (self._number(comments["sent_id"]), sentence.line, sentence.offset)
        hashes = (hashing.text(source), hashing.text(targets[0]))
        rows = [hashing.row(source, target, category) for target in targets]
        part.append((*place, self._group(sentence, category), *hashes), rows)

    def _add_malformed(self, entry: Malformed) -> None:
        self.part.malformed[len(self.part.group_of)] = entry
        self.part.append((0, entry.line, 0, -1, 0, 0), (0,) * len(self.part.rows))

    def _number(self, sent_id: str) -> int:
        """The number that a `sent_id` gives: six digits or more behind the split."""
        number = self._previous + 1
        if sent_id != f"{self._prefix}{number:06d}":
            digits = sent_id.removeprefix(self._prefix)
            plain = digits.isascii() and digits.isdecimal() and len(digits) <= _LONGEST_NUMBER
            number = int(digits) if plain else 0
            number = number if sent_id == f"{self._prefix}{number:06d}" else 0
        self._previous = number
        return number

    def _group(self, sentence: Sentence, category: str) -> int:
        """The number of the group that a sentence belongs to."""
        target = ""
        if category in self._shares:
            lemmas = {word.get("lemma") for word in sentence.words}
            target = next(filter(lemmas.__contains__, self._shares[category]), "")
        shape = self._tables.shapes.of(sentence)
        key = (category, shape.number, target)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.part.groups)
            frame = shape.frame
            group = LocalGroup(category, frame.size, frame.edges, shape.nodes, target)
            self.part.groups.append(group)
        return number


class _Names(dict[Word, str | None]):
    """The lemmas of words of some parts of speech, ``None`` for all other words."""

    def __init__(self, tags: frozenset[str]) -> None:
        super().__init__()
        self._tags = tags

    def __missing__(self, word: Word) -> str | None:
        name = self[word] = word.get("lemma") if word.get("upos") in self._tags else None
        return name
