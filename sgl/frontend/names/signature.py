"""The declared layers, features, categories and views, against which rules are checked."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from sgl.core.grammar import HEAD, GraphLayer, TextLayer, View, ports_in
from sgl.diagnostics import Reported, attempt
from sgl.foreign import limits, raising
from sgl.frontend.names.concord import FeatureTable, read_tables
from sgl.frontend.names.finishing import likes_of, other_layer, text_layers
from sgl.frontend.names.parameters import Session, is_weight
from sgl.frontend.names.scopes import Resolved, Scope, check_taken
from sgl.frontend.names.views import FREE, check_own_name, read_columns, read_views
from sgl.lang import syntax as s
from sgl.values import dataclass, field, replace

#: The kind of part that rules may use any number of times.
AGREEMENT = "agreement"

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


def build_signature(state: Resolved) -> Signature:
    """Collect layers, features and categories; end if errors would cause misleading reports on rules."""
    complete = check_taken(state.names)
    found = state.kept("signature", (), partial(_signature, state)) if complete else _signature(state)
    # Whoever works with it adds to what is unknown.
    if found is None or not complete:
        raise Reported
    told = [declaration for declaration, _ in state.names.of(s.Feature)]
    named = {own.name.text: own.values[0].name for own in told if own.names}
    ordered = frozenset(own.name.text for own in told if own.ordered)
    tables = read_tables(found.features, state)
    return replace(found, unknown=set(), ordered=ordered, named=named, tables=tables)


def _signature(state: Resolved) -> Signature | None:
    layers = [declaration for declaration, _ in state.names.of(s.Layer)]
    for layer in layers:
        check_own_name(layer.name, "layer", state)
        if layer.kind.text not in _KINDS:
            state.report_missing("kind of layer", layer.kind, _KINDS, "a layer is `text` or `graph on …`")
    text = text_layers([d for d in layers if d.kind.text == "text"], state)
    graphs = tuple(_graph_layers(layers, [layer.name for layer in text], state))
    likes = likes_of(layers)
    views = (*read_views(graphs, state), *read_columns(text, graphs, state))
    features, weights = _features(state)
    sound = {*(one.name for one in text), *(one.name for one in graphs), *(one.name for one in views)}
    unsound = _names(s.Layer, state).union(_names(s.ViewDecl, state), _names(s.ColumnDecl, state)) - sound
    known = (*(layer.name for layer in graphs), *unsound)
    texts = [*(layer.name for layer in text), *unsound]
    declared = state.names.of(s.CategoryDecl)
    categories = {d.name.text: _category(d, scope, graphs, known, texts, likes) for d, scope in declared}
    found = Signature(text, graphs, features, weights, categories, unsound, views=views, likes=likes)
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
    for layer in (layer for layer in layers if layer.kind.text == "graph"):
        anchor, name = layer.anchor, layer.name.text
        other = other_layer(layer, [graph.name for graph in found], state)
        like = next((graph for graph in found if graph.name == other), None)
        if like is not None and (anchor is None or anchor.text == like.anchor):
            _check_options(layer, state)
            found.append(replace(like, name=name, free=like.free or len(layer.options) > 1))
        elif anchor is None:
            # What a layer is like was reported.
            if not any(isinstance(option, s.Like) for option in layer.options):
                message = f"the graph layer `{name}` does not say whose words its nodes are"
                hint = f"write `layer {name} : graph on {text[0] if text else 'en'}`"
                state.error("SGL0308", layer.span, message, hint)
        elif anchor.text in text:
            found += _anchored(layer, anchor, text[0], not found, state)
        elif anchor.text not in strange:
            state.report_missing("text layer", anchor, text, f"declare it: `layer {anchor} : text`", "layer")
    return found


def _anchored(layer: s.Layer, anchor: s.Name, source: str, first: bool, state: Session) -> Iterator[GraphLayer]:
    """Yield a graph layer on a known text layer, unless it is the first one and not on the source."""
    if first and anchor.text != source:
        message = f"the first graph layer is on the source layer, which `{anchor}` is not"
        state.error("SGL0312", anchor.span, message, f"declare a layer `graph on {source}` before `{layer.name}`")
        return
    # A layer with another option counts as free: only that can be meant.
    sound, free = _check_options(layer, state), any(not isinstance(option, s.Like) for option in layer.options)
    if first and free and sound:
        message = "the first graph layer is the one that patterns speak about; it is a tree"
        state.error("SGL0312", layer.span, message, f"declare a layer without `{FREE}` before `{layer.name}`")
    yield GraphLayer(layer.name.text, anchor.text, free)


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
            attempt(scope.find, s.Lexicon, declaration.values[0].name)  # It reports a missing one.
        features[name] = tuple(dict.fromkeys(value.name.text for value in declaration.values))
        if len(features[name]) < len(declaration.values):
            state.error("SGL0403", declaration.span, f"the feature `{name}` lists a value twice")
        for value in declaration.values:
            amount, text = value.weight, value.name.text
            weight = attempt(state.parameters.number, amount) if amount is not None else None
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
        elif attempt(scope.find, s.Feature, name) is not None:
            features[name.text] = None
    ports, limited = _ports(declaration, graphs, known, state)
    own = tuple(features), ports, declaration, limited
    parts = list(_parts(declaration, texts, state))
    agreement = {port.name.text for port in declaration.ports if port.kind is not None}
    for layer, other in likes.items():
        alike = [f"{layer}.{part.partition('.')[2]}" for part in parts if part.startswith(f"{other}.")]
        agreement |= {part for part in alike if other + part.removeprefix(layer) in agreement and part not in parts}
        parts += [part for part in alike if part not in parts]
    return CategoryInfo(category, *own, tuple(parts), frozenset(agreement))


def _ports(
    declaration: s.CategoryDecl, graphs: Sequence[GraphLayer], known: Collection[str], state: Session
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the ports of a category, and those that only a graph layer has, with the layer."""
    ports, limited = [HEAD], list[tuple[str, str]]()
    for port in (port for port in declaration.ports if "." not in port.name.text):
        if port.name.text in ports:
            hint = "every category has the port `head`" if port.name.text == HEAD else ""
            state.error("SGL0501", port.name.span, f"`{declaration.name}` already has a port `{port.name}`", hint)
            continue
        ports.append(port.name.text)
        if port.layer is None:
            continue
        limited.append((port.name.text, port.layer.text))
        if port.layer.text not in known:
            names = [layer.name for layer in graphs]
            state.report_missing("graph layer", port.layer, names, f"there is: {', '.join(names) or 'none'}", "layer")
    return tuple(ports), tuple(limited)


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
