"""What a grammar makes of one sentence: its readings, outputs and structures.

Corpora repeat themselves, so the judgements of recent sentences are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import partial

from sgl.audit.outputs import first_outputs, gives
from sgl.audit.structures import StructureFinder
from sgl.core.interpret import Derivation
from sgl.corpus.spelling import Speller
from sgl.graph import Output
from sgl.parse import Forest, Obstacle, Parser, best_readings

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
        self.targets = targets
        self._finder = finder
        self._speller = speller
        self._kept: OrderedDict[str, Judgement] = OrderedDict()

    def judge(self, sentence: str) -> Judgement:
        """What the grammar makes of a sentence."""
        known = self._kept.pop(sentence, None)
        judged = self._judge(sentence) if known is None else known
        self._kept[sentence] = judged
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return judged

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

    def _judge(self, sentence: str) -> Judgement:
        spellings = [(sentence, ())] if self._speller is None else self._speller.spellings(sentence)
        last = sentence
        for spelling, changed in spellings:
            last = spelling
            forest = self.parser.forest(spelling)
            if forest is not None:
                return self._read(forest, spelling, changed)
        return Judgement(last, obstacle=self.parser.obstacle(last))

    def _read(self, forest: Forest, spelling: str, changed: tuple[str, ...]) -> Judgement:
        some: frozenset[int] = frozenset()
        every: frozenset[int] = frozenset()
        judgement = partial(Judgement, spelling, forest.count, changed=changed)
        if forest.count == 1:
            derivation = forest.reading(0)
            if self._finder is not None:
                some = every = self._finder.in_reading(derivation)
            texts = tuple([(target(derivation),) for target in self.targets])
            return judgement(derivation, texts, some, every)
        if self._finder is not None:
            some, every = self._finder.in_forest(forest)
        outputs = tuple([first_outputs(forest, target, _READINGS) for target in self.targets])
        (best,) = best_readings(forest, 1)
        return judgement(best.derivation, outputs, some, every, forest=forest)
