"""A dataset as the checks see it: the manifest, and every sentence that was written.

The CoNLL-U files are read once, in order.  Of each sentence remain its texts,
its words (one object per distinct word) and its shape (one object per distinct
shape), so that 70,000 sentences take some tens of megabytes.  A block that is
not a sentence keeps its place in the order as ``Malformed``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sgl.verify.conllu import Malformed, Sentence, Word, Words, read_sentences
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.report import Violation
from sgl.verify.search import Searcher
from sgl.verify.shape import Shape, Shapes, Vocabulary
from sgl.verify.structure import Structure, StructureError, read_structure

IN_DISTRIBUTION = "in_distribution"
EXPOSURE = "exposure:"
PART = "part:"
GENERALIZATION = "gen"
TRAIN = "train"

#: Splits in which nothing that is held out may occur.
TRAINING_LIKE = (TRAIN, "dev", "test")

#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

_STEP = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A sentence of a split; ``line`` is where it starts in the CoNLL-U file.

    ``further`` are its texts in the further targets of the manifest.
    """

    split: str
    line: int
    sent_id: str
    category: str
    source: str
    target: str
    words: tuple[Word, ...]
    shape: Shape
    further: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        """The file and line where the sentence is written."""
        return f"{conllu_path(self.split)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Split:
    """What the CoNLL-U file of a split holds; ``error`` if it cannot be read.

    ``groups`` are its sentences by category and shape: no structure can tell
    those of one group apart, so that one answer does for all of them.
    """

    name: str
    entries: tuple[Item | Malformed, ...]
    groups: tuple[tuple[Item, ...], ...]
    error: str = ""

    @property
    def items(self) -> Iterator[Item]:
        """The well-formed sentences."""
        return (entry for entry in self.entries if isinstance(entry, Item))


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that has been read.

    ``unreadable`` are the structures of the manifest that cannot be read, with
    the reason; no sentence can be searched for them.
    """

    directory: Path
    manifest: Manifest
    splits: tuple[Split, ...]
    unreadable: tuple[tuple[Clause, str], ...]
    searcher: Searcher
    shapes: int

    def items(self, *splits: str) -> Iterator[Item]:
        """The well-formed sentences of some splits, or of all, in order."""
        for split in self.splits:
            if not splits or split.name in splits:
                yield from split.items

    def groups(self, *splits: str) -> Iterator[tuple[Item, ...]]:
        """The sentences of some splits by category and shape."""
        for split in self.splits:
            if split.name in splits:
                yield from split.groups

    def contains(self, item: Item, clause: Clause) -> bool:
        """Whether a structure occurs in a sentence."""
        return self.searcher.occurs(item.shape, clause.number)

    def first_of(self, clauses: tuple[Clause, ...]) -> Callable[[Item], Clause | None]:
        """A function that finds the first of some structures that occurs in a sentence."""
        verdicts: dict[int, Clause | None] = {}

        def first(item: Item) -> Clause | None:
            number = item.shape.number
            if number not in verdicts:
                occurring = (clause for clause in clauses if self.contains(item, clause))
                verdicts[number] = next(occurring, None)
            return verdicts[number]

        return first

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


def conllu_path(split: str) -> str:
    """The CoNLL-U file of a split, inside the dataset."""
    return f"conllu/{split}.conllu"


def load(directory: Path, manifest: Manifest, progress: Progress) -> Dataset:
    """Read the CoNLL-U files of a dataset."""
    structures, unreadable = _read_structures(manifest)
    vocabulary = Vocabulary(structures)
    shapes = Shapes(vocabulary)
    words = Words()
    total = sum(manifest.items.values())
    done = 0
    splits: list[Split] = []
    for name in manifest.splits:
        entries: list[Item | Malformed] = []
        error = ""
        try:
            for sentence in read_sentences(directory / conllu_path(name), words):
                entries.append(_item(name, sentence, manifest, shapes))
                done += 1
                if done % _STEP == 0:
                    progress(min(done, total), total, "reading sentences")
        except OSError as failure:
            error = failure.strerror or str(failure)
        splits.append(Split(name, tuple(entries), _grouped(entries), error))
    return Dataset(
        directory,
        manifest,
        tuple(splits),
        unreadable,
        Searcher(vocabulary.compiled()),
        len(shapes.table),
    )


def _grouped(entries: list[Item | Malformed]) -> tuple[tuple[Item, ...], ...]:
    groups: dict[tuple[str, int], list[Item]] = {}
    for entry in entries:
        if isinstance(entry, Item):
            groups.setdefault((entry.category, entry.shape.number), []).append(entry)
    return tuple(tuple(items) for items in groups.values())


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


def _item(
    split: str, sentence: Sentence | Malformed, manifest: Manifest, shapes: Shapes
) -> Item | Malformed:
    if isinstance(sentence, Malformed):
        return sentence
    texts = {name: text for name, text in sentence.comments if name.startswith("text")}
    texts[f"text_{manifest.anchor}"] = texts.pop("text")
    for layer in (manifest.source, manifest.target, *manifest.further):
        if f"text_{layer}" not in texts:
            return Malformed(sentence.line, f"no comment # text_{layer}")
    return Item(
        split,
        sentence.line,
        sentence.comment("sent_id") or "",
        sentence.comment("category") or "",
        texts[f"text_{manifest.source}"],
        texts[f"text_{manifest.target}"],
        sentence.words,
        shapes.of(sentence),
        tuple(texts[f"text_{name}"] for name in manifest.further),
    )
