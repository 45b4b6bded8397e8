"""Many texts at once: how many readings each has, and its best one.

The definition is the packed forest of :class:`sgl.parsing.Parser`; where there is much to read, ``sgl.accel.parse``
does the same with compiled code, a hundred times as fast.  Layers whose templates repeat children, and texts of
thousands of characters, are left to the parser.  What it refuses as too long has no readings here.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from math import exp, inf, log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Derivations
from sgl.core.interpret import Derivation
from sgl.parsing.chart import TooLongError
from sgl.parsing.forest import best_readings
from sgl.parsing.parser import Parser
from sgl.parsing.parts import PartIndex

if TYPE_CHECKING:
    from sgl.accel.parse import CompiledReader

#: The greatest count; what is more is this.
SATURATED = 2**64 - 1

#: Seconds that the parser takes for a character.
_SECONDS = 1e-5


class BatchReadings(NamedTuple):
    """What was found in some texts, by their numbers.

    ``counts`` is exact below ``SATURATED``; ``scores`` are logarithms of the probability of the best reading, -inf
    without one; ``derivations`` are empty where there is none, None if nobody asked.
    """

    counts: NDArray[np.uint64]
    scores: NDArray[np.float64]
    derivations: Derivations | None = None

    def probability(self, number: int) -> float:
        """Return the probability of the best reading of a text, or 0 if there is none."""
        return exp(self.scores[number])


class BatchParser:
    """Reads texts of a parser's layer in batches; ``unsupported``: why no compiled code does."""

    def __init__(self, parser: Parser) -> None:
        divided = isinstance(parser.index, PartIndex)
        self.unsupported = "its phrases may have several parts" if divided else ""
        self._parser = parser
        self._reader: CompiledReader | None = None
        self._characters = 0

    def pays(self, texts: Sequence[str]) -> bool:
        """Return whether texts are read faster together: once parsing took as long as loading compiled code."""
        from sgl import accel

        self._characters += sum(map(len, texts))
        return not self.unsupported and accel.pays("parse", self._characters * _SECONDS)

    def read(self, texts: Sequence[str], *, derive: bool = False) -> BatchReadings:
        """Return the readings of texts; if ``derive``, with the best derivation of each."""
        if self.pays(texts):
            return self.read_compiled(texts, derive=derive)
        return self.read_plainly(texts, derive=derive)

    def read_plainly(self, texts: Sequence[str], *, derive: bool = False) -> BatchReadings:
        """Return the same, from the forest of each text."""
        none = BatchReadings(
            np.zeros(len(texts), np.uint64), np.zeros(len(texts)), Derivations.of([()] * len(texts)) if derive else None
        )
        return self._completed(none, texts, range(len(texts)))

    def read_compiled(self, texts: Sequence[str], *, derive: bool = False) -> BatchReadings:
        """Return the same, by compiled code as far as that reads the layer."""
        from sgl.accel.parse import CompiledReader, UnsuitableLayerError

        index = self._parser.index
        if isinstance(index, PartIndex):
            return self.read_plainly(texts, derive=derive)
        try:
            self._reader = self._reader or CompiledReader(index)
        except UnsuitableLayerError as error:
            self.unsupported = str(error)
            return self.read_plainly(texts, derive=derive)
        found, others = self._reader.read([*map(self._short, texts)], derive)
        return self._completed(found, texts, others) if others else found

    def _short(self, text: str) -> str:
        with suppress(TooLongError):
            self._parser.check_length(text)
            return text
        return ""

    def _completed(self, found: BatchReadings, texts: Sequence[str], others: Sequence[int]) -> BatchReadings:
        derivations: list[Derivation] = list(iter(found.derivations or ()))
        for number in others:
            forest = None
            with suppress(TooLongError):
                forest = self._parser.forest(texts[number])
            count, score = 0, -inf
            best: Derivation = ()
            if forest is not None:
                count, best = min(forest.count, SATURATED), best_readings(forest, 1)[0].derivation
                weights = [self._parser.grammar.rules[rule].weight for rule in best]
                score = sum(log(weight) if weight > 0 else -inf for weight in weights)
            found.counts[number], found.scores[number] = count, score
            if found.derivations is not None:
                derivations[number] = best
        if found.derivations is None:
            return found
        return found._replace(derivations=Derivations.of(derivations))


class FirstRead(NamedTuple):
    """The first spelling with readings, or the last; ``changed`` is what was put right in it."""

    spelling: str
    changed: tuple[str, ...]
    readings: int
    derivation: Derivation


def read_first(batch: BatchParser, sentences: Sequence[Iterable[tuple[str, tuple[str, ...]]]]) -> list[FirstRead]:
    """Read sentences that may be spelt in several ways: all the first one, the rest the next."""
    spellings = [iter(sentence) for sentence in sentences]
    found: list[FirstRead] = [FirstRead("", (), 0, ())] * len(sentences)
    waiting = list(range(len(sentences)))
    while waiting:
        tried = [(number, *spelt) for number in waiting for spelt in islice(spellings[number], 1)]
        readings = batch.read([text for _, text, _ in tried], derive=True)
        best = iter(readings.derivations or ())
        waiting = []
        for (number, text, changed), count, derivation in zip(tried, readings.counts.tolist(), best, strict=True):
            found[number] = FirstRead(text, changed, count, derivation)
            if not count:
                waiting.append(number)
    return found
