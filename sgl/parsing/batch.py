"""Many texts at once: how many readings each has, and its best one.

For most questions that is all: a sentence with one reading needs no forest.  Texts are
read by the kernel (:mod:`sgl.parsing.kernel`), a hundred times as fast as by
:class:`sgl.parsing.Parser`, which reads what the kernel does not: layers whose templates
repeat children, texts of thousands of characters, and batches so small that compiled code
would take longer to load::

    readings = BatchParser(parser).read(["The dog ran.", "Dog the ran."])
    readings.counts.tolist()            [1, 0]
    list(readings.derivations)          [(0, 5, 9), ()]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.core.interpret import Derivation
from sgl.parsing.best import best_readings
from sgl.parsing.parser import Parser
from sgl.parsing.productions import UnsuitableLayerError
from sgl.parsing.space import Space, space_for
from sgl.parsing.tables import SATURATED, Tables, tables_of

#: Texts that are worth loading compiled code for, and using it when it is loaded.
_WORTH_LOADING, _WORTH_CALLING = 1_000, 2

#: Bytes of the longest text that the kernel reads.
_LONGEST = 4_000

#: Entries of a chart that there is room for at first, and at most.
_ENTRIES, _MOST_ENTRIES = 1 << 16, 1 << 22

#: Rules of a derivation that there is room for at first, for each text.
_RULES = 32


class Readings(NamedTuple):
    """What was found in some texts, by their numbers.

    Attributes:
        counts: the number of readings, exact below ``SATURATED``.
        scores: the logarithm of the probability of the best reading; -inf without one.
        derivations: the best readings, empty where there is none; None if nobody asked.
    """

    counts: NDArray[np.uint64]
    scores: NDArray[np.float64]
    derivations: Derivations | None = None

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Which texts have more readings than can be counted."""
        return np.equal(self.counts, np.uint64(SATURATED))

    def probability(self, number: int) -> float:
        """The probability of the best reading of a text; 0 if there is none."""
        return exp(self.scores[number])


class BatchParser:
    """Reads texts of the layer of a parser in batches."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._space: Space | None = None

    @cached_property
    def unsupported(self) -> str:
        """Why the kernel does not read this layer; empty if it does."""
        return self._prepared if isinstance(self._prepared, str) else ""

    @cached_property
    def _prepared(self) -> Tables | str:
        try:
            return tables_of(self._parser.index)
        except UnsuitableLayerError as error:
            return str(error)

    def pays(self, texts: int) -> bool:
        """Whether so many texts are read faster together than one after the other."""
        loaded = "sgl.parsing.kernel" in sys.modules
        worth = texts >= (_WORTH_CALLING if loaded else _WORTH_LOADING)
        return worth and not self.unsupported

    def read(self, texts: Sequence[str], *, derive: bool = False) -> Readings:
        """The readings of texts, each written as the layer writes it.

        If ``derive``, with the best derivation of each.
        """
        if not self.pays(len(texts)):
            return _collected([self._alone(text) for text in texts], derive)
        return self.read_compiled(texts, derive=derive)

    def read_compiled(self, texts: Sequence[str], *, derive: bool = False) -> Readings:
        """The same with the kernel, whatever the number of texts, where it reads the layer."""
        tables = self._prepared
        if isinstance(tables, str):
            return _collected([self._alone(text) for text in texts], derive)
        plain = [text if _plain(text) else "" for text in texts]
        found, full = self._run(tables, Column.of(plain), derive)
        others = [number for number, text in enumerate(plain) if not text]
        return self._completed(found, texts, sorted({*others, *full}))

    def _run(self, tables: Tables, column: Column, derive: bool) -> tuple[Readings, list[int]]:
        """Run the kernel, with more memory when it asks for it; and the texts it has none for."""
        from sgl.accel.memory import addresses
        from sgl.parsing import kernel

        rows = column.rows
        counts, scores = np.zeros(rows, np.uint64), np.zeros(rows, np.float64)
        rules = np.zeros(rows * _RULES + _RULES if derive else 0, np.int32)
        ends = np.zeros(rows + 1, np.int64)
        longest = int(np.diff(column.offsets).max(initial=0))
        space = self._space_for(tables, longest, _ENTRIES)
        full: list[int] = []
        first = 0
        while first < rows:
            why, first = kernel.read(
                addresses(tables),
                addresses(space),
                *column,
                first,
                counts,
                scores,
                rules,
                ends,
                derive,
            )
            if why == kernel.RULES_FULL:
                rules = np.concatenate((rules, np.zeros_like(rules)))
            elif why == kernel.ENTRIES_FULL and len(space.left) < _MOST_ENTRIES:
                space = self._space_for(tables, longest, 4 * len(space.left))
            elif why == kernel.ENTRIES_FULL:
                full.append(first)
                ends[first + 1] = ends[first]
                first += 1
        return Readings(counts, scores, Derivations(rules, ends) if derive else None), full

    def _space_for(self, tables: Tables, longest: int, entries: int) -> Space:
        space = self._space
        if space is None or len(space.live) <= longest or len(space.left) < entries:
            if space is not None:
                longest = max(longest, len(space.live) - 1)
                entries = max(entries, len(space.left))
            self._space = space = space_for(tables, longest, entries)
        return space

    def _completed(self, found: Readings, texts: Sequence[str], others: list[int]) -> Readings:
        """The readings with those of texts that the kernel has not read."""
        if not others:
            return found
        derivations: list[Derivation] | None = None
        if found.derivations is not None:
            derivations = list(iter(found.derivations))
        for number in others:
            count, score, derivation = self._alone(texts[number])
            found.counts[number], found.scores[number] = count, score
            if derivations is not None:
                derivations[number] = derivation
        return found._replace(
            derivations=None if derivations is None else Derivations.of(derivations)
        )

    def _alone(self, text: str) -> tuple[int, float, Derivation]:
        """The same of one text, from its forest."""
        forest = self._parser.forest(text)
        if forest is None:
            return 0, -inf, ()
        best = best_readings(forest, 1)[0].derivation
        weights = (self._parser.grammar.rules[rule].weight for rule in best)
        score = sum(log(weight) if weight > 0 else -inf for weight in weights)
        return min(forest.count, SATURATED), score, best


class FirstRead(NamedTuple):
    """The first spelling of a sentence that has readings, or its last one.

    ``changed`` is what was put right in it, ``derivation`` its best reading of so many.
    """

    spelling: str
    changed: tuple[str, ...]
    readings: int
    derivation: Derivation


def read_first(
    batch: BatchParser, sentences: Sequence[Iterable[tuple[str, tuple[str, ...]]]]
) -> list[FirstRead]:
    """Read sentences that may be spelt in several ways, each with what was changed.

    The first spellings of all are read together, then the second ones of the rest, and so on.
    """
    spellings = [iter(sentence) for sentence in sentences]
    found: list[FirstRead] = [FirstRead("", (), 0, ())] * len(sentences)
    waiting = list(range(len(sentences)))
    while waiting:
        tried = [(number, *spelt) for number in waiting for spelt in islice(spellings[number], 1)]
        readings = batch.read([text for _, text, _ in tried], derive=True)
        best = iter(readings.derivations or ())
        waiting = []
        for (number, text, changed), count, derivation in zip(
            tried, readings.counts.tolist(), best, strict=True
        ):
            found[number] = FirstRead(text, changed, count, derivation)
            if not count:
                waiting.append(number)
    return found


def _plain(text: str) -> bool:
    """Whether a text is Unicode, and not too long for a chart in tables."""
    if len(text) > _LONGEST:
        return False
    try:
        return text.isascii() or len(text.encode()) <= _LONGEST
    except UnicodeEncodeError:
        return False


def _collected(found: Sequence[tuple[int, float, Derivation]], derive: bool) -> Readings:
    return Readings(
        np.array([count for count, _, _ in found], np.uint64),
        np.array([score for _, score, _ in found], np.float64),
        Derivations.of([rules for _, _, rules in found]) if derive else None,
    )
