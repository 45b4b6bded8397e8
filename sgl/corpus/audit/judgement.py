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

Corpora repeat themselves, so the judgements of recent sentences are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from sgl.core.grammar import Slot, Template
from sgl.core.interpret import Derivation, capitalised, finish
from sgl.corpus.audit.structures import StructureFinder
from sgl.corpus.normalization import Normalizer, spellings
from sgl.parsing import BatchParser, Forest, Node, ParseFailure, Parser, best_readings, read_first
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
    layer = output.layer
    if layer is None:
        return text in first_outputs(forest, output, _VIEWED)
    spelling = forest.grammar.text_layers[layer]
    below: list[list[Words]] = []
    for node in forest.nodes:
        found = (
            words
            for words in _phrases(forest, node, layer, below)
            if _occurs(finish(spelling, words), text)
        )
        below.append(list(dict.fromkeys(found)))
    return any(finish(spelling, words) == text for words in below[-1])


def all_give(forest: Forest, output: Output, text: str) -> bool:
    """Return whether every reading has this text as its output; of views, all of the likeliest."""
    layer = output.layer
    if layer is None:
        return first_outputs(forest, output, _VIEWED) == (text,)
    spelling = forest.grammar.text_layers[layer]
    written = _written(forest, layer)
    below: list[list[Words]] = []
    for number, node in enumerate(forest.nodes):
        found: dict[Words, None] = {}
        for words in _phrases(forest, node, layer, below) if number in written else ():
            if not _occurs(finish(spelling, words), text):
                return False
            found[words] = None
        below.append(list(found))
    return all(finish(spelling, words) == text for words in below[-1])


def _written(forest: Forest, layer: int) -> set[int]:
    """Return the nodes that some reading writes into a layer: no rule above drops them."""
    written = {len(forest.nodes) - 1}
    for number in range(len(forest.nodes) - 1, -1, -1):
        if number in written:
            for alternative in forest.nodes[number].alternatives:
                template = forest.grammar.rules[alternative.rule].templates[layer]
                used = {item.child for item in template if isinstance(item, Slot)}
                written.update(alternative.children[place] for place in used)
    return written


def _phrases(forest: Forest, node: Node, layer: int, below: list[list[Words]]) -> Iterator[Words]:
    """Yield what a node says in a layer, from what the nodes below it say."""
    for alternative in node.alternatives:
        template = forest.grammar.rules[alternative.rule].templates[layer]
        used = {item.child for item in template if isinstance(item, Slot)}
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


#: Sentences whose judgements are kept.
_KEPT = 20_000

#: The likeliest readings of an ambiguous sentence whose outputs are looked at.
_READINGS = 50


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the grammar makes of a sentence.

    Attributes:
        readings: their number; 0 if there is none, and then ``failure`` says why.
        derivation: the likeliest reading.
        outputs: for each target the texts of the likeliest readings, best first.
        some: the structures that some reading contains, by index; ``every`` those
            that all readings contain.
        changed: what had to be put right in the spelling.
        spelling: the sentence as it was read.
        forest: the readings, if there are several.
    """

    spelling: str
    readings: int = 0
    derivation: Derivation = ()
    outputs: tuple[tuple[str, ...], ...] = ()
    some: frozenset[int] = frozenset()
    every: frozenset[int] = frozenset()
    changed: tuple[str, ...] = ()
    failure: ParseFailure | None = None
    forest: Forest | None = None


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
        self._batch = BatchParser(parser)
        self.targets = targets
        self._finder = finder
        self._normalizer = normalizer
        self._kept: OrderedDict[str, Judgement] = OrderedDict()

    def judge(self, sentence: str) -> Judgement:
        """Return what the grammar makes of a sentence."""
        known = self._kept.pop(sentence, None)
        judged = self._judge(sentence) if known is None else known
        self._keep(sentence, judged)
        return judged

    def judge_all(self, sentences: Sequence[str]) -> list[Judgement]:
        """Judge many sentences; those with one reading are read together."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._kept]
        if not self._batch.pays(new):
            return [self.judge(sentence) for sentence in sentences]
        judged = {sentence: self._kept[sentence] for sentence in {*sentences}.difference(new)}
        found = read_first(self._batch, [spellings(sentence, self._normalizer) for sentence in new])
        for sentence, (spelling, changed, readings, derivation) in zip(new, found, strict=True):
            if readings == 1:
                judged[sentence] = self._certain(derivation, spelling, changed)
            else:
                judged[sentence] = self._uncertain(self.parser.forest(spelling), spelling, changed)
            self._keep(sentence, judged[sentence])
        return [judged[sentence] for sentence in sentences]

    def _keep(self, sentence: str, judged: Judgement) -> None:
        self._kept[sentence] = judged
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    def likeliest(self, judged: Judgement, readings: int) -> tuple[Derivation, ...]:
        """Return the likeliest readings of a sentence that has some, best first."""
        if judged.forest is None:
            return (judged.derivation,)
        return tuple(ranked.derivation for ranked in best_readings(judged.forest, readings))

    def gives(self, judged: Judgement, target: int, text: str) -> bool:
        """Return whether some reading gives this text in the target with this index."""
        if text in judged.outputs[target]:
            return True
        if judged.forest is None or judged.readings <= _READINGS:
            return False
        return gives(judged.forest, self.targets[target], text)

    def _judge(self, sentence: str) -> Judgement:
        spelling = sentence
        for spelling, changed in spellings(sentence, self._normalizer):
            forest = self.parser.forest(spelling)
            if forest is not None and forest.count == 1:
                return self._certain(forest.reading(0), spelling, changed)
            if forest is not None:
                return self._uncertain(forest, spelling, changed)
        return self._uncertain(None, spelling, ())

    def _certain(
        self, derivation: Derivation, spelling: str, changed: tuple[str, ...]
    ) -> Judgement:
        """Return the judgement of a sentence with one reading."""
        found: frozenset[int] = frozenset()
        if self._finder is not None:
            found = self._finder.in_reading(derivation)
        outputs = tuple([(target(derivation),) for target in self.targets])
        return Judgement(spelling, 1, derivation, outputs, found, found, changed)

    def _uncertain(
        self, forest: Forest | None, spelling: str, changed: tuple[str, ...]
    ) -> Judgement:
        """Return the judgement of a sentence with several readings or none."""
        if forest is None:
            return Judgement(spelling, failure=self.parser.failure(spelling))
        some: frozenset[int] = frozenset()
        every: frozenset[int] = frozenset()
        if self._finder is not None:
            some, every = self._finder.in_forest(forest)
        outputs = tuple([first_outputs(forest, target, _READINGS) for target in self.targets])
        (best,) = best_readings(forest, 1)
        return Judgement(
            spelling, forest.count, best.derivation, outputs, some, every, changed, forest=forest
        )
