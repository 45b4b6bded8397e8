"""The declared layers, features, categories and views, against which rules are checked.

A ``view`` declaration selects the notation of a graph layer.  ``conllu`` renders a tree; the other notations are about
events and their roles, and render a free layer.  A template is an author's own notation, for either kind of layer.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from sgl.core.derivation import RULES
from sgl.core.grammar import COLUMN, DERIVATION, HEAD, GraphLayer, TextLayer, View, ports_in
from sgl.diagnostics import Label
from sgl.foreign import limits, raising
from sgl.frontend.names.concord import FeatureTable, read_tables
from sgl.frontend.names.finishing import likes_of, other_layer, text_layers
from sgl.frontend.names.parameters import Session, is_weight
from sgl.frontend.names.scopes import Resolved, Scope, check_taken
from sgl.lang import syntax as s
from sgl.rendering.views import VIEWS

#: The option of a graph layer whose edges need not form a tree.
FREE = "free"

#: The kind of view with an author's template file.
TEMPLATE = "template"

#: The kind of part that rules may use any number of times.
AGREEMENT = "agreement"

MAX_TEMPLATE = 100_000

_VIEWS = ("conllu", *VIEWS, TEMPLATE)

#: Views that render any tree; the others are notations of events and their roles.
_OF_TREES = ("conllu",)

_KINDS = ("text", "graph")


@dataclass(frozen=True)
class CategoryInfo:
    """A declared category: features, ports, ports ``limited`` to a layer, and ``parts`` besides the main part.

    Parts for ``agreement`` are used any number of times.
    """

    name: str
    features: tuple[str, ...]
    ports: tuple[str, ...]
    declaration: s.CategoryDecl
    limited: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()
    agreement: frozenset[str] = frozenset()

    def written(self, values: Iterable[str]) -> str:
        """Return the category with values of its features, as in ``NP[num=sg]``."""
        pairs = (f"{name}={value}" for name, value in zip(self.features, values, strict=True))
        return f"{self.name}[{', '.join(pairs)}]" if self.features else self.name

    def parts_in(self, layer: str) -> tuple[str, ...]:
        """Return the names of the parts in a text layer, without the layer's name."""
        parts = (part.partition(".") for part in self.parts)
        return tuple(name for of, _, name in parts if of == layer)

    def ports_in(self, layer: str) -> tuple[str, ...]:
        """Return the ports in a graph layer."""
        return ports_in(self.ports, self.limited, layer)


@dataclass(frozen=True)
class Signature:
    """Layers in the order of their declaration, features, categories.

    The values of features that are ``ordered`` can be compared; ``likes`` are the layers that are like others, and
    the others; ``tables`` have forms for values of features; a ``named`` feature has its lexicon as value.  ``unsound``
    are the layers and views whose declarations were reported, ``unknown`` those that clauses mention undeclared.
    """

    text_layers: tuple[TextLayer, ...]
    graph_layers: tuple[GraphLayer, ...]
    features: Mapping[str, tuple[str, ...]]
    value_weights: Mapping[tuple[str, str], float]
    categories: Mapping[str, CategoryInfo]
    unsound: frozenset[str]
    unknown: set[str] = field(default_factory=set)
    views: tuple[View, ...] = ()
    ordered: frozenset[str] = frozenset()
    likes: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, FeatureTable] = field(default_factory=dict)
    named: Mapping[str, s.Name] = field(default_factory=dict)

    @property
    def layer_names(self) -> list[str]:
        """The names of all layers, text layers first."""
        return [*(t.name for t in self.text_layers), *(g.name for g in self.graph_layers)]

    def has_strange(self, clauses: Sequence[s.LayerClause]) -> bool:
        """Return whether a clause has an unknown layer, which was reported: a missing clause is probably this one."""
        return any(clause.layer.text.partition(".")[0] not in self.layer_names for clause in clauses)

    def is_like_source(self, layer: str) -> bool:
        """Return whether a text layer is like the source, directly or by another one."""
        while layer in self.likes:
            layer = self.likes[layer]
            if layer == self.source.name:
                return True
        return False

    @property
    def source(self) -> TextLayer:
        """The first text layer, whose texts are the right-hand sides of rules."""
        return self.text_layers[0]


@dataclass
class Signed(Resolved):
    """A project with known layers, features and categories."""

    signature: Signature


def build_signature(state: Resolved) -> Signature | None:
    """Collect layers, features and categories; return None if errors would cause misleading reports on rules."""
    complete = check_taken(state.names)
    found = state.kept("signature", (), partial(_signature, state)) if complete else _signature(state)
    # Whoever works with it adds to what is unknown.
    if found is None or not complete:
        return None
    return replace(found, unknown=set(), tables=read_tables(found.features, state))


def _signature(state: Resolved) -> Signature | None:
    layers = [declaration for declaration, _ in state.names.of(s.Layer)]
    for layer in (layer for layer in layers if layer.name.text in (DERIVATION, RULES)):
        message = f"`{layer.name}` is a layer already: every grammar has its derivations"
        state.error("SGL0203", layer.name.span, message, "give the layer another name")
    for layer in (layer for layer in layers if layer.kind.text not in _KINDS):
        state.report_missing("kind of layer", layer.kind, _KINDS, "a layer is `text` or `graph on …`")
    text = text_layers([d for d in layers if d.kind.text == "text"], state)
    graphs = tuple(_graph_layers(layers, [layer.name for layer in text], state))
    likes = likes_of(layers)
    views = (*_views(graphs, state), *_columns(text, graphs, state))
    features, weights = _features(state)
    sound = {*(one.name for one in text), *(one.name for one in graphs), *(one.name for one in views)}
    unsound = _names(s.Layer, state).union(_names(s.ViewDecl, state), _names(s.ColumnDecl, state)) - sound
    known = (*(layer.name for layer in graphs), *unsound)
    texts = [*(layer.name for layer in text), *unsound]
    declared = state.names.of(s.CategoryDecl)
    categories = {d.name.text: _category(d, scope, graphs, known, texts, likes) for d, scope in declared}
    ordered = frozenset(d.name.text for d, _ in state.names.of(s.Feature) if d.ordered)
    named = {d.name.text: d.values[0].name for d, _ in state.names.of(s.Feature) if d.names}
    said = (*(text, graphs, features, weights, categories, unsound, set[str]()), views, ordered, likes)
    found = Signature(*said, named=named)
    limits = {layer for category in categories.values() for _, layer in category.limited}
    return found if _has_layers(layers, state) and limits.issubset(known) else None


def _names(kind: type[s.NamedDeclaration], state: Resolved) -> frozenset[str]:
    return frozenset(declaration.name.text for declaration, _ in state.names.of(kind))


def _has_layers(layers: Sequence[s.Layer], state: Resolved) -> bool:
    """Return whether there is a text layer, all layers have known kinds and anchors, and nothing is declared twice."""
    kinds, unread = {layer.kind.text for layer in layers}, state.project.lacks("layer")
    if kinds <= {"graph"} and not unread:
        state.error("SGL0307", None, "the grammar declares no text layer", "start with `layer en : text`")
    told = _names(s.Layer, state) | _names(s.ViewDecl, state)
    anchors = {layer.anchor.text for layer in layers if layer.anchor is not None}
    likes = likes_of(layers)
    alike = all(d.name.text in likes for d in layers if any(isinstance(option, s.Like) for option in d.options))
    listed = [(_names(kind, state), state.names.of(kind)) for kind in (s.Layer, s.CategoryDecl, s.Feature)]
    once = all(len(names) == len(declared) for names, declared in listed)
    return once and alike and "text" in kinds and not unread and kinds.issubset(_KINDS) and anchors <= told


def _graph_layers(layers: Sequence[s.Layer], text: Sequence[str], state: Resolved) -> list[GraphLayer]:
    found: list[GraphLayer] = []
    strange = {layer.name.text for layer in layers if layer.kind.text not in _KINDS}
    for layer in layers:
        anchor, name = layer.anchor, layer.name.text
        if layer.kind.text != "graph":
            continue
        other = other_layer(layer, [graph.name for graph in found], state)
        like = next((graph for graph in found if graph.name == other), None)
        if like is not None and (anchor is None or anchor.text == like.anchor):
            _check_options(layer, state)
            found.append(replace(like, name=name, free=like.free or len(layer.options) > 1))
        elif anchor is None and any(isinstance(option, s.Like) for option in layer.options):
            continue  # What it is like was reported.
        elif anchor is None:
            message = f"the graph layer `{name}` does not say whose words its nodes are"
            state.error("SGL0308", layer.span, message, f"write `layer {name} : graph on {text[0] if text else 'en'}`")
        elif anchor.text not in text:
            if anchor.text not in strange:
                state.report_missing("text layer", anchor, text, f"declare it: `layer {anchor} : text`", "layer")
        elif anchor.text != text[0] and not found:
            message = f"the first graph layer is on the source layer, which `{anchor}` is not"
            state.error("SGL0312", anchor.span, message, f"declare a layer `graph on {text[0]}` before `{name}`")
        else:
            # A layer with another option counts as free: only that can be meant.
            sound, free = _check_options(layer, state), any(not isinstance(o, s.Like) for o in layer.options)
            found.append(GraphLayer(name, anchor.text, free))
            if free and sound and len(found) == 1:
                message = "the first graph layer is the one that patterns speak about; it is a tree"
                state.error("SGL0312", layer.span, message, f"declare a layer without `{FREE}` before `{name}`")
    return found


def _check_options(layer: s.Layer, state: Session) -> bool:
    errors = state.diagnostics.errors
    for option in (option for option in layer.options if not isinstance(option, s.Like)):
        if not isinstance(option, s.Option) or option.name.text != FREE or option.values:
            written = f" `{option.name}`" if isinstance(option, s.Option) else "s of texts"
            state.error("SGL0201", option.span, f"a graph layer has no option{written}", f"its only option is `{FREE}`")
        elif option.when is not None:
            message = "whether a graph layer is free does not depend on a parameter"
            state.error("SGL0308", option.span, message, "leave out the condition; a rule may have one")
    return state.diagnostics.errors == errors


def _features(state: Resolved) -> tuple[dict[str, tuple[str, ...]], dict[tuple[str, str], float]]:
    features: dict[str, tuple[str, ...]] = {}
    weights: dict[tuple[str, str], float] = {}
    for declaration, scope in state.names.of(s.Feature):
        name = declaration.name.text
        if declaration.names:
            scope.find(s.Lexicon, declaration.values[0].name)  # reports a missing one
        features[name] = tuple(dict.fromkeys(value.name.text for value in declaration.values))
        if len(features[name]) < len(declaration.values):
            state.error("SGL0403", declaration.span, f"the feature `{name}` lists a value twice")
        for value in declaration.values:
            amount, text = value.weight, value.name.text
            weight = state.parameters.number(amount) if amount is not None else None
            if amount is not None and weight is not None and not is_weight(weight):
                state.error("SGL0701", amount.span, f"the weight of `{text}` is not positive")
            weights[name, text] = weight if is_weight(weight) else 1.0
    return features, weights


def _category(
    declaration: s.CategoryDecl,
    scope: Scope,
    graphs: Sequence[GraphLayer],
    known: Collection[str],
    texts: Sequence[str],
    likes: Mapping[str, str],
) -> CategoryInfo:
    category, features = declaration.name.text, dict[str, None]()
    state = scope.resolved.session
    for name in declaration.features:
        if name.text in features:
            state.error("SGL0403", name.span, f"`{category}` has the feature `{name}` twice")
        elif scope.find(s.Feature, name) is not None:
            features[name.text] = None
    ports, limited = [HEAD], []
    for port in (port for port in declaration.ports if "." not in port.name.text):
        if port.name.text in ports:
            hint = "every category has the port `head`" if port.name.text == HEAD else ""
            state.error("SGL0501", port.name.span, f"`{category}` already has a port `{port.name}`", hint)
            continue
        ports.append(port.name.text)
        if port.layer is None:
            continue
        limited.append((port.name.text, port.layer.text))
        if port.layer.text not in known:
            names = [layer.name for layer in graphs]
            state.report_missing("graph layer", port.layer, names, f"there is: {', '.join(names) or 'none'}", "layer")
    own = tuple(features), tuple(ports), declaration, tuple(limited)
    parts = list(_parts(declaration, texts, state))
    agreement = {port.name.text for port in declaration.ports if port.kind is not None}
    for layer, other in likes.items():
        alike = [f"{layer}.{part.partition('.')[2]}" for part in parts if part.startswith(f"{other}.")]
        agreement |= {part for part in alike if other + part.removeprefix(layer) in agreement and part not in parts}
        parts += [part for part in alike if part not in parts]
    return CategoryInfo(category, *own, tuple(parts), frozenset(agreement))


def _parts(declaration: s.CategoryDecl, texts: Sequence[str], state: Session) -> tuple[str, ...]:
    found: list[str] = []
    category, most = declaration.name, limits().parts
    for name, kind in ((port.name, port.kind) for port in declaration.ports if "." in port.name.text):
        layer = name.text.partition(".")[0]
        if not has_parts(name, texts, state):
            continue
        if kind is not None and kind.text != AGREEMENT:
            state.report_missing("kind of part", kind, (AGREEMENT,), f"a part is `{name}` or `{name} ({AGREEMENT})`")
        elif kind is not None and layer == texts[0]:
            message = f"a part of the source layer `{layer}` is used once, also for agreement"
            hint = "each of its words is a word of the graph; leave out `(agreement)`"
            state.error("SGL0322", kind.span, message, hint)
        if name.text in found:
            state.error("SGL0501", name.span, f"`{category}` already has a part `{name}`")
        else:
            found.append(name.text)
            if sum(part.startswith(f"{layer}.") for part in found) == most:
                message = f"`{category}` has more than {most} parts in the layer `{layer}`"
                hint = f"split the phrase differently, or raise the limit: {raising('parts')}"
                notes = ("the main part is one of them; parsing takes longer with each",)
                state.error("SGL0321", name.span, message, hint, notes=notes)
    return tuple(found)


def has_parts(part: s.Name, texts: Collection[str], state: Session) -> bool:
    """Return whether ``de.prefix`` belongs to a text layer; report any other layer."""
    layer = part.text.partition(".")[0]
    if layer not in texts:
        hint = f"the parts of a phrase are those of a text layer: {', '.join(texts)}"
        span = replace(part.span, end=part.span.start + len(layer))
        state.report_missing("text layer", replace(part, text=layer, span=span), texts, hint, "layer")
    return layer in texts


def _views(graphs: Sequence[GraphLayer], state: Resolved) -> list[View]:
    layers = {declaration.name.text: declaration for declaration, _ in state.names.of(s.Layer)}
    found: list[View] = []
    for view, scope in state.names.of(s.ViewDecl):
        errors = state.diagnostics.errors
        _check_new(view.name, layers, "layer", state)
        if view.kind.text not in _VIEWS:
            state.report_missing("kind of view", view.kind, _VIEWS, f"there is: {', '.join(_VIEWS)}")
        for argument in view.arguments:
            if argument.text not in layers:
                state.report_missing("layer", argument, layers, keyword="layer")
        if state.diagnostics.errors == errors:
            layer = _rendered(view, layers, graphs, state)
            template = _template(view, scope, state)
            if layer is not None and template is not None:
                found.append(View(view.name.text, view.kind.text, layer, template))
    return found


def _check_new(name: s.Name, others: Mapping[str, s.NamedDeclaration], kind: str, state: Session) -> None:
    """Report a view or column that is called like something else; commands refer to all of them by name alone."""
    if name.text in others:
        labels = [Label(others[name.text].name.span, "declared here")]
        state.error("SGL0203", name.span, f"`{name}` is a {kind} already", "give it another name", labels=labels)


def _columns(texts: Sequence[TextLayer], graphs: Sequence[GraphLayer], state: Resolved) -> Iterator[View]:
    layers = {declaration.name.text: declaration for declaration, _ in state.names.of(s.Layer)}
    views = {declaration.name.text: declaration for declaration, _ in state.names.of(s.ViewDecl)}
    known = [*(layer.name for layer in texts), *(layer.name for layer in graphs), DERIVATION]
    for column, scope in state.names.of(s.ColumnDecl):
        errors, reads = state.diagnostics.errors, tuple(argument.text for argument in column.arguments)
        if column.name.text in (DERIVATION, RULES):
            message = f"`{column.name}` is a layer already: every grammar has its derivations"
            state.error("SGL0203", column.name.span, message, "give the column another name")
        _check_new(column.name, layers, "layer", state)
        _check_new(column.name, views, "view", state)
        for argument in (argument for argument in column.arguments if argument.text not in known):
            if argument.text not in layers:
                state.report_missing("layer", argument, known, keyword="layer")
        if len({*reads}) < len(reads):
            state.error(
                "SGL0205", column.span, f"the column `{column.name}` reads a layer twice", "name each layer once"
            )
        written, path = column.template, column.path
        if (written is None) == (path is None) or (written is not None and not written.text.strip()):
            message = f"the column `{column.name}` has {'no template' if path is None else 'two templates'}"
            hint = f'write `column {column.name}(…) = "{{{{ … }}}}"`, or `from "FILE.j2"`'
            state.error("SGL0205", column.span, message, hint)
        source = scope.read(path, MAX_TEMPLATE) if path is not None and written is None else None
        text = source.text if source is not None else written.text if written is not None else ""
        if state.diagnostics.errors == errors and set(reads) <= set(known):
            yield View(column.name.text, COLUMN, len(graphs), text, reads)


def _template(view: s.ViewDecl, scope: Scope, state: Resolved) -> str | None:
    wanted = view.kind.text == TEMPLATE
    if wanted != (view.path is not None):
        span = view.kind.span if view.path is None else view.path.span
        what = "written in a file" if wanted else "a notation of the library"
        hint = f'write `{TEMPLATE}(…) from "FILE"`' if wanted else "leave out `from`"
        state.error("SGL0313", span, f"`{view.kind}` is {what}", hint)
        return None
    if view.path is None:
        return ""
    source = scope.read(view.path, MAX_TEMPLATE)
    return source.text if source is not None else None


def _rendered(
    view: s.ViewDecl, layers: dict[str, s.Layer], graphs: Sequence[GraphLayer], state: Resolved
) -> int | None:
    argument = view.arguments[0]
    index = next((i for i, layer in enumerate(graphs) if layer.name == argument.text), None)
    declared = layers.get(argument.text)
    is_text = declared is not None and declared.kind.text == "text"
    if index is None and not is_text and len(view.arguments) == 1:
        return None
    of_tree, either = view.kind.text in _OF_TREES, view.kind.text == TEMPLATE
    fits = index is not None and (either or graphs[index].free != of_tree)
    if fits and len(view.arguments) == 1:
        return index
    sort = "" if either else " that is a tree" if of_tree else " that is free"
    labels = [Label(declared.span, "declared here")] if declared is not None else ()
    hint = "" if of_tree or either else f"declare `layer sem : graph on … ({FREE})` for it"
    state.error("SGL0313", view.span, f"`{view.kind}` renders one graph layer{sort}", hint, labels=labels)
    return None
