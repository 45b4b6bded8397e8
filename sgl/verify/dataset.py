"""A dataset as the checks see it: its directory, the manifest, and what is known of each sentence; and what they say.

The CoNLL-U files are read once, in ranges of some megabytes; then the shapes are searched for all
structures, frame by frame.  Of a sentence some seventy bytes remain (``sgl.verify.items``).  What
grows otherwise is one object for each distinct word, line, tree and shape.
"""

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from sgl.verify.conllu import Malformed, line_at, ranges, read_sentence
from sgl.verify.items import CategoryGroups, Group, Item, Split, conllu_path
from sgl.verify.manifest import Clause, Manifest, QuotaClaim
from sgl.verify.parquet import RowsFound
from sgl.verify.reading import Judge, Knowledge, Range, Workers, read_range, search_shapes
from sgl.verify.skeleton import visible

Status = Literal["passed", "failed", "skipped"]

#: Violations that are kept with their sentences; all are counted.
SHOWN = 20

#: Letters of a part of a violation that are shown; a file of others may have a row of a million.
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is not as claimed.

    ``place`` is a file with a line, or the place in the manifest.  For a sentence, ``match`` pairs
    the variables of the structure that was found with their tokens, ``("N", "dog (2)")``, from 1.
    Quotations are as in the files; ``str`` escapes what a terminal would hide or obey.
    """

    message: str
    place: str = ""
    sent_id: str = ""
    sentence: str = ""
    match: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [self.message]
        if self.sentence:
            parts.append(f"{self.sent_id} “{self.sentence}”")
        if self.match:
            parts.append(", ".join(f"{name} = {token}" for name, token in self.match))
        if self.place:
            parts.append(self.place)
        return visible(" · ".join(part if len(part) <= _LONGEST else f"{part[:_LONGEST]}…" for part in parts))


@dataclass(frozen=True, slots=True)
class Figure:
    """A count worth reporting beside the verdict; ``detail`` gives examples."""

    label: str
    value: int
    detail: str = ""


@dataclass(slots=True)
class Result:
    """The outcome of one check, which fills it.

    ``total`` counts all violations, of which ``violations`` are the first, among ``checked``
    things.  ``reason`` says why a check was skipped.
    """

    code: str
    name: str
    claim: str
    status: Status = "passed"
    checked: int = 0
    total: int = 0
    violations: list[Violation] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    reason: str = ""

    @classmethod
    def of(cls, code: str) -> "Result":
        """Return the result of a check that has found nothing yet."""
        return cls(code, CLAIMS[code]["name"], CLAIMS[code]["claim"])

    def add(self, violation: Violation | Callable[[], Violation]) -> None:
        """Count a violation; it is made, if it has to be, and kept if it is among the first."""
        if len(self.violations) < SHOWN:
            self.violations.append(violation() if callable(violation) else violation)
        self.total += 1
        self.status = "failed"

    def skip(self, reason: str) -> "Result":
        """Say why the check was not made."""
        self.status, self.reason = "skipped", reason
        return self

    def fault(self, message: str, place: str = "", sent_id: str = "", sentence: str = "") -> None:
        """Count a violation in which no structure was found."""
        self.add(Violation(message, place, sent_id, sentence))

    def figure(self, label: str, value: int, detail: str = "") -> None:
        """Report a count."""
        self.figures.append(Figure(label, value, detail))


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of all checks on one dataset.

    ``items`` counts the sentences that were read, ``shapes`` how many different ones the structures
    can tell apart.  The ``signature`` is empty while the directory has no list of its files.
    """

    name: str
    identity: str
    signature: str
    items: int
    shapes: int
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(result for result in self.results if result.status == "failed")

    def result(self, code: str) -> Result:
        """Return the outcome of the check with this code; raises ``KeyError``."""
        return {result.code: result for result in self.results}[code]

    def as_data(self) -> dict[str, object]:
        """Return the report as plain data, for JSON."""
        return {"ok": self.ok, **asdict(self)}


#: What reports to a result what is wrong with a dataset.
CheckFunction = Callable[["LoadedData", Result], None]

#: What is claimed of a dataset, and the functions that check it, by the codes of the checks.
CLAIMS = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))
FUNCTIONS: dict[str, CheckFunction] = {}


def checks(*codes: str) -> Callable[[CheckFunction], CheckFunction]:
    """Make a function the checks with some codes in ``checks.toml``; the result that it gets has the code."""

    def register(function: CheckFunction) -> CheckFunction:
        FUNCTIONS.update(dict.fromkeys(codes, function))
        return function

    return register


class SkippedError(Exception):
    """Raised by a check that cannot be made here; the message says why."""


#: Called with how much is done, how much there is, and what is being done.
Progress = Callable[[int, int, str], None]

#: Bytes of a file in one task, and shapes in one task.
RANGE = 1 << 22
SHAPES = 500


@dataclass(frozen=True)
class LoadedData:
    """A dataset that has been read.

    ``clauses`` are the structures of the manifest by number, of which the search of ``endless`` ones took too many
    steps; ``known`` is what has been found out about words and shapes; ``judge`` says what is wrong with a certificate;
    ``signature`` is the one that is expected, if any is; ``rows`` says what is found when all rows are drawn again.
    """

    directory: Path
    manifest: Manifest
    clauses: tuple[Clause, ...]
    splits: tuple[Split, ...]
    endless: frozenset[int]
    known: Knowledge
    judge: Judge
    signature: str
    rows: Callable[[], RowsFound]

    @cached_property
    def categories(self) -> tuple[CategoryGroups, ...]:
        """The categories of all splits, with their groups."""
        return tuple(category for split in self.splits for category in split.categories())

    @property
    def items(self) -> int:
        """The number of well-formed sentences."""
        return sum(category.items for category in self.categories)

    def categories_of(self, *splits: str) -> list[CategoryGroups]:
        """Return the categories of some splits."""
        return [category for category in self.categories if category.split in splits]

    def counted(self, split: str, category: str, quotas: Iterable[QuotaClaim]) -> Iterator[QuotaClaim]:
        """Yield quotas with their numbers of items, copies too, or those of the manifest."""
        claim = self.manifest.splits.get(split)
        counts = {stratum.stream: stratum.count for stratum in claim.strata} if claim else {}
        for index, quota in enumerate(quotas):
            every = counts.get(f"{split}/{category}/{index}", 0)
            yield replace(quota, extent=replace(quota.extent, count=every if quota.extent.every else quota.extent.rows))

    def members(self, groups: Collection[Group]) -> Iterator[tuple[Split, int, Group]]:
        """Yield the sentences of some groups in their order."""
        for split in self.splits if groups else ():
            for entry, group in split.members(groups):
                yield split, entry, group

    def item(self, split: Split, entry: int) -> Item:
        """Return a sentence with its texts, read again."""
        path, offset = self.directory / conllu_path(split.name), split.offsets[entry]
        sentence = read_sentence(path, offset)
        if isinstance(sentence, Malformed):
            raise OSError(0, "the file has changed while it was verified", conllu_path(split.name))
        comments = dict(sentence.comments)
        source, *targets = [comments[key] for key in self.known.texts]
        names = comments["sent_id"], comments["category"]
        return Item(*names, source, tuple(targets), sentence.words)

    def group(self, split: Split, entry: int) -> Group:
        """Return the group of a sentence."""
        return [*split.groups][split.group_of[entry]]

    def violation(self, message: str, split: Split, entry: int, clause: Clause | None = None) -> Violation:
        """Return a violation by a sentence, with the match of the structure it contains."""
        item = self.item(split, entry)
        match = self.known.searcher.match(self.group(split, entry).shape, clause.number) if clause else None
        # Behind the words of the first layer come those of others.
        places = {name: at % len(item.words) for name, at in (match or {}).items()}
        tokens = tuple((name, f"{item.words[at].form} ({at + 1})") for name, at in places.items())
        path = conllu_path(split.name)
        line = line_at(self.directory / path, split.offsets[entry])
        return Violation(message, f"{path}:{line}", item.sent_id, item.source, tokens)


def clause_bits(clauses: Iterable[Clause]) -> int:
    """Return the structures of some clauses as a set, with a bit for each."""
    return sum(1 << number for number in {clause.number for clause in clauses})


def load(
    directory: Path, manifest: Manifest, workers: Workers, progress: Progress
) -> tuple[tuple[Split, ...], frozenset[int]]:
    """Read the CoNLL-U files of a dataset and search its shapes; return also the structures whose search is endless."""
    splits = {name: Split.new(name, 1 + len(manifest.layers.further)) for name in manifest.splits}
    reads = list[Range]()
    for name, split in splits.items():
        path = directory / conllu_path(name)
        try:
            others = tuple(directory / conllu_path(name, x) for x in manifest.layers.written)
            ends = [(0, path.stat().st_size)] if others else ranges(path, RANGE)
            reads += [Range(name, path, *own, others) for own in ends]
        except OSError as failure:
            split.error = failure.strerror or str(failure)
    known, total, done = workers.known, sum(claim.items for claim in manifest.splits.values()), 0
    for read, part in zip(reads, workers.results(read_range, reads), strict=True):
        split = splits[read.split]
        if not split.error:
            lines = line_at(read.path, read.start) - 1 if part.malformed else 0
            split.extend(part, known.shapes, lines)
        done += len(part)
        progress(min(done, total), total, "reading sentences")
    shapes = known.shapes.shapes()
    tasks = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    endless: set[int] = set()
    for number, (task, results) in enumerate(zip(tasks, workers.results(search_shapes, tasks), strict=True)):
        progress(number * SHAPES, len(shapes), "searching graphs")
        found, problem = results
        endless |= set() if problem is None else {problem}
        for shape, occurring in zip(task, found, strict=False):
            shape.occurring = occurring
    return tuple(splits.values()), frozenset(endless)
