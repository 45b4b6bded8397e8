"""Judge one sentence with a grammar: its structures, readings and outputs.

Every structure is a tree automaton.  The *joint* automaton runs all of them at once: its state is the tuple of their
states, numbered.  A corpus uses few combinations, so a sentence costs one look-up per rule.

A sampled sentence has the derivation that it was sampled with; its string may have others.  They matter if one contains
a held-out structure or gives another text in a target.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sgl.automata import StructureCompiler
from sgl.core.arrays import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, fold
from sgl.core.plan import Pattern
from sgl.core.structure import Structure
from sgl.corpus.audit.examples import differing_reading, gives
from sgl.corpus.rows import Normalizer, SentenceBatches, SentenceReadings
from sgl.parsing import BatchParser, Forest, Parser, best_readings
from sgl.rendering import Output
from sgl.values import dataclass, replace

#: The most combinations and sentences to remember; a corpus with more is only slower.
_REMEMBERED = 1_000_000

#: With more readings than this, each structure is searched separately.
_JOINTLY = 200


@dataclass(frozen=True, slots=True)
class DeclaredStructure:
    """A structure with its display name, such as ``pp_in_subject.need.2``.

    ``pattern`` is the pattern that it belongs to and ``role`` its role there (``forbid``, ``never``, ``gen``,
    ``exclude``, ``need``, ``expose``); a structure declared under its own name has neither.
    """

    name: str
    structure: Structure
    pattern: str = ""
    role: str = ""

    @property
    def held_out(self) -> bool:
        """Whether a pattern claims that training does not contain the structure."""
        return self.role in ("forbid", "never")


def declared_structures(patterns: tuple[Pattern, ...], named: Mapping[str, Structure]) -> tuple[DeclaredStructure, ...]:
    """Return every structure of the patterns, except a ``gen`` that repeats a held-out one, then the named ones."""
    found: list[DeclaredStructure] = []
    for pattern in patterns:
        roles = {
            "forbid": pattern.forbid,
            "never": pattern.never,
            "gen": tuple(s for s in pattern.gen if s not in pattern.held_out),
            "exclude": pattern.exclude,
            "need": tuple(need.structure for need in pattern.need),
            "expose": tuple(exposure.structure for exposure in pattern.expose),
        }
        for role, structures in roles.items():
            for number, structure in enumerate(structures, 1):
                name = f"{pattern.name}.{role}" + (f".{number}" if len(structures) > 1 else "")
                found.append(DeclaredStructure(name, structure, pattern.name, role))
    found += [DeclaredStructure(name, structure) for name, structure in named.items()]
    return tuple(found)


class StructureFinder:
    """A finder of the declared structures, by index; raises ``StructureTooCostly`` and ``UnsupportedStructure``."""

    def __init__(
        self, grammar: CoreGrammar, declared: tuple[DeclaredStructure, ...], compiler: StructureCompiler | None = None
    ) -> None:
        """Build the automata; a ``compiler`` for this grammar may have them already."""
        compiler = compiler or StructureCompiler(grammar)
        distinct = list(dict.fromkeys(entry.structure.canonical() for entry in declared))
        place = {structure: number for number, structure in enumerate(distinct)}
        self._grammar = grammar
        self._automata = [compiler.structure_automaton(structure) for structure in distinct]
        self._places = [place[entry.structure.canonical()] for entry in declared]
        self._numbers: dict[tuple[int, ...], int] = {}
        self._states: list[tuple[int, ...]] = []
        self._steps: dict[tuple[int, tuple[int, ...]], int] = {}
        self._found: dict[int, frozenset[int]] = {}

    def in_reading(self, derivation: Derivation) -> frozenset[int]:
        """Return the structures that a reading contains."""
        return self._in_state(fold(derivation, self._grammar.arity, self.step))

    def in_forest(self, forest: Forest) -> tuple[frozenset[int], frozenset[int]]:
        """Return the structures in some reading, and those in every reading."""
        if forest.count <= _JOINTLY:
            inside = [self._in_state(state) for state in sorted(forest.states(self))]
            return frozenset().union(*inside), frozenset.intersection(*inside)
        verdicts = [
            {automaton.accepts_state(state) for state in forest.states(automaton)} for automaton in self._automata
        ]
        places = [(index, verdicts[place]) for index, place in enumerate(self._places)]
        return (
            frozenset(index for index, found in places if True in found),
            frozenset(index for index, found in places if found == {True}),
        )

    def reading_with_one(self, forest: Forest) -> Derivation | None:
        """Return a reading that contains a structure, or None if none does."""
        for index in dict.fromkeys(self._places):
            automaton = self._automata[index]
            for state, reading in forest.examples(automaton).items():
                if automaton.accepts_state(state):
                    return reading
        return None

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the joint state of a phrase from its rule and the joint states of its children."""
        if (state := self._steps.get((rule, children))) is None:
            below = [self._states[child] for child in children]
            states = tuple(
                automaton.step(rule, tuple([child[number] for child in below]))
                for number, automaton in enumerate(self._automata)
            )
            state = self._numbers.setdefault(states, len(self._states))
            if state == len(self._states):
                self._states.append(states)
            if len(self._steps) < _REMEMBERED:
                self._steps[rule, children] = state
        return state

    def _in_state(self, state: int) -> frozenset[int]:
        if state not in self._found:
            states = self._states[state]
            self._found[state] = frozenset(
                index for index, place in enumerate(self._places) if self._automata[place].accepts_state(states[place])
            )
        return self._found[state]


#: The number of likeliest readings of an ambiguous sentence whose outputs are examined.
_READINGS = 50


@dataclass(frozen=True, slots=True)
class Judgement(SentenceReadings):
    """The readings of a sentence, with their outputs and structures.

    ``read`` has the likeliest, best first, each with its text in every target; ``outputs`` has the distinct texts of
    each target.  ``some`` and ``every`` are the structures, by index, that some or every reading contains.
    """

    read: tuple[tuple[Derivation, tuple[str, ...]], ...] = ()
    outputs: tuple[tuple[str, ...], ...] = ()
    some: frozenset[int] = frozenset()
    every: frozenset[int] = frozenset()

    def chosen(self, published: Mapping[int, Sequence[str]]) -> tuple[int, ...]:
        """Return the numbers of the likeliest readings that give the ``published`` texts, spellings by target."""
        return tuple(
            number
            for number, (_, texts) in enumerate(self.read)
            if all(texts[target] in spellings for target, spellings in published.items())
        )


@dataclass
class SentenceReader:
    """A judge of sentences in the layer of a parser; ``normalizer`` is one for that layer."""

    parser: Parser
    targets: tuple[Output, ...]
    finder: StructureFinder | None = None
    normalizer: Normalizer | None = None

    def __post_init__(self) -> None:
        self._batches = SentenceBatches(self.parser, self.normalizer)

    def judge_all(self, sentences: Iterable[str]) -> dict[str, Judgement]:
        """Judge many sentences, reading them together if that pays."""
        return {text: self._judged(found) for text, found in self._batches.read(sentences).items()}

    def structures(self, derivation: Derivation) -> frozenset[int]:
        """Return the structures of a reading, by index."""
        return frozenset() if self.finder is None else self.finder.in_reading(derivation)

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
            if self.finder is not None:
                some, every = self.finder.in_forest(found.forest)
            readings = [r.derivation for r in best_readings(found.forest, _READINGS)]
        elif found.derivation:
            some = every = self.structures(found.derivation)
            readings = [found.derivation]
        else:
            return Judgement(found.spelling, failure=found.failure, refused=found.refused)
        read = tuple((r, tuple(target(r) for target in self.targets)) for r in readings)
        outputs = zip(*(texts for _, texts in read), strict=True)
        return Judgement(
            found.spelling,
            found.changed,
            found.derivation,
            found.forest,
            read=read,
            outputs=tuple(tuple(dict.fromkeys(texts)) for texts in outputs),
            some=some,
            every=every,
        )


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """The readings of a sentence besides the one that it was drawn with.

    ``readings`` is the number of all; ``structures`` are those, by index, that some reading contains; ``outputs`` names
    the text layers and views in which some reading has another text.
    """

    readings: int = 1
    structures: frozenset[int] = frozenset()
    outputs: tuple[str, ...] = ()

    @property
    def several(self) -> bool:
        """Whether there is another reading."""
        return self.readings > 1

    @property
    def matters(self) -> bool:
        """Whether some reading contains a structure, or another reading has another text."""
        return bool(self.structures or self.outputs)


@dataclass
class AmbiguityFinder:
    """A finder of other readings of derived sentences; it compares readings by ``outputs``."""

    parser: Parser
    finder: StructureFinder
    outputs: Sequence[Output]

    def __post_init__(self) -> None:
        self._batch = BatchParser(self.parser)
        self._known: dict[str, Ambiguity] = {}

    def find_batch(
        self, texts: Sequence[str], derivations: Derivations, *, structures: bool = True
    ) -> dict[int, Ambiguity]:
        """Return the ambiguity of the texts, by number, that have several readings.

        Each text has its derivation.  Without ``structures``, the structures of readings are ignored.  The finder may
        raise ``StructureTooCostly`` and ``UnsupportedStructure``.
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
        assert forest is not None, f"the parser cannot read a sampled sentence: {text}"
        if forest.count == 1:
            return Ambiguity()
        structures, _ = self.finder.in_forest(forest)
        differing = tuple(
            output.name for output in self.outputs if differing_reading(forest, output, output(derivation)) is not None
        )
        return Ambiguity(forest.count, structures, differing)

    def evidence(self, text: str, derivation: Derivation, *, structures: bool = True) -> Derivation:
        """Return another reading of a text whose ambiguity matters, as evidence.

        It has another output, or else contains a structure; if only the ``derivation`` that the text was drawn with
        contains one, return any other reading.
        """
        forest = self.parser.forest(text)
        assert forest is not None, f"the parser cannot read a sampled sentence: {text}"
        for output in self.outputs:
            if (other := differing_reading(forest, output, output(derivation))) is not None:
                return other
        found = self.finder.reading_with_one(forest) if structures else None
        assert found is not None, f"nothing is wrong with the readings of {text}"
        if found == derivation:
            return next(other for other in forest.readings(2) if other != derivation)
        return found
