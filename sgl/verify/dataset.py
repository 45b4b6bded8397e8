"""A dataset as the checks see it: the manifest, and what is to be known of every sentence.

The CoNLL-U files are read once: each is cut into ranges of some megabytes, which workers
read (``sgl.verify.reading``); then they search the shapes for all structures, frame by frame,
some hundreds in a task.  ``sgl.verify.items`` says what remains of a sentence: about seventy
bytes, whatever its length.  What grows otherwise is one object for each distinct word, line,
tree and shape: a million items of a benchmark take some tens of megabytes more than its
vocabulary and its shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sgl.verify.conllu import Malformed, line_at, ranges, read_sentence
from sgl.verify.items import CONLLU, CategoryGroups, Group, Item, Split
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.reading import Judge, Knowledge, Range, Workers, read_range, search_shapes
from sgl.verify.report import Violation
from sgl.verify.row_reading import RowsFound
from sgl.verify.search import Match

#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

#: Bytes of a file in one task, and shapes in one task.
RANGE = 1 << 22
SHAPES = 500


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset that has been read.

    ``items`` counts the well-formed sentences; ``clauses`` are the structures of the manifest by
    number, ``categories`` those of all splits with their groups; ``known`` is what has been found
    out about words and shapes; ``judge`` says what is wrong with a certificate; ``signature`` is
    the one that is expected, if any is; ``rows`` says what is found when all rows are drawn again;
    ``endless`` are the structures, by number, whose search took too many steps.
    """

    directory: Path
    manifest: Manifest
    splits: tuple[Split, ...]
    items: int
    categories: tuple[CategoryGroups, ...]
    clauses: tuple[Clause, ...]
    known: Knowledge
    judge: Judge
    signature: str
    rows: Callable[[], RowsFound]
    endless: frozenset[int]

    def categories_of(self, *splits: str) -> list[CategoryGroups]:
        """Return the categories of some splits."""
        return [category for category in self.categories if category.split in splits]

    def members(self, groups: Collection[Group]) -> Iterator[tuple[Split, int, Group]]:
        """Yield the sentences of some groups in their order."""
        for split in self.splits if groups else ():
            for entry, group in split.members(groups):
                yield split, entry, group

    def item(self, split: Split, entry: int) -> Item:
        """Return a sentence with its texts, read again."""
        path, offset = self.directory / CONLLU.format(split.name), split.offsets[entry]
        sentence = read_sentence(path, 1, offset)
        if isinstance(sentence, Malformed):
            raise OSError(
                0, "the file has changed while it was verified", CONLLU.format(split.name)
            )
        comments = dict(sentence.comments)
        source, *targets = [comments[key] for key in self.known.task.texts]
        names = comments["sent_id"], comments["category"]
        return Item(*names, source, tuple(targets), sentence.words)

    def group(self, split: Split, entry: int) -> Group:
        """Return the group of a sentence."""
        return [*split.groups][split.group_of[entry]]

    def violation(
        self, message: str, split: Split, entry: int, clause: Clause | None = None
    ) -> Violation:
        """Return a violation by a sentence, with the match of the structure it contains."""
        item = self.item(split, entry)
        match: Match = {}
        if clause:
            shape = self.group(split, entry).shape
            match = self.known.searcher.match(shape, clause.number) or {}
        tokens = tuple((name, f"{item.words[at].form} ({at + 1})") for name, at in match.items())
        path = CONLLU.format(split.name)
        line = line_at(self.directory / path, split.offsets[entry])
        return Violation(message, f"{path}:{line}", item.sent_id, item.source, tokens)


def clause_bits(clauses: Iterable[Clause]) -> int:
    """Return the structures of some clauses as a set, with a bit for each."""
    return sum(1 << number for number in {clause.number for clause in clauses})


def load(
    directory: Path,
    manifest: Manifest,
    clauses: tuple[Clause, ...],
    workers: Workers,
    judge: Judge,
    signature: str,
    rows: Callable[[], RowsFound],
    progress: Progress,
) -> Dataset:
    """Read the CoNLL-U files of a dataset, and search its shapes."""
    splits = tuple(_read(directory, manifest, workers, progress))
    shapes = workers.known.shapes.shapes()
    tasks = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    results = workers.results(search_shapes, tasks)
    endless: set[int] = set()
    for done, (task, (found, problem)) in enumerate(zip(tasks, results, strict=True)):
        progress(done * SHAPES, len(shapes), "searching graphs")
        endless |= set() if problem is None else {problem}
        for shape, occurring in zip(task, found, strict=False):
            shape.occurring = occurring
    categories = tuple(category for split in splits for category in split.categories())
    items = sum(category.items for category in categories)
    known = workers.known
    parts = manifest, splits, items, categories, clauses, known, judge, signature, rows
    return Dataset(directory, *parts, frozenset(endless))


def _read(
    directory: Path, manifest: Manifest, workers: Workers, progress: Progress
) -> Iterator[Split]:
    """Yield the splits, whose ranges are all submitted before the first is put together."""
    splits = {name: Split.new(name, 1 + len(manifest.layers.further)) for name in manifest.splits}
    cut: dict[str, list[Range]] = {name: [] for name in splits}
    for name, split in splits.items():
        path = directory / CONLLU.format(name)
        try:
            cut[name] = [Range(name, path, *ends) for ends in ranges(path, RANGE)]
        except OSError as failure:
            split.error = failure.strerror or str(failure)
    parts = workers.results(read_range, [read for own in cut.values() for read in own])
    total, done = sum(claim.items for claim in manifest.splits.values()), 0
    for name, split in splits.items():
        for read in cut[name]:
            part = next(parts)
            if not split.error:
                lines = line_at(read.path, read.start) - 1 if part.malformed else 0
                split.extend(part, workers.known.shapes, lines)
            done += len(part)
            progress(min(done, total), total, "reading sentences")
        yield split
