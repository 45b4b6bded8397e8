"""Gather the reasoning about one pattern: clauses, automata, invariant, smallest trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.automata import (
    HeldOut,
    Instance,
    Licence,
    PatternProofs,
    Piece,
    StructureCompiler,
    pieces_of,
    smallest_derivation,
)
from sgl.automata.algebra.boolean import intersection
from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.proofs.explanation import StateExample, state_examples, with_other_words
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.core.lemmas import content_lemmas
from sgl.core.plan import IN_DISTRIBUTION, Constraint
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.frontend.patterns import LoweredPattern
from sgl.report import Example, example_of


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause as it is written, and where: ``file:line``."""

    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """What the automaton of a structure can remember of phrases, with the smallest such phrase.

    ``found`` are the numbers of the pieces of the structure that it contains, from
    1, and ``whole`` tells whether it contains all of it; ``reached`` tells whether
    training sentences have such phrases.  ``states`` counts the states of the
    automaton that are of this kind.
    """

    category: str
    text: str
    states: int
    found: tuple[int, ...]
    whole: bool
    reached: bool


@dataclass(frozen=True, slots=True)
class Invariant:
    """Why a structure is held out: what its automaton meets in training.

    ``states`` and ``transitions`` are those of the automaton on the whole grammar.
    """

    claim: HeldOut
    pieces: tuple[Structure, ...]
    states: int
    transitions: int
    phrases: tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Reasoning:
    """Everything that ``sglc prove --pattern`` says.

    ``training`` and ``transitions`` are the sizes of the in-distribution training
    grammar.
    """

    pattern: LoweredPattern
    proofs: PatternProofs
    clauses: tuple[Clause, ...]
    training: int
    transitions: int
    invariants: tuple[Invariant, ...]
    needs: tuple[tuple[Licence, Example | None], ...]
    pieces: tuple[tuple[Piece, Example | None], ...]
    items: tuple[tuple[Instance, Example | None], ...]


def reasoning(
    compiled: Compiled, structures: StructureCompiler, proofs: PatternProofs
) -> Reasoning:
    """Return the reasoning about the pattern that ``proofs`` is about."""
    lowered = next(p for p in compiled.patterns if p.pattern.name == proofs.name)
    return _Gathering(compiled, structures, lowered, proofs).gather()


class _Gathering:
    def __init__(
        self,
        compiled: Compiled,
        structures: StructureCompiler,
        lowered: LoweredPattern,
        proofs: PatternProofs,
    ) -> None:
        self.compiled = compiled
        self.structures = structures
        self.lowered = lowered
        self.proofs = proofs
        self.strata = {stratum.stream: stratum for stratum in compiled.plan.strata}
        self.lemmas = content_lemmas(compiled.grammar, compiled.plan)

    def gather(self) -> Reasoning:
        split = self.structures.split(self._training())
        return Reasoning(
            pattern=self.lowered,
            proofs=self.proofs,
            clauses=self._clauses(),
            training=len(split.category),
            transitions=sum(len(row) for row in split.transitions_of),
            invariants=tuple(self._invariant(claim) for claim in self.proofs.held_out),
            needs=tuple((claim, self._need(claim)) for claim in self.proofs.licences),
            pieces=tuple((claim, self._piece(claim)) for claim in self.proofs.pieces),
            items=tuple((claim, self._item(claim)) for claim in self.proofs.instances),
        )

    def _training(self) -> Constraint:
        """Return the constraint of the in-distribution training sentences."""
        found = (
            stratum.constraint
            for stratum in self.compiled.plan.strata
            if stratum.split == "train" and stratum.category == IN_DISTRIBUTION
        )
        return next(found, Constraint())

    def _clauses(self) -> tuple[Clause, ...]:
        clauses = []
        for clause in self.lowered.declaration.clauses:
            file = self.compiled.project.sources.get(clause.span.file)
            if file is not None:
                text = " ".join(file.text[clause.span.start : clause.span.end].split())
                line = file.position(clause.span.start)[0]
                clauses.append(Clause(text, f"{clause.span.file}:{line}"))
        return tuple(clauses)

    # ---- the invariant

    def _invariant(self, claim: HeldOut) -> Invariant:
        automaton = self.structures.presence(claim.structure)
        view = self.structures.view(self._training())
        pieces = pieces_of(claim.structure)
        kinds: dict[tuple[tuple[int, ...], bool, bool], list[StateExample]] = {}
        for reading in state_examples(view, automaton):
            found = tuple(
                number
                for number, piece in enumerate(pieces, 1)
                if self._contains(reading.phrase, piece)
            )
            whole = reading.accepting or self._contains(reading.phrase, claim.structure)
            kinds.setdefault((found, whole, reading.reached), []).append(reading)
        transitions = sum(len(table) for table in automaton.tables)
        phrases = [self._phrase(kind, alike) for kind, alike in kinds.items()]
        phrases.sort(key=lambda phrase: (phrase.whole, not phrase.reached, phrase.found))
        states = len(automaton.category)
        return Invariant(claim, pieces, states, transitions, tuple(phrases))

    def _phrase(
        self, kind: tuple[tuple[int, ...], bool, bool], alike: Sequence[StateExample]
    ) -> Phrase:
        smallest = min(alike, key=lambda reading: len(reading.phrase))
        grammar = self.compiled.grammar
        layer = grammar.text_layer(self.compiled.plan.source)
        tokens = derive_tokens(grammar, smallest.phrase, layer)
        found, whole, reached = kind
        return Phrase(
            category=grammar.categories[smallest.category].name.partition("[")[0],
            text=finish(grammar.text_layers[layer], tokens),
            states=len(alike),
            found=found,
            whole=whole,
            reached=reached,
        )

    def _contains(self, derivation: Derivation, structure: Structure) -> bool:
        automaton = self.structures.structure_automaton(structure)
        return automaton.accepts(self.compiled.grammar, derivation)

    # ---- sentences

    def _need(self, claim: Licence) -> Example | None:
        """Return the smallest training sentence with a part, of the first stratum that has it."""
        for stratum in self.compiled.plan.strata:
            if stratum.split == "train" and claim.example is not None:
                language = self.structures.language(stratum.constraint)
                if language.accepts(claim.example):
                    return self._smallest(stratum.stream, claim.structure)
        return None

    def _piece(self, claim: Piece) -> Example | None:
        if claim.stream is None:
            return None
        return self._smallest(claim.stream, claim.structure)

    def _smallest(self, stream: str, structure: Structure) -> Example | None:
        """Return the smallest sentence of a stratum with a structure."""
        language = self.structures.language(self.strata[stream].constraint)
        contains = self.structures.presence(structure)
        both = intersection(language, contains)
        return self._example(smallest_derivation(both), both)

    def _item(self, claim: Instance) -> Example | None:
        constraint = self.strata[claim.stream].constraint
        return self._example(claim.example, self.structures.language(constraint))

    def _example(self, derivation: Derivation | None, automaton: TreeAutomaton) -> Example | None:
        if derivation is None:
            return None
        plan = self.compiled.plan
        return example_of(
            self.compiled.grammar,
            with_other_words(automaton, derivation, self.lemmas),
            source=plan.source,
            target=plan.target,
            graph=plan.lemma_layer,
        )
