"""A dataset as the checks see it: the manifest, and what is to be known of every sentence.

The CoNLL-U files are read once, in order (``sgl.verify.items`` says what remains of a
sentence: about forty bytes, whatever its length).  What grows otherwise is one object
for each distinct word, line, tree and shape: a million items of a benchmark take some
tens of megabytes more than its vocabulary and its shapes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path

from sgl.verify.conllu import Malformed, Sentence, Word, Words, read_sentence, read_sentences
from sgl.verify.items import EXPOSURE, GENERALIZATION, TRAIN, Group, Item, Split, conllu_path
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.questions import Questions
from sgl.verify.report import Violation
from sgl.verify.search import Searcher
from sgl.verify.shape import Shape, Shapes, Vocabulary
from sgl.verify.structure import Structure, StructureError, read_structure

#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

#: Says what is wrong with a certificate, given its bytes.
Judge = Callable[[bytes], tuple[str, ...]]

_STEP = 1_000


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that has been read.

    ``unreadable`` are the structures of the manifest that cannot be read, with
    the reason; no sentence can be searched for them.  ``groups`` are the groups of
    each split, with the number of their sentences; ``judge`` says what is wrong with
    a certificate.
    """

    directory: Path
    manifest: Manifest
    splits: tuple[Split, ...]
    groups: dict[str, tuple[tuple[Group, int], ...]]
    unreadable: tuple[tuple[Clause, str], ...]
    searcher: Searcher
    shapes: Shapes
    judge: Judge

    def items(self) -> int:
        """The number of well-formed sentences."""
        return sum(count for groups in self.groups.values() for _, count in groups)

    def groups_of(self, *splits: str) -> Iterator[tuple[Group, int]]:
        """The groups of some splits, in the order of the manifest."""
        for name, groups in self.groups.items():
            if name in splits:
                yield from groups

    def contains(self, group: Group, clause: Clause) -> bool:
        """Whether a structure occurs in the sentences of a group."""
        return self.searcher.occurs(group.shape, clause.number)

    def first_of(self, clauses: tuple[Clause, ...]) -> Callable[[Group], Clause | None]:
        """A function that finds the first of some structures that occurs in a group."""
        wanted = reduce(or_, [1 << clause.number for clause in clauses], 0)

        def first(group: Group) -> Clause | None:
            found = self.searcher.among(group.shape, wanted)
            if not found:
                return None
            return next(clause for clause in clauses if found >> clause.number & 1)

        return first

    def members(self, groups: list[Group]) -> Iterator[tuple[Split, int, Group]]:
        """The sentences of some groups in their order."""
        for split in self.splits:
            own = [group for group in groups if group.split == split.name]
            if own:
                for entry, group in split.members(own):
                    yield split, entry, group

    def item(self, split: Split, entry: int) -> Item:
        """A sentence with its texts, read again."""
        place = (split.lines[entry], split.offsets[entry])
        sentence = read_sentence(self.directory / conllu_path(split.name), *place)
        if isinstance(sentence, Malformed):
            raise OSError(0, "the file has changed while it was verified", conllu_path(split.name))
        comments = dict(sentence.comments)
        source, *targets = [comments[key] for key in _text_keys(self.manifest)]
        return Item(
            split.name,
            sentence.line,
            comments["sent_id"],
            comments["category"],
            source,
            tuple(targets),
            sentence.words,
            split.group(entry).shape,
        )

    def violation_by(
        self, message: str, split: Split, entry: int, clause: Clause | None = None
    ) -> Violation:
        """A violation by a sentence that is read again."""
        return self.violation(message, self.item(split, entry), clause)

    def violation(self, message: str, item: Item, clause: Clause | None = None) -> Violation:
        """A violation by a sentence, with the match of the structure it contains."""
        match = (self.searcher.match(item.shape, clause.number) if clause else None) or {}
        return Violation(
            message,
            item.place,
            item.sent_id,
            item.source,
            tuple((name, f"{item.words[at].form} ({at + 1})") for name, at in match.items()),
        )


def load(directory: Path, manifest: Manifest, progress: Progress, judge: Judge) -> Dataset:
    """Read the CoNLL-U files of a dataset, and search its shapes."""
    structures, unreadable = _read_structures(manifest)
    vocabulary = Vocabulary(structures)
    shapes = Shapes(vocabulary)
    words = Words()
    total = sum(manifest.items.values())
    done = 0
    splits: list[Split] = []
    for name in manifest.splits:
        reader = _Reader(name, manifest, shapes)
        try:
            for sentence in read_sentences(directory / conllu_path(name), words):
                reader.add(sentence)
                done += 1
                if done % _STEP == 0:
                    progress(min(done, total), total, "reading sentences")
        except OSError as failure:
            reader.split.error = failure.strerror or str(failure)
        splits.append(reader.split)
    data = Dataset(
        directory,
        manifest,
        tuple(splits),
        {split.name: tuple(zip(split.groups, split.counts(), strict=True)) for split in splits},
        unreadable,
        Searcher(vocabulary.compiled()),
        shapes,
        judge,
    )
    if not unreadable:
        _search(data, progress)
    return data


def _search(data: Dataset, progress: Progress) -> None:
    """Search every shape for all that will be asked of it, frame by frame."""
    questions = Questions(data.manifest)
    wanted: dict[Shape, int] = {}
    for group, _ in data.groups_of(*data.groups):
        asked = questions[group.split, group.category]
        wanted[group.shape] = wanted.get(group.shape, 0) | asked
    for done, shape in enumerate(sorted(wanted, key=lambda shape: shape.frame.number)):
        if done % _STEP == 0:
            progress(done, len(wanted), "searching graphs")
        data.searcher.among(shape, wanted[shape])


class _Reader:
    """Takes the sentences of a split, one after the other, and keeps what remains of them."""

    def __init__(self, name: str, manifest: Manifest, shapes: Shapes) -> None:
        targets = (manifest.target, *manifest.further)
        self.split = Split(name, rows=tuple(array("q") for _ in targets))
        self._texts = _text_keys(manifest)
        self._shapes = shapes
        self._numbers: dict[tuple[str, int, str], int] = {}
        self._names = _Names(frozenset(manifest.distinct_lemmas))
        prefix = {GENERALIZATION: "", TRAIN: EXPOSURE}.get(name)
        with_targets = [p for p in manifest.patterns if p.targets and prefix is not None]
        self._targets = {f"{prefix}{pattern.name}": pattern.targets for pattern in with_targets}

    def add(self, sentence: Sentence | Malformed) -> None:
        """Add the next entry of the split."""
        if isinstance(sentence, Malformed):
            self.split.append_malformed(sentence)
            return
        comments = dict(sentence.comments)
        try:
            source, *targets = [comments[key] for key in self._texts]
        except KeyError as missing:
            reason = f"no comment # {missing.args[0]}"
            self.split.append_malformed(Malformed(sentence.line, reason))
            return
        split, entry = self.split, len(self.split)
        if comments["sent_id"] != f"{split.name}-{entry + 1:06d}":
            split.misnumbered.append(entry)
        names = [name for name in map(self._names.__getitem__, sentence.words) if name is not None]
        if len(set(names)) < len(names):
            split.repeating.append(entry)
        category = comments["category"]
        split.append(sentence, self._group(sentence, category), source, category, targets)

    def _group(self, sentence: Sentence, category: str) -> int:
        """The number of the group that a sentence belongs to."""
        target = ""
        if category in self._targets:
            lemmas = {word.get("lemma") for word in sentence.words}
            target = next(filter(lemmas.__contains__, self._targets[category]), "")
        shape = self._shapes.of(sentence)
        key = (category, shape.number, target)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.split.groups)
            self.split.groups.append(Group(number, self.split.name, category, shape, target))
        return number


class _Names(dict[Word, str | None]):
    """The lemmas of words of some parts of speech, ``None`` for all other words."""

    def __init__(self, tags: frozenset[str]) -> None:
        super().__init__()
        self._tags = tags

    def __missing__(self, word: Word) -> str | None:
        name = self[word] = word.get("lemma") if word.get("upos") in self._tags else None
        return name


def _text_keys(manifest: Manifest) -> list[str]:
    """The comments that hold the source of a sentence and its targets."""
    layers = (manifest.source, manifest.target, *manifest.further)
    return ["text" if layer == manifest.anchor else f"text_{layer}" for layer in layers]


def _read_structures(
    manifest: Manifest,
) -> tuple[list[Structure], tuple[tuple[Clause, str], ...]]:
    """The structures of the manifest by number; none at all if one cannot be read."""
    structures: list[Structure] = []
    unreadable: list[tuple[Clause, str]] = []
    for clause in manifest.structures:
        try:
            structures.append(read_structure(clause.text))
        except StructureError as error:
            unreadable.append((clause, str(error)))
    return ([] if unreadable else structures), tuple(unreadable)
