"""Partial Match: is the part of the sentence right that the pattern is about?

Exact Match fails a sentence for any slip.  Partial Match (Kumon, Matsuoka & Yanaka 2024) looks at what the pattern
asks for and at nothing else.  If the grammar reads the prediction, one of the readings has to contain all that is
asked for.  If not, phrases with particles decide, where the language is Japanese; otherwise the prediction counts as
wrong.

A word counts where its morphemes stand, whole: リアム is not in ウィリアム.  A phrase ends at its particle and
begins where the morpheme before it is no part of the same noun phrase: in 箱の中の猫が the noun 猫 is the subject,
the phrase 猫 is not.  Some verbs mark their object with another particle (好き with が); a grammar that writes it
with the verb says so itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import Pattern
from sgl.corpus import Normalizer
from sgl.morphology.knowledge import Analyse, AnalyserMissing, Morpheme, sudachi
from sgl.parsing import BatchParser, Parser, TooLongError, best_readings, read_first
from sgl.rendering import outputs
from sgl.research.evaluate.query import Extent, PatternQuery, TargetSpan
from sgl.research.evaluate.realization import GrammarEdges, Realization, Realizer, condensed
from sgl.research.evaluate.surface import occurrences_of
from sgl.research.evaluate.vocabulary import Vocabulary

#: Readings of a prediction that are looked at, the likeliest first.
_READINGS = 50

#: A longer prediction is not read: models that repeat themselves never stop.
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

    def __init__(self, grammar: CoreGrammar, patterns: Sequence[Pattern], source: str, target: str, layer: str) -> None:
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
        if target == "ja":
            # Without the analyser of Japanese nothing decides.
            with suppress(AnalyserMissing):
                rules = [rule for rule in grammar.rules if rule.lexical]
                verbs = governed(rule.words(self._target) for rule in rules)
                self._particles = ParticleMatcher(sudachi().analyse, verbs)
        self.edges = GrammarEdges(grammar, graph, self._target)
        self.vocabulary = Vocabulary(grammar, graph, self._target)

    def expect(self, sources: Sequence[str], predictions: Sequence[str]) -> None:
        """Say what will be read, a batch at a time: of much, machine code reads the first batch, too."""
        self._source.pays(sources)
        self._batch.pays([text[:_LONGEST] for text in predictions])

    def golds(self, sources: Sequence[str], targets: Sequence[str]) -> list[Realization | None]:
        """Return what the gold items say; None where the grammar does not derive the pair."""
        found = self._source.read(sources)
        golds: list[Realization | None] = []
        for count, best, source, target in zip(
            found.counts.tolist(), iter(found.derivations), sources, targets, strict=True
        ):
            # The first reading that is written like the target.
            derivations = [best] if count == 1 else _several(self._full, source)
            right = (derivation for derivation in derivations if self._gold_text(derivation) == target)
            golds.append(next(map(self._gold.realize, right), None))
        return golds

    def read(self, predictions: Sequence[str]) -> list[PredictionReadings]:
        """Return the readings of predictions, in the spelling of the grammar."""
        spelt = [self._speller.spellings(text if len(text) <= _LONGEST else "") for text in predictions]
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
        """Tell whether a prediction, not the gold text, has what is asked for, and what decided."""
        query = self._queries[pattern]
        wanted = frozenset() if gold is None else query.matches(gold)
        if not wanted:
            return False, Decision.UNKNOWN
        if read:
            return any(wanted <= query.matches(reading, lemmas=False) for reading in read), Decision.PARSE
        particles = self._particles
        if particles is None or not prediction.strip() or len(prediction) > _LONGEST:
            return False, Decision.NOTHING
        return all(particles.has(prediction, span) for _, spans in wanted for span in spans), Decision.PARTICLES


def _several(parser: Parser, text: str) -> Iterator[Derivation]:
    """Yield the likeliest readings of a text, the best first; none of one that is too long."""
    with suppress(TooLongError):
        if (forest := parser.forest(text)) is not None:
            yield from (ranked.derivation for ranked in best_readings(forest, _READINGS))


SUBJECT, OBJECT, RECIPIENT, AGENT = "subject", "object", "recipient", "agent"

#: The roles of graph layers after Universal Dependencies.
ROLES = dict.fromkeys(("nsubj", "nsubj:pass", "nsubj:xsubj"), SUBJECT)
ROLES |= {"obj": OBJECT, "iobj": RECIPIENT, "obl:to": RECIPIENT, "obl:agent": AGENT}

#: Particles that an object may have if its verb asks for it.
_GOVERNED = ("が", "に", "の")
_OBJECT = "を"


class ParticleMatcher(NamedTuple):
    """Looks for phrases in texts; ``governed`` are verbs with their particle: が好きだった."""

    analyse: Analyse
    governed: frozenset[str] = frozenset()

    def has(self, text: str, span: TargetSpan) -> bool:
        """Tell whether a text has what is asked for."""
        if (role := ROLES.get(span.label)) is not None:
            return self.has_role(text, span.text, role, whole=span.extent is Extent.PHRASE)
        return self.has_word(text, span.text.rstrip("。？"))

    def has_role(self, text: str, phrase: str, role: str, *, whole: bool = False) -> bool:
        """Tell whether a noun, modified or not, has this role (``subject`` …) in the text.

        If ``whole`` the noun phrase has to be this one, without further modifiers.
        """
        starts = occurrences_of(phrase, text)
        before, after = self._neighbours(text) if starts else ({}, {})
        # The noun has to be whole morphemes, and no part of a longer noun or phrase.
        return any(
            before.keys() >= {start, end}
            and not _continues(before[start], after.get(start), whole)
            and not _is_noun(after.get(end))
            and role in self._roles(text, end)
            for start, end in ((start, start + len(phrase)) for start in starts)
        )

    def has_word(self, text: str, word: str) -> bool:
        """Tell whether an inflected word stands in the text, neither longer nor shorter."""
        if len(word) > 2 and word.startswith((*_GOVERNED, _OBJECT)):
            word = word[1:]
        starts = occurrences_of(word, text)
        before = self._neighbours(text)[0] if starts else {}
        return any(before.keys() >= {start, start + len(word)} for start in starts)

    def _neighbours(self, text: str) -> tuple[dict[int, Morpheme | None], dict[int, Morpheme | None]]:
        """Return the morphemes that end, and those that begin, at each of their bounds."""
        before: dict[int, Morpheme | None] = {0: None}
        after: dict[int, Morpheme | None] = {}
        position = 0
        for morpheme in self.analyse(text):
            after[position] = morpheme
            position += len(morpheme.surface)
            before[position] = morpheme
        return before, after

    def _roles(self, text: str, end: int) -> set[str]:
        """Return the roles of what ends here, after the particle that follows."""
        rest = text[end:]
        for particle, role in (("によって", AGENT), (_OBJECT, OBJECT)):
            if rest.startswith(particle):
                return {role}
        if verb := max((verb for verb in self.governed if rest.startswith(verb)), key=len, default=""):
            following = next(iter(self.analyse(rest[len(verb) :])), None)
            # Before a noun, as in 好きだった少女, what stands here is what liked her, too; こと makes a clause one.
            if following is None or following.surface == "こと" or verb[0] != "が":
                return {OBJECT}
            return {OBJECT, SUBJECT} if following.kind == "名詞" else {OBJECT}
        if rest.startswith("は"):
            # A topic is what the clause lacks: its object if there is a subject.
            return {OBJECT if any(m.surface == "が" for m in self.analyse(rest)) else SUBJECT}
        return {"が": {SUBJECT}, "に": {RECIPIENT}}.get(rest[:1], set())


def governed(vocabulary: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the verbs with a particle of their own, from the words of lexical rules."""
    return frozenset("".join(words) for words in vocabulary if words[:1] and words[0] in _GOVERNED and any(words[1:]))


def _continues(before: Morpheme | None, first: Morpheme | None, whole: bool) -> bool:
    """Tell whether a morpheme belongs to the noun that begins after it, or to its whole phrase."""
    if before is None:
        return False
    if _is_noun(before):
        return _is_noun(first)
    if not whole:
        return before.kind == "接頭辞"
    if before.kind == "助詞":
        return before.surface == "の"
    adjective = before.kind in ("連体詞", "接頭辞", "形状詞") or before.surface == "な"
    return adjective or (before.kind == "形容詞" and before.form.startswith("連体形"))


def _is_noun(morpheme: Morpheme | None) -> bool:
    return morpheme is not None and (
        morpheme.kind in ("名詞", "代名詞") or (morpheme.kind == "接尾辞" and morpheme.subkind == "名詞的")
    )
