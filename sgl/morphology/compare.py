"""Compare what the analyser reads with what a form should be.

An analyser needs a sentence to decide between readings: たい alone may be a fish,
after a stem it is a wish.  So a form is read in several contexts, and it is right
if one of them gives the reading that it should have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

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


@dataclass(frozen=True, slots=True)
class FoundForm:
    """A form as the analyser reads it, and the morphemes of the frame after it."""

    morphemes: tuple[Morpheme, ...]
    frame: tuple[Morpheme, ...]


@dataclass(frozen=True)
class FormComparison:
    """The analyser and what is known about it; ``used`` collects spellings that mattered."""

    analyse: Analyse
    knowledge: Knowledge
    used: set[Spelling] = field(default_factory=set)

    def lemma(self, morpheme: Morpheme) -> str:
        """Return the dictionary form of a morpheme, as the library writes it."""
        spelling = self.knowledge.spelling_of(morpheme)
        if spelling is None:
            return morpheme.lemma
        self.used.add(spelling)
        return spelling.word

    def bases(self, word: str, inflection_class: str) -> tuple[Base, ...]:
        """Return the word as a dictionary form of its class, in every context that shows it."""
        expected = self.knowledge.classes.get(inflection_class)
        return tuple(dict.fromkeys(self._bases(word, expected))) if expected is not None else ()

    def _bases(self, word: str, expected: InflectionClass) -> Iterator[Base]:
        for before in self.knowledge.contexts:
            for found in self._read(word, before, FRAMES):
                last = found.morphemes[-1]
                inflected = last.form.startswith(expected.ends) and last.lemma == last.surface
                if inflected and last.is_a(expected.reads):
                    yield Base(found.morphemes, before, expected)

    def is_read_as(self, result: str, base: Base, reading: ExpectedReading) -> bool:
        """Return whether a form is the word followed by what the reading adds, and nothing else."""
        return reading.is_about(base.morphemes[-1]) and any(
            self._is_the_word(found.morphemes, base, reading) and self._is_joined(found)
            for found in self._read(result, base.before, reading.frames)
        )

    def contains(self, text: str, base: Base, reading: ExpectedReading) -> bool:
        """Return whether a text is a form of the word, with or without more in between.

        知っていた is a past of 知る: it begins with that word and ends as a past does.
        """
        return reading.is_about(base.morphemes[-1]) and any(
            self._is_around(found.morphemes, base, reading) and self._is_joined(found)
            for found in self._read(text, base.before, reading.frames)
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
        of_its_class = _is_of_its_class(found[len(stays)], last, base, reading)
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

    def _is_joined(self, found: FoundForm) -> bool:
        """Return whether each morpheme has the inflection that the next one follows."""
        return all(
            self.knowledge.joins(first, second)
            for first, second in pairwise((*found.morphemes, *found.frame))
        )

    def _read(self, text: str, before: str, frames: Sequence[str]) -> Iterator[FoundForm]:
        """Yield the morphemes of a text in its frames, where none is part of text and frame."""
        for frame in frames:
            morphemes = self.analyse(before + text + frame)
            first, last = _end(morphemes, before), _end(morphemes, before + text)
            if first is not None and last is not None and first < last:
                yield FoundForm(morphemes[first:last], morphemes[last:])


def _is_of_its_class(found: Morpheme, last: Morpheme, base: Base, reading: ExpectedReading) -> bool:
    """Return whether the last morpheme is inflected in its class, or rightly another word.

    来 of 来ない is of the class of 来る (kuru); 来ら is a form of another verb that is written so.
    """
    if reading.replaces:
        return found.lemma != last.lemma or found.lemma in reading.replaces
    return found.lemma != last.lemma or found.is_a(base.inflection_class.reads)


def _end(morphemes: Sequence[Morpheme], text: str) -> int | None:
    """Return how many morphemes the beginning ``text`` has; None if it ends inside of one."""
    length = 0
    for number, morpheme in enumerate(morphemes):
        if length >= len(text):
            return number if length == len(text) else None
        length += len(morpheme.surface)
    return len(morphemes) if length == len(text) else None
