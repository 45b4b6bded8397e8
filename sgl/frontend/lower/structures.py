"""Lower structures that are written out, and join what they say of several graph layers.

::

    structure below(n) sem { A -[theme]{n}-> B }
    forbid syn { V -[nsubj]-> N } sem { V -[theme]-> N }

A structure that names no layer is about the first.  Its bodies are lowered by
:mod:`sgl.frontend.lower.bodies`, and joined by :mod:`sgl.core.joint`.
"""

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar, GraphLayer
from sgl.core.joint import joined
from sgl.frontend.elaborate.structures import seen_in, variables_in, written_out
from sgl.frontend.lower.bodies import BodyLowering, StructureContext, check_measures, check_repeats
from sgl.frontend.lower.finishing import absorbed_in, uncounted_in
from sgl.frontend.names.resolved import Resolved
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s


def contexts_of(
    state: Resolved,
    layers: Sequence[GraphLayer],
    grammar: CoreGrammar | None,
    unsound: Set[str] = frozenset(),
    percent: int = 100,
) -> dict[str, StructureContext]:
    """Return what structures can speak of in each graph layer.

    Without a ``grammar``, whose rules had errors, nobody asks whether words exist.
    """
    found = dict[str, StructureContext]()
    for number, layer in enumerate(layers):
        found[layer.name] = StructureContext(layer, state, number > 0, found, unsound, percent)
        if grammar is not None:
            found[layer.name] = _with_words(found[layer.name], grammar, number)
    return found


def _with_words(context: StructureContext, grammar: CoreGrammar, number: int) -> StructureContext:
    labels, attributes = set[str](), dict[str, set[str]]({"lemma": set(), "upos": set()})
    for fragment in (rule.fragments[number] for rule in grammar.rules):
        labels.update(edge.label for edge in fragment.edges)
        for name, value in (pair for node in fragment.nodes for pair in node.attributes or ()):
            attributes.setdefault(name, set()).add(value)
    return replace(
        context,
        labels=labels,
        attributes=attributes,
        texts=tuple(text.name for text in grammar.text_layers),
        uncounted=uncounted_in(grammar),
        absorbed=absorbed_in(grammar, number),
    )


def is_spoken_of(state: Signed) -> bool:
    """Return whether there is a pattern, a part or a restriction; report it if the grammar has no graph layers."""
    speaking = [
        *(declaration.name for declaration, _ in state.names.of(s.PatternDecl)),
        *(declaration.name for declaration, _ in state.names.of(s.PartDecl)),
        *(declaration.relation for declaration, _ in state.names.of(s.Restrict)),
    ]
    if speaking and not state.signature.graph_layers and not state.signature.unsound:
        message = "patterns speak about a graph layer, and the grammar declares none"
        state.error("SGL0307", speaking[0].span, message, f"add `layer syn : graph on {state.signature.source.name}`")
    return bool(speaking)


def lower_structure(ref: s.GraphRef, scope: Scope, context: StructureContext) -> c.Structure | None:
    """Return the structure that a clause writes or names, by default of the context's layer; None after a report."""
    parts = _parts(ref, scope, context)
    if parts is None:
        return None
    errors, structures = context.state.diagnostics.errors, list[c.Structure]()
    for part in parts:
        bodies = part.graph.bodies
        outside = {n.text: n.span for body in reversed(bodies) for n in seen_in(body)[::-1]}
        for pattern in bodies:
            check_repeats(pattern, outside, context.state)
        taken = {name.text for name in variables_in(part.graph)}
        own = part.scope.of(part.graph)
        lowering = [BodyLowering(own, part.context, taken) for _ in bodies]
        lowered = [one.run(body) for one, body in zip(lowering, bodies, strict=True)]
        check_measures(part.graph, lowered, context.state)
        if context.state.diagnostics.errors == errors:
            for depth in lowering[0].depths:
                lowered = [replace(depth[0], lengths=lowered[0].lengths), *depth[1:]]
        layer, named = part.context.layer.name, part.context.named
        structures.append(c.Structure(layer, lowered[0], tuple(lowered[1:]), named))
        for test in (test for test in lowered[0].lengths if test.layer in part.context.uncounted):
            message = f"`{test.layer}` absorbs words or applies functions: its lengths are not proved"
            context.state.error("SGL0801", ref.span, message, "measure another layer")
        if part.context.absorbed is not None:
            part.context.absorbed.report(structures[-1], ref.span, context.state)
    if context.state.diagnostics.errors > errors:
        return None
    if len(parts) == 1:
        return structures[0]
    found = joined(structures, [*context.beside])
    return found if has_words(found, ref, context) else None


class _Part(NamedTuple):
    """A structure that is written out, and the scope and the layer that it is lowered in."""

    graph: s.GraphPattern
    scope: Scope
    context: StructureContext


def _parts(ref: s.GraphRef, scope: Scope, context: StructureContext) -> list[_Part] | None:
    state, written = context.state, written_out(ref, scope)
    if not isinstance(written, s.Layered):
        return [_Part(written, scope, context)] if written is not None else None
    found: list[_Part] = []
    for part in written.parts:
        name, layers = part.layer, context.beside
        if name.text not in layers:
            if name.text not in context.unsound:
                state.report_missing("graph layer", name, layers)
            return None
        inner = written_out(part.graph, scope)
        if inner is None:
            return None
        twice = any(one.context.layer.name == name.text for one in found)
        if twice or isinstance(inner, s.Layered):
            told = f"speaks of `{name}` twice" if twice else "has its layers where it is declared"
            message, hint = f"this structure {told}", "write each layer once, before its braces"
            state.error("SGL0832", name.span, message, hint)
            return None
        found.append(_Part(inner, scope, replace(layers[name.text], targets=context.targets)))
    return found


def has_words(structure: c.Structure, ref: s.GraphRef, context: StructureContext) -> bool:
    """Return whether each variable of a joint structure can be one word; report it otherwise."""
    layers, texts = context.beside, dict[str, str]()
    for name in (variable.name for variable in structure.body.variables):
        word, _, layer = name.partition(".")
        if layer and texts.setdefault(word, own := layers[layer].layer.anchor) != own:
            message = f"`{word}` cannot be one word of `{texts[word]}` and of `{own}`"
            context.state.error("SGL0832", ref.span, message, "give one of the two another name")
            return False
    return True
