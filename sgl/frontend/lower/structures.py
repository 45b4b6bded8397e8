"""Lower written-out structures, and join their parts on several graph layers.

::

    structure below(n) sem { A -[theme]{n}-> B }
    forbid syn { V -[nsubj]-> N } sem { V -[theme]-> N }

A structure without a layer is about the first.  Its bodies are lowered by :mod:`sgl.frontend.lower.bodies`, and joined
by :mod:`sgl.core.joint`.

A restriction says which words may combine; the structures that break it are excluded everywhere.  A relation lists for
some words their partners; a word without a row combines with any.  Words with equal rows share a structure::

    { V[lemma=drink|sip] -[obj]-> N[lemma!=milk|water] }
"""

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import chain, count

from sgl.core import structure as c
from sgl.core.derivation import CATEGORY, RULE, RULES
from sgl.core.grammar import DERIVATION, CoreGrammar, GraphLayer, TextLayer
from sgl.core.joint import joined, renamed, variable_of
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Reported, Span, attempt, sound, suggest, there, whole
from sgl.frontend.elaborate.substitution import Written, seen_in, variables_in, write_out
from sgl.frontend.lower.bodies import BodyLowering, StructureContext, check_measures, check_repeats
from sgl.frontend.lower.finishing import absorbed_in, uncounted_in
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.tables import RelationRow, read_relation
from sgl.memory import kept
from sgl.values import dataclass, replace


def contexts_of(
    state: Resolved,
    layers: Sequence[GraphLayer],
    grammar: CoreGrammar | None,
    unsound: Set[str] = frozenset(),
    percent: int = 100,
) -> dict[str, StructureContext]:
    """Return the context of structures in each graph layer; without a ``grammar`` words are not checked."""
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


def derivation_asked(state: Signed) -> Signed:
    """Return the project, with the derivation as a layer if a structure, a column or the dataset needs it."""
    signature, kinds = state.signature, (s.PatternDecl, s.PartDecl, s.Quota, s.StructureDecl, s.Restrict, s.Test)
    speaking = tuple(declaration for kind in kinds for declaration, _ in state.names.of(kind))
    needed = not signature.graph_layers and (speaking or state.names.of(s.Dataset))
    asked = (kept("derivation asked", (own,), None, partial(_asks_derivation, own)) for own in speaking)
    if not needed and not state.names.of(s.ColumnDecl) and not any(asked):
        return state
    texts = (*signature.text_layers, TextLayer(RULES))
    graphs = (*signature.graph_layers, GraphLayer(DERIVATION, RULES))
    return replace(state, signature=replace(signature, text_layers=texts, graph_layers=graphs))


def _asks_derivation(declaration: s.SyntaxNode) -> bool:
    told: Iterator[s.LayerPart | s.Length] = s.parts_of((s.LayerPart, s.Length), declaration)
    return any(part.layer.text in (DERIVATION, RULES) for part in told)


def lower_structure(written: Written, context: StructureContext) -> c.Structure:
    """Return a written-out structure, by default on the context's layer."""
    with whole(context.state.diagnostics):
        structures = [_lowered(graph, written, _context_of(layer, context)) for layer, graph in written.parts]
    if len(structures) == 1:
        return structures[0]
    found = joined(structures, [*context.beside])
    check_words(found, written.ref, context)
    return found


def _context_of(layer: s.Name | None, context: StructureContext) -> StructureContext:
    if layer is None:
        return context
    if layer.text in context.beside:
        return replace(context.beside[layer.text], targets=context.targets, told=context.told)
    if layer.text not in context.unsound:
        context.state.report_missing("graph layer", layer, context.beside)
    raise Reported


def _lowered(graph: s.GraphPattern, written: Written, context: StructureContext) -> c.Structure:
    state, bodies, span = context.state, graph.bodies, written.ref.span
    errors = state.diagnostics.errors
    outside = {n.text: n.span for body in reversed(bodies) for n in seen_in(body)[::-1]}
    for pattern in bodies:
        check_repeats(pattern, outside, state)
    taken = {name.text for name in variables_in(graph)}
    told = told_in(graph) | context.told
    lowering = [BodyLowering(written.scope.of(graph), context, taken, told) for _ in bodies]
    lowered = [one.run(body) for one, body in zip(lowering, bodies, strict=True)]
    check_measures(graph, lowered, state)
    if state.diagnostics.errors == errors:
        for depth in lowering[0].depths:
            first, *others = _apart(depth, graph, written)
            lowered = [replace(first, lengths=lowered[0].lengths), *others]
    apart = frozenset(lowering[0].apart)
    structure = c.Structure(context.layer.name, lowered[0], tuple(lowered[1:]), context.named, apart)
    for test in (test for test in lowered[0].lengths if test.layer in context.uncounted):
        message = f"`{test.layer}` absorbs words or applies functions: its lengths are not proved"
        state.error("SGL0801", span, message, "measure another layer")
    if context.absorbed is not None:
        context.absorbed.report(structure, span, state)
    return structure


def _apart(depth: Sequence[c.Body], graph: s.GraphPattern, written: Written) -> list[c.Body]:
    """Return the bodies of a depth, with variables that no other layer of the structure has."""
    graphs = [own for _, own in written.parts]
    if len(graphs) == 1:
        return [*depth]
    taken, step = {name.text for own in graphs for name in variables_in(own)}, len(graphs)
    place = next(number for number, own in enumerate(graphs, 1) if own is graph)
    new = {
        variable.name: next(new for n in count(place, step) if (new := f"{variable.name}_{n}") not in taken)
        for body in depth
        for variable in body.variables
    }
    return [renamed(body, new) for body in depth]


def told_in(graph: s.GraphPattern) -> set[str]:
    """Return the variables with names of their own: a test identifies their derivation node."""
    return {ref.name.text for ref in s.parts_of(s.VariableRef, graph) if any(map(_tells, ref.tests))}


def _tells(test: s.AttributeTest | s.CountTest) -> bool:
    """Return whether a test identifies the rule, category or quoted word of a derivation node."""
    if not isinstance(test, s.AttributeTest):
        return False
    return test.attribute.text in (RULE, CATEGORY) if test.attribute is not None else test.word_set is None


def check_words(structure: c.Structure, ref: s.GraphRef, context: StructureContext) -> None:
    """Check that each variable of a joint structure can be a single word."""

    def told(body: c.Body) -> list[tuple[str, str]]:
        named = [variable.name.partition(".") for variable in body.variables]
        # A phrase of the derivation has its head in each layer, whatever its text.
        return [(word, context.beside[layer].layer.anchor) for word, _, layer in named if layer not in ("", DERIVATION)]

    # New variables of `without` bodies are separate words.
    texts = dict(reversed(told(structure.body)))
    for word, own in chain.from_iterable(map(told, (structure.body, *structure.without))):
        if (known := texts.get(word, own)) != own:
            message = f"`{word}` cannot belong to both `{known}` and `{own}`"
            context.state.fail("SGL0832", ref.span, message, "give one of the two another name")


@dataclass(frozen=True)
class LoweredRestriction:
    """A restriction, and the structures that break it."""

    declaration: s.Restrict
    structures: tuple[Structure, ...]

    @property
    def places(self) -> dict[Structure, Span]:
        """The structures, all at the place of the declaration."""
        return dict.fromkeys(self.structures, self.declaration.span)


#: For each word with a row, in table order, its partners.
_Rows = dict[str, frozenset[str]]


def lower_restrictions(context: StructureContext) -> tuple[LoweredRestriction, ...]:
    """Turn violations of restrictions into structures to forbid."""
    names = context.state.names
    checked = set[s.WordSet]()
    relations = {own: attempt(_rows, own, scope, checked, context) for own, scope in names.of(s.Relation)}
    return tuple(sound(lambda pair: _lower(*pair, relations, context), names.of(s.Restrict)))


def _rows(relation: s.Relation, scope: Scope, checked: set[s.WordSet], context: StructureContext) -> _Rows:
    """Return the table of a relation; ``checked`` has the sets of words already checked."""
    state, rows, first = context.state, _Rows(), dict[str, Span]()
    source = scope.read(relation.path, MAX_TABLE)
    with whole(state.diagnostics):
        table = there(read_relation(source, state.diagnostics))
        if not table:
            state.error("SGL0610", relation.path.span, f"the table `{source.name}` has no rows")
        for row in table:
            word = row.word
            if word.text in rows:
                state.report_twice("row", word, first[word.text], "put the words of both rows into one")
            rows[word.text] = _partners(row, scope, checked, context)
            first.setdefault(word.text, word.span)
    return rows


def _partners(row: RelationRow, scope: Scope, checked: set[s.WordSet], context: StructureContext) -> frozenset[str]:
    hint = "add it to a lexicon, or remove it here"
    context.check_lemmas((row.word, *row.words), hint)
    found = [word.text for word in row.words]
    for declaration in sound(partial(scope.find, s.WordSet), row.kinds):
        found.extend(value.text for value in declaration.values)
        context.check_lemmas(declaration.values if declaration not in checked else (), hint)
        checked.add(declaration)
    if not row.words and not row.kinds:
        hint = "list the words that it goes with, or remove the row: it then goes with any"
        context.state.error("SGL0614", row.word.span, f"`{row.word}` goes with no word at all", hint)
    return frozenset(found)


def _lower(
    restrict: s.Restrict, scope: Scope, relations: Mapping[s.Relation, _Rows | None], context: StructureContext
) -> LoweredRestriction:
    relation = scope.find(s.Relation, restrict.relation)
    written = write_out(restrict.graph, scope)
    structure = lower_structure(written, context)
    _check_nodes(restrict, written.names, context.state)
    words_with: dict[frozenset[str], list[str]] = {}
    for word, partners in there(relations.get(relation)).items():
        words_with.setdefault(partners, []).append(word)
    # For a word on several layers, the first layer has the lemma.
    own = {variable_of(v.name): v.name for v in reversed(structure.body.variables)}
    first, second = own[restrict.first.text], own[restrict.second.text]
    structures = []
    for partners, words in words_with.items():
        asked = {first: NodeTest("lemma", frozenset(words)), second: NodeTest("lemma", partners, negated=True)}
        variables = tuple(
            replace(v, tests=(*v.tests, asked[v.name])) if v.name in asked else v for v in structure.body.variables
        )
        structures.append(replace(structure, body=replace(structure.body, variables=variables)))
    return LoweredRestriction(restrict, tuple(structures))


def _check_nodes(restrict: s.Restrict, known: Collection[str], state: Resolved) -> None:
    first, second = restrict.first, restrict.second
    with whole(state.diagnostics):
        for node in (node for node in (first, second) if node.text not in known):
            hint = suggest(node.text, known, "its nodes are")
            state.error("SGL0828", node.span, f"`{node}` is not a node of the structure", hint)
    if first.text == second.text:
        message = f"the relation is between two nodes, but `{first}` is only one"
        state.fail("SGL0828", second.span, message, "name the node of the other word")
