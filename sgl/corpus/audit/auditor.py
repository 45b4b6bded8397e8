"""Go through the files of a corpus, row by row, and count what the grammar makes of them.

Sentences that occur more than once, within a file and across files, are found by eight bytes
of the BLAKE2 hash of each, so that a corpus of any size can be compared; among ten million
sentences two different ones are taken for the same with a probability of about 10⁻⁶.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.corpus.audit.ambiguity import choices
from sgl.corpus.audit.judgement import Judgement, SentenceReader
from sgl.corpus.audit.mismatch import explain_difference
from sgl.corpus.audit.result import (
    Audit,
    Cause,
    FileTally,
    SharedSentences,
    Tally,
)
from sgl.corpus.audit.structures import DeclaredStructure
from sgl.corpus.normalization import Normalizer, spellings
from sgl.corpus.rows import Corpus, CorpusRow, ListedRow, Unreadable, list_row
from sgl.parsing import describe_failure


class Fingerprints:
    """The hashes of the sentences of one file."""

    def __init__(self) -> None:
        self._hashes = array("Q")

    def add(self, sentence: str) -> None:
        """Take note of a sentence."""
        digest = blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._hashes.append(int.from_bytes(digest, "little"))

    def counted(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the distinct hashes, sorted, and how often each occurs."""
        hashes = np.frombuffer(self._hashes, np.uint64) if self._hashes else np.empty(0, np.uint64)
        return np.unique(hashes, return_counts=True)


def distinct_and_shared(files: list[Fingerprints]) -> tuple[list[int], list[SharedSentences]]:
    """Return the number of distinct sentences of each file, and what each pair of files shares."""
    counted = [file.counted() for file in files]
    shared: list[SharedSentences] = []
    for (first, (known, _)), (second, (hashes, counts)) in combinations(enumerate(counted), 2):
        common = np.isin(hashes, known, assume_unique=True)
        shared.append(SharedSentences(first, second, int(counts[common].sum()), int(common.sum())))
    return [len(hashes) for hashes, _ in counted], shared


#: Called with the file, the number of rows so far and the share of the file that is read.
Progress = Callable[[str, int, float], None]

#: The likeliest readings of which the one closest to the published text is explained.
_COMPARED = 10

#: Rows between two calls of the progress.
_EVERY = 100


class Auditor:
    """Audits corpora with one grammar.

    Attributes:
        columns: the columns of the files: text layers and views by name, or ``-``.
    """

    def __init__(
        self,
        reader: SentenceReader,
        columns: Sequence[str],
        declared: Sequence[DeclaredStructure] = (),
        normalizers: Sequence[Normalizer | None] = (),
    ) -> None:
        """Take a normalizer for each target of the reader; without one texts must be equal."""
        self.columns = tuple(columns)
        self._reader = reader
        self._grammar = reader.parser.grammar
        self._declared = tuple(declared)
        self._normalizers = tuple(normalizers)
        self._layer = reader.parser.layer
        source = self._grammar.text_layers[self._layer].name
        self._source = self.columns.index(source)
        self._targets = [target.name for target in reader.targets]
        self.audit = Audit(
            source,
            tuple(self._targets),
            tuple(entry.name for entry in self._declared),
        )

    def run(self, paths: Sequence[Path], progress: Progress) -> Audit:
        """Audit all files.

        Raises:
            OSError: a file cannot be opened or read.
        """
        fingerprints = [self._file(path, progress) for path in paths]
        distinct, self.audit.shared = distinct_and_shared(fingerprints)
        for file, number in zip(self.audit.files, distinct, strict=True):
            file.distinct = number
        return self.audit

    def _file(self, path: Path, progress: Progress) -> Fingerprints:
        file = FileTally(str(path))
        self.audit.files.append(file)
        fingerprints = Fingerprints()
        size = max(path.stat().st_size, 1)
        read = 0
        for batch in Corpus(path, len(self.columns)).batches():
            sentences = [row.texts[self._source] for row in batch if isinstance(row, CorpusRow)]
            judgements = iter(self._reader.judge_all(sentences))
            for row in batch:
                read += row.size
                if isinstance(row, Unreadable):
                    tally = file.of("")
                    tally.rows += 1
                    tally.unreadable += 1
                    list_row(self.audit.unreadable, ListedRow(file.name, row.line, "", row.reason))
                else:
                    fingerprints.add(row.texts[self._source])
                    self._row(file, row, next(judgements))
                if row.line % _EVERY == 0:
                    progress(file.name, row.line, read / size)
        return fingerprints

    def _row(self, file: FileTally, row: CorpusRow, judged: Judgement) -> None:
        sentence = row.texts[self._source]
        tally = file.of(row.kind)
        tally.rows += 1
        if judged.failure is not None:
            detail = describe_failure(self._grammar, judged.spelling, judged.failure)
            _, word = self._reader.parser.word_at(judged.spelling, judged.failure.position)
            self.audit.fail(ListedRow(file.name, row.line, sentence, detail), word)
            return
        tally.parsed += 1
        tally.changed.update(judged.changed)
        tally.some.update([self._declared[index].name for index in sorted(judged.some)])
        tally.every.update([self._declared[index].name for index in sorted(judged.every)])
        if judged.readings > 1:
            self._ambiguous(file, row, judged, tally)
        for place, name in enumerate(self._targets):
            if name in self.columns:
                self._compare(file, row, judged, tally, place)

    def _ambiguous(self, file: FileTally, row: CorpusRow, judged: Judgement, tally: Tally) -> None:
        tally.ambiguous += 1
        differ = [outputs for outputs in judged.outputs if len(outputs) > 1]
        tally.differing += bool(differ)
        detail = f"{judged.readings:,} readings" + "".join(
            f"; {' | '.join(outputs[:3])}" for outputs in differ
        )
        sentence = row.texts[self._source]
        listed = ListedRow(file.name, row.line, sentence, detail)
        list_row(self.audit.ambiguous, listed)
        if judged.forest is not None:
            texts = (target.layer for target in self._reader.targets if target.layer is not None)
            for choice in choices(judged.forest, next(texts, self._layer)):
                self.audit.part(listed, choice)

    def _compare(
        self, file: FileTally, row: CorpusRow, judged: Judgement, tally: Tally, place: int
    ) -> None:
        """Compare the outputs in one target with the text of the row."""
        name = self._targets[place]
        published = row.texts[self.columns.index(name)]
        normalizer = self._normalizers[place] if self._normalizers else None
        texts = [text for text, _ in spellings(published, normalizer)]
        if any(self._reader.gives(judged, place, text) for text in texts):
            tally.exact[name] += 1
        else:
            self._differ(file, row, judged, place, texts)

    def _differ(
        self,
        file: FileTally,
        row: CorpusRow,
        judged: Judgement,
        place: int,
        texts: Sequence[str],
    ) -> None:
        """Note what explains that no output is the text of the row, in any of its spellings."""
        name, output = self._targets[place], self._reader.targets[place]
        explained = (
            explain_difference(self._grammar, derivation, output, text)
            for text in texts
            for derivation in self._reader.likeliest(judged, _COMPARED)
        )
        differences = min(
            explained, key=lambda found: sum(len(d.given) + len(d.published) for d in found)
        )
        published = row.texts[self.columns.index(name)]
        listed = ListedRow(file.name, row.line, row.texts[self._source], published)
        met: set[tuple[str, str, str]] = set()
        for found in differences:
            cause = (name, found.kind, self._name_of(found.rule))
            if cause not in met:
                met.add(cause)
                self._cause(cause, listed, judged.outputs[place][0]).count(
                    (found.given, found.published)
                )

    def _cause(self, key: tuple[str, str, str], example: ListedRow, given: str) -> Cause:
        if key not in self.audit.causes:
            layer, kind, name = key
            self.audit.causes[key] = Cause(name, kind, layer, example, given)
        return self.audit.causes[key]

    def _name_of(self, number: int) -> str:
        """Return what a person calls a rule: its name, or the word with its category."""
        rule = self._grammar.rules[number]
        if not rule.lexical:
            return rule.name
        layers = (self._layer, *range(len(rule.templates)))
        texts = (" ".join(rule.words(layer)) for layer in layers)
        word = next(filter(None, texts), rule.name)
        return f"{word} ({self._grammar.categories[rule.lhs].name})"
