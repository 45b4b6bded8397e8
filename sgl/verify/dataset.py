"""A dataset as the checks see it: its directory, the manifest, and what is known of each sentence.

The CoNLL-U files are read once, in ranges of some megabytes; then the shapes are searched for all
structures, frame by frame.  Of a sentence some seventy bytes remain (``sgl.verify.items``).  What
grows otherwise is one object for each distinct word, line, tree and shape.

The *signature* of a dataset is its identity, which the manifest states, with the SHA-256 of
``SHA256SUMS``, which has the SHA-256 of every other file.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from sgl import foreign
from sgl.foreign import TABLE, read_bytes, sha256_of
from sgl.verify.conllu import Malformed, line_at, ranges, read_sentence
from sgl.verify.items import CONLLU, CategoryGroups, Group, Item, Split, conllu_path
from sgl.verify.manifest import MANIFEST, Clause, Manifest, QuotaClaim
from sgl.verify.parquet import RowsFound
from sgl.verify.reading import Judge, Knowledge, Range, Workers, read_range, search_shapes
from sgl.verify.report import Result, Violation, checks
from sgl.verify.search import Match

#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

#: Bytes of a file in one task, and shapes in one task.
RANGE = 1 << 22
SHAPES = 500


@dataclass(frozen=True, slots=True)
class LoadedData:
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

    def counted(self, split: str, category: str, quotas: Iterable[QuotaClaim]) -> Iterator[QuotaClaim]:
        """Yield quotas with their numbers of items, copies too, or those of the manifest."""
        claim = self.manifest.splits.get(split)
        counts = {stratum.stream: stratum.count for stratum in claim.strata} if claim else {}
        for index, quota in enumerate(quotas):
            every = counts.get(f"{split}/{category}/{index}", 0)
            yield replace(quota, count=every if quota.every else quota.count * quota.copies)

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
            raise OSError(0, "the file has changed while it was verified", CONLLU.format(split.name))
        comments = dict(sentence.comments)
        source, *targets = [comments[key] for key in self.known.task.texts]
        names = comments["sent_id"], comments["category"]
        return Item(*names, source, tuple(targets), sentence.words)

    def group(self, split: Split, entry: int) -> Group:
        """Return the group of a sentence."""
        return [*split.groups][split.group_of[entry]]

    def violation(self, message: str, split: Split, entry: int, clause: Clause | None = None) -> Violation:
        """Return a violation by a sentence, with the match of the structure it contains."""
        item = self.item(split, entry)
        match: Match = {}
        if clause:
            shape = self.group(split, entry).shape
            match = self.known.searcher.match(shape, clause.number) or {}
        # Behind the words of the first layer come those of others.
        places = {name: at % len(item.words) for name, at in match.items()}
        tokens = tuple((name, f"{item.words[at].form} ({at + 1})") for name, at in places.items())
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
) -> LoadedData:
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
    return LoadedData(directory, *parts, frozenset(endless))


def _read(directory: Path, manifest: Manifest, workers: Workers, progress: Progress) -> Iterator[Split]:
    splits = {name: Split.new(name, 1 + len(manifest.layers.further)) for name in manifest.splits}
    cut: dict[str, list[Range]] = {name: [] for name in splits}
    for name, split in splits.items():
        path = directory / CONLLU.format(name)
        try:
            others = tuple(directory / conllu_path(name, x) for x in manifest.layers.written)
            ends = [(0, path.stat().st_size)] if others else ranges(path, RANGE)
            cut[name] = [Range(name, path, *own, others) for own in ends]
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


CHECKSUMS = "SHA256SUMS"

#: Digits of the fingerprint of the grammar in an identity.
_SHORT = 12

_LINE = re.compile("([0-9a-f]{64})  (.+)")
_IDENTITY = re.compile(r"sgl:[\w.+-]+\|edition:\w+\|grammar:sha256:[0-9a-f]{12}\|seed:\d+\|items:\d+", re.ASCII)


def foreign_entries(directory: Path) -> Iterator[str]:
    """Yield links, pipes, devices, sockets and files too large for any kind: nothing in such a directory is read."""
    for name, entry in entries_below(directory):
        shown = _printable(name)
        if entry.is_dir(follow_symlinks=False):
            yield f"{shown} is an empty folder"
        elif not entry.is_file(follow_symlinks=False):
            yield f"{shown} is neither a file nor a folder"
        elif entry.stat(follow_symlinks=False).st_size > TABLE.limit:
            yield f"{shown} has more than {TABLE.limit:,} bytes"


def signature_of(directory: Path, manifest: Manifest) -> str:
    """Return the signature of a dataset; nothing if it has no list of its files."""
    try:
        listed = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    except OSError:
        return ""
    return f"{manifest.identity}|files:sha256:{sha256(listed).hexdigest()}"


@checks("V028")
def checksums(data: LoadedData, tally: Result) -> None:
    listed = _read_list(data.directory, tally)
    found = {name for name, _ in entries_below(data.directory)} - {CHECKSUMS}
    for name in sorted(found | set(listed)):
        tally.checked += 1
        if name not in listed:
            tally.fault(f"{CHECKSUMS} does not list this file", _printable(name))
        elif name not in found:
            tally.fault("the file is missing", name)
        elif sha256_of(data.directory / name) != listed[name]:
            tally.fault("the file has changed: another SHA-256", name)
    stated, expected = data.manifest.identity, _identity(data.manifest)
    if stated != expected or not _IDENTITY.fullmatch(stated):
        tally.fault(f"the identity is {stated}, but the manifest says {expected}", MANIFEST)
    own = signature_of(data.directory, data.manifest)
    if data.signature and data.signature != own:
        tally.fault(f"the signature is {own}, not {data.signature}", CHECKSUMS)


def _read_list(directory: Path, tally: Result) -> dict[str, str]:
    content = read_bytes(directory / CHECKSUMS, foreign.CHECKSUMS, inside=directory)
    lines = content.decode("utf-8", "replace").split("\n")
    matches = [match for match in map(_LINE.fullmatch, lines) if match]
    names = [match[2] for match in matches]
    if lines[-1] or len(matches) < len(lines) - 1:
        tally.fault("a line is not a SHA-256, two spaces and a path", CHECKSUMS)
    if names != sorted(set(names)):
        tally.fault("the paths are not sorted, or one is listed twice", CHECKSUMS)
    return {match[2]: match[1] for match in matches}


def _identity(manifest: Manifest) -> str:
    items = sum(split.items for split in manifest.splits.values())
    return (
        f"sgl:{manifest.compiler.version}|edition:{manifest.compiler.edition}"
        f"|grammar:sha256:{manifest.grammar.sha256[:_SHORT]}|seed:{manifest.seed}|items:{items}"
    )


def entries_below(directory: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield what is in a directory and below it, with its path inside it; of folders empty ones."""
    folders: list[tuple[str, list[os.DirEntry[str]]]] = [("", [])]
    while folders:
        folder, own = folders.pop()
        with os.scandir(directory / folder) as entries:
            for entry in entries:
                own = []
                if entry.is_dir(follow_symlinks=False):
                    folders.append((f"{folder}{entry.name}/", [entry]))
                else:
                    yield f"{folder}{entry.name}", entry
        yield from ((folder, entry) for entry in own)


def _printable(name: str) -> str:
    return name.encode("utf-8", "replace").decode()
