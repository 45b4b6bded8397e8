"""What a grammar makes of one sentence: its readings, outputs and structures.

A forest may have more readings than can be listed.  Whether one of them gives a
certain text is decided without listing them: from the words upwards, every node keeps
the texts of its readings that occur in the text which is looked for::

    犬が寝た。   sought: A dog slept.      Det  {a}  (the: does not occur)
                                         NP   {a dog}

What does not occur there can be no part of it, but for the first letter, which a rule
higher up may raise.  For the same reason one phrase that does not occur there shows that
not all readings give the text.  Views are not made of the words of their parts: of them the
likeliest readings are listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sgl.core.grammar import Slot, Template
from sgl.core.interpret import Derivation, capitalised, finish
from sgl.corpus.audit.structures import StructureFinder
from sgl.corpus.normalization import Normalizer
from sgl.corpus.readings import ReadingCache, SentenceReadings
from sgl.parsing import Forest, Node, ParseFailure, Parser, best_readings
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
    spelling = forest.grammar.text_layers[output.layer]
    below: list[list[Words]] = []
    for node in forest.nodes:
        phrases = _phrases(forest, node, output.layer, below)
        found = (words for words in phrases if _occurs(finish(spelling, words), text))
        below.append(list(dict.fromkeys(found)))
    return any(finish(spelling, words) == text for words in below[-1])


def all_give(forest: Forest, output: Output, text: str) -> bool:
    """Return whether every reading has this text as its output; of views, all of the likeliest."""
    layer = output.layer
    if layer is None:
        return first_outputs(forest, output, _VIEWED) == (text,)
    spelling = forest.grammar.text_layers[layer]
    # The nodes that some reading writes: no rule above drops them.
    written = {len(forest.nodes) - 1}
    for number in range(len(forest.nodes) - 1, -1, -1):
        for alternative in forest.nodes[number].alternatives if number in written else ():
            template = forest.grammar.rules[alternative.rule].templates[layer]
            written.update(alternative.children[place] for place in _used(template))
    below: list[list[Words]] = []
    for number, node in enumerate(forest.nodes):
        found: dict[Words, None] = {}
        for words in _phrases(forest, node, layer, below) if number in written else ():
            if not _occurs(finish(spelling, words), text):
                return False
            found[words] = None
        below.append(list(found))
    return all(finish(spelling, words) == text for words in below[-1])


def _used(template: Template) -> set[int]:
    """Return the children that a template does not drop."""
    return {item.child for item in template if isinstance(item, Slot)}


def _phrases(forest: Forest, node: Node, layer: int, below: list[list[Words]]) -> Iterator[Words]:
    """Yield what a node says in a layer, from what the nodes below it say."""
    for alternative in node.alternatives:
        template = forest.grammar.rules[alternative.rule].templates[layer]
        used = _used(template)
        choices = [
            below[child] if place in used else [()]
            for place, child in enumerate(alternative.children)
        ]
        for children in product(*choices):
            yield tuple(_words(template, children))


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
