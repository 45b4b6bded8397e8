"""Lower the text layers of a rule: templates of children and words.

The right-hand side is the template of the source layer, unless a clause with a condition puts
it in another order.  Every child stands exactly once in every layer unless the author writes
``drop`` or ``copy``: a forgotten child would silently change the meaning of every sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sgl.core.grammar import Item, Slot, TextLayer, Token
from sgl.diagnostics import Label
from sgl.frontend.mentions import RuleNames
from sgl.frontend.productions import FeatureVariable, TemplateSketch
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

_ONCE = "every child is used exactly once in every layer"


@dataclass(frozen=True, slots=True)
class Templates:
    """The templates of a version, and where the words of the right-hand side stand in the source.

    Both are counted from 0: the parts of the right-hand side, and those of the source template.
    """

    sketches: tuple[TemplateSketch, ...]
    places: Mapping[int, int]


def templates_of(names: RuleNames, clauses: Sequence[s.LayerClause]) -> Templates:
    """Return the template of each text layer, where ``clauses`` apply."""
    rule, state = names.rule, names.state
    applying = {clause.layer.text: clause for clause in clauses}
    source, *others = state.signature.text_layers
    own = applying.get(source.name)
    ordered = source_order(names, own) if own is not None and own.conditions else None
    order = ordered if ordered is not None else {i: i for i in range(len(rule.rhs))}
    written = _right_hand_side(rule, own, state)
    placed = sorted(order, key=order.__getitem__)
    sketches: list[TemplateSketch] = [tuple(written[part] for part in placed)]
    if ordered is not None and own is not None:
        sketches = [_capitals(sketches[0], own)]
    for layer in others:
        clause = applying.get(layer.name)
        if clause is None:
            # A child alone stands there as it does in the source.
            if len(rule.rhs) > 1 or not names.children:
                report_without_clause(rule, layer.name, "below the rule", state)
            sketches.append((Slot(0),))
        elif clause.template is None:
            message = f"`{layer.name}` is a text layer, this clause is about a graph"
            state.error("SGL0306", clause.span, message, "write names of children and quoted words")
        else:
            sketches.append(_template(layer, clause, names))
    words = {part: place for part, place in order.items() if isinstance(rule.rhs[part], s.Name)}
    return Templates(tuple(sketches), words)


def _right_hand_side(
    rule: s.Rule, clause: s.LayerClause | None, state: CompilerState
) -> list[Item]:
    """Return the parts of the right-hand side as items of a template.

    Graphs stand on the words of the source layer; a second template without a condition could
    leave out or repeat words that carry nodes.
    """
    source = state.signature.source.name
    if clause is not None and not clause.conditions:
        message = f"the right-hand side is the template of `{source}`"
        hint = "remove this clause, and order the right-hand side itself; or write `if …` behind it"
        state.error("SGL0311", clause.span, message, hint)
    items: list[Item] = []
    child = 0
    for part in rule.rhs:
        if isinstance(part, s.Child):
            items.append(Slot(child, part.capital))
            child += 1
            continue
        items.append(Token(part.text))
        words = part.text.split()
        if not words:
            message = f"this word is empty in the layer `{source}`"
            state.error("SGL0604", part.span, message, "remove it from the right-hand side")
        elif words != [part.text]:
            apart = " ".join(f'"{word}"' for word in words)
            message = f"`{part}` has a space in it; each word of `{source}` is quoted separately"
            state.error("SGL0609", part.span, message, f"write `{apart}`")
    return items


def source_order(names: RuleNames, clause: s.LayerClause) -> dict[int, int] | None:
    """Return where the parts of the right-hand side stand by a clause; None after a report.

    Each child stands once; a word may be left out.
    """
    state, rule, found = names.state, names.rule, dict[int, int]()
    children = [i for i, part in enumerate(rule.rhs) if isinstance(part, s.Child)]
    for place, item in enumerate(clause.template or ()):
        part: int | None = None
        if isinstance(item, s.Mention) and item.mode in ("", "capital"):
            child = names.find(item.name)
            if child is None:
                return None
            part = children[child]
        elif isinstance(item, s.Name):
            words = [i for i, one in enumerate(rule.rhs) if isinstance(one, s.Name)]
            same = (i for i in words if str(rule.rhs[i]) == item.text and i not in found)
            part = next(same, None)
        if part is None or part in found:
            message = "this stands once more than on the right-hand side of the rule"
            hint = "a clause of the source layer has the children and words of the right-hand side"
            state.error("SGL0311", item.span, message, hint)
            return None
        found[part] = place
    missing = [f"`{names.name(n)}`" for n, i in enumerate(children) if i not in found]
    if missing or clause.template is None:
        message = f"the layer `{clause.layer}` leaves out {' and '.join(missing) or 'everything'}"
        state.error("SGL0301", clause.span, message, notes=[_ONCE])
        return None
    return found


def _capitals(sketch: TemplateSketch, clause: s.LayerClause) -> TemplateSketch:
    """Return a source template with the capital letters that a clause asks for."""
    items = zip(sketch, clause.template or (), strict=True)
    return tuple(
        Slot(item.child, written.mode == "capital")
        if isinstance(item, Slot) and isinstance(written, s.Mention)
        else item
        for item, written in items
    )


def _template(layer: TextLayer, clause: s.LayerClause, names: RuleNames) -> TemplateSketch:
    """Return what a clause says about a text layer."""
    state = names.state
    sketch: list[Item | FeatureVariable] = []
    places: dict[int, s.Mention] = {}
    sound = True
    for item in clause.template or ():
        if isinstance(item, s.Name):
            sketch.append(Token(item.text))
        elif isinstance(item, s.Mention):
            index = names.find(item.name)
            if index is None:
                sound = False
                continue
            first = places.setdefault(index, item)
            if first is not item and item.mode != "copy":
                message = f"`{item.name}` occurs twice in the layer `{layer.name}`"
                hint = f"remove one, or write `copy {item.name}` if you mean it"
                labels = [Label(first.span, "here first")]
                state.error("SGL0302", item.span, message, hint, labels=labels)
            if item.mode != "drop":
                sketch.append(Slot(index, item.mode == "capital"))
        elif isinstance(item, s.Column):
            hint = f"name it in the brackets of a category: `V[case={item.name}]`"
            sound &= names.variables.use(item.name.text, item.span, hint)
            sketch.append(FeatureVariable(item.name.text))
        else:
            sound = False
            message = "words are computed in `word` and `lexicon` declarations, not in rules"
            hint = "write names of children, quoted words, and `$f` for a feature variable `f`"
            state.error("SGL0309", item.span, message, hint)
    missing = [names.name(i).text for i in range(len(names.children)) if i not in places]
    if sound and missing:
        listed = " and ".join(f"`{name}`" for name in missing)
        dropped = " ".join(f"drop {name}" for name in missing)
        message = f"the layer `{layer.name}` leaves out {listed}"
        label = f"{listed} {'has' if len(missing) == 1 else 'have'} no place here"
        hint = f"put {listed} where it belongs, or write `{dropped}` if you mean it"
        state.error("SGL0301", clause.span, message, hint, label=label, notes=[_ONCE])
    return tuple(sketch)


def report_without_clause(rule: s.Rule, layer: str, where: str, state: CompilerState) -> None:
    """Report that nothing is said of a layer, unless a clause is about no layer at all."""
    if not state.signature.has_strange(rule.layers):
        message = f"the rule `{rule.name}` has no clause for the layer `{layer}`"
        state.error("SGL0303", rule.name.span, message, f"add a line `{layer} …` {where}")
