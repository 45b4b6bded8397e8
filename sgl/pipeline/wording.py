"""What diagnostics about claims have in common: places, sentences, clauses side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sgl.automata import Conflict, StructureCompiler, smallest_derivation
from sgl.core.interpret import Derivation, interpret
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Label, Span
from sgl.frontend import Compiled
from sgl.frontend.patterns import LoweredPattern
from sgl.pipeline.places import places_of_structure


def written(structure: Structure, targets: Sequence[str]) -> str:
    """A structure as the author of a pattern with these targets would write it."""
    named = str(NodeTest("lemma", frozenset(targets)))
    return str(structure).replace(named, "lemma in @targets") if targets else str(structure)


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

    def clauses(self, conflict: Conflict) -> list[Label]:
        """The clauses in conflict, each with a sentence that it asks for or rules out."""
        required = [
            (structure, "required here" + self.as_in((structure,)))
            for group in conflict.require
            for structure in group
        ]
        return self._placed([*required, *self._excluded(conflict, "excluded here")])

    def excluding(self, conflict: Conflict | None) -> list[Label]:
        """The clauses that rule something out, each with why and a sentence that it rules out."""
        return self._placed(self._excluded(conflict))

    def _excluded(self, conflict: Conflict | None, what: str = "") -> list[tuple[Structure, str]]:
        excluded = conflict.exclude if conflict is not None else ()
        return [
            (structure, (what or self._why(structure)) + self.as_in((structure,)))
            for structure in excluded
        ]

    def _why(self, structure: Structure) -> str:
        """Why training sentences may not contain a structure."""
        patterns = self.compiled.plan.patterns
        held_out = any(structure in pattern.held_out for pattern in patterns)
        return "held out here" if held_out else "reserved here"

    def _placed(self, clauses: Iterable[tuple[Structure, str]]) -> list[Label]:
        """Each clause once: one may require what another excludes in the same words."""
        labels: dict[Span, Label] = {}
        for structure, text in clauses:
            free = (s for s in places_of_structure(self.compiled, structure) if s not in labels)
            place = next(free, None)
            if place is not None:
                labels[place] = Label(place, text)
        return list(labels.values())
