"""Read a range of a CoNLL-U file, and keep what the checks need of its sentences.

A file is read in ranges, which processes share.  A range is read into a ``Split`` of its own,
whose entries and groups are counted from its own start; ``Split.extend`` puts the ranges of
a file together, so that nothing depends on where the file was cut::

    range 1   entries 0 … 4999    groups 0: {category a, shape 0}  1: {b, 1}
    range 2   entries 0 … 4999    groups 0: {b, 1}                 1: {c, 0}
    split     entries 0 … 9999    groups 0: {a, 0}  1: {b, 1}  2: {c, 0}

``Knowledge`` is what a process has found out so far, to be recognised in the next range.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sgl.verify.conllu import Sentence, read_sentences
from sgl.verify.items import EXPOSURE, GENERALIZATION, TRAIN, Group, Hashing, Split
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.search import Searcher, SearchError
from sgl.verify.shape import GraphShape, ShapeTable
from sgl.verify.skeleton import sentence_skeletons
from sgl.verify.structure import GraphPattern, StructureError, read_structure
from sgl.verify.tokens import Malformed, TokenTable, WordForm

#: The number in a `sent_id`: six digits or more, with zeros before it only to make six.
_NUMBER = re.compile(r"[0-9]{6}|[1-9][0-9]{6,17}")


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
    def of(cls, manifest: Manifest, clauses: Iterable[Clause], key: bytes) -> ReadingTask:
        """Return the task of a dataset; if a structure cannot be read, none is looked for."""
        structures: tuple[GraphPattern, ...] = ()
        with suppress(StructureError):
            structures = tuple([read_structure(clause.text) for clause in clauses])
        prefixes = ((GENERALIZATION, ""), (TRAIN, EXPOSURE))
        shares = {
            (split, prefix + pattern.name): pattern.targets
            for split, prefix in prefixes
            for pattern in manifest.patterns
            if pattern.targets
        }
        distinct = frozenset(manifest.distinct.lemmas)
        return cls(structures, manifest.texts(), distinct, shares, key)


class Range(NamedTuple):
    """A range of bytes of the file of a split."""

    split: str
    path: Path
    start: int
    end: int


class Knowledge:
    """What a process knows: words, lines and trees, shapes, and how to find structures."""

    def __init__(self, task: ReadingTask) -> None:
        self.task = task
        self.shapes = ShapeTable(task.structures)
        self.searcher = Searcher(self.shapes)
        self.tokens = TokenTable()
        self.hashing = Hashing(task.key)

        @cache
        def distinct_lemma(word: WordForm) -> str | None:
            """Return the lemma of a word that may not be repeated."""
            return word.get("lemma") if word.get("upos") in task.distinct else None

        self.distinct_lemma = distinct_lemma


def read_range(known: Knowledge, read: Range) -> Split:
    """Read a range, up to where it can be read if that fails."""
    part = Split.new(read.split, len(known.task.texts) - 1)
    seen: set[WordForm | int] = set()
    try:
        for entry in read_sentences(read.path, known.tokens, read.start, read.end):
            malformed = entry if isinstance(entry, Malformed) else _add(known, part, seen, entry)
            if malformed:
                part.malformed[len(part)] = malformed
                group_of, *others = part.columns()
                group_of.append(-1)
                for column in others:
                    column.append(0)
    except OSError as failure:
        part.error = failure.strerror or str(failure)
    return part


def search_shapes(known: Knowledge, shapes: Sequence[GraphShape]) -> tuple[list[int], int | None]:
    """Return which structures occur in each shape; shapes come frame by frame.

    Then comes the number of the structure whose search takes too long, if there is one: no
    shapes are searched after that.
    """
    found: list[int] = []
    known.searcher.allow(shapes)
    try:
        found.extend(known.searcher.occurring(shape) for shape in shapes)
    except SearchError as problem:
        return found, problem.number
    return found, None


def _add(
    known: Knowledge, part: Split, seen: set[WordForm | int], sentence: Sentence
) -> Malformed | None:
    """Add the next sentence of a range, unless it lacks a text: then say so.

    ``seen`` are the words of the range so far, and the trees, of which there is one object each.
    """
    comments, words, entry = dict(sentence.comments), sentence.words, len(part)
    try:
        source, *targets = [comments[key] for key in known.task.texts]
    except KeyError as missing:
        return Malformed(sentence.line, f"no comment # {missing.args[0]}")
    own = [lemma for lemma in map(known.distinct_lemma, words) if lemma is not None]
    if len(set(own)) < len(own):
        part.repeating.append(entry)
    if not seen.issuperset(words):
        for word in [word for word in words if word not in seen]:
            content = (word.form, word.get("lemma"), word.get("upos"))
            part.words.setdefault(content, entry)
            for pair in word.attributes:
                part.values.setdefault(pair, entry)
        seen.update(words)
    if id(sentence.edges) not in seen:
        seen.add(id(sentence.edges))
        for _, label, _ in sentence.edges:
            part.labels.setdefault(label, entry)
    category, target = comments["category"], ""
    shares = known.task.shares.get((part.name, category))
    if shares:
        lemmas = {word.get("lemma") for word in words}
        target = next(filter(lemmas.__contains__, shares), "")
    group = Group(part.name, category, known.shapes.of(sentence), target)
    split, _, number = comments["sent_id"].rpartition("-")
    hashing = known.hashing
    values = (
        part.groups.setdefault(group, len(part.groups)),
        sentence.offset,
        int(number) if split == part.name and _NUMBER.fullmatch(number) else 0,
        hashing.of(source),
        *map(hashing.of, sentence_skeletons(source)),
        hashing.of(targets[0]),
        *[hashing.of(source, target, category) for target in targets],
    )
    for column, value in zip(part.columns(), values, strict=True):
        column.append(value)
    return None
