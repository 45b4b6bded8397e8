"""Parse sentences of a text layer into derivations, one at a time or many at once.

A :class:`BatchParser` says how many readings each text has and, if there is only one, returns it.  The packed forest of
:class:`Parser` is the definition; for many texts, the compiled code of ``sgl.accel.parse`` does the same many times as
fast.  Layers whose templates repeat children and texts of thousands of bytes are left to the parser.  A text that it
refuses as too long counts as having no readings.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
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
from sgl.parsing.layer import TemplateIndex, UnparsableLayerError
from sgl.parsing.named import hiding_rules, named
from sgl.parsing.spellings import MOST_ABSORBED, Lattice, Spellings, TooLongError
from sgl.values import dataclass

if TYPE_CHECKING:
    from sgl.accel.parse import CompiledReader


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Where an input fails, and what could have followed there.

    ``position`` is the end of the longest prefix that some sentence has: an offset into a text, or a number of tokens.
    There the grammar expects one of ``words`` or a phrase of one of ``categories``; if ``complete``, the sentence could
    also end there.
    """

    position: int
    words: tuple[str, ...]
    categories: tuple[int, ...]
    complete: bool

    def expected(self, grammar: CoreGrammar) -> tuple[str, ...]:
        """Return the expected words, and the expected categories with the features that matter.

        A feature matters if the expected phrases differ in it from others of the category: ``NP[case=acc]`` where only
        an accusative can follow.
        """
        bases = dict.fromkeys(grammar.categories[number].base for number in self.categories)
        names = (name for base in bases for name in self._variants(grammar, base))
        end = ("the end",) if self.complete else ()
        # A thousand words may begin a sentence.
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


#: How many words to name if no sentence begins like the input.
_FIRST = 8


#: Why a text has no reading although it could end where it ends.
NAMES = "its names do not fit: one stands for two, or two stand for one"


def describe_failure(grammar: CoreGrammar, text: str, failure: ParseFailure) -> str:
    """Return why a text has no reading: ``parsed up to “The dog”; expected V, VT``."""
    if failure.position == len(text) and failure.complete:
        return NAMES
    expected = ", ".join(failure.expected(grammar)) or "nothing more"
    if not failure.position:
        return f"no sentence begins like this; expected {expected}"
    return f"parsed up to “{text[: failure.position]}”; expected {expected}"


#: The default limit of derivations returned for one sentence.
LIMIT = 1_000


class Parser:
    """A parser for one text layer of a grammar, from the grammar's start category.

    It understands every template: permuted, repeated and dropped children, children raised by ``capital``, several
    words, no words, several parts.  A dropped child leaves no trace in the input; see :mod:`sgl.parsing.layer`, and for
    parts :mod:`sgl.parsing.chart`.

    A sentence beyond the limits ``words`` and ``steps`` (:class:`sgl.foreign.Limits`) is not parsed: methods that take
    one raise ``TooLongError``.
    """

    def __init__(self, grammar: CoreGrammar, layer: int = 0) -> None:
        """Index a text layer; raises ``UnparsableLayerError`` for functions, empty words, and names without end."""
        self.grammar = grammar
        self.layer = layer
        self.index = TemplateIndex(grammar, layer)
        if hiding := hiding_rules(grammar, layer, self.index.ways) if grammar.names else ():
            names = grammar.text_layers[layer].name, grammar.rules[min(hiding)].name
            raise UnparsableLayerError(*names, "drops any number of names: the layer is one-way")
        self._spellings = Spellings(self.index.vocabulary, grammar.text_layers[layer])
        self._last: tuple[str | tuple[str, ...], Forest | None] | None = None

    @property
    def vocabulary(self) -> frozenset[str]:
        """Every word of the layer, also with a raised first letter where that can occur."""
        return self.index.vocabulary

    def forest(self, sentence: str | Sequence[str]) -> Forest | None:
        """All readings of a text with its separators, or of tokens as rules write them, or None."""
        own = sentence if isinstance(sentence, str) else tuple(sentence)
        # An ambiguous sentence is looked at several times.
        if self._last is None or self._last[0] != own:
            chart, _ = self._chart(own)
            forest, namer = chart.forest(), self.grammar.namer
            self._last = own, forest if forest is None or namer is None else named(forest, namer)
        return self._last[1]

    def parse(self, sentence: str | Sequence[str], limit: int = LIMIT) -> tuple[Derivation, ...]:
        """Return the first ``limit`` readings, sorted by rules from the root down, then by spans."""
        forest = self.forest(sentence)
        return () if forest is None else tuple(forest.readings(limit))

    def failure(self, sentence: str | Sequence[str]) -> ParseFailure:
        """Return where a text or sequence without a reading stops being the beginning of a sentence."""
        chart, places = self._chart(sentence)
        position = chart.reached
        words, categories = chart.expected()
        words.difference_update(JOINTS)
        expected = tuple(sorted(words)), tuple(sorted(categories))
        return ParseFailure(places[position], *expected, chart.covers(position))

    def word_at(self, text: str, position: int) -> tuple[int, str]:
        """Return the next word after a position, up to the next separator, and where it begins.

        Attached words at its end do not count; without separators a word is one character.
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
        """Raise ``TooLongError`` if a text or a sequence of tokens has too many words."""
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


#: The highest count; larger ones are reported as this.
SATURATED = 2**53

#: Estimated seconds that the parser takes per character.
_SECONDS = 1e-5


class BatchReadings(NamedTuple):
    """The readings of some texts, by index.

    ``counts`` is exact below ``SATURATED``; ``derivations`` has the reading of each text that has exactly one, and is
    otherwise empty.
    """

    counts: NDArray[np.int64]
    derivations: Derivations


class BatchParser:
    """A reader of texts of a parser's layer in batches; ``unsupported`` says why no compiled code can be used."""

    def __init__(self, parser: Parser) -> None:
        divided = parser.grammar.divided(parser.layer)
        self.unsupported = "its phrases may have several parts" if divided else ""
        self._parser = parser
        self._reader: CompiledReader | None = None
        self._characters = 0

    def pays(self, texts: Sequence[str]) -> bool:
        """Return whether to use compiled code: once parsing would have taken as long as loading it."""
        from sgl import accel

        self._characters += sum(map(len, texts))
        return not self.unsupported and accel.pays("parse", self._characters * _SECONDS)

    def read(self, texts: Sequence[str]) -> BatchReadings:
        """Return the readings of texts, by compiled code if that pays."""
        return self.read_compiled(texts) if self.pays(texts) else self.read_plainly(texts)

    def read_plainly(self, texts: Sequence[str]) -> BatchReadings:
        """Return the readings of texts from the forest of each."""
        read = [self._reading(text) for text in texts]
        counts = np.array([count for count, _ in read], np.int64)
        return BatchReadings(counts, Derivations.of([derivation for _, derivation in read]))

    def read_compiled(self, texts: Sequence[str]) -> BatchReadings:
        """Return the readings of texts by compiled code where it supports the layer and the text."""
        from sgl.accel.parse import CompiledReader, UnsuitableLayerError

        if self._reader is None and not self.unsupported:
            try:
                self._reader = CompiledReader(self._parser.index)
            except UnsuitableLayerError as error:
                self.unsupported = str(error)
        if self._reader is None:
            return self.read_plainly(texts)
        found, others = self._reader.read([*map(self._short, texts)])
        others = sorted({*others, *self._confused(found)})
        if not others:
            return found
        plain = self.read_plainly([texts[number] for number in others])
        found.counts[others] = plain.counts
        derivations = dict(enumerate(iter(found.derivations)))
        derivations |= zip(others, iter(plain.derivations), strict=True)
        return found._replace(derivations=Derivations.of([*derivations.values()]))

    def _confused(self, found: BatchReadings) -> Iterator[int]:
        """Yield the texts whose readings may confuse names, which compiled code does not know."""
        if (namer := self._parser.grammar.namer) is not None:
            for number, derivation in enumerate(iter(found.derivations)):
                if found.counts[number] > 1 or not namer.is_named(derivation):
                    yield number

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
    """The first spelling that has readings, or else the last; ``changed`` lists the corrections made in it."""

    spelling: str
    changed: tuple[str, ...]
    readings: int
    derivation: Derivation


def read_first(batch: BatchParser, sentences: Sequence[Iterable[tuple[str, tuple[str, ...]]]]) -> list[FirstRead]:
    """Read sentences that may be spelt in several ways, trying each next spelling only for those without readings."""
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
