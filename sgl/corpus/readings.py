"""Read sentences that somebody else has written: what one pass over the corpus needs of them.

A sentence is read in the first of its spellings that has a reading.  Thousands are read
together where that pays (:mod:`sgl.parsing.batch`), and what was made of recent ones is kept,
because corpora repeat themselves.

Corpora differ from a grammar in finishing that says nothing about their sentences.
Each difference has a name, and only those that are named are put right:

===========  ==========================================================================
``spacing``  separators before attached words, none before others, several in a row:
             ``knew , the child`` for ``knew, the child``, ``走っ た`` for ``走った``
``width``    full-width characters for half-width ones, or the other way: ``？`` for ``?``
``stop``     no full stop at the end
===========  ==========================================================================

A text is changed only where the grammar does not derive it as it stands, and what was
changed is counted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from sgl.core.grammar import TextLayer
from sgl.core.interpret import Derivation
from sgl.parsing import BatchParser, Forest, ParseFailure, Parser, TooLongError, read_first

#: Everything that can be put right, in the order in which it is.
DIFFERENCES = ("spacing", "width", "stop")

_STOPS = (".", "。", "．")


class Normalizer:
    """Rewrites texts in the spelling of one layer."""

    def __init__(
        self, layer: TextLayer, vocabulary: Set[str], differences: Sequence[str] = DIFFERENCES
    ) -> None:
        """``vocabulary`` has all words of the layer."""
        self._layer = layer
        self._asked = [name for name in DIFFERENCES if name in differences]
        self._characters = {character for word in vocabulary for character in word}
        self._stops = [stop for stop in _STOPS if stop in vocabulary]
        marks = sorted(word for word in vocabulary if not any(map(str.isalnum, word)))
        self._attached = _either(mark for mark in marks if mark in layer.attach)
        self._separate = _either(mark for mark in marks if mark not in layer.attach)

    def spellings(self, text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the text as it stands, then with more and more put right, each with what was."""
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
        join = self._layer.join
        if not join:
            return re.sub(r"\s+", "", text)
        text = join.join(text.split())
        if self._separate is not None:
            text = join.join(self._separate.sub(rf"{join}\1{join}", text).split())
        if self._attached is not None:
            text = re.sub(rf"{re.escape(join)}+(?={self._attached.pattern})", "", text)
        return text

    def _resized(self, character: str) -> str:
        """Return the full-width or half-width counterpart, if only that occurs in the layer."""
        if character in self._characters or character.isspace():
            return character
        narrow = unicodedata.normalize("NFKC", character)
        wide = chr(ord(character) + 0xFEE0) if "!" <= character <= "~" else character
        return next((other for other in (narrow, wide) if other in self._characters), character)


def spellings(text: str, normalizer: Normalizer | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the spellings of a text, each with what was put right; itself without a normalizer."""
    return iter(((text, ()),)) if normalizer is None else normalizer.spellings(text)


def _either(marks: Iterator[str]) -> re.Pattern[str] | None:
    """One of these marks, longer ones first; None if there are none."""
    found = sorted(marks, key=lambda mark: (-len(mark), mark))
    return re.compile(f"({'|'.join(map(re.escape, found))})") if found else None


# ---- readings

Meaning = TypeVar("Meaning")

#: Sentences that are remembered.
_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class SentenceReadings:
    """The readings of a sentence.

    Attributes:
        spelling: the sentence as it was read; its last spelling if it has no reading.
        changed: what had to be put right in it.
        derivation: the only reading; empty if there is none, or several.
        forest: the readings, if there are several.
        failure: where it fails, if it has no reading.
        refused: why it was not parsed, if it was not.
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


class ReadingCache(Generic[Meaning]):
    """Reads sentences of one text layer, and remembers what they mean to somebody."""

    def __init__(
        self,
        parser: Parser,
        normalizer: Normalizer | None,
        meaning: Callable[[SentenceReadings], Meaning],
    ) -> None:
        """Read with a parser; ``normalizer`` is one for its layer."""
        self._parser = parser
        self._batch = BatchParser(parser)
        self._normalizer = normalizer
        self._meaning = meaning
        self._kept: dict[str, Meaning] = {}

    def read(self, sentences: Iterable[str]) -> dict[str, Meaning]:
        """Return what each sentence means."""
        distinct = dict.fromkeys(sentences)
        found = {text: self._kept.pop(text) for text in distinct if text in self._kept}
        new = [text for text in distinct if text not in found]
        for text, readings in zip(new, self._read(new), strict=True):
            found[text] = self._meaning(readings)
        # The order of a dictionary is that of insertion: what was not asked for goes first.
        self._kept |= found
        for text in list(islice(self._kept, max(len(self._kept) - _KEPT, 0))):
            del self._kept[text]
        return found

    def _read(self, sentences: Sequence[str]) -> Iterator[SentenceReadings]:
        spelt = [spellings(sentence, self._normalizer) for sentence in sentences]
        if self._batch.pays(sentences):
            for text, changed, readings, derivation in read_first(self._batch, spelt):
                if readings == 1:
                    yield SentenceReadings(text, changed, derivation)
                else:
                    yield self._packed([(text, changed)])
            return
        yield from map(self._packed, spelt)

    def _packed(self, candidates: Iterable[tuple[str, tuple[str, ...]]]) -> SentenceReadings:
        """Read the first spelling that has readings, by its forest."""
        spelling, refused = "", ""
        for spelling, changed in candidates:
            try:
                forest = self._parser.forest(spelling)
            except TooLongError as problem:
                refused = str(problem)
                continue
            if forest is not None:
                only = forest.reading(0) if forest.count == 1 else ()
                return SentenceReadings(spelling, changed, only, None if only else forest)
        failure = None if refused else self._parser.failure(spelling)
        return SentenceReadings(spelling, failure=failure, refused=refused)
