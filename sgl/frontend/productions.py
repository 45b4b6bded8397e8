"""Productions, rules and words with their names resolved, and the clauses that they are made from.

A production knows for each category it mentions which values each feature may have there: a set of
values, or a variable that all mentions share.

A clause may be about several layers of a kind, whose names stand before what it says.  Graphs are
published as CoNLL-U, which keeps some names of attributes and labels for itself.

A block of forms is written once, over a category and columns that each use of it gives::

    forms finite(X, particle)
      X[form=past]
        en  $past or ed($en)                          lexicon verbs from "verbs.yaml"
        ja  governs($particle, past($ja, $class))       finite(Vt[order=first], $case)

The lexicon gets the entry ``Vt[form=past, order=first]`` with ``$case`` for ``$particle``.
Functions are those of the file that names them.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from sgl.core.grammar import Fragment, GraphLayer, Item
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names import Scope
from sgl.frontend.signature import CategoryInfo, has_parts
from sgl.frontend.state import CompilerState, is_weight
from sgl.lang import DECLARATIONS
from sgl.lang import syntax as s

#: What a feature may be in one mention: a set of values, or a variable's name.
Slotting = frozenset[str] | str

#: In the place of a value: any of them is meant.
ANY = "_"

#: What tells apart the variables that stand for several comparisons with one.
AGAIN = "'"


@dataclass(frozen=True, slots=True)
class CategoryPattern:
    """A mention of a category: ``slots`` by feature; which are ``mentioned`` in brackets, and which are ``free``."""

    info: CategoryInfo
    slots: tuple[Slotting, ...]
    span: Span
    mentioned: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def having(self, feature: str, value: str) -> str:
        """Return the mention as it is to be written with a value for a feature."""
        settings = [
            f"{name}={value}" if name == feature else self._written(name, slot)
            for name, slot in zip(self.info.features, self.slots, strict=True)
            if name in self.mentioned or name == feature
        ]
        return f"{self.info.name}[{', '.join(settings)}]"

    def _written(self, feature: str, slot: Slotting) -> str:
        if isinstance(slot, str):
            return f"{feature}{slot.rstrip(AGAIN)}" if slot[0] in "<>" else f"{feature}={slot}"
        return f"{feature}={ANY if feature in self.free else '|'.join(sorted(slot))}"


@dataclass(frozen=True, slots=True)
class FeatureVariable:
    """``$f`` in a template: the value of a feature variable."""

    name: str


TemplateSketch = tuple[Item | FeatureVariable, ...]
Attributes = tuple[tuple[str, str | FeatureVariable], ...]


@dataclass(frozen=True, slots=True)
class FragmentSketch:
    """A fragment whose attributes and labels may still mention feature variables."""

    fragment: Fragment
    attributes: Mapping[int, Attributes]


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """The weight that words of a lexicon in one category share; with ``exponent`` by Zipf's law."""

    weight: float
    exponent: float | None


@dataclass(frozen=True, slots=True)
class Version:
    """What a rule or a word is in each layer, for all values of its features or for some.

    ``share`` is the weight as written, or the share in the weight of the ``pool``.  Versions of a rule with one
    number ``sharing`` have one weight together.  ``when`` tells for which values the version is.
    """

    templates: tuple[TemplateSketch, ...]
    fragments: tuple[FragmentSketch, ...]
    share: float
    sharing: int = 0
    when: str = ""


class Order(NamedTuple):
    """Two variables that are compared, and the values of their feature in order."""

    left: str
    comparison: str
    right: str
    values: tuple[str, ...]

    def holds(self, left: str, right: str) -> bool:
        """Return whether two values are in the order that is asked for."""
        return is_ordered(self.values.index(left), self.comparison, self.values.index(right))


def is_ordered(left: int, comparison: str, right: int) -> bool:
    """Return whether one number is ``>``, ``<``, ``>=`` or ``<=`` another."""
    equal = left == right and comparison.endswith("=")
    return equal or (left > right if comparison.startswith(">") else left < right)


@dataclass(frozen=True, slots=True)
class Production:
    """A rule or a word before its features are expanded.

    Of several ``versions``, ``number`` tells which is for the values of the ``deciding`` variables.
    ``word`` marks a word that is declared by itself.
    """

    name: str
    lhs: CategoryPattern
    rhs: tuple[CategoryPattern, ...]
    domains: Mapping[str, frozenset[str]]
    versions: tuple[Version, ...]
    span: Span
    orders: tuple[Order, ...] = ()
    deciding: tuple[str, ...] = ()
    number: Mapping[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    keep: bool = False
    word: bool = False
    pool: Pool | None = None

    def version(self, values: Mapping[str, str]) -> Version:
        """Return the version for values of the variables."""
        return self.versions[self.number[tuple(values[name] for name in self.deciding)]]

    def admits(self, values: Mapping[str, str]) -> bool:
        """Return whether values of the variables are in the order that the rule asks for."""
        return all(order.holds(values[order.left], values[order.right]) for order in self.orders)

    @property
    def empty(self) -> bool:
        """Whether it has no words."""
        return not any(any(version.templates) for version in self.versions)


#: Attributes with a CoNLL-U column of their own; all others are UD features.
COLUMNS = ("lemma", "upos", "xpos")
#: What CoNLL-U itself writes in the columns of labels and of features.
RESERVED_LABELS = ("root", "_")
RESERVED_ATTRIBUTES = ("SpaceAfter", "Extracted")


def each_layer(
    clauses: Iterable[s.LayerClause], state: CompilerState, children: Collection[str] = ()
) -> tuple[s.LayerClause, ...]:
    """Return the clauses, one for each layer that they name; what is no layer is reported.

    The names of ``children`` are those of layers only before statements about a graph.
    """
    kinds = {layer.name.text: layer.kind.text for layer, _ in state.names.of(s.Layer)}
    found: list[s.LayerClause] = []
    for clause in clauses:
        items = clause.template or ()
        if clause.statements is None:
            # Something is left to be said, and a child is meant rather than a layer.
            own = kinds.get(clause.layer.text.partition(".")[0])
            same = {name for name, kind in kinds.items() if kind == own}
            named = _leading(items[:-1], same.difference(children))
            left = items[len(named) :] if clause.template is not None else None
        else:
            layers = [name for name, kind in kinds.items() if kind == "graph"]
            named, left = _leading(items, layers), None
            for item in items[len(named) : len(named) + 1]:
                hint = f"the graph layers are: {', '.join(layers)}; edges are separated by `;`"
                state.error("SGL0306", item.span, "before the edges of a clause only graph layers are named", hint)
        layers_of_clause = (clause.layer, *named)
        found += [replace(clause, layer=layer, template=left) for layer in layers_of_clause]
    return tuple(found)


def _leading(items: Sequence[s.TemplateItem], layers: Collection[str]) -> list[s.Name]:
    """Return the names of layers, or of parts in them, that ``items`` begin with."""
    found: list[s.Name] = []
    for item in items:
        if not isinstance(item, s.Mention) or item.mode or item.name.text.partition(".")[0] not in layers:
            break
        found.append(item.name)
    return found


def check_layers(clauses: Sequence[s.LayerClause], state: CompilerState, children: Collection[str] = ()) -> bool:
    """Report clauses about layers that are not there; return whether no text layer has two."""
    signature, known = state.signature, state.signature.layer_names
    text, seen = {layer.name for layer in signature.text_layers}, set[str]()
    for clause in clauses:
        name = clause.layer.text
        if name.partition(".")[0] in text and name in seen and not clause.conditions:
            hint = "remove one, or write the first line of the declaration it belongs to"
            state.error("SGL0308", clause.span, f"the layer `{name}` has two clauses", hint)
            return False
        if not clause.conditions:
            seen.add(name)
        if "." in name or name in known or name in signature.unsound or name in signature.unknown:
            continue  # Whether a phrase has such a part is asked by `check_parts`.
        # A misspelt layer is reported wherever it stands, one that is not declared once.
        near = suggest(name, known)
        if not near:
            signature.unknown.add(name)
        hint = near or f"the layers are: {', '.join(known)}"
        if name in children:
            hint = f"a clause begins with its layer: `{signature.text_layers[-1].name} {name} …`"
        elif name in DECLARATIONS:
            hint = f"a declaration starts in the first column: remove the spaces before `{name}`"
        state.error("SGL0201", clause.layer.span, f"there is no layer `{name}`", hint)
    return True


def check_parts(clauses: Iterable[s.LayerClause], category: s.Name, state: CompilerState) -> bool:
    """Return whether a phrase has all parts that clauses are about; report those that it lacks."""
    info, sound = state.signature.categories.get(category.text), True
    texts = [*(layer.name for layer in state.signature.text_layers), *state.signature.unsound]
    for layer in (clause.layer for clause in clauses if "." in clause.layer.text):
        if not has_parts(layer, texts, state):
            sound = False
        elif info is not None and layer.text not in info.parts:
            sound = False
            hint = suggest(layer.text, info.parts) or f"declare it: `category {category} with {layer}`"
            state.error("SGL0322", layer.span, f"`{category}` has no part `{layer}`", hint)
    return sound


def rule_weight(weight: s.Weight | None, state: CompilerState) -> float:
    """Return the weight of a rule as a number; 1 without one or after a report."""
    if weight is None:
        return 1.0
    name = weight.factor
    if name is None and weight.argument is None:
        name = weight.kind
    if name is None or weight.column is not None or (weight.kind and weight.factor):
        hint = "`zipf(…)` and columns are for lexicons"
        state.error("SGL0701", weight.span, "the weight of a rule is a number", hint)
        return 1.0
    number = state.parameters.number(name)
    if number is not None and not is_weight(number):
        hint = "to leave the rule out, use `when` or remove it"
        state.error("SGL0701", weight.span, f"the weight `{name}` is not positive", hint)
        return 1.0
    return number if number is not None else 1.0


def check_attribute_name(attribute: s.Attribute, layer: GraphLayer, state: CompilerState) -> None:
    """Report a name that is no lemma, upos, xpos or UD feature; a free layer may have any."""
    name = attribute.name.text
    if layer.free:
        return
    if name not in COLUMNS and not name[0].isupper():
        hint = suggest(name, COLUMNS) or f"write `{name.capitalize()}=…`"
        notes = ("besides lemma, upos and xpos a word has UD features, such as `Tense=Past`",)
        state.error("SGL0506", attribute.name.span, f"`{name}` is no attribute of a word", hint, notes=notes)
    elif name in RESERVED_ATTRIBUTES:
        state.error("SGL0512", attribute.name.span, f"CoNLL-U has its own use for the attribute `{name}`")


def entries_of(lexicon: s.Lexicon, scope: Scope, state: CompilerState) -> tuple[s.Entry, ...] | None:
    """Return a lexicon's entries and, completed by the clauses below their use, its blocks; None after a report."""
    errors = state.diagnostics.errors
    entries: list[s.Entry] = []
    for entry in lexicon.entries:
        if isinstance(entry, s.Entry):
            entries.append(replace(entry, layers=each_layer(entry.layers, state)))
        elif (block := scope.find(s.Forms, entry.name)) is not None:
            entries += _entries_of_use(entry, block, state)
    return tuple(entries) if state.diagnostics.errors == errors else None


def laid_over(over: tuple[s.LayerClause, ...], under: tuple[s.LayerClause, ...]) -> tuple[s.LayerClause, ...]:
    """Return clauses with those of ``under`` that are about layers of which they say nothing."""
    named = {clause.layer.text for clause in over}
    return (*(clause for clause in under if clause.layer.text not in named), *over)


def _entries_of_use(use: s.FormsUse, block: s.Forms, state: CompilerState) -> list[s.Entry]:
    wanted, given, found = [name.text for name in block.parameters], use.arguments, list[s.Entry]()
    if len(wanted) != len(given):
        takes = ", ".join(["a category", *(f"`${name}`" for name in wanted)])
        message = f"`{block.name}` takes {len(wanted) + 1} things, not {len(given) + 1}: {takes}"
        state.error("SGL0617", use.span, message, labels=[Label(block.name.span, "declared here")])
        return []
    values = dict(zip(wanted, given, strict=True))
    for entry in block.entries:
        if entry.category.name.text != block.category.text:
            message = f"an entry of `{block.name}` is of the category that its uses give it"
            state.error("SGL0617", entry.category.name.span, message, f"write `{block.category}[…]`")
            continue
        settings = [_setting(setting, use, values, state) for setting in entry.category.settings]
        if None not in settings:
            # The category is that of the use, with the settings of both.
            written = (*(setting for setting in settings if setting is not None), *use.category.settings)
            category = s.CategoryRef(use.category.span, use.category.name, written)
            own, shared, below = (each_layer(clauses, state) for clauses in (entry.layers, block.shared, use.layers))
            layers = laid_over(laid_over(own, shared), below)
            found.append(s.Entry(use.span, category, _given(layers, values), block))
    return found


def _setting(
    written: s.Setting, use: s.FormsUse, values: Mapping[str, s.Expression], state: CompilerState
) -> s.Setting | None:
    feature, own, problem = written.feature, use.category, ("", "", "")
    # Questions about a grammar are asked without its signature.
    known = getattr(state, "signature", None)
    info = known.categories.get(own.name.text) if known is not None else None
    possible = known.features.get(feature.text, ()) if known is not None else ()
    given: tuple[Any, ...] = _given(written.values, values)
    chosen = tuple(
        s.Name(value.name.text, value.name.span) if isinstance(value, s.Mention) else value for value in given
    )
    names = [value.text for value in chosen if isinstance(value, s.Name)]
    strange = next((name for name in names if name not in (*possible, ANY)), None)
    if any(setting.feature.text == feature.text for setting in own.settings):
        problem = ("SGL0403", f"`{feature}` is set here and in `{use.name}`", "remove one of them")
    elif info is not None and feature.text not in info.features:
        message = f"`{own.name}` has no feature `{feature}`, which `{use.name}` sets"
        problem = ("SGL0401", message, suggest(feature.text, info.features))
    elif info is not None and strange is not None:
        message = f"`{strange}` is not a value of the feature `{feature}`"
        problem = ("SGL0402", message, suggest(strange, possible, "its values are"))
    elif not all(isinstance(value, s.Name | s.Column | s.Fallback) for value in chosen):
        problem = ("SGL0617", f"the value of `{feature}` is a column or a plain value", "")
    code, message, hint = problem
    if code:
        state.error(code, own.span, message, hint, labels=[Label(written.span, f"`{use.name}` sets it here")])
        return None
    return replace(written, values=chosen)


def _given(part: Any, values: Mapping[str, s.Expression]) -> Any:  # noqa: ANN401
    if isinstance(part, s.Column) and part.name.text in values:
        return values[part.name.text]
    if isinstance(part, tuple):
        return tuple(_given(one, values) for one in part)
    if not values or not isinstance(part, s.SyntaxNode):
        return part
    names = (field.name for field in fields(part) if field.name != "span")
    return replace(part, **{name: _given(getattr(part, name), values) for name in names})
