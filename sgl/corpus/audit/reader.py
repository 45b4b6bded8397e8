"""What a grammar makes of one sentence: its readings, outputs and structures.

Corpora repeat themselves, so the judgements of recent sentences are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sgl.core.interpret import Derivation
from sgl.corpus.audit.outputs import first_outputs, gives
from sgl.corpus.audit.structures import StructureFinder
from sgl.corpus.spelling import Speller
from sgl.parsing import BatchParser, Forest, Obstacle, Parser, best_readings, read_first
from sgl.rendering import Output

#: Sentences whose judgements are kept.
_KEPT = 20_000

#: The likeliest readings of an ambiguous sentence whose outputs are looked at.
_READINGS = 50


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the grammar makes of a sentence.

    Attributes:
        readings: their number; 0 if there is none, and then ``obstacle`` says why.
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
    obstacle: Obstacle | None = None
    forest: Forest | None = None


class Reader:
    """Judges sentences of one text layer."""

    def __init__(
        self,
        parser: Parser,
        targets: tuple[Output, ...],
        finder: StructureFinder | None = None,
        speller: Speller | None = None,
    ) -> None:
        """``speller`` is one for the parser's layer."""
        self.parser = parser
        self._batch = BatchParser(parser)
        self.targets = targets
        self._finder = finder
        self._speller = speller
        self._kept: OrderedDict[str, Judgement] = OrderedDict()

    def judge(self, sentence: str) -> Judgement:
        """What the grammar makes of a sentence."""
        known = self._kept.pop(sentence, None)
        judged = self._judge(sentence) if known is None else known
        self._keep(sentence, judged)
        return judged

    def judge_all(self, sentences: Sequence[str]) -> list[Judgement]:
        """The same of many sentences; those with one reading are read together."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._kept]
        if not self._batch.pays(len(new)):
            return [self.judge(sentence) for sentence in sentences]
        judged = {sentence: self._kept[sentence] for sentence in {*sentences}.difference(new)}
        found = read_first(self._batch, [self._spellings(sentence) for sentence in new])
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
        """The likeliest readings of a sentence that has some, best first."""
        if judged.forest is None:
            return (judged.derivation,)
        return tuple(ranked.derivation for ranked in best_readings(judged.forest, readings))

    def gives(self, judged: Judgement, target: int, text: str) -> bool:
        """Whether some reading gives this text in a target, by its place among ``targets``."""
        if text in judged.outputs[target]:
            return True
        if judged.forest is None or judged.readings <= _READINGS:
            return False
        return gives(judged.forest, self.targets[target], text)

    def _spellings(self, sentence: str) -> Iterable[tuple[str, tuple[str, ...]]]:
        return ((sentence, ()),) if self._speller is None else self._speller.spellings(sentence)

    def _judge(self, sentence: str) -> Judgement:
        spelling = sentence
        for spelling, changed in self._spellings(sentence):
            forest = self.parser.forest(spelling)
            if forest is not None and forest.count == 1:
                return self._certain(forest.reading(0), spelling, changed)
            if forest is not None:
                return self._uncertain(forest, spelling, changed)
        return self._uncertain(None, spelling, ())

    def _certain(
        self, derivation: Derivation, spelling: str, changed: tuple[str, ...]
    ) -> Judgement:
        """The judgement of a sentence with one reading."""
        found: frozenset[int] = frozenset()
        if self._finder is not None:
            found = self._finder.in_reading(derivation)
        outputs = tuple([(target(derivation),) for target in self.targets])
        return Judgement(spelling, 1, derivation, outputs, found, found, changed)

    def _uncertain(
        self, forest: Forest | None, spelling: str, changed: tuple[str, ...]
    ) -> Judgement:
        """The judgement of a sentence with several readings or none."""
        if forest is None:
            return Judgement(spelling, obstacle=self.parser.obstacle(spelling))
        some: frozenset[int] = frozenset()
        every: frozenset[int] = frozenset()
        if self._finder is not None:
            some, every = self._finder.in_forest(forest)
        outputs = tuple([first_outputs(forest, target, _READINGS) for target in self.targets])
        (best,) = best_readings(forest, 1)
        return Judgement(
            spelling, forest.count, best.derivation, outputs, some, every, changed, forest=forest
        )
