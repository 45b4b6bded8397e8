r"""Read rows that others have written, and parse their sentences with a grammar.

A corpus is a file of tab-separated lines in UTF-8: sentences in one or more languages, and perhaps a *kind* by which
rows are counted.  The first line with a possible number of columns decides whether there is one.  Lines that do not fit
are kept with their number and the reason.

A sentence is read in the first of its spellings that has a reading.  Differences of finish that do not affect the
sentence have names; only those that the user names are corrected, and corrections are counted: ``spacing`` (of
separators), ``width`` (full and half) and ``stop`` (missing at the end).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

from sgl.core.grammar import CoreGrammar, TextLayer
from sgl.core.interpret import Derivation, capitalised
from sgl.foreign import ROWS, Kind, opened
from sgl.parsing import BatchParser, Forest, ParseFailure, Parser, TooLongError, read_first
from sgl.values import dataclass, field

#: The most bytes of a line that are read; a longer line is skipped.
LONGEST_LINE = 100_000

#: A batch ends after this many rows or bytes.
_BATCH_ROWS, _BATCH_BYTES = 4_096, 8_000_000

#: The most rows of each sort that are listed for people; all are counted.
LISTED = 1_000

#: A callback with the file, the number of rows so far and the share of the file that is read.
Progress = Callable[[str, int, float], None]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A readable line: the texts of its columns, and its kind or ""."""

    line: int
    texts: tuple[str, ...]
    kind: str
    size: int


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that cannot be read, with the reason."""

    line: int
    reason: str
    size: int


#: A row as plain JSON values: its ``file``, ``line`` (from 1) and ``sentence``, and details: the ``reason`` why it is
#: unusable, the ``obstacle`` to its parse, its output as ``published`` and as ``given``, or its ``readings``.
ListedRow = dict[str, Any]


def list_row(rows: list[ListedRow], row: ListedRow) -> None:
    """Add a row to a list unless it is full."""
    if len(rows) < LISTED:
        rows.append(row)


@dataclass
class Corpus:
    """A file of rows, within the size limit of its ``kind``; links may not leave ``inside``."""

    path: Path
    columns: int
    kind: Kind = ROWS
    inside: Path | None = None
    _width: int = field(default=0, init=False)
    _said: bytes | None = field(default=None, init=False, repr=False)

    def rows(self) -> Iterator[CorpusRow | Unreadable]:
        """Yield all lines in order, numbered from 1; ``size`` is their length in bytes."""
        with self._opened() as stream:
            for number in count(1):
                raw = rest = stream.readline(LONGEST_LINE)
                if not raw:
                    return
                size = len(raw)
                while len(rest) == LONGEST_LINE and not rest.endswith(b"\n"):
                    rest = stream.readline(LONGEST_LINE)
                    size += len(rest)
                if rest is raw:
                    yield self._row(number, raw, size)
                else:
                    yield Unreadable(number, f"the line has more than {LONGEST_LINE:,} bytes", size)

    def _opened(self) -> BinaryIO:
        """Open the file; what a pipe says is kept, since it says it once."""
        if self._said is None and self.path.exists() and not self.path.is_file():
            with opened(self.path, self.kind, inside=self.inside) as stream:
                self._said = stream.read()
        return opened(self.path, self.kind, inside=self.inside) if self._said is None else BytesIO(self._said)

    def batches(self, progress: Progress) -> Iterator[list[CorpusRow | Unreadable]]:
        """Yield the lines in batches of thousands, so that they can be read together."""
        batch: list[CorpusRow | Unreadable] = []
        size = done = 0
        for row in self.rows():
            batch.append(row)
            size += row.size
            if len(batch) == _BATCH_ROWS or size > _BATCH_BYTES:
                yield batch
                done += size
                progress(str(self.path), row.line, done / max(self.path.stat().st_size, 1))
                batch, size = [], 0
        if batch:
            yield batch

    def _row(self, number: int, raw: bytes, size: int) -> CorpusRow | Unreadable:
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as problem:
            return Unreadable(number, f"byte {problem.start + 1} is not UTF-8", size)
        text = text.rstrip("\r\n")
        if not text.strip():
            return Unreadable(number, "the line is empty", size)
        cells = text.split("\t")
        if not self._width and len(cells) in (self.columns, self.columns + 1):
            self._width = len(cells)
        if len(cells) != (self._width or self.columns):
            wanted = self._width or f"{self.columns} or {self.columns + 1}"
            found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
            return Unreadable(number, f"{found} instead of {wanted}", size)
        texts = tuple(cells[: self.columns])
        empty = next((index for index, cell in enumerate(texts, 1) if not cell.strip()), None)
        if empty is not None:
            return Unreadable(number, f"column {empty} is empty", size)
        return CorpusRow(number, texts, "".join(cells[self.columns :]), size)


#: All differences that can be corrected, in order of correction.
DIFFERENCES = ("spacing", "width", "stop")

_STOPS = (".", "。", "．")


class Normalizer:
    """A rewriter of texts in the spelling of one layer."""

    def __init__(self, layer: TextLayer, vocabulary: Set[str], differences: Sequence[str] = DIFFERENCES) -> None:
        """Prepare a layer whose words are all in ``vocabulary``."""
        self._layer = layer
        self._asked = [name for name in DIFFERENCES if name in differences]
        self._characters = {character for word in vocabulary for character in word}
        self._stops = [stop for stop in _STOPS if stop in vocabulary]
        marks = sorted(word for word in vocabulary if not any(map(str.isalnum, word)))
        self._attached = _either(mark for mark in marks if mark in layer.attach)
        self._separate = _either(mark for mark in marks if mark not in layer.attach)

    def spellings(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the text unchanged, then with more and more corrections, each with the names of those made."""
        yield text, ()
        done: tuple[str, ...] = ()
        for name in self._asked:
            changed = self._changed(text, name)
            if changed != text:
                text, done = changed, (*done, name)
                yield text, done

    def _changed(self, text: str, name: str) -> str:
        if name == "spacing":
            return self._respaced(text)
        if name == "width":
            return "".join(map(self._resized, text))
        if not self._stops or text.endswith((*_STOPS, "?", "？")):
            return text
        stop, join = self._stops[0], self._layer.join
        attached = not join or stop in self._layer.attach or text.endswith(join)
        return text + ("" if attached else join) + stop

    def _respaced(self, text: str) -> str:
        if not (join := self._layer.join):
            return re.sub(r"\s+", "", text)
        text = join.join(text.split())
        if self._separate is not None:
            text = join.join(self._separate.sub(rf"{join}\1{join}", text).split())
        if self._attached is not None:
            text = re.sub(rf"{re.escape(join)}+(?={self._attached.pattern})", "", text)
        return text

    def _resized(self, character: str) -> str:
        if character in self._characters or character.isspace():
            return character
        narrow = unicodedata.normalize("NFKC", character)
        wide = chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character
        return next((other for other in (narrow, wide) if other in self._characters), character)


def normalizer_of(grammar: CoreGrammar, layer: int | None, allowed: Sequence[str]) -> Normalizer | None:
    """Return a normalizer for a layer; None for a view, or if no differences are allowed."""
    if layer is None or not allowed:
        return None
    words = {word for rule in grammar.rules for word in rule.words(layer)}
    return Normalizer(grammar.text_layers[layer], words.union(map(capitalised, words)), allowed)


def spellings(text: str, normalizer: Normalizer | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the spellings of a text, each with the corrections made; without a normalizer, only the text."""
    return iter(((text, ()),)) if normalizer is None else normalizer.spellings(text)


def _either(marks: Iterator[str]) -> re.Pattern[str] | None:
    found = sorted(marks, key=lambda mark: (-len(mark), mark))
    return re.compile(f"({'|'.join(map(re.escape, found))})") if found else None


@dataclass(frozen=True, slots=True)
class SentenceReadings:
    """The readings of a sentence, in the last ``spelling`` that was read.

    ``changed`` names the corrections made.  A sentence with one reading has a ``derivation``, with several a
    ``forest``, with none a ``failure`` or the reason why it was ``refused``.
    """

    spelling: str
    changed: tuple[str, ...] = ()
    derivation: Derivation = ()
    forest: Forest | None = None
    failure: ParseFailure | None = None
    refused: str = ""

    @property
    def readings(self) -> int:
        """The number of readings."""
        return int(bool(self.derivation)) if self.forest is None else self.forest.count


class SentenceBatches:
    """A reader of sentences of one text layer in batches; ``normalizer`` is one for that layer."""

    def __init__(self, parser: Parser, normalizer: Normalizer | None) -> None:
        self._parser = parser
        self._batch = BatchParser(parser)
        self._normalizer = normalizer

    def read(self, sentences: Iterable[str]) -> dict[str, SentenceReadings]:
        """Return the readings of each sentence, reading equal ones once."""
        distinct = list(dict.fromkeys(sentences))
        first = read_first(self._batch, [spellings(sentence, self._normalizer) for sentence in distinct])
        found = (
            SentenceReadings(text, changed, derivation) if readings == 1 else self._packed(text, changed)
            for text, changed, readings, derivation in first
        )
        return dict(zip(distinct, found, strict=True))

    def _packed(self, text: str, changed: tuple[str, ...]) -> SentenceReadings:
        try:
            forest = self._parser.forest(text)
        except TooLongError as problem:
            return SentenceReadings(text, refused=str(problem))
        if forest is None:
            return SentenceReadings(text, failure=self._parser.failure(text))
        return SentenceReadings(text, changed, forest=forest)
