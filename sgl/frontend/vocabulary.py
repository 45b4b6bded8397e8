"""What structures can speak of: the labels and attributes of a graph layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sgl.core.grammar import CoreGrammar
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s


@dataclass(frozen=True)
class LayerVocabulary:
    """The labels of all edges and the values of all attributes of a graph layer.

    It is not ``complete`` when rules had errors; then nothing is said to be unknown.
    """

    labels: frozenset[str] = frozenset()
    attributes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    complete: bool = True


def vocabulary(grammar: CoreGrammar, layer: int) -> LayerVocabulary:
    """Return what structures over this graph layer can mention."""
    labels: set[str] = set()
    attributes: dict[str, set[str]] = {"lemma": set(), "upos": set()}
    for rule in grammar.rules:
        fragment = rule.fragments[layer]
        labels.update(edge.label for edge in fragment.edges)
        for node in fragment.nodes:
            for name, value in node.attributes or ():
                attributes.setdefault(name, set()).add(value)
    return LayerVocabulary(
        frozenset(labels), {name: frozenset(values) for name, values in attributes.items()}
    )


@dataclass(frozen=True)
class StructureContext:
    """What structures are lowered with; ``targets`` are those of the pattern."""

    layer: str
    words: LayerVocabulary
    state: CompilerState
    targets: tuple[str, ...] | None = None


def structure_context(state: CompilerState) -> None:
    """Collect what structures can speak of, if any declaration has one.

    Before: ``signature``.  After: ``context``.  With errors in the rules nobody asks whether
    words exist.
    """
    patterns = [declaration.name for declaration, _ in state.names.of(s.PatternDecl)]
    parts = [declaration.name for declaration, _ in state.names.of(s.PartDecl)]
    relations = [declaration.relation for declaration, _ in state.names.of(s.Restrict)]
    speaking = [*patterns, *parts, *relations]
    if speaking and state.signature.graph_layers:
        grammar = state.lowered.grammar if hasattr(state, "lowered") else None
        state.context = context_of(state, state.signature.graph_layers[0].name, 0, grammar)
    elif speaking and not state.signature.unsound:
        message = "patterns speak about a graph layer, and the grammar declares none"
        hint = f"add `layer syn : graph on {state.signature.source.name}`"
        state.error("SGL0307", speaking[0].span, message, hint)


def context_of(
    state: CompilerState, layer: str, index: int, grammar: CoreGrammar | None
) -> StructureContext:
    """Return what structures over a graph layer can speak of, in a grammar without errors."""
    words = LayerVocabulary(complete=False) if grammar is None else vocabulary(grammar, index)
    return StructureContext(layer, words, state)
