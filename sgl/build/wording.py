"""What diagnostics about claims have in common: places, sentences, clauses side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sgl.automata import Conflict, StructureCompiler, smallest_derivation
from sgl.build.places import place_of_structure
from sgl.compile import Compiled
from sgl.compile.patterns import LoweredPattern
from sgl.core.interpret import Derivation, interpret
from sgl.core.structure import Structure
from sgl.diagnostics import Label, Span


class Wording:
    """Says in the author's words and sentences what a claim is about."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        self.compiled = compiled
        self._structures = structures

    def place(self, lowered: LoweredPattern, structure: Structure) -> Span:
        """The clause of a pattern with this structure; its name if there is none."""
        return lowered.place(structure) or lowered.declaration.name.span

    def sentence(self, derivation: Derivation) -> str:
        """The source text of a derivation, in quotes."""
        layer = self.compiled.grammar.text_layer(self.compiled.plan.source)
        return f'"{interpret(self.compiled.grammar, derivation).texts[layer]}"'

    def witness(self, derivation: Derivation | None) -> tuple[str, ...]:
        """A note with the sentence that shows the matter, if there is one."""
        return () if derivation is None else (f"witness: {self.sentence(derivation)}",)

    def as_in(self, structures: Sequence[Structure]) -> str:
        """The smallest sentence of the whole grammar with one of the structures, in words."""
        wanted = self._structures.disjunction(tuple(structures))
        derivation = smallest_derivation(self._structures.index, wanted)
        return "" if derivation is None else f", as in {self.sentence(derivation)}"

    def occurs(self, structure: Structure) -> bool:
        """Whether some sentence of the whole grammar contains the structure."""
        return bool(self._structures.disjunction((structure,)).accepting)

    def clauses(self, conflict: Conflict) -> list[Label]:
        """The clauses in conflict, each with a sentence that it asks for or rules out."""
        found = [
            (structure, "required here" + self.as_in((structure,)))
            for group in conflict.require
            for structure in group
        ]
        return [*self._placed(found), *self.excluding(conflict, "excluded here")]

    def excluding(self, conflict: Conflict | None, what: str) -> list[Label]:
        """The clauses that rule something out, each with a sentence that it rules out."""
        excluded = conflict.exclude if conflict is not None else ()
        return self._placed((s, what + self.as_in((s,))) for s in excluded)

    def _placed(self, clauses: Iterable[tuple[Structure, str]]) -> list[Label]:
        return [
            Label(span, text)
            for structure, text in clauses
            if (span := place_of_structure(self.compiled, structure)) is not None
        ]
