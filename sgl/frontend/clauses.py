"""What the clauses of rules and of words have in common: layers, weights, attributes of words.

A clause may be about several layers of a kind, whose names stand before what it says.  Graphs are
published as CoNLL-U, which keeps some names of attributes and labels for itself.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from sgl.core.grammar import GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.parameters import is_weight
from sgl.frontend.signature import has_parts
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.lang.keywords import DECLARATIONS

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
                message = "before the edges of a clause only graph layers are named"
                hint = f"the graph layers are: {', '.join(layers)}; edges are separated by `;`"
                state.error("SGL0306", item.span, message, hint)
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
            message = f"`{category}` has no part `{layer}`"
            hint = f"declare it: `category {category} with {layer}`"
            hint = suggest(layer.text, info.parts) or hint
            state.error("SGL0322", layer.span, message, hint)
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
        message = f"`{name}` is no attribute of a word"
        state.error("SGL0506", attribute.name.span, message, hint, notes=notes)
    elif name in RESERVED_ATTRIBUTES:
        message = f"CoNLL-U has its own use for the attribute `{name}`"
        state.error("SGL0512", attribute.name.span, message)
