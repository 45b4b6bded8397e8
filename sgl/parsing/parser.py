"""Parse sentences of a text layer into derivations: one, or many texts at once.

Of many texts a :class:`BatchParser` says how many readings each has, and the reading if it has one.  The definition is
the packed forest of :class:`Parser`; where there is much to read, ``sgl.accel.parse`` does the same with compiled code,
many times as fast.  Layers whose templates repeat children, and texts of thousands of bytes, are left to the
parser.  What it refuses as too long has no readings here.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.spelling import JOINTS
from sgl.foreign import limits
from sgl.parsing.chart import Chart
from sgl.parsing.forest import Forest
from sgl.parsing.layer import MOST_ABSORBED, Lattice, Spellings, TemplateIndex, TooLongError

if TYPE_CHECKING:
    from sgl.accel.parse import CompiledReader


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Where an input fails, and what its beginning leaves room for.

    ``position`` is the end of the longest beginning that some sentence has: an offset into a text,
    or a number of tokens.  There the grammar expects one of ``words``, or a phrase of one of
    ``categories``; ``complete`` says that the sentence could end there as well.
    """

    position: int
    words: tuple[str, ...]
    categories: tuple[int, ...]
    complete: bool

    def expected(self, grammar: CoreGrammar) -> tuple[str, ...]:
        """Return what was expected: words, and categories with the features that matter.

        These are the ones in which the expected phrases differ from others of the category:
        ``NP[case=acc]`` where only an accusative can follow.
        """
        bases = dict.fromkeys(grammar.categories[number].base for number in self.categories)
        names = (name for base in bases for name in self._variants(grammar, base))
        end = ("the end",) if self.complete else ()
        # A sentence may begin with a thousand words.
        words = [f"“{word}”" for word in self.words[: None if self.position else _FIRST]]
        return (*words, *["…"] * (len(words) < len(self.words)), *names, *end)

    def _variants(self, grammar: CoreGrammar, base: str) -> list[str]:
        every = [category for category in grammar.categories if category.base == base]
        expected = [c for n in self.categories if (c := grammar.categories[n]).base == base]
        told = {}
        for feature in expected[0].features:
            values = dict.fromkeys(category.features[feature] for category in expected)
            if any(category.features[feature] not in values for category in every):
                told[feature] = values
        meant = [c for c in every if all(c.features[f] in values for f, values in told.items())]
        if len(meant) > len(expected):
            return [category.name for category in expected]
        settings = ", ".join(f"{name}={'|'.join(values)}" for name, values in told.items())
        return [f"{base}[{settings}]" if settings else base]


#: Words that are named where a sentence does not begin as one of the grammar.
_FIRST = 8


def describe_failure(grammar: CoreGrammar, text: str, failure: ParseFailure) -> str:
    """Return why a text has no reading: ``parsed up to “The dog”; expected V, VT``."""
    expected = ", ".join(failure.expected(grammar)) or "nothing more"
    if not failure.position:
        return f"no sentence begins so; expected {expected}"
    return f"parsed up to “{text[: failure.position]}”; expected {expected}"


#: Derivations of one sentence that are returned unless more are asked for.
LIMIT = 1_000


class Parser:
    """A parser for one text layer of a grammar, from the grammar's start category.

    Every template is understood: permuted, raised by ``capital``, repeated and
    dropped children, several words, no words, several parts.  A dropped child leaves no
    trace in the input: see :mod:`sgl.parsing.layer`, of parts :mod:`sgl.parsing.chart`.

    A sentence beyond the limits ``words`` and ``steps`` (:class:`sgl.foreign.Limits`) is not parsed: where
    it is given to a method, that raises ``TooLongError``.
    """

    def __init__(self, grammar: CoreGrammar, layer: int = 0) -> None:
        """Take a text layer by its index; ``UnparsableLayerError`` if it has empty words."""
        self.grammar = grammar
        self.layer = layer
        self.index = TemplateIndex(grammar, layer)
        self._spellings = Spellings(self.index.vocabulary, grammar.text_layers[layer])

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the layer, also with its first letter raised where it can be."""
        return self.index.vocabulary

    def forest(self, sentence: str | Sequence[str]) -> Forest | None:
        """All readings of a text with its separators, or of tokens as rules write them; None if there is none."""
        chart, _ = self._chart(sentence)
        return chart.forest()

    def parse(self, sentence: str | Sequence[str], limit: int = LIMIT) -> tuple[Derivation, ...]:
        """Return the first ``limit`` readings, by rules from the root down, then by spans."""
        forest = self.forest(sentence)
        return () if forest is None else tuple(forest.readings(limit))

    def failure(self, sentence: str | Sequence[str]) -> ParseFailure:
        """Up to where a text or sequence without a reading is the beginning of one with one."""
        chart, places = self._chart(sentence)
        position = chart.reached
        words, categories = chart.expected()
        words.difference_update(JOINTS)
        expected = tuple(sorted(words)), tuple(sorted(categories))
        return ParseFailure(places[position], *expected, chart.covers(position))

    def word_at(self, text: str, position: int) -> tuple[int, str]:
        """Return where the word after a position begins, and the word, up to the next separator.

        Attached words at its end do not count; without separators it is one character.
        """
        layer = self.grammar.text_layers[self.layer]
        if not layer.join:
            return position, text[position : position + 1]
        start = position + len(layer.join) if text.startswith(layer.join, position) else position
        word = text[start:].partition(layer.join)[0]
        while len(word) > 1 and word[-1] in layer.attach:
            word = word[:-1]
        return start, word

    def check_length(self, sentence: str | Sequence[str]) -> None:
        """Raise ``TooLongError`` for a text or a sequence of tokens with too many words."""
        join, most = self.grammar.text_layers[self.layer].join, limits().words
        number, what = len(sentence), "words"
        if isinstance(sentence, str) and number > most:
            number, what = (sentence.count(join) + 1, what) if join else (number, "characters")
        if number > most:
            raise TooLongError(f"it has {number:,} {what}, more than {most:,}")

    def _chart(self, sentence: str | Sequence[str]) -> tuple[Chart, Sequence[int]]:
        self.check_length(sentence)
        if isinstance(sentence, str) and sentence:
            lattice = self._spellings.lattice(sentence)
        else:
            arcs = [[(token, end)] for end, token in enumerate(sentence, start=1)]
            lattice = Lattice([*arcs, []], range(len(sentence) + 1), frozenset())
        chart = Chart(self.index, lattice.arcs)
        if any(chart.passes(state) for state in lattice.deepest):
            raise TooLongError(f"{MOST_ABSORBED} words in a row may be absorbed in it")
        return chart, lattice.places


#: The greatest count; what is more is this.
SATURATED = 2**53

#: Seconds that the parser takes for a character.
_SECONDS = 1e-5


class BatchReadings(NamedTuple):
    """What was found in some texts, by their numbers.

    ``counts`` is exact below ``SATURATED``; ``derivations`` are those of texts with one reading, of others empty.
    """

    counts: NDArray[np.int64]
    derivations: Derivations


class BatchParser:
    """Reads texts of a parser's layer in batches; ``unsupported``: why no compiled code does."""

    def __init__(self, parser: Parser) -> None:
        divided = parser.grammar.divided(parser.layer)
        self.unsupported = "its phrases may have several parts" if divided else ""
        self._parser = parser
        self._reader: CompiledReader | None = None
        self._characters = 0

    def pays(self, texts: Sequence[str]) -> bool:
        """Return whether texts are read faster together: once parsing took as long as loading compiled code."""
        from sgl import accel

        self._characters += sum(map(len, texts))
        return not self.unsupported and accel.pays("parse", self._characters * _SECONDS)

    def read(self, texts: Sequence[str]) -> BatchReadings:
        """Return the readings of texts."""
        return self.read_compiled(texts) if self.pays(texts) else self.read_plainly(texts)

    def read_plainly(self, texts: Sequence[str]) -> BatchReadings:
        """Return the same, from the forest of each text."""
        read = [self._reading(text) for text in texts]
        counts = np.array([count for count, _ in read], np.int64)
        return BatchReadings(counts, Derivations.of([derivation for _, derivation in read]))

    def read_compiled(self, texts: Sequence[str]) -> BatchReadings:
        """Return the same, by compiled code as far as that reads the layer."""
        from sgl.accel.parse import CompiledReader, UnsuitableLayerError

        if self._reader is None and not self.unsupported:
            try:
                self._reader = CompiledReader(self._parser.index)
            except UnsuitableLayerError as error:
                self.unsupported = str(error)
        if self._reader is None:
            return self.read_plainly(texts)
        found, others = self._reader.read([*map(self._short, texts)])
        if not others:
            return found
        plain = self.read_plainly([texts[number] for number in others])
        found.counts[others] = plain.counts
        derivations = dict(enumerate(iter(found.derivations)))
        derivations |= zip(others, iter(plain.derivations), strict=True)
        return found._replace(derivations=Derivations.of([*derivations.values()]))

    def _short(self, text: str) -> str:
        with suppress(TooLongError):
            self._parser.check_length(text)
            return text
        return ""

    def _reading(self, text: str) -> tuple[int, Derivation]:
        forest = None
        with suppress(TooLongError):
            forest = self._parser.forest(text)
        count = 0 if forest is None else min(forest.count, SATURATED)
        return count, forest.reading(0) if forest is not None and count == 1 else ()


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
        readings = batch.read([text for _, text, _ in tried])
        only = iter(readings.derivations)
        waiting = []
        for (number, text, changed), count, derivation in zip(tried, readings.counts.tolist(), only, strict=True):
            found[number] = FirstRead(text, changed, count, derivation)
            if not count:
                waiting.append(number)
    return found
