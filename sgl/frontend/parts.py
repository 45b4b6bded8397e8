"""Lower parts: training sentences that belong to no pattern, under a constraint of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.core.plan import Part, Quota
from sgl.core.structure import Structure
from sgl.diagnostics import Span, suggest
from sgl.frontend.dataset import SPLITS
from sgl.frontend.names import ResolvedNames, Scope
from sgl.frontend.quotas import Anchor, Quotas, anchor
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure
from sgl.frontend.vocabulary import StructureContext
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LoweredPart:
    """A part with where it was written: its clauses ``only``, and the items of ``size``."""

    part: Part
    declaration: s.PartDecl
    only: tuple[Span, ...]
    sizes: tuple[Span, ...]

    def place(self, structure: Structure) -> Span | None:
        """Return the first clause with this structure."""
        if structure in self.part.only:
            return self.only[self.part.only.index(structure)]
        for quota, span in zip(self.part.quotas, self.sizes, strict=True):
            if structure in quota.structures:
                return span
        return None


def lower_parts(state: CompilerState) -> None:
    """Turn each clause of a part into structures of the core.

    Before: ``context``.  After: ``parts``, those that are sound.
    """
    found = []
    for declaration, scope in state.names.of(s.PartDecl):
        errors = state.diagnostics.errors
        lowered = _lower(
            declaration, scope, state.context, _allowed(declaration, scope, state.names)
        )
        _check(declaration, state)
        if state.diagnostics.errors == errors:
            found.append(lowered)
    state.parts = tuple(found)


def _allowed(declaration: s.PartDecl, scope: Scope, names: ResolvedNames) -> tuple[str, ...]:
    """Return the patterns after ``allow`` that are in force."""
    switched_off = {pattern.name.text for pattern, _ in names.declared(s.PatternDecl)}
    clauses = (clause for clause in declaration.clauses if isinstance(clause, s.AllowClause))
    mentioned = [name for clause in clauses for name in clause.names]
    return tuple(
        name.text
        for name in mentioned
        if scope.peek(s.PatternDecl, name.text)
        or (name.text not in switched_off and scope.find(s.PatternDecl, name))
    )


def _lower(
    declaration: s.PartDecl, scope: Scope, context: StructureContext, allow: tuple[str, ...]
) -> LoweredPart:
    clauses = declaration.clauses
    anchors: list[Anchor] = []
    errors = context.state.diagnostics.errors
    for clause in clauses:
        if isinstance(clause, s.StructureClause):
            structure = lower_structure(clause.graph, scope, context)
            if structure is not None:
                anchors.append(anchor(structure, clause.graph, scope, clause.span))
    sound = context.state.diagnostics.errors == errors
    quotas = _quotas(clauses, Quotas(anchors if sound else (), scope, context))
    title = declaration.title
    part = Part(
        name=declaration.name.text,
        title=title.text if title is not None else "",
        only=tuple(found.structure for found in anchors),
        quotas=tuple(quota for _, quota in quotas),
        repeated_lemmas=any(isinstance(clause, s.RepeatedLemmas) for clause in clauses),
        allow=allow,
        tested=any(_is_apart(clause) for clause in clauses),
    )
    spans = tuple(item.span for item, _ in quotas)
    return LoweredPart(part, declaration, tuple(found.span for found in anchors), spans)


def _is_apart(clause: s.PartClause) -> bool:
    return isinstance(clause, s.StructureClause) and clause.kind == "apart"


def _quotas(clauses: Sequence[s.PartClause], quotas: Quotas) -> list[tuple[s.SizeItem, Quota]]:
    sizes = (clause for clause in clauses if isinstance(clause, s.SizeClause))
    return [found for clause in sizes for found in quotas.lower_all(clause)]


def _check(declaration: s.PartDecl, state: CompilerState) -> None:
    """Report a part without a structure of its own, or without a number of sentences."""
    name = declaration.name
    if not any(isinstance(clause, s.StructureClause) for clause in declaration.clauses):
        state.diagnostics.error(
            "SGL0827",
            name.span,
            f"the part `{name}` has nothing of its own",
            hint="add `only { … }` with what no other sentence of the dataset contains, "
            "or `apart { … }` with what generalization items contain as well",
        )
    structures = [c for c in declaration.clauses if isinstance(c, s.StructureClause)]
    if len({clause.kind for clause in structures}) > 1:
        state.diagnostics.error(
            "SGL0827",
            structures[-1].span,
            f"the part `{name}` has structures both `only` for itself and `apart`",
            hint="write one of the two; items of patterns may contain what is `apart`",
        )
    for clause in declaration.clauses:
        for item in clause.items if isinstance(clause, s.SizeClause) else ():
            _check_split(item, state)
    if not any(isinstance(clause, s.SizeClause) for clause in declaration.clauses):
        state.diagnostics.error(
            "SGL0827",
            name.span,
            f"the part `{name}` has no sentences",
            hint="say how many: `size 200`",
        )


def _check_split(item: s.SizeItem, state: CompilerState) -> None:
    """Report sentences of a part in a split that has none."""
    if item.split is not None and item.split.text not in SPLITS:
        state.diagnostics.error(
            "SGL0827",
            item.split.span,
            f"a part has no sentences in `{item.split}`",
            hint=suggest(item.split.text, SPLITS) or f"it may have some in: {', '.join(SPLITS)}",
        )
