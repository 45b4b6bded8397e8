"""The declared layers, features and categories: what rules are checked against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sgl.core.grammar import HEAD, GraphLayer, TextLayer, View, ports_in
from sgl.diagnostics import Label, suggest
from sgl.frontend.names import ResolvedNames, Scope, check_taken
from sgl.frontend.parameters import report_missing
from sgl.frontend.state import CompilerState
from sgl.frontend.views import FREE, read_views
from sgl.lang import syntax as s

_KINDS = ("text", "graph")
_OPTIONS = {"join": 1, "attach": None}


@dataclass(frozen=True, slots=True)
class CategoryInfo:
    """A declared category: its features in order and its ports, ``head`` first.

    ``limited`` are the ports of one graph layer only, with its name.
    """

    name: str
    features: tuple[str, ...]
    ports: tuple[str, ...]
    declaration: s.CategoryDecl
    limited: tuple[tuple[str, str], ...] = ()

    def ports_in(self, layer: str) -> tuple[str, ...]:
        """Return the ports in a graph layer."""
        return ports_in(self.ports, self.limited, layer)


@dataclass(frozen=True)
class Signature:
    """Layers in the order of their declaration, features, categories.

    ``unsound`` are the names of layers and views whose declarations were reported,
    ``unknown`` those that clauses mention and that are not declared at all.
    """

    text_layers: tuple[TextLayer, ...]
    graph_layers: tuple[GraphLayer, ...]
    features: Mapping[str, tuple[str, ...]]
    value_weights: Mapping[tuple[str, str], float]
    categories: Mapping[str, CategoryInfo]
    unsound: frozenset[str]
    unknown: set[str] = field(default_factory=set)
    views: tuple[View, ...] = ()

    @property
    def layer_names(self) -> list[str]:
        """The names of all layers, text layers first."""
        return [
            *(layer.name for layer in self.text_layers),
            *(layer.name for layer in self.graph_layers),
        ]

    def has_strange(self, clauses: Sequence[s.LayerClause]) -> bool:
        """Return whether one of the clauses has the name of no layer, which is reported there.

        A clause that seems to be missing is most likely this one.
        """
        return any(clause.layer.text not in self.layer_names for clause in clauses)

    @property
    def source(self) -> TextLayer:
        """The first text layer: the language of the productions."""
        return self.text_layers[0]


def build_signature(state: CompilerState) -> None:
    """Collect the layers, features and categories that rules are checked against.

    Before: ``names``.  After: ``signature``, unless there is no text layer, a layer could not
    be read, a port or the words of a graph are of an unknown layer, or a layer, feature or
    category is declared twice: every rule would be held against things that nobody meant.
    """
    complete = check_taken(state)
    declared = [declaration for declaration, _ in state.names.of(s.Layer)]
    kinds_known = _check_kinds(declared, state)
    text = [_text_layer(d, state) for d in declared if d.kind.text == "text"]
    graphs = _graph_layers([layer.name for layer in text], state)
    features = {
        declaration.name.text: _feature_values(declaration, state)
        for declaration, _ in state.names.of(s.Feature)
    }
    categories = {
        declaration.name.text: _category(declaration, scope, state)
        for declaration, scope in state.names.of(s.CategoryDecl)
    }
    views = read_views(graphs, state)
    unread = state.names.project.lacks("layer")
    if not text and not unread and kinds_known:
        hint = "start with `layer en : text`"
        state.error("SGL0307", None, "the grammar declares no text layer", hint)
    weights = _value_weights(state)
    sound = {layer.name for layer in text} | {layer.name for layer in graphs}
    sound |= {view.name for view in views}
    named = {d.name.text for d in declared} | {d.name.text for d, _ in state.names.of(s.ViewDecl)}
    unsound = frozenset(named - sound)
    ports_known = _check_port_layers(graphs, unsound, state)
    anchored = all(d.anchor is None or d.anchor.text in named for d in declared)
    if not text or unread or not kinds_known or not complete or _any_twice(state.names):
        return
    if not ports_known or not anchored:
        return
    state.signature = Signature(
        tuple(text), tuple(graphs), features, weights, categories, unsound, views=tuple(views)
    )


def _any_twice(names: ResolvedNames) -> bool:
    """Return whether a layer, feature or category is declared twice, which was reported."""
    layers = [declaration.name.text for declaration, _ in names.of(s.Layer)]
    features = [declaration.name.text for declaration, _ in names.of(s.Feature)]
    categories = [declaration.name.text for declaration, _ in names.of(s.CategoryDecl)]
    return any(len(set(kind)) < len(kind) for kind in (layers, features, categories))


def _check_kinds(layers: Sequence[s.Layer], state: CompilerState) -> bool:
    """Return whether every layer is of a known kind; report those that are not."""
    strange = [layer.kind for layer in layers if layer.kind.text not in _KINDS]
    for kind in strange:
        hint = "a layer is `text` or `graph on …`"
        report_missing("kind of layer", kind, _KINDS, state.diagnostics, hint)
    return not strange


def _text_layer(declaration: s.Layer, state: CompilerState) -> TextLayer:
    join: s.Option | None = None
    attach: set[str] = set()
    for option in declaration.options:
        in_force = option.when is None or state.parameters.holds(option.when)
        if not _check_option(option, state) or not in_force:
            continue
        if option.name.text == "attach":
            attach |= {value.text for value in option.values}
        elif join is not None:
            message = f"the layer `{declaration.name}` says twice how its words are joined"
            hint = "keep one of the two, or give each a `when` of its own"
            state.error(
                "SGL0308", option.span, message, hint, labels=[Label(join.span, "here first")]
            )
        else:
            join = option
    between = " " if join is None else join.values[0].text
    return TextLayer(declaration.name.text, between, frozenset(attach))


def _check_option(option: s.Option, state: CompilerState) -> bool:
    """Return whether a text layer has the option, with so many values; report it otherwise."""
    if option.name.text not in _OPTIONS:
        message = f"a text layer has no option `{option.name}`"
        hint = suggest(option.name.text, _OPTIONS) or "its options are `join` and `attach`"
        state.error("SGL0201", option.name.span, message, hint)
        return False
    expected = _OPTIONS[option.name.text]
    if expected is not None and len(option.values) != expected:
        state.error("SGL0308", option.span, f"`{option.name}` takes one quoted text")
        return False
    return True


def _graph_layers(text: Sequence[str], state: CompilerState) -> list[GraphLayer]:
    found = []
    for declaration, _ in state.names.of(s.Layer):
        if declaration.kind.text != "graph":
            continue
        anchor = declaration.anchor
        if anchor is None:
            state.error(
                "SGL0308",
                declaration.span,
                f"the graph layer `{declaration.name}` does not say whose words its nodes are",
                f"write `layer {declaration.name} : graph on {text[0] if text else 'en'}`",
            )
        elif anchor.text not in text:
            strange = {d.name.text for d, _ in state.names.of(s.Layer) if d.kind.text not in _KINDS}
            if anchor.text not in strange and not state.names.project.may_declare(
                "layer", anchor.text
            ):
                hint = f"declare it: `layer {anchor} : text`"
                report_missing("text layer", anchor, text, state.diagnostics, hint)
        elif anchor.text != text[0]:
            state.error(
                "SGL0312",
                anchor.span,
                f"the nodes of a graph are words of the source layer, which `{anchor}` is not",
                f"write `graph on {text[0]}`, or declare `{anchor}` before `{text[0]}`",
            )
        else:
            sound = _check_graph_options(declaration, state)
            free = bool(declaration.options)
            found.append(GraphLayer(declaration.name.text, anchor.text, free))
            if free and sound and len(found) == 1:
                state.error(
                    "SGL0312",
                    declaration.span,
                    "the first graph layer is the one that patterns speak about; it is a tree",
                    f"declare a layer without `{FREE}` before `{declaration.name}`",
                )
    return found


def _check_graph_options(declaration: s.Layer, state: CompilerState) -> bool:
    """Return whether ``(free)`` is all that a graph layer has in parentheses; report the rest.

    A layer with another option counts as free: that is the only one that can be meant.
    """
    errors = state.diagnostics.errors
    for option in declaration.options:
        if option.name.text != FREE or option.values:
            message = f"a graph layer has no option `{option.name}`"
            state.error("SGL0201", option.span, message, f"its only option is `{FREE}`")
        elif option.when is not None:
            message = "whether a graph layer is free does not depend on a parameter"
            hint = "leave out the condition; a rule may have one"
            state.error("SGL0308", option.span, message, hint)
    return state.diagnostics.errors == errors


def _feature_values(declaration: s.Feature, state: CompilerState) -> tuple[str, ...]:
    values = tuple(dict.fromkeys(value.text for value in declaration.values))
    if len(values) < len(declaration.values):
        message = f"the feature `{declaration.name}` lists a value twice"
        state.error("SGL0403", declaration.span, message)
    return values


def _value_weights(state: CompilerState) -> dict[tuple[str, str], float]:
    """Return the weight of each value of each feature; 1 unless written."""
    weights: dict[tuple[str, str], float] = {}
    for declaration, _ in state.names.of(s.Feature):
        for value, amount in zip(declaration.values, declaration.weights, strict=True):
            weight = state.parameters.number(amount) if amount is not None else 1.0
            if amount is not None and weight is not None and not 0 < weight < 1e12:
                state.error("SGL0701", amount.span, f"the weight of `{value}` is not positive")
                weight = 1.0
            weights[declaration.name.text, value.text] = weight if weight is not None else 1.0
    return weights


def _category(declaration: s.CategoryDecl, scope: Scope, state: CompilerState) -> CategoryInfo:
    features: dict[str, None] = {}
    for name in declaration.features:
        if name.text in features:
            message = f"`{declaration.name}` carries the feature `{name}` twice"
            state.error("SGL0403", name.span, message)
        elif scope.find(s.Feature, name) is not None:
            features[name.text] = None
    ports, limited = [HEAD], []
    for port in declaration.ports:
        if port.name.text in ports:
            message = f"`{declaration.name}` already has a port `{port.name}`"
            hint = "every category has the port `head`" if port.name.text == HEAD else ""
            state.error("SGL0501", port.name.span, message, hint)
            continue
        ports.append(port.name.text)
        if port.layer is not None:
            limited.append((port.name.text, port.layer.text))
    return CategoryInfo(
        declaration.name.text, tuple(features), tuple(ports), declaration, tuple(limited)
    )


def _check_port_layers(
    graphs: Sequence[GraphLayer], unsound: frozenset[str], state: CompilerState
) -> bool:
    """Return whether the layers of all ports are graph layers; report those that are not."""
    known = [layer.name for layer in graphs]
    sound = True
    for declaration, _ in state.names.of(s.CategoryDecl):
        for port in declaration.ports:
            layer = port.layer
            if layer is None or layer.text in (*known, *unsound):
                continue
            sound = False
            if not state.names.project.may_declare("layer", layer.text):
                hint = f"there is: {', '.join(known) or 'none'}"
                report_missing("graph layer", layer, known, state.diagnostics, hint)
    return sound
