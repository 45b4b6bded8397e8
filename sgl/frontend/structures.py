"""Lower structures: write out what they name, and join what they say of several graph layers.

::

    structure below(n) sem { A -[theme]{n}-> B }
    forbid syn { V -[nsubj]-> N } sem { V -[theme]-> N }

A structure that names no layer is about the first.  Its bodies are lowered by
:mod:`sgl.frontend.bodies`, and joined by :mod:`sgl.core.joint`.

A restriction says which words may stand together, so what breaks it is a structure that is nowhere.  A relation lists
for some words those that they go with; a word without a row may stand with any.  There is one structure for all words
with equal rows::

    { V[lemma=drink|sip] -[obj]-> N[lemma!=milk|water] }
"""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar
from sgl.core.joint import joined, variable_of
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Span, suggest
from sgl.frontend.arguments import substitution
from sgl.frontend.bodies import BodyLowering, StructureContext, check_measures, check_repeats, seen_in, variables_in
from sgl.frontend.finishing import absorbed_in, uncounted_in
from sgl.frontend.names import Scope
from sgl.frontend.state import CompilerState
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.yaml_files import RelationRow, read_relation


def contexts_of(state: CompilerState, grammar: CoreGrammar) -> dict[str, StructureContext]:
    """Return what structures can speak of in each graph layer of a grammar without errors."""
    texts, found = tuple(text.name for text in grammar.text_layers), dict[str, StructureContext]()
    for number, layer in enumerate(grammar.graph_layers):
        labels: set[str] = set()
        attributes: dict[str, set[str]] = {"lemma": set(), "upos": set()}
        for fragment in (rule.fragments[number] for rule in grammar.rules):
            labels.update(edge.label for edge in fragment.edges)
            for name, value in (pair for node in fragment.nodes for pair in node.attributes or ()):
                attributes.setdefault(name, set()).add(value)
        own = (layer, state, number > 0, labels, attributes, None, texts)
        found[layer.name] = StructureContext(*own, uncounted_in(grammar), absorbed_in(grammar, number))
    return found


def structure_contexts(state: CompilerState) -> None:
    """Collect what structures can speak of, layer by layer.

    Before: ``signature``.  After: ``contexts`` by layer and, if any pattern, part or restriction
    is declared, ``context``: that of the first layer, which they speak about.  With errors in
    the rules nobody asks whether words exist.
    """
    layers = state.signature.graph_layers
    state.contexts = {layer.name: StructureContext(layer, state, index > 0) for index, layer in enumerate(layers)}
    if hasattr(state, "declared"):
        state.contexts = contexts_of(state, state.declared.grammar)
    speaking = [
        *(declaration.name for declaration, _ in state.names.of(s.PatternDecl)),
        *(declaration.name for declaration, _ in state.names.of(s.PartDecl)),
        *(declaration.relation for declaration, _ in state.names.of(s.Restrict)),
    ]
    if speaking and layers:
        state.context = state.contexts[layers[0].name]
    elif speaking and not state.signature.unsound:
        message = "patterns speak about a graph layer, and the grammar declares none"
        hint = f"add `layer syn : graph on {state.signature.source.name}`"
        state.error("SGL0307", speaking[0].span, message, hint)


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
    found = joined(structures, [*context.state.contexts])
    return found if has_words(found, ref, context) else None


def variables_of(ref: s.GraphRef, scope: Scope) -> tuple[tuple[str, ...], ...]:
    """Return for each body of a structure the variables by which others may speak of its nodes.

    Those inside a ``repeat`` are not among them, its ends are.  Bodies on several layers that
    are joined are one, the first.
    """
    graphs = _graphs(ref, scope)
    names = [tuple(tuple(n.text for n in seen_in(body)) for body in g.bodies) for g in graphs]
    main = dict.fromkeys(name for bodies in names for name in bodies[0])
    return (tuple(main), *(tuple(dict.fromkeys(x)) for bodies in names for x in bodies[1:]))


class _Part(NamedTuple):
    """A structure that is written out, and the scope and the layer that it is lowered in."""

    graph: s.GraphPattern
    scope: Scope
    context: StructureContext


def _parts(ref: s.GraphRef, scope: Scope, context: StructureContext) -> list[_Part] | None:
    state, written = context.state, _written_out(ref, scope)
    if not isinstance(written, s.Layered):
        return [_Part(written, scope, context)] if written is not None else None
    found: list[_Part] = []
    for part in written.parts:
        name, layers = part.layer, state.contexts
        if name.text not in layers:
            if not hasattr(state, "signature") or name.text not in state.signature.unsound:
                state.report_missing("graph layer", name, layers)
            return None
        inner = _written_out(part.graph, scope)
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
    layers, texts = context.state.contexts, dict[str, str]()
    for name in (variable.name for variable in structure.body.variables):
        word, _, layer = name.partition(".")
        if layer and texts.setdefault(word, own := layers[layer].layer.anchor) != own:
            message = f"`{word}` cannot be one word of `{texts[word]}` and of `{own}`"
            hint = "give one of the two another name"
            context.state.error("SGL0832", ref.span, message, hint)
            return False
    return True


def _graphs(ref: s.GraphRef, scope: Scope) -> list[s.GraphPattern]:
    written = _written_out(ref, scope)
    if isinstance(written, s.Layered):
        return [graph for part in written.parts for graph in _graphs(part.graph, scope)]
    return [written] if written is not None else []


def _written_out(ref: s.GraphRef, scope: Scope) -> s.GraphPattern | s.Layered | None:
    if isinstance(ref, s.GraphPattern | s.Layered):
        return ref
    name = ref.name if isinstance(ref, s.Application) else ref
    declaration = scope.of(ref).find(s.StructureDecl, name)
    if declaration is None:
        return None
    arguments = substitution(declaration, ref, scope.resolved.state)
    if arguments is None:
        return None
    graph = arguments.write_out(declaration.graph)
    return graph if arguments.sound else None


@dataclass(frozen=True)
class LoweredRestriction:
    """A restriction, and the structures that break it, each with where it was written."""

    declaration: s.Restrict
    structures: tuple[Structure, ...]

    @property
    def places(self) -> dict[Structure, Span]:
        """The structures, all at the place of the declaration."""
        return dict.fromkeys(self.structures, self.declaration.span)


#: For each word with a row, in the order of the table, the words that it goes with.
_Rows = dict[str, frozenset[str]]


def lower_restrictions(state: CompilerState) -> None:
    """Turn what breaks a restriction into structures to forbid. Before: ``context``. After: ``restrictions``."""
    relations = _Relations(state, state.context)
    for relation, scope in state.names.of(s.Relation):
        relations.rows(relation, scope)
    lowered = [_lower(restrict, scope, relations) for restrict, scope in state.names.of(s.Restrict)]
    state.restrictions = tuple(found for found in lowered if found is not None)


@dataclass
class _Relations:
    """The tables of relations, each read once; ``checked`` are the sets that they mention."""

    state: CompilerState
    context: StructureContext
    read: dict[s.Relation, _Rows | None] = field(default_factory=dict)
    checked: set[s.WordSet] = field(default_factory=set)

    def rows(self, relation: s.Relation, scope: Scope) -> _Rows | None:
        if relation not in self.read:
            errors = self.state.diagnostics.errors
            source = scope.read(relation.path, MAX_TABLE)
            table = read_relation(source, self.state.diagnostics) if source is not None else None
            if source is not None and table == ():
                message = f"the table `{source.name}` has no rows"
                self.state.error("SGL0610", relation.path.span, message)
            rows: _Rows = {}
            first: dict[str, Span] = {}
            for row in table or ():
                word = row.word
                if word.text in rows:
                    hint = "put the words of both rows into one"
                    self.state.report_twice("row", word, first[word.text], hint)
                rows[word.text] = self._partners(row, scope)
                first.setdefault(word.text, word.span)
            self.read[relation] = rows if self.state.diagnostics.errors == errors else None
        return self.read[relation]

    def _partners(self, row: RelationRow, scope: Scope) -> frozenset[str]:
        hint = "add it to a lexicon, or remove it here"
        self.context.check_lemmas((row.word, *row.words), hint)
        found = [word.text for word in row.words]
        for kind in row.kinds:
            declaration = scope.find(s.WordSet, kind)
            if declaration is not None:
                found.extend(value.text for value in declaration.values)
                if declaration not in self.checked:
                    self.checked.add(declaration)
                    self.context.check_lemmas(declaration.values, hint)
        if not row.words and not row.kinds:
            message = f"`{row.word}` goes with no word at all"
            hint = "list the words that it goes with, or remove the row: it then goes with any"
            self.state.error("SGL0614", row.word.span, message, hint)
        return frozenset(found)


def _lower(restrict: s.Restrict, scope: Scope, relations: _Relations) -> LoweredRestriction | None:
    relation = scope.find(s.Relation, restrict.relation)
    structure = lower_structure(restrict.graph, scope, relations.context)
    if structure is None or not _check_nodes(restrict, scope, relations.state) or relation is None:
        return None
    rows = relations.rows(relation, scope.where(relation))
    if rows is None:
        return None
    words_with: dict[frozenset[str], list[str]] = {}
    for word, partners in rows.items():
        words_with.setdefault(partners, []).append(word)
    structures = []
    for partners, words in words_with.items():
        tests = {
            restrict.first.text: NodeTest("lemma", frozenset(words)),
            restrict.second.text: NodeTest("lemma", partners, negated=True),
        }
        # Of a word on several layers the lemma is that of the first.
        own = {variable_of(v.name): v.name for v in reversed(structure.body.variables)}
        asked = {own[name]: test for name, test in tests.items()}
        variables = tuple(
            replace(v, tests=(*v.tests, asked[v.name])) if v.name in asked else v for v in structure.body.variables
        )
        structures.append(replace(structure, body=replace(structure.body, variables=variables)))
    return LoweredRestriction(restrict, tuple(structures))


def _check_nodes(restrict: s.Restrict, scope: Scope, state: CompilerState) -> bool:
    main, *_ = variables_of(restrict.graph, scope)
    first, second = restrict.first, restrict.second
    strange = [node for node in (first, second) if node.text not in main]
    for node in strange:
        hint = suggest(node.text, main, "its nodes are")
        state.error("SGL0828", node.span, f"`{node}` is no node of the structure", hint)
    if not strange and first.text == second.text:
        message = f"the relation is between two nodes, and `{first}` is one"
        state.error("SGL0828", second.span, message, "name the node of the other word")
        return False
    return not strange
