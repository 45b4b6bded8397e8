"""Lower parts: training sentences that belong to no pattern, under a constraint of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sgl.core.plan import Part
from sgl.core.structure import Structure
from sgl.diagnostics import Span, suggest
from sgl.frontend.dataset import SPLITS
from sgl.frontend.names import ResolvedNames, Scope
from sgl.frontend.quotas import Anchor, Quotas, anchor
from sgl.frontend.state import CompilerState
from sgl.frontend.structures import lower_structure
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LoweredPart:
    """A part; ``sizes`` are the places of its quotas, ``places`` those of its structures."""

    part: Part
    declaration: s.PartDecl
    sizes: tuple[Span, ...]
    places: Mapping[Structure, Span]


def lower_parts(state: CompilerState) -> None:
    """Turn each clause of a part into structures of the core.

    Before: ``context``.  After: ``parts``, those that are sound.
    """
    found = []
    for declaration, scope in state.names.of(s.PartDecl):
        errors = state.diagnostics.errors
        lowered = _lower(declaration, scope, state)
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


def _lower(declaration: s.PartDecl, scope: Scope, state: CompilerState) -> LoweredPart:
    allow = _allowed(declaration, scope, state.names)
    clauses, context = declaration.clauses, state.context
    written = [clause for clause in clauses if isinstance(clause, s.StructureClause)]
    anchors: list[Anchor] = []
    for clause in written:
        structure = lower_structure(clause.graph, scope, context)
        if structure is not None:
            anchors.append(anchor(structure, clause.graph, scope, clause.span))
    sound = len(anchors) == len(written)
    sizes = Quotas(anchors if sound else (), scope, context).lower_all(clauses)
    places = [(found.structure, found.span) for found in anchors]
    places += [(one, item.span) for item, quota in sizes for one in quota.structures]
    title = declaration.title
    part = Part(
        name=declaration.name.text,
        title=title.text if title is not None else "",
        only=tuple(found.structure for found in anchors),
        quotas=tuple(quota for _, quota in sizes),
        repeated_lemmas=any(isinstance(clause, s.RepeatedLemmas) for clause in clauses),
        allow=allow,
        tested=any(clause.kind == "apart" for clause in written),
    )
    spans = tuple(item.span for item, _ in sizes)
    return LoweredPart(part, declaration, spans, dict(reversed(places)))  # the first one stays


def _check(declaration: s.PartDecl, state: CompilerState) -> None:
    """Report a part without a structure of its own, or without a number of sentences."""
    name = declaration.name
    structures = [c for c in declaration.clauses if isinstance(c, s.StructureClause)]
    sizes = [c for c in declaration.clauses if isinstance(c, s.SizeClause)]
    if not structures:
        state.error(
            "SGL0827",
            name.span,
            f"the part `{name}` has nothing of its own",
            "add `only { … }` with what no other sentence of the dataset contains, "
            "or `apart { … }` with what generalization items contain as well",
        )
    if len({clause.kind for clause in structures}) > 1:
        message = f"the part `{name}` has structures both `only` for itself and `apart`"
        hint = "write one of the two; items of patterns may contain what is `apart`"
        state.error("SGL0827", structures[-1].span, message, hint)
    for item in (item for clause in sizes for item in clause.items):
        _check_split(item, state)
    if not sizes:
        hint = "say how many: `size 200`"
        state.error("SGL0827", name.span, f"the part `{name}` has no sentences", hint)


def _check_split(item: s.SizeItem, state: CompilerState) -> None:
    """Report sentences of a part in a split that has none."""
    if item.split is not None and item.split.text not in SPLITS:
        hint = suggest(item.split.text, SPLITS, "it may have some in")
        state.error("SGL0827", item.split.span, f"a part has no sentences in `{item.split}`", hint)
