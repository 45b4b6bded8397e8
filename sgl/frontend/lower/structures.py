"""Lower structures that are written out, and join what they say of several graph layers.

::

    structure below(n) sem { A -[theme]{n}-> B }
    forbid syn { V -[nsubj]-> N } sem { V -[theme]-> N }

A structure that names no layer is about the first.  Its bodies are lowered by
:mod:`sgl.frontend.lower.bodies`, and joined by :mod:`sgl.core.joint`.
"""

from collections.abc import Sequence, Set
from dataclasses import replace

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar, GraphLayer
from sgl.core.joint import joined
from sgl.frontend.elaborate.structures import Written, seen_in, variables_in
from sgl.frontend.lower.bodies import BodyLowering, StructureContext, check_measures, check_repeats
from sgl.frontend.lower.finishing import absorbed_in, uncounted_in
from sgl.frontend.names.resolved import Resolved
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


def lower_structure(written: Written | None, context: StructureContext) -> c.Structure | None:
    """Return a structure that is written out, by default of the context's layer; None after a report."""
    if written is None:
        return None
    errors, structures = context.state.diagnostics.errors, list[c.Structure]()
    for layer, graph in written.parts:
        own = _context_of(layer, context)
        if own is None:
            return None
        structures.append(_lowered(graph, written, own))
    if context.state.diagnostics.errors > errors:
        return None
    if len(structures) == 1:
        return structures[0]
    found = joined(structures, [*context.beside])
    return found if has_words(found, written.ref, context) else None


def _context_of(layer: s.Name | None, context: StructureContext) -> StructureContext | None:
    if layer is None:
        return context
    if layer.text in context.beside:
        return replace(context.beside[layer.text], targets=context.targets)
    if layer.text not in context.unsound:
        context.state.report_missing("graph layer", layer, context.beside)
    return None


def _lowered(graph: s.GraphPattern, written: Written, context: StructureContext) -> c.Structure:
    state, bodies, span = context.state, graph.bodies, written.ref.span
    errors = state.diagnostics.errors
    outside = {n.text: n.span for body in reversed(bodies) for n in seen_in(body)[::-1]}
    for pattern in bodies:
        check_repeats(pattern, outside, state)
    taken = {name.text for name in variables_in(graph)}
    lowering = [BodyLowering(written.scope.of(graph), context, taken) for _ in bodies]
    lowered = [one.run(body) for one, body in zip(lowering, bodies, strict=True)]
    check_measures(graph, lowered, state)
    if state.diagnostics.errors == errors:
        for depth in lowering[0].depths:
            lowered = [replace(depth[0], lengths=lowered[0].lengths), *depth[1:]]
    structure = c.Structure(context.layer.name, lowered[0], tuple(lowered[1:]), context.named)
    for test in (test for test in lowered[0].lengths if test.layer in context.uncounted):
        message = f"`{test.layer}` absorbs words or applies functions: its lengths are not proved"
        state.error("SGL0801", span, message, "measure another layer")
    if context.absorbed is not None:
        context.absorbed.report(structure, span, state)
    return structure


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
