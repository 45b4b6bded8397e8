"""What a corpus says about the weights: its sentences as uses of rules.

Most sentences have one reading, and of these only the sum of the uses of each rule is
kept, whatever their number; the others are kept as packed forests, each once with the
number of its rows.  Rows that say nothing are counted by the reason why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from sgl.corpus.readings import Normalizer, ReadingCache, SentenceReadings
from sgl.corpus.rows import Corpus, CorpusRow, ListedRow, Progress, Unreadable, list_row
from sgl.foreign import ROWS, sha256_of
from sgl.parsing import Forest, Parser, describe_failure

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

    def add(self, read: SentenceReadings, sentence: str, times: int = 1) -> None:
        """Take the readings of a sentence into account."""
        self.fates["used"] += times
        for rule in read.derivation:
            self.certain[rule] += times
        if read.forest is not None:
            _, before = self.ambiguous.get(sentence, (None, 0))
            self.ambiguous[sentence] = (read.forest, before + times)


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
        self._admits = admits
        self._cache = ReadingCache(parser, normalizer, lambda read: read)
        self.sample = Sample()

    def run(self, paths: Sequence[Path], progress: Progress) -> Sample:
        """Read all files."""
        for path in paths:
            digest = sha256_of(path, ROWS)
            rows = 0
            for batch in Corpus(path, self._columns).batches(progress):
                rows += len(batch)
                self._batch(str(path), batch)
            self.sample.files.append(CorpusFile(path.name, digest, rows))
        return self.sample

    def _batch(self, file: str, batch: Sequence[CorpusRow | Unreadable]) -> None:
        sample = self.sample
        read = self._cache.read(
            row.texts[self._place]
            for row in batch
            if isinstance(row, CorpusRow) and (not self._only or row.kind in self._only)
        )
        for row in batch:
            if isinstance(row, Unreadable):
                sample.fates["unreadable"] += 1
                list_row(sample.unreadable, ListedRow(file, row.line, "", row.reason))
                continue
            sentence = row.texts[self._place]
            fate: Fate = "other kind"
            if not self._only or row.kind in self._only:
                fate = self._take(read[sentence], ListedRow(file, row.line, sentence, ""))
            if fate != "used":
                sample.fates[fate] += 1
            sample.kinds.setdefault(row.kind, Counter())[fate] += 1

    def _take(self, read: SentenceReadings, row: ListedRow) -> Fate:
        """Take a sentence into account if that is possible; return what became of it."""
        grammar = self._parser.grammar
        if read.refused:
            list_row(self.sample.unreadable, replace(row, sentence="", detail=read.refused))
            return "unreadable"
        if read.failure is not None:
            reason = describe_failure(grammar, read.spelling, read.failure)
            list_row(self.sample.unparsed, replace(row, detail=reason))
            return "no reading"
        forest = read.forest or Forest.of_one(grammar, read.derivation)
        if self._admits is not None and not self._admits(forest):
            reason = "contains what the split leaves out"
            list_row(self.sample.held_out, replace(row, detail=reason))
            return "held out"
        self.sample.add(read, row.sentence)
        return "used"
