"""What a grammar makes of one sentence: its readings, outputs and structures.

A forest may have more readings than can be listed.  How many of them give a certain text is
counted without listing them: from the words upwards, every node keeps the phrases of its
readings that occur in the text which is looked for, each with the number of these readings::

    犬が寝た。   sought: A dog slept.      Det  {a: 1}  (the: does not occur)
                                         NP   {a dog: 1}

What does not occur there can be no part of it, but for the first letter, which a rule
higher up may raise.  Views are not made of the words of their parts: of them the likeliest
readings are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from sgl.core.grammar import Slot, Template
from sgl.core.interpret import Derivation, capitalised, finish
from sgl.corpus.audit.structures import StructureFinder
from sgl.corpus.readings import Normalizer, ReadingCache, SentenceReadings
from sgl.parsing import Forest, ParseFailure, Parser, best_readings
from sgl.rendering import Output

Words = tuple[str, ...]

#: The likeliest readings of a sentence whose views are looked at.
_VIEWED = 1_000


def first_outputs(forest: Forest, output: Output, readings: int) -> tuple[str, ...]:
    """Return the different texts of the likeliest ``readings``, best first."""
    texts = (output(ranked.derivation) for ranked in best_readings(forest, readings))
    return tuple(dict.fromkeys(texts))


def gives(forest: Forest, output: Output, text: str) -> bool:
    """Return whether some reading has this text as its output; of views, one of the likeliest."""
    if output.layer is None:
        return text in first_outputs(forest, output, _VIEWED)
    return readings_giving(forest, output.layer, text) > 0


def all_give(forest: Forest, output: Output, text: str) -> bool:
    """Return whether every reading has this text as its output; of views, all of the likeliest."""
    if output.layer is None:
        return first_outputs(forest, output, _VIEWED) == (text,)
    return readings_giving(forest, output.layer, text) == forest.count


def readings_giving(forest: Forest, layer: int, text: str) -> int:
    """Return how many readings have this text in a layer."""
    grammar, spelling = forest.grammar, forest.grammar.text_layers[layer]
    below: list[Counter[Words]] = []
    readings: list[int] = []
    for node in forest.nodes:
        phrases: Counter[Words] = Counter()
        number = 0
        for alternative in node.alternatives:
            template = grammar.rules[alternative.rule].templates[layer]
            used = {item.child for item in template if isinstance(item, Slot)}
            choices = [
                list(below[child].items()) if place in used else [((), readings[child])]
                for place, child in enumerate(alternative.children)
            ]
            number += prod(readings[child] for child in alternative.children)
            for parts in product(*choices):
                words = tuple(_words(template, [part for part, _ in parts]))
                if _occurs(finish(spelling, words), text):
                    phrases[words] += prod(times for _, times in parts)
        below.append(phrases)
        readings.append(number)
    return sum(n for words, n in below[-1].items() if finish(spelling, words) == text)


def _words(template: Template, children: Sequence[Words]) -> Iterator[str]:
    for item in template:
        if isinstance(item, Slot):
            words = children[item.child]
            yield from map(capitalised, words[:1]) if item.capital else words[:1]
            yield from words[1:]
        else:
            yield item.text


def _occurs(part: str, text: str) -> bool:
    return part in text or capitalised(part) in text


#: The likeliest readings of an ambiguous sentence whose outputs are looked at.
_READINGS = 50


@dataclass(frozen=True, slots=True)
class Judgement(SentenceReadings):
    """The readings of a sentence, and what they say.

    Attributes:
        outputs: for each target the texts of the likeliest readings, best first.
        some: the structures that some reading contains, by index; ``every`` those
            that all readings contain.
        failure: why there is no reading.
    """

    outputs: tuple[tuple[str, ...], ...] = ()
    some: frozenset[int] = frozenset()
    every: frozenset[int] = frozenset()
    failure: ParseFailure | None = None

    def likeliest(self, readings: int) -> tuple[Derivation, ...]:
        """Return the likeliest readings of a sentence that has some, best first."""
        if self.forest is None:
            return (self.derivation,)
        return tuple(ranked.derivation for ranked in best_readings(self.forest, readings))


class SentenceReader:
    """Judges sentences of one text layer."""

    def __init__(
        self,
        parser: Parser,
        targets: tuple[Output, ...],
        finder: StructureFinder | None = None,
        normalizer: Normalizer | None = None,
    ) -> None:
        """Read with a parser; ``normalizer`` is one for its layer."""
        self.parser = parser
        self.targets = targets
        self._finder = finder
        self._cache = ReadingCache(parser, normalizer, self._judged)

    def judge(self, sentence: str) -> Judgement:
        """Return what the grammar makes of a sentence."""
        return self.judge_all([sentence])[sentence]

    def judge_all(self, sentences: Iterable[str]) -> dict[str, Judgement]:
        """Judge many sentences, which are read together where that pays."""
        return self._cache.read(sentences)

    def gives(self, judged: Judgement, target: int, text: str) -> bool:
        """Return whether some reading gives this text in the target with this index."""
        if text in judged.outputs[target]:
            return True
        if judged.forest is None or judged.readings <= _READINGS:
            return False
        return gives(judged.forest, self.targets[target], text)

    def _judged(self, found: SentenceReadings) -> Judgement:
        some = every = frozenset[int]()
        if found.forest is not None:
            if self._finder is not None:
                some, every = self._finder.in_forest(found.forest)
            outputs = [first_outputs(found.forest, target, _READINGS) for target in self.targets]
        elif found.derivation:
            if self._finder is not None:
                some = every = self._finder.in_reading(found.derivation)
            outputs = [(target(found.derivation),) for target in self.targets]
        else:
            return Judgement(found.spelling, failure=self.parser.failure(found.spelling))
        read = found.spelling, found.changed, found.derivation, found.forest
        return Judgement(*read, tuple(outputs), some, every)
