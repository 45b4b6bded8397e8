"""Lower structures: write out what they name, and join what they say of several graph layers.

::

    structure below(n) sem { A -[theme]{n}-> B }
    forbid syn { V -[nsubj]-> N } sem { V -[theme]-> N }

A structure that names no layer is about the first.  Its bodies are lowered by
:mod:`sgl.frontend.bodies`, and joined by :mod:`sgl.core.joint`.

What is abbreviated is written out, and then read like anything that an author writes.  A parameter stands as ``n``
for a number, as ``$label`` for labels or words, as ``@pets`` for a set of words, and with a capital letter for a
node.  The names of an argument mean what they mean in the file where it stands.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import count
from typing import Any, NamedTuple, TypeVar

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar
from sgl.core.joint import joined
from sgl.diagnostics import Label
from sgl.frontend.bodies import BodyLowering, StructureContext, check_measures, check_repeats, seen_in, variables_in
from sgl.frontend.finishing import absorbed_in, uncounted_in
from sgl.frontend.names import KINDS, Scope
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: How what a parameter stands for is written.
_WRITTEN = {
    "labels": "labels have no quotes: `nmod`, `nsubj|obj`, `*`",
    "a number": "write `3`, or a parameter: `depth`, `depth+1`",
    "words": 'write `"dog"`, `"dog"|"cat"`, or a set: `@pets`',
}

#: The fields of nodes of a structure.
_NODES: dict[type, tuple[str, ...]] = {s.VariableRef: ("name",), s.Repeat: ("first", "last")}

_Written = TypeVar("_Written")


@dataclass
class Substitution:
    """What takes the place of parameters, by their names; it is not ``sound`` after a report."""

    given: Mapping[str, s.Argument]
    state: CompilerState
    sound: bool = True

    def write_out(self, part: _Written) -> _Written:
        """Return a part of a syntax tree with arguments in place of parameters."""
        written: Any = part
        if isinstance(part, tuple):
            written = tuple(map(self.write_out, part))
        elif isinstance(part, s.Amount):
            written = self._amount(part)
        elif isinstance(part, s.LabelSet):
            written = self._labels(part)
        elif isinstance(part, s.Application):
            written = replace(part, arguments=tuple(map(self._argument, part.arguments)))
        elif isinstance(part, s.AttributeTest):
            written = self._test(part)
        elif isinstance(part, s.SyntaxNode):
            names = [one.name for one in fields(part) if one.name != "span"]
            parts = {name: self.write_out(getattr(part, name)) for name in names}
            nodes = _NODES.get(type(part), ())
            parts |= {name: self._node(getattr(part, name)) for name in nodes}
            written = replace(part, **parts)
        return written  # type: ignore[no-any-return]

    def _argument(self, argument: s.Argument) -> s.Argument:
        name = _only_label(argument)
        named = self.given.get(name.text) if name is not None else None
        return self.write_out(argument) if named is None else named

    def _amount(self, amount: s.Amount) -> s.Amount:
        argument = self.given.get(amount.value.text)
        name = _only_label(argument)
        if argument is None:
            return amount
        if isinstance(argument, s.Amount):
            return replace(argument, offset=argument.offset + amount.offset)
        if name is None or name.is_set:
            self._report(argument, amount.value.text, "a number")
            return amount
        return s.Amount(argument.span, s.Name(name.text, name.span), amount.offset)

    def _node(self, name: s.Name) -> s.Name:
        argument = self.given.get(name.text)
        label = _only_label(argument)
        if argument is None:
            return name
        if label is None or label.is_set or not label.text[0].isupper():
            self._report(argument, name.text, "a node (a name with a capital letter)")
            return name
        return s.Name(label.text, label.span)

    def _labels(self, labels: s.LabelSet) -> s.LabelSet:
        found: list[s.LabelText] = []
        negated = labels.negated
        for label in labels.labels:
            stem, sign, name = label.text.rpartition("$")
            argument = self.given.get(name) if sign or label.is_set else None
            if argument is None:
                found.append(label)
                continue
            if not isinstance(argument, s.LabelSet):
                self._report(argument, name, "labels")
                return labels
            alone = not stem and len(labels.labels) == 1
            if not alone and (argument.negated or any(one.is_set and stem for one in argument.labels)):
                self._report(argument, name, "labels that can be listed here")
                return labels
            negated ^= argument.negated
            found += [replace(one, text=stem + one.text) for one in argument.labels]
        return replace(labels, labels=tuple(found), negated=negated)

    def _test(self, test: s.AttributeTest) -> s.AttributeTest:
        values: list[s.Name | s.Column] = []
        asked = [*test.values, *([test.word_set] if test.word_set is not None else [])]
        for value in asked:
            name = value.name.text if isinstance(value, s.Column) else ""
            name = value.text if value is test.word_set else name
            argument = self.given.get(name)
            if argument is None:
                values.append(value)
            elif isinstance(argument, s.WordList) and argument.word_set is not None:
                if len(asked) == 1:
                    return replace(test, values=(), word_set=argument.word_set)
                self._report(argument, name, "words that can be listed here")
            elif isinstance(argument, s.WordList):
                values += argument.values
            elif isinstance(argument, s.Amount):
                values.append(s.Name(str(argument), argument.span))
            elif argument.negated or any(label.is_set for label in argument.labels):
                self._report(argument, name, "words")
            else:
                values += [s.Name(label.text, label.span) for label in argument.labels]
        if test.word_set in values:
            return test
        return replace(test, values=tuple(values), word_set=None)

    def _report(self, argument: s.Argument, parameter: str, wanted: str) -> None:
        message = f"the parameter `{parameter}` stands for {wanted}, which this is not"
        self.state.error("SGL0830", argument.span, message, _WRITTEN.get(wanted, ""))
        self.sound = False


def _only_label(argument: s.Argument | None) -> s.LabelText | None:
    if not isinstance(argument, s.LabelSet) or argument.negated or len(argument.labels) != 1:
        return None
    return argument.labels[0]


def nodes_given(ref: s.GraphRef) -> frozenset[str]:
    """Return the names of nodes among the arguments of a structure."""
    arguments = ref.arguments if isinstance(ref, s.Application) else ()
    names = [label for label in map(_only_label, arguments) if label is not None]
    return frozenset(name.text for name in names if not name.is_set)


def substitution(
    declaration: s.StructureDecl | s.Quota, use: s.Name | s.Application, state: CompilerState
) -> Substitution | None:
    """Return what a use puts in place of parameters (None after a report); nodes called like arguments are renamed."""
    parameters = declaration.parameters
    arguments = use.arguments if isinstance(use, s.Application) else ()
    if len(arguments) != len(parameters):
        listed = ", ".join(f"`{name}`" for name in parameters) or "none"
        kind, name = KINDS[type(declaration)], declaration.name
        number = f"{len(parameters)} parameter{'s' * (len(parameters) != 1)}"
        message = f"the {kind} `{name}` has {number}, not {len(arguments)}"
        hint = f"write `{name}({', '.join(map(str, parameters))})`, with values" if parameters else ""
        state.error("SGL0830", use.span, message, hint, labels=[Label(name.span, f"its parameters: {listed}")])
        return None
    body = declaration.items if isinstance(declaration, s.Quota) else declaration.graph
    mentioned = mentioned_in(body)
    for parameter in parameters:
        if parameter.text not in mentioned:
            hint = f"it stands as `{parameter}` for a number and as `${parameter}` for labels or words"
            state.error("SGL0830", parameter.span, f"the parameter `{parameter}` is never used", hint)
    given = dict(zip((name.text for name in parameters), arguments, strict=True))
    named = nodes_given(use) if isinstance(use, s.Application) else frozenset()
    own = {part.name.text for part in s.parts_of(s.VariableRef, declaration)}
    for node in sorted(own & named - given.keys()):
        new = next(new for n in count(1) if (new := f"{node}_{n}") not in own | named)
        given[node] = s.LabelSet(use.span, (s.LabelText(use.span, new, False),), False)
    return Substitution(given, state)


def mentioned_in(part: object) -> set[str]:
    """Return what may stand for a parameter in a part of a syntax tree: names, labels, and ends of labels."""
    labels = (label.text.rpartition("$")[2] for label in s.parts_of(s.LabelText, part))
    return {name.text for name in s.parts_of(s.Name, part)}.union(labels)


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
        state.error("SGL0307", speaking[0].span, message, f"add `layer syn : graph on {state.signature.source.name}`")


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
            context.state.error("SGL0832", ref.span, message, "give one of the two another name")
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
