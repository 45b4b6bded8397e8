"""A dataset as the checks see it: directory, manifest and table of sentences; and the results of the checks.

The CoNLL-U files are read once, in ranges of some megabytes, into the table (``sgl.verify.table``); then the shapes are
searched for all structures, frame by frame.  Memory grows by one object for each distinct word, line, tree and shape.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from sgl.verify.conllu import Malformed, WordForm, line_at, ranges, read_sentence
from sgl.verify.items import GraphShape, conllu_path
from sgl.verify.manifest import Clause, Manifest
from sgl.verify.parquet import RowsFound
from sgl.verify.reading import Judge, Knowledge, Range, Workers, read_range, search_shapes
from sgl.verify.skeleton import visible
from sgl.verify.table import DatasetTable

Status = Literal["passed", "failed", "skipped"]

#: Maximum number of violations kept with their sentences; all are counted.
SHOWN = 20

#: Maximum length of a part of a violation; a malicious file may have a row of a million characters.
_LONGEST = 1_000


@dataclass(frozen=True, slots=True)
class Violation:
    """One violation of a claim.

    ``place`` is a file with a line, or the place in the manifest.  For a sentence, ``match`` pairs the variables of the
    structure that was found with their tokens, ``("N", "dog (2)")``, from 1. Quotations are unchanged; ``str`` escapes
    characters that a terminal would hide or interpret.
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
    """A count to report with the verdict; ``detail`` gives examples."""

    label: str
    value: int
    detail: str = ""


@dataclass(slots=True)
class Result:
    """The outcome of one check, filled in while it runs.

    ``violations`` has the first of ``total`` violations, among ``checked`` things.  ``reason`` says why a check was
    skipped.
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
        """Count a violation; make and keep it only if it is among the first."""
        if len(self.violations) < SHOWN:
            self.violations.append(violation() if callable(violation) else violation)
        self.total += 1
        self.status = "failed"

    def skip(self, reason: str) -> "Result":
        """Mark the check as skipped, for this reason."""
        self.status, self.reason = "skipped", reason
        return self

    def fault(self, message: str, place: str = "", sent_id: str = "", sentence: str = "") -> None:
        """Count a violation without a matched structure."""
        self.add(Violation(message, place, sent_id, sentence))

    def figure(self, label: str, value: int, detail: str = "") -> None:
        """Add a count to the report."""
        self.figures.append(Figure(label, value, detail))


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of all checks on one dataset.

    ``items`` counts the sentences that were read, ``shapes`` the classes of sentences that the structures distinguish.
    The ``signature`` is empty if the directory has no list of its files.
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


#: Reports the faults of a dataset to a result.
CheckFunction = Callable[["LoadedData", Result], None]

#: The claims about a dataset, and the functions that check them, by check code.
CLAIMS = tomllib.loads(Path(__file__).with_name("checks.toml").read_text("utf-8"))
FUNCTIONS: dict[str, CheckFunction] = {}


def checks(*codes: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register a function for these check codes of ``checks.toml``; its result has the code."""

    def register(function: CheckFunction) -> CheckFunction:
        FUNCTIONS.update(dict.fromkeys(codes, function))
        return function

    return register


class SkippedError(Exception):
    """A check cannot be made here; the message says why."""


#: Called with the work done, the total work, and the current step.
Progress = Callable[[int, int, str], None]

#: Bytes of a file, and shapes, in one task.
RANGE = 1 << 22
SHAPES = 500


class Place(NamedTuple):
    """A stratum of a split, or the sentences of a category outside all strata, and their number."""

    split: str
    category: str
    stream: str
    items: int


@dataclass(frozen=True)
class LoadedData:
    """A dataset that has been read.

    ``clauses`` are the structures of the manifest by number; the search for the ``endless`` ones took too many steps.
    ``known`` caches words and shapes; ``judge`` returns the faults of a certificate; ``signature`` is the expected one,
    if any; ``rows`` returns the result of drawing all rows again.
    """

    directory: Path
    manifest: Manifest
    clauses: tuple[Clause, ...]
    table: DatasetTable
    endless: frozenset[int]
    known: Knowledge
    judge: Judge
    signature: str
    rows: Callable[[], RowsFound]

    @cached_property
    def shapes(self) -> dict[int, GraphShape]:
        """The shapes by their numbers."""
        return {shape.number: shape for shape in self.known.shapes.shapes()}

    @cached_property
    def _places(self) -> list[Place]:
        counts = "SELECT split, category, stream, sum(items) FROM kind GROUP BY 1, 2, 3 ORDER BY min(rowid)"
        return [Place(*row) for row in self.table.select(counts)]

    @property
    def items(self) -> int:
        """The number of well-formed sentences."""
        return sum(place.items for place in self._places)

    def places(self, *splits: str) -> list[Place]:
        """Return the places of sentences in these splits, or in all."""
        return [place for place in self._places if not splits or place.split in splits]

    def words(self, number: int) -> tuple[WordForm, ...]:
        """Return the words of the sentence with this number in the table, read again."""
        ((split, place),) = self.table.select("SELECT split, place FROM sentence WHERE number = :number", number=number)
        sentence = read_sentence(self.directory / conllu_path(split), place)
        if isinstance(sentence, Malformed):
            raise OSError(0, "the file has changed while it was verified", conllu_path(split))
        return sentence.words

    def violation(self, message: str, number: int, clause: int | None = None) -> Violation:
        """Return a violation by the sentence with this number, with the match of the structure in it."""
        own = "SELECT split, place, shape, sent_id, source FROM sentence WHERE number = :number"
        ((split, place, shape, sent_id, source),) = self.table.select(own, number=number)
        match = None if clause is None else next(self.known.searcher.matches(self.shapes[shape], clause), None)
        words = self.words(number) if match else ()
        # The words of further layers follow the words of the first.
        places = {name: at % len(words) for name, at in (match or {}).items()}
        tokens = tuple((name, f"{words[at].form} ({at + 1})") for name, at in places.items())
        path = conllu_path(split)
        return Violation(message, f"{path}:{line_at(self.directory / path, place)}", sent_id, source, tokens)


def load(
    directory: Path, manifest: Manifest, table: DatasetTable, workers: Workers, progress: Progress
) -> frozenset[int]:
    """Read the CoNLL-U files of a dataset and search its shapes; return the structures whose search was endless."""
    known, total, done = workers.known, sum(claim.items for claim in manifest.splits.values()), 0
    table.expect(manifest)
    reads = [read for split in manifest.splits for read in _ranges(directory, split, manifest, table)]
    for read, part in zip(reads, workers.results(read_range, reads), strict=True):
        if read.split not in table.errors:
            malformed = any(block.reason for block in part.blocks)
            table.add(read.split, part, known.shapes, line_at(read.path, read.start) - 1 if malformed else 0)
        done += len(part.blocks)
        progress(min(done, total), total, "reading sentences")
    endless = _search(workers, progress)
    table.complete(known.shapes.shapes())
    return endless


def _ranges(directory: Path, split: str, manifest: Manifest, table: DatasetTable) -> Iterator[Range]:
    path = directory / conllu_path(split)
    try:
        others = tuple(directory / conllu_path(split, layer) for layer in manifest.layers.written)
        for start, end in [(0, path.stat().st_size)] if others else ranges(path, RANGE):
            yield Range(split, path, start, end, others)
    except OSError as failure:
        table.errors[split] = failure.strerror or str(failure)


def _search(workers: Workers, progress: Progress) -> frozenset[int]:
    shapes, endless = workers.known.shapes.shapes(), set[int]()
    tasks = [shapes[at : at + SHAPES] for at in range(0, len(shapes), SHAPES)]
    for number, (task, results) in enumerate(zip(tasks, workers.results(search_shapes, tasks), strict=True)):
        progress(number * SHAPES, len(shapes), "searching graphs")
        found, problem = results
        endless |= set() if problem is None else {problem}
        for shape, occurring in zip(task, found, strict=False):
            shape.occurring = occurring
    return frozenset(endless)
