"""Compare what the analyser reads with what a form should be.

An analyser needs a sentence to decide between readings: たい alone may be a fish,
after a stem it is a wish.  So a form is read in several contexts, and it is right
if one of them gives the reading that it should have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from sgl.morphology.analyser import Analyse, Morpheme
from sgl.morphology.knowledge import FRAMES, ITSELF, InflectionClass, Knowledge, Reading, Spelling


@dataclass(frozen=True, slots=True)
class Base:
    """A dictionary form as the analyser reads it, after the text ``before``."""

    morphemes: tuple[Morpheme, ...]
    before: str


@dataclass(frozen=True)
class Comparison:
    """The analyser and what is known about it; ``used`` collects spellings that mattered."""

    analyse: Analyse
    knowledge: Knowledge
    used: set[Spelling] = field(default_factory=set)

    def lemma(self, morpheme: Morpheme) -> str:
        """The dictionary form of a morpheme, as the library writes it."""
        spelling = self.knowledge.spelling_of(morpheme)
        if spelling is None:
            return morpheme.lemma
        self.used.add(spelling)
        return spelling.word

    def bases(self, word: str, inflection_class: str) -> tuple[Base, ...]:
        """The word as a dictionary form of its class, in every context that shows it as one."""
        expected = self.knowledge.classes.get(inflection_class)
        return tuple(dict.fromkeys(self._bases(word, expected))) if expected is not None else ()

    def _bases(self, word: str, expected: InflectionClass) -> Iterator[Base]:
        for before, after in product(self.knowledge.contexts, FRAMES):
            morphemes = self._read(word, before, after)
            if morphemes:
                last = morphemes[-1]
                inflected = last.form.startswith(expected.ends) and last.lemma == last.surface
                if inflected and last.is_a(expected.reads):
                    yield Base(morphemes, before)

    def is_read_as(self, result: str, base: Base, reading: Reading) -> bool:
        """Whether a form is the word followed by what the reading adds, and nothing else."""
        return any(
            self._is_the_word(found, base, reading)
            for found in self._in_frames(result, base, reading)
        )

    def contains(self, text: str, base: Base, reading: Reading) -> bool:
        """Whether a text is a form of the word, with or without more in between.

        知っていた is a past of 知る: it begins with that word and ends as a past does.
        """
        return any(
            self._is_around(found, base, reading) for found in self._in_frames(text, base, reading)
        )

    def expected(self, base: Base, reading: Reading) -> list[tuple[str, ...]]:
        """For each morpheme of a form, the dictionary forms that it may have."""
        own = [(self.lemma(morpheme),) for morpheme in base.morphemes]
        return [*own[:-1], reading.replaces or own[-1], *reading.adds]

    def _is_the_word(self, found: Sequence[Morpheme], base: Base, reading: Reading) -> bool:
        expected = self.expected(base, reading)
        stays = [morpheme.surface for morpheme in base.morphemes[:-1]]
        return (
            len(found) == len(expected)
            and all(map(self._is_one_of, found, expected))
            and [morpheme.surface for morpheme in found[: len(stays)]] == stays
            and found[-1].form.startswith(reading.ends)
        )

    def _is_around(self, found: Sequence[Morpheme], base: Base, reading: Reading) -> bool:
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

    def _in_frames(self, text: str, base: Base, reading: Reading) -> Iterator[tuple[Morpheme, ...]]:
        if reading.last and reading.last != base.morphemes[-1].lemma:
            return
        for frame in reading.frames:
            found = self._read(text, base.before, frame)
            if found:
                yield found

    def _read(self, text: str, before: str, after: str) -> tuple[Morpheme, ...]:
        """The morphemes of a text between two others; none when one is part of two of them."""
        morphemes = self.analyse(before + text + after)
        first = _end(morphemes, before)
        last = _end(morphemes, before + text)
        return morphemes[first:last] if first is not None and last is not None else ()


def _end(morphemes: Sequence[Morpheme], text: str) -> int | None:
    """How many morphemes the beginning ``text`` has; None if it ends inside of one."""
    length = 0
    for number, morpheme in enumerate(morphemes):
        if length >= len(text):
            return number if length == len(text) else None
        length += len(morpheme.surface)
    return len(morphemes) if length == len(text) else None
