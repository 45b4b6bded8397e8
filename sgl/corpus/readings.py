"""Read sentences that somebody else has written: what one pass over the corpus needs of them.

A sentence is read in the first of its spellings that has a reading.  Thousands are read
together where that pays (:mod:`sgl.parsing.batch`), and what was made of recent ones is kept,
because corpora repeat themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from sgl.core.interpret import Derivation
from sgl.corpus.normalization import Normalizer, spellings
from sgl.parsing import BatchParser, Forest, Parser, read_first

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
    """

    spelling: str
    changed: tuple[str, ...] = ()
    derivation: Derivation = ()
    forest: Forest | None = None

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
                    yield SentenceReadings(text, changed, (), self._parser.forest(text))
            return
        for candidates in spelt:
            for text, changed in candidates:
                forest = self._parser.forest(text)
                if forest is not None:
                    only = forest.reading(0) if forest.count == 1 else ()
                    yield SentenceReadings(text, changed, only, None if only else forest)
                    break
            else:
                yield SentenceReadings(text)
