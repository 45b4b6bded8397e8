"""Where the readings of a sentence part, and whether that is of consequence.

A constituent with several alternatives is a *choice*: between words that are written alike, between rules, or between
ways to divide the parts of one rule.  A sampled sentence has the derivation that it was sampled with; its string may
have others.  They are of consequence if one contains what is held out, or says something else in a target.  Most
sentences have one reading, and the packed forest is made of the others only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from sgl.core.arrays import Derivations
from sgl.core.grammar import CoreGrammar, Cut, Slot
from sgl.core.interpret import Derivation, capitalised, fold
from sgl.corpus.audit.judgement import StructureFinder, differing_reading
from sgl.parsing import BatchParser, Forest, Parser
from sgl.rendering import Output

WORD, RULE, PARTS = "word", "rule", "parts"


class ReadingChoice(NamedTuple):
    """A kind of choice at a category: between words in the layer looked at, or names of rules."""

    kind: str
    category: str
    options: tuple[str, ...]

    def __str__(self) -> str:
        return " / ".join(self.options)


def choices(forest: Forest, layer: int) -> set[ReadingChoice]:
    """Return the choices of a forest; words are told apart by what they are in a text layer."""
    grammar = forest.grammar
    found = set()
    for node in forest.nodes:
        rules = [grammar.rules[rule] for rule in {a.rule for a in node.alternatives}]
        category = grammar.categories[node.category].base
        if len(rules) > 1 and all(rule.lexical for rule in rules):
            # A word that is empty in the layer is called by its name.
            kind, names = WORD, {" ".join(rule.words(layer)) or rule.name for rule in rules}
        elif len(rules) > 1:
            kind, names = RULE, {rule.name for rule in rules}
        elif len(node.alternatives) > 1:
            kind, names = PARTS, {rules[0].name}
        else:
            continue
        found.add(ReadingChoice(kind, category, tuple(sorted(names))))
    return found


class ListedReading(NamedTuple):
    """A reading in brackets, with its text in every target; ``chosen`` if these are published."""

    phrases: str
    outputs: tuple[str, ...]
    chosen: bool


def bracketed(grammar: CoreGrammar, readings: Sequence[Derivation], layer: int) -> list[str]:
    """Return the sentence once for each reading, with brackets around phrases of its own.

    A phrase is its own if another reading has no phrase there, or, where that tells them not apart,
    no phrase of this name: ``saw [the dog near Emma]``.
    """
    read = [fold(r, grammar.arity, partial(_spans, grammar, layer))[0] for r in readings]
    found = [{(a, b, "") for a, b, _ in spans if a < b} for _, spans in read]
    shared = frozenset.intersection(*map(frozenset, found))
    if not all(spans - shared for spans in found):
        found = [{span for span in spans if span[0] < span[1]} for _, spans in read]
        shared = frozenset.intersection(*map(frozenset, found))
    spelling = grammar.text_layers[layer]
    texts = []
    for (tokens, _), spans in zip(read, found, strict=True):
        own = sorted(spans - shared, key=lambda span: (-span[1], span[2]))
        text = ""
        for place, token in enumerate(tokens):
            text += spelling.join if text and token not in spelling.attach else ""
            opening = [f"[{name} " if name else "[" for start, _, name in own if start == place]
            text += "".join(opening) + token + "]" * sum(end == place + 1 for _, end, _ in own)
        texts.append(text)
    return texts


#: The tokens of a phrase, and where the phrases in it begin and end, with their names.
_Spans = tuple[tuple[str, ...], tuple[tuple[int, int, str], ...]]


def _spans(grammar: CoreGrammar, layer: int, number: int, children: tuple[list[_Spans], ...]) -> list[_Spans]:
    rule = grammar.rules[number]
    found: list[_Spans] = []
    tokens: list[str] = []
    spans: list[tuple[int, int, str]] = []
    for item in (*rule.templates[layer], Cut()):
        if isinstance(item, Cut):
            found.append((tuple(tokens), (*spans, (0, len(tokens), rule.name))))
            tokens, spans = [], []
        elif isinstance(item, Slot):
            words, inside = children[item.child][item.number]
            if item.capital:
                words = tuple(map(capitalised, words[:1])) + words[1:]
            spans += [(len(tokens) + a, len(tokens) + b, name) for a, b, name in inside]
            tokens += words
        else:
            tokens.append(item.text)
    return found


#: Sentences that are remembered; others are parsed again.
_REMEMBERED = 1_000_000


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """What the readings of a sentence are, beside the one that it was drawn by, if ``several``.

    ``structures`` are those, by index, that some reading contains; ``outputs`` the text layers and
    views, by name, in which a reading has another text.
    """

    several: bool = False
    structures: frozenset[int] = frozenset()
    outputs: tuple[str, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether another reading contains a structure or says something else."""
        return bool(self.structures or self.outputs)


@dataclass
class AmbiguityFinder:
    """Looks for other readings of sentences that the grammar has derived; compares readings by ``outputs``."""

    parser: Parser
    finder: StructureFinder
    outputs: Sequence[Output]

    def __post_init__(self) -> None:
        self._batch = BatchParser(self.parser)
        self._known: dict[str, Ambiguity] = {}

    def find_batch(
        self, texts: Sequence[str], derivations: Derivations, *, structures: bool = True
    ) -> dict[int, Ambiguity]:
        """Return the ambiguity of those texts, by number, that have several readings.

        Each text has its derivation.  Without ``structures`` it does not matter which of them
        readings contain.  The finder may raise ``StructureTooCostly`` and ``UnsupportedStructure``.
        """
        several = np.flatnonzero(self._batch.read(texts).counts != np.uint64(1))
        found: dict[int, Ambiguity] = {}
        read = iter(derivations.take(several))
        for number, derivation in zip(several.tolist(), read, strict=True):
            text = texts[number]
            one = self._known.get(text) or self._ambiguity(text, derivation)
            if len(self._known) < _REMEMBERED:
                self._known[text] = one
            found[number] = one if structures else replace(one, structures=frozenset())
        return found

    def _ambiguity(self, text: str, derivation: Derivation) -> Ambiguity:
        forest = self.parser.forest(text)
        assert forest is not None, f"the parser does not read what was drawn: {text}"
        if forest.count == 1:
            return Ambiguity()
        structures, _ = self.finder.in_forest(forest)
        differing = tuple(
            output.name for output in self.outputs if differing_reading(forest, output, output(derivation)) is not None
        )
        return Ambiguity(True, structures, differing)

    def evidence(self, text: str, derivation: Derivation, *, structures: bool = True) -> Derivation:
        """Return another reading of a text whose ambiguity matters, which shows that it does.

        It has another output, or else contains a structure; but if the ``derivation`` that the text
        was drawn by is the only one that does, it is any other reading.
        """
        forest = self.parser.forest(text)
        assert forest is not None, f"the parser does not read what was drawn: {text}"
        for output in self.outputs:
            if (other := differing_reading(forest, output, output(derivation))) is not None:
                return other
        found = self.finder.reading_with_one(forest) if structures else None
        assert found is not None, f"nothing is wrong with the readings of {text}"
        if found == derivation:
            return next(other for other in forest.readings(2) if other != derivation)
        return found
