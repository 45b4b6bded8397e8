"""Report close relatives of held-out structures that stay in training, so that no claim is narrower than it looks.

A relative is a structure like any other (``sgl.core.relatives``), so SGL decides whether training can contain it as for
a needed part, and shows the smallest such sentence.
"""

from collections.abc import Iterator, Set
from functools import cached_property

from sgl.automata import StructureCompiler
from sgl.automata.common import StructureTooCostly, computed_once
from sgl.automata.proofs.invariant import smallest_text
from sgl.core.interpret import Derivation, interpret
from sgl.core.joint import seen_by
from sgl.core.plan import TRAIN, Constraint, Pattern, content_lemmas
from sgl.core.relatives import Relative, relatives_of
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.values import dataclass, replace

#: Maximum number of relatives shown for a structure.
_SHOWN = 3


def report_relatives(compiled: Compiled, structures: StructureCompiler, diagnostics: Diagnostics) -> None:
    """Warn about each structure of ``forbid``, ``assert never`` and ``gen`` that is narrower than it may seem."""
    usual = compiled.plan.in_distribution(TRAIN)
    if usual is None:
        return
    search = _Search(compiled, structures, usual.constraint)
    for lowered in compiled.patterns:
        pattern, told = lowered.pattern, set[str]()
        for structure in dict.fromkeys((*pattern.held_out, *pattern.gen)):
            found = {there: (text, hint) for text, there, hint in search.left(structure, pattern) if there not in told}
            told.update(found)
            if found:
                held_out = structure in pattern.held_out
                what = "is not held out" if held_out else "is neither held out nor asked for"
                notes = tuple(f"“{text}” {what}: {there}" for there, (text, _) in found.items())[:_SHOWN]
                message = f"`{pattern.name}` {'holds out' if held_out else 'asks for'} less than it may seem to"
                _, hint = next(iter(found.values()))
                diagnostics.warning("SGL0855", lowered.places[structure], message, hint, notes=notes)


@dataclass(frozen=True)
class _Search:
    """Searches for relatives in the sentences that training may contain."""

    compiled: Compiled
    structures: StructureCompiler
    training: Constraint

    def left(self, structure: Structure, pattern: Pattern) -> Iterator[tuple[str, str, str]]:
        """Yield the relatives that training can contain: a sentence, the relation found there, and a hint."""
        asked = dict.fromkeys((*self.training.exclude, *pattern.gen, structure))
        rest = replace(self.training, exclude=tuple(asked))
        for relative in relatives_of(structure, self.compiled.grammar, self._labels(structure.layer)):
            if (derivation := self._smallest(relative, rest)) is not None:
                texts = interpret(self.compiled.grammar, derivation).texts
                yield texts[self.compiled.grammar.text_layer(self.compiled.plan.source)], relative.there, relative.hint

    def _smallest(self, relative: Relative, rest: Constraint) -> Derivation | None:
        try:
            if not self.structures.derives(rest, relative.structure):
                return None
            language = self.structures.language(rest.requiring(relative.structure))
        except StructureTooCostly:
            return None
        return smallest_text(language, self._lemmas)

    @computed_once
    def _labels(self, layer: str) -> Set[str]:
        grammar = seen_by(self.compiled.grammar, layer)
        number = grammar.graph_layer(layer)
        return frozenset(edge.label for rule in grammar.rules for edge in rule.fragments[number].edges)

    @cached_property
    def _lemmas(self) -> list[tuple[str, ...]]:
        return content_lemmas(self.compiled.grammar, self.compiled.plan)
