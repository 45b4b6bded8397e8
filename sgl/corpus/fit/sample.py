"""What a corpus says about the weights: its sentences as uses of rules.

Most sentences have one reading, and of these only the sum of the uses of each rule is
kept, whatever their number; the others are kept as packed forests, each once with the
number of its rows.  Rows that say nothing are counted by the reason why.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

from sgl.core.interpret import Derivation
from sgl.corpus.normalization import Normalizer, spellings
from sgl.corpus.rows import Corpus, CorpusRow, ListedRow, Unreadable, list_row
from sgl.parsing import BatchParser, Forest, Parser, describe_failure, read_first

#: Called with the file, the number of rows so far and the share of the file that is read.
Progress = Callable[[str, int, float], None]

#: Sentences whose readings are kept, because corpora repeat themselves.
_KEPT = 20_000

#: Rows between two calls of the progress.
_EVERY = 100

#: All readings of a sentence: the only one, several packed, or none.
Readings = Derivation | Forest | None

#: What becomes of a row.
Fate = Literal["used", "other kind", "no reading", "held out", "unreadable"]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file that was read: its name, the SHA-256 of its bytes, its number of rows."""

    file: str
    sha256: str
    rows: int


@dataclass
class Sample:
    """The sentences of a corpus as uses of rules.

    Attributes:
        certain: how often each rule is used in sentences with one reading.
        ambiguous: the other sentences, each with the number of its rows.
        fates: the number of rows by what became of them.
        kinds: for each kind of row the same.
        unparsed, unreadable, held_out: the first rows of these sorts.
    """

    certain: Counter[int] = field(default_factory=Counter)
    ambiguous: dict[str, tuple[Forest, int]] = field(default_factory=dict)
    fates: Counter[Fate] = field(default_factory=Counter)
    kinds: dict[str, Counter[Fate]] = field(default_factory=dict)
    unparsed: list[ListedRow] = field(default_factory=list)
    unreadable: list[ListedRow] = field(default_factory=list)
    held_out: list[ListedRow] = field(default_factory=list)
    files: list[CorpusFile] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The number of rows that say something."""
        return self.fates["used"]

    def add_certain(self, derivation: Derivation) -> None:
        """Take the only reading of a sentence into account."""
        self.fates["used"] += 1
        self.certain.update(derivation)

    def add(self, forest: Forest, sentence: str, times: int = 1) -> None:
        """Take the readings of a sentence into account."""
        self.fates["used"] += times
        if forest.count == 1:
            for rule in forest.reading(0):
                self.certain[rule] += times
        else:
            _, before = self.ambiguous.get(sentence, (forest, 0))
            self.ambiguous[sentence] = (forest, before + times)


class Collector:
    """Reads corpora into a sample."""

    def __init__(
        self,
        parser: Parser,
        *,
        columns: int = 2,
        place: int = 0,
        kinds: Collection[str] = (),
        normalizer: Normalizer | None = None,
        admits: Callable[[Forest], bool] | None = None,
    ) -> None:
        """``place`` is the column of the sentences among ``columns`` text columns.

        Only rows of these ``kinds`` count (all if there are none), and only sentences
        whose readings ``admits`` finds possible.
        """
        self._parser = parser
        self._columns = columns
        self._place = place
        self._only = frozenset(kinds)
        self._normalizer = normalizer
        self._admits = admits
        self._batch = BatchParser(parser)
        self._known: OrderedDict[str, Readings] = OrderedDict()
        self.sample = Sample()

    def run(self, paths: Sequence[Path], progress: Progress) -> Sample:
        """Read all files.

        Raises:
            OSError: a file cannot be opened or read.
        """
        for path in paths:
            self._file(path, progress)
        return self.sample

    def _file(self, path: Path, progress: Progress) -> None:
        with path.open("rb") as stream:
            size = max(path.stat().st_size, 1)
            digest = sha256()
            while block := stream.read(1 << 20):
                digest.update(block)
        read = rows = 0
        for batch in Corpus(path, self._columns).batches():
            known = self._read(
                [
                    row.texts[self._place]
                    for row in batch
                    if isinstance(row, CorpusRow) and (not self._only or row.kind in self._only)
                ]
            )
            for row in batch:
                rows += 1
                read += row.size
                if isinstance(row, Unreadable):
                    self.sample.fates["unreadable"] += 1
                    list_row(self.sample.unreadable, ListedRow(str(path), row.line, "", row.reason))
                else:
                    self._row(str(path), row, known)
                if row.line % _EVERY == 0:
                    progress(str(path), row.line, read / size)
        self.sample.files.append(CorpusFile(path.name, digest.hexdigest(), rows))

    def _row(self, file: str, row: CorpusRow, known: Mapping[str, Readings]) -> None:
        fate = self._fate(file, row, known)
        if fate != "used":
            self.sample.fates[fate] += 1
        self.sample.kinds.setdefault(row.kind, Counter())[fate] += 1

    def _fate(self, file: str, row: CorpusRow, known: Mapping[str, Readings]) -> Fate:
        if self._only and row.kind not in self._only:
            return "other kind"
        sentence = row.texts[self._place]
        readings = known[sentence]
        if readings is None:
            reason = self._failure(sentence)
            list_row(self.sample.unparsed, ListedRow(file, row.line, sentence, reason))
            return "no reading"
        if self._admits is not None and not self._admits(self._packed(readings)):
            reason = "contains what the split leaves out"
            list_row(self.sample.held_out, ListedRow(file, row.line, sentence, reason))
            return "held out"
        if isinstance(readings, Forest):
            self.sample.add(readings, sentence)
        else:
            self.sample.add_certain(readings)
        return "used"

    def _packed(self, readings: Forest | Derivation) -> Forest:
        if isinstance(readings, Forest):
            return readings
        return Forest.of_one(self._parser.grammar, readings)

    def _read(self, sentences: Sequence[str]) -> dict[str, Readings]:
        """Return the readings of sentences, each in the first of its spellings that has any."""
        found: dict[str, Readings] = {}
        new: list[str] = []
        for sentence in dict.fromkeys(sentences):
            if sentence in self._known:
                self._known.move_to_end(sentence)
                found[sentence] = self._known[sentence]
            else:
                new.append(sentence)
        read = read_first(self._batch, [spellings(s, self._normalizer) for s in new])
        for sentence, first in zip(new, read, strict=True):
            found[sentence] = self._known[sentence] = (
                first.derivation if first.readings == 1 else self._parser.forest(first.spelling)
            )
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return found

    def _failure(self, sentence: str) -> str:
        *_, (last, _) = spellings(sentence, self._normalizer)
        return describe_failure(self._parser.grammar, last, self._parser.failure(last))
