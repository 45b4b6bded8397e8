"""Go through the files of a corpus, row by row, and count what the grammar makes of them.

Sentences that occur more than once, within a file and across files, are found by eight bytes
of the BLAKE2 hash of each, so that a corpus of any size can be compared; among ten million
sentences two different ones are taken for the same with a probability of about 10⁻⁶.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.corpus.audit.ambiguity import ListedReading, bracketed, choices
from sgl.corpus.audit.judgement import DeclaredStructure, Judgement, SentenceReader
from sgl.corpus.audit.mismatch import Difference, explain_difference
from sgl.corpus.audit.result import AmbiguousRow, Audit, Cause, FileTally, SharedSentences, Tally
from sgl.corpus.audit.sets import SetCollector, hash_text, is_word, shared_rows
from sgl.corpus.rows import LISTED, Corpus, CorpusRow, ListedRow, Normalizer, Progress, Unreadable, list_row, spellings
from sgl.parsing import describe_failure, number_of

#: The likeliest readings of which the one closest to the published text is explained.
_COMPARED = 10


@dataclass
class Auditor:
    """Audits corpora with one grammar; ``columns`` are text layers and views by name, or ``-``.

    Without one of the ``normalizers`` for each target of the reader, its texts must be equal.  A ``collector`` compares
    sets of rows; the reader then finds the declared structures.
    """

    reader: SentenceReader
    columns: Sequence[str]
    declared: Sequence[DeclaredStructure] = ()
    normalizers: Sequence[Normalizer | None] = ()
    collector: SetCollector | None = None

    def __post_init__(self) -> None:
        reader = self.reader
        self._grammar, self._layer = reader.parser.grammar, reader.parser.layer
        self.normalizers = self.normalizers or (None,) * len(reader.targets)
        source = self._grammar.text_layers[self._layer].name
        self._source = self.columns.index(source)
        targets = tuple(target.name for target in reader.targets)
        #: Targets that have a column: their index, name and column.
        self._compared = [
            (target, name, self.columns.index(name)) for target, name in enumerate(targets) if name in self.columns
        ]
        self.audit = Audit(source, targets, tuple(self.declared))

    def run(self, paths: Sequence[Path], progress: Progress) -> Audit:
        """Audit all files; raises ``OSError`` if one cannot be read."""
        counted = [self._file(path, progress) for path in paths]
        if self.collector is not None:
            self.audit.sets = list(self.collector.sets.values())
            self.audit.shared_sets = shared_rows(self.audit.sets)
        for file, (hashes, _) in zip(self.audit.files, counted, strict=True):
            file.distinct = len(hashes)
        for (first, (known, _)), (second, (new, counts)) in combinations(enumerate(counted), 2):
            common = np.isin(new, known, assume_unique=True)
            self.audit.shared.append(SharedSentences(first, second, int(counts[common].sum()), int(common.sum())))
        return self.audit

    def _file(self, path: Path, progress: Progress) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        file = FileTally(str(path))
        self.audit.files.append(file)
        hashes = array("Q")
        for batch in Corpus(path, len(self.columns)).batches(progress):
            judged = self.reader.judge_all(row.texts[self._source] for row in batch if isinstance(row, CorpusRow))
            for row in batch:
                tally = file.of("" if isinstance(row, Unreadable) else row.kind)
                tally.rows += 1
                sentence = "" if isinstance(row, Unreadable) else row.texts[self._source]
                reason = row.reason if isinstance(row, Unreadable) else judged[sentence].refused
                place = ListedRow(file.name, row.line, sentence, reason)
                if isinstance(row, Unreadable) or reason:
                    tally.unreadable += 1
                    list_row(self.audit.unreadable, replace(place, sentence=""))
                else:
                    hashes.append(hash_text(sentence))
                    self._row(tally, row, place, judged[sentence])
        return np.unique(np.array(hashes, np.uint64), return_counts=True)

    def _row(self, tally: Tally, row: CorpusRow, place: ListedRow, judged: Judgement) -> None:
        if judged.failure is not None:
            detail = describe_failure(self._grammar, judged.spelling, judged.failure)
            _, word = self.reader.parser.word_at(judged.spelling, judged.failure.position)
            self.audit.fail(replace(place, detail=detail), word)
            self._collect(row, place, judged, ())
            return
        tally.parsed += 1
        tally.changed.update(judged.changed)
        tally.some.update([self.declared[index].name for index in sorted(judged.some)])
        tally.every.update([self.declared[index].name for index in sorted(judged.every)])
        published = {
            target: [text for text, _ in spellings(row.texts[column], self.normalizers[target])]
            for target, _, column in self._compared
        }
        chosen = judged.chosen(published)
        if judged.forest is not None:
            self._ambiguous(tally, place, judged, chosen)
        self._collect(row, place, judged, chosen)
        for target, name, column in self._compared:
            if any(self.reader.gives(judged, target, text) for text in published[target]):
                tally.exact[name] += 1
            else:
                listed = replace(place, detail=row.texts[column])
                self._differ(listed, judged, target, published[target])

    def _ambiguous(self, tally: Tally, place: ListedRow, judged: Judgement, chosen: Sequence[int]) -> None:
        assert judged.forest is not None
        differ = [outputs for outputs in judged.outputs if len(outputs) > 1]
        tally.ambiguous += 1
        tally.differing += bool(differ)
        which = ""
        if self._compared:
            several = "several" if len(chosen) > 1 else "another"
            which = "none" if not chosen else "likeliest" if chosen == (0,) else several
            tally.chosen[which] += 1
        texts = "".join(f"; {' | '.join(outputs[:3])}" for outputs in differ)
        detail = f"{number_of(judged.readings)} readings{texts}"
        if len(self.audit.ambiguous) < LISTED:
            # The chosen readings first, so that they are among those that are listed.
            order = sorted(range(len(judged.read)), key=lambda n: n not in chosen)[:_COMPARED]
            phrases = bracketed(self._grammar, [judged.read[n][0] for n in order], self._layer)
            readings = tuple(
                ListedReading(text, judged.read[n][1], n in chosen) for text, n in zip(phrases, order, strict=True)
            )
            row = place.file, place.line, place.sentence, detail
            self.audit.ambiguous.append(AmbiguousRow(*row, which, readings))
        layers = (target.layer for target in self.reader.targets if target.layer is not None)
        for choice in choices(judged.forest, next(layers, self._layer)):
            self.audit.part(replace(place, detail=detail), choice)

    def _collect(self, row: CorpusRow, place: ListedRow, judged: Judgement, chosen: Sequence[int]) -> None:
        if self.collector is None:
            return
        file = len(self.audit.files) - 1
        rows = self.collector.add(file, place.file, row.kind, place.sentence)
        if judged.failure is not None:
            self.collector.add_unparsed(rows, self.audit.source, place.sentence)
            return
        contained = judged.some
        if judged.forest is not None and chosen:
            readings = [judged.read[number][0] for number in chosen]
            contained = frozenset().union(*map(self.reader.structures, readings))
        reading = judged.read[chosen[0] if chosen else 0][0]
        self.collector.add_reading(rows, place, reading, contained)
        self.collector.add_words(rows, self.audit.source, reading, self._layer)
        for target, name, column in self._compared:
            if (layer := self.reader.targets[target].layer) is None:
                rows.add_words(name, filter(is_word, row.texts[column].split()))
            elif chosen:
                self.collector.add_words(rows, name, reading, layer)

    def _differ(self, listed: ListedRow, judged: Judgement, target: int, published: Sequence[str]) -> None:
        output = self.reader.targets[target]
        explained = (
            explain_difference(self._grammar, derivation, output, text)
            for text in published
            for derivation in judged.likeliest(_COMPARED)
        )
        differences = min(explained, key=lambda found: sum(len(d.given) + len(d.published) for d in found))
        first: dict[tuple[str, str, str], Difference] = {}
        for found in differences:
            first.setdefault((output.name, found.kind, self._name_of(found.rule)), found)
        for (layer, kind, name), found in first.items():
            cause = self.audit.causes.setdefault(
                (layer, kind, name), Cause(name, kind, layer, listed, judged.outputs[target][0])
            )
            cause.count((found.given, found.published))

    def _name_of(self, number: int) -> str:
        rule = self._grammar.rules[number]
        if not rule.lexical:
            return rule.name
        layers = (self._layer, *range(len(rule.templates)))
        texts = (" ".join(rule.words(layer)) for layer in layers)
        word = next(filter(None, texts), rule.name)
        return f"{word} ({self._grammar.categories[rule.lhs].name})"
