"""Partial Match: is the part of the sentence right that the pattern is about?

Exact Match fails a sentence for any slip.  Partial Match looks at what the pattern asks for
(:mod:`sgl.research.evaluate.query`) and at nothing else::

    pattern    Subj → Obj          asked for    パンダ as an object
    gold       女性がパンダを見つけた。
    outputs    男性がパンダを見つけた。   1      パンダが女性を見つけた。   0

If the grammar reads the prediction, one of the readings has to contain all that is asked for.
If not, phrases with particles decide, where the language is Japanese
(:mod:`sgl.research.evaluate.particles`); otherwise the prediction counts as wrong.

Metric: Kumon, Matsuoka & Yanaka 2024, who look for words and roles with a parser of Japanese.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from itertools import chain

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern
from sgl.corpus import Normalizer
from sgl.morphology.analyser import AnalyserMissing, sudachi
from sgl.parsing import BatchParser, Parser, best_readings, read_first
from sgl.rendering import outputs
from sgl.research.evaluate.particles import ROLES, ParticleMatcher, governed
from sgl.research.evaluate.query import Extent, PatternQuery, TargetSpan
from sgl.research.evaluate.realization import (
    Realization,
    Realizer,
    condensed,
    lemmas_by_word,
    own_words,
)
from sgl.research.evaluate.trees import GrammarEdges

#: Readings of a prediction that are looked at, the likeliest first.
_READINGS = 50

_JAPANESE = "ja"

#: A longer prediction is not read: models that repeat themselves write without end.
_LONGEST = 1_000


class Decision(Enum):
    """What decided about a prediction."""

    GOLD = "equal to the gold text"
    PARSE = "parsed by the grammar"
    PARTICLES = "phrases with particles"
    NOTHING = "nothing: no reading"
    UNKNOWN = "nothing: the gold text has no reading"


#: What the likeliest readings of a prediction say, best first.
PredictionReadings = tuple[Realization, ...]


class PartialMatch:
    """Judges the predictions of one text layer with one grammar."""

    def __init__(
        self,
        grammar: CoreGrammar,
        patterns: Sequence[Pattern],
        source: str,
        target: str,
        layer: str,
    ) -> None:
        """``layer`` is the graph layer that the patterns speak of."""
        self._target = grammar.text_layer(target)
        graph = grammar.graph_layer(layer)
        self._queries = {pattern.name: PatternQuery.of(pattern) for pattern in patterns}
        self._source = BatchParser(Parser(grammar, grammar.text_layer(source)))
        self._full = Parser(grammar, grammar.text_layer(source))
        self._gold_text = outputs(grammar)[target]
        self._gold = Realizer(grammar, graph, self._target)
        small = condensed(grammar, self._target)
        self._parser = Parser(small, self._target)
        self._batch = BatchParser(self._parser)
        self._prediction_realizer = Realizer(small, graph, self._target)
        words = self._parser.vocabulary
        self._speller = Normalizer(small.text_layers[self._target], words, ("spacing", "width"))
        self._particles: ParticleMatcher | None = None
        if target == _JAPANESE:
            # Without the analyser of Japanese nothing decides.
            with suppress(AnalyserMissing):
                rules = [rule for rule in grammar.rules if rule.lexical]
                verbs = governed(own_words(rule, self._target) for rule in rules)
                self._particles = ParticleMatcher(sudachi().analyse, verbs)
        self.edges = GrammarEdges(grammar, graph, self._target)
        self.lemmas = lemmas_by_word(grammar, graph, self._target)

    def golds(self, sources: Sequence[str], targets: Sequence[str]) -> list[Realization | None]:
        """Return what the gold items say; None where the grammar does not derive the pair."""
        found = self._source.read(sources, derive=True)
        likeliest = iter(found.derivations or ())
        return [
            self._gold_of(best, source, target) if count else None
            for count, best, source, target in zip(
                found.counts.tolist(), likeliest, sources, targets, strict=True
            )
        ]

    def _gold_of(self, likeliest: Derivation, source: str, target: str) -> Realization | None:
        """Return what the first reading says that is written like the target."""
        derivations = chain((likeliest,), _several(self._full, source))
        right = (found for found in derivations if self._gold_text(found) == target)
        return next(map(self._gold.realize, right), None)

    def read(self, predictions: Sequence[str]) -> list[PredictionReadings]:
        """Return the readings of predictions, in the spelling of the grammar."""
        short = [text if len(text) <= _LONGEST else "" for text in predictions]
        spelt = [self._speller.spellings(text) for text in short]
        read: list[PredictionReadings] = []
        for first in read_first(self._batch, spelt):
            derivations: Iterable[Derivation] = [first.derivation] if first.readings else []
            if first.readings > 1:
                derivations = _several(self._parser, first.spelling)
            read.append(tuple(map(self._prediction_realizer.realize, derivations)))
        return read

    def decide(
        self, pattern: str, gold: Realization | None, prediction: str, read: PredictionReadings
    ) -> tuple[bool, Decision]:
        """Tell whether a prediction has what its pattern asks for, and what decided.

        ``prediction`` is not equal to the gold text.
        """
        query = self._queries[pattern]
        wanted = frozenset() if gold is None else query.in_gold(gold)
        if not wanted:
            return False, Decision.UNKNOWN
        if read:
            right = any(wanted <= query.in_prediction(reading) for reading in read)
            return right, Decision.PARSE
        particles = self._particles
        if particles is None or not prediction.strip() or len(prediction) > _LONGEST:
            return False, Decision.NOTHING
        right = all(_found(particles, prediction, span) for _, spans in wanted for span in spans)
        return right, Decision.PARTICLES


def _several(parser: Parser, text: str) -> Iterator[Derivation]:
    """Yield the likeliest readings of a text, the best first."""
    forest = parser.forest(text)
    if forest is not None:
        yield from (ranked.derivation for ranked in best_readings(forest, _READINGS))


def _found(particles: ParticleMatcher, text: str, span: TargetSpan) -> bool:
    role = ROLES.get(span.label)
    if role is not None:
        return particles.has_role(text, span.text, role, whole=span.extent is Extent.PHRASE)
    return particles.has_word(text, span.text.rstrip("。？"))
