"""Compare what the analyser reads with what a form should be.

An analyser needs a sentence to decide between readings: たい alone may be a fish,
after a stem it is a wish.  So a form is read in several contexts, and it is right
if one of them gives the reading that it should have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from sgl.morphology.analyser import Analyse, Morpheme
from sgl.morphology.knowledge import (
    FRAMES,
    ITSELF,
    ExpectedReading,
    InflectionClass,
    Knowledge,
    Spelling,
)


@dataclass(frozen=True, slots=True)
class Base:
    """A dictionary form as the analyser reads it, after the text ``before``."""

    morphemes: tuple[Morpheme, ...]
    before: str
    inflection_class: InflectionClass


#: A form as the analyser reads it, and the morphemes of the frame after it.
FoundForm = tuple[tuple[Morpheme, ...], tuple[Morpheme, ...]]


@dataclass(frozen=True)
class FormComparison:
    """The analyser and what is known about it; ``used`` collects spellings that mattered."""

    analyse: Analyse
    knowledge: Knowledge
    used: set[Spelling] = field(default_factory=set)

    def lemma(self, morpheme: Morpheme) -> str:
        """Return the dictionary form of a morpheme, as the library writes it."""
        for spelling in self.knowledge.spellings:
            if spelling.analyser == morpheme.lemma and morpheme.is_a(spelling.reads):
                self.used.add(spelling)
                return spelling.word
        return morpheme.lemma

    def bases(self, word: str, inflection_class: str) -> tuple[Base, ...]:
        """Return the word as a dictionary form of its class, in every context that shows it."""
        expected = self.knowledge.classes.get(inflection_class)
        if expected is None:
            return ()
        found: dict[Base, None] = {}
        for before in self.knowledge.contexts:
            for morphemes, _ in self._read(word, before, FRAMES):
                last = morphemes[-1]
                inflected = last.form.startswith(expected.ends) and last.lemma == last.surface
                if inflected and last.is_a(expected.reads):
                    found[Base(morphemes, before, expected)] = None
        return tuple(found)

    def is_read_as(
        self, text: str, base: Base, reading: ExpectedReading, *, with_more: bool = False
    ) -> bool:
        """Return whether a text is the word followed by what the reading adds, and nothing else.

        ``with_more`` allows more in between: 知っていた is a past of 知る, for it begins with
        that word and ends as a past does.
        """
        fits = self._is_around if with_more else self._is_the_word
        # Each morpheme must have the inflection that the next one follows.
        return reading.last in ("", base.morphemes[-1].lemma) and any(
            fits(morphemes, base, reading)
            and all(self.knowledge.joins(*pair) for pair in pairwise((*morphemes, *frame)))
            for morphemes, frame in self._read(text, base.before, reading.frames)
        )

    def expected(self, base: Base, reading: ExpectedReading) -> list[tuple[str, ...]]:
        """For each morpheme of a form, the dictionary forms that it may have."""
        own = [(self.lemma(morpheme),) for morpheme in base.morphemes]
        return [*own[:-1], reading.replaces or own[-1], *reading.adds]

    def _is_the_word(self, found: Sequence[Morpheme], base: Base, reading: ExpectedReading) -> bool:
        expected = self.expected(base, reading)
        if len(found) != len(expected) or not all(map(self._is_one_of, found, expected)):
            return False
        *stays, last = base.morphemes
        same = [morpheme.surface for morpheme in found[: len(stays)]] == [m.surface for m in stays]
        # 来 of 来ない is of the class of 来る (kuru); 来ら is a form of another verb that is
        # written so.
        inflected = found[len(stays)]
        of_its_class = (
            inflected.lemma in reading.replaces
            if reading.replaces
            else inflected.is_a(base.inflection_class.reads)
        )
        of_its_class |= inflected.lemma != last.lemma
        return same and of_its_class and found[-1].form.startswith(reading.ends)

    def _is_around(self, found: Sequence[Morpheme], base: Base, reading: ExpectedReading) -> bool:
        rest = iter(found)
        in_order = all(
            any(self._is_one_of(morpheme, words) for morpheme in rest)
            for words in self.expected(base, reading)
        )
        last = found[-1]
        ends_alike = not reading.adds or self._is_one_of(last, reading.adds[-1])
        return in_order and ends_alike and last.form.startswith(reading.ends)

    def _is_one_of(self, morpheme: Morpheme, words: Sequence[str]) -> bool:
        itself = ITSELF in words and morpheme.surface == morpheme.lemma
        return itself or self.lemma(morpheme) in words

    def _read(self, text: str, before: str, frames: Sequence[str]) -> Iterator[FoundForm]:
        """Yield the morphemes of a text in its frames, where none is part of text and frame."""
        for frame in frames:
            morphemes = self.analyse(before + text + frame)
            ends = [0, *accumulate(len(morpheme.surface) for morpheme in morphemes)]
            begin, end = len(before), len(before) + len(text)
            if begin in ends and end in ends and begin < end:
                first, last = ends.index(begin), ends.index(end)
                yield morphemes[first:last], morphemes[last:]
