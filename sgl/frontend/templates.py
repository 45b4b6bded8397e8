"""Lower the text layers of a rule: which child or word stands where.

The right-hand side is the template of the source layer.  Every child stands
exactly once in every layer unless the author writes ``drop`` or ``repeat``: a
forgotten child would silently change the meaning of every sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sgl.core.grammar import Item, Slot, TextLayer, Token
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.productions import FeatureVariable, TemplateSketch, VariableTable
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s


class Children:
    """The children of a rule by the names they can be called."""

    def __init__(self, rule: s.Rule, state: CompilerState) -> None:
        self.diagnostics = state.diagnostics
        self.children = tuple(item for item in rule.rhs if isinstance(item, s.Child))
        self.names: dict[str, int] = {}
        #: What several children are called, with the first of them; and what of it was reported.
        self.ambiguous: dict[str, s.Child] = {}
        self.reported: set[str] = set()
        #: Where names were first mentioned that no child has.
        self.missing: dict[str, Span] = {}
        for index, child in enumerate(self.children):
            self._add(index, child)
        for name in self.ambiguous:
            self.names.pop(name, None)

    def _add(self, index: int, child: s.Child) -> None:
        name = child.role or child.category.name
        first = self.children[self.names.setdefault(name.text, index)]
        if first is child:
            return
        self.ambiguous[name.text] = first
        if child.role is None or name.text in self.reported:
            return
        self.reported.add(name.text)
        self.diagnostics.error(
            "SGL0304",
            name.span,
            f"two children are called `{name}`",
            labels=[Label((first.role or first.category.name).span, f"the other `{name}`")],
            hint="rename one",
        )

    def find(self, name: s.Name) -> int | None:
        """Return the child that a name means; None after a report."""
        index = self.names.get(name.text)
        if index is not None:
            return index
        if name.text in self.ambiguous:
            self._report_ambiguous(name)
        elif self._has_doubled_role(name.text):
            pass  # The role was reported, and may be no role.
        elif (first := self.missing.setdefault(name.text, name.span)) != name.span:
            self.diagnostics.also_at("SGL0305", first, name.span)
        else:
            hint = self._hint(name.text)
            self.diagnostics.error("SGL0305", name.span, f"the rule has no child `{name}`", hint)
        return None

    def _has_doubled_role(self, category: str) -> bool:
        """Return whether a child of the category has a role that another child has as well."""
        return any(
            child.role is not None and child.role.text in self.ambiguous
            for child in self.children
            if child.category.name.text == category
        )

    def _hint(self, name: str) -> str:
        """Return what a name may mean that no child has."""
        for child in self.children:
            if child.role is not None and child.category.name.text == name:
                return f"the `{name}` of this rule is called `{child.role}`"
        known = ", ".join(f"`{known}`" for known in self.names) or "none"
        near = suggest(name, self.names)
        if near or name[:1].isupper():
            return near or f"its children: {known}"
        return f'a word is quoted: `"{name}"`; the children of the rule: {known}'

    def _report_ambiguous(self, name: s.Name) -> None:
        """Once for each rule: all mentions follow from the same children."""
        places = [child.span for child in self.children if child.category.name.text == name.text]
        if name.text not in self.reported:
            self.diagnostics.error(
                "SGL0304",
                name.span,
                f"the rule has several children `{name}`; which of them is meant?",
                labels=[Label(place, f"one `{name}`") for place in places],
                hint=f"give them roles: `first:{name}`, `second:{name}`",
            )
        self.reported.add(name.text)

    def name(self, index: int) -> str:
        """Return what a child is called."""
        child = self.children[index]
        return (child.role or child.category.name).text


def lower_templates(
    rule: s.Rule, children: Children, variables: VariableTable, state: CompilerState
) -> tuple[tuple[TemplateSketch, ...], frozenset[str]]:
    """Return the template of each text layer, and the feature variables they mention."""
    clauses = {clause.layer.text: clause for clause in rule.layers}
    sketches: list[TemplateSketch] = []
    mentioned: set[str] = set()
    _check_source(rule, clauses.get(state.signature.source.name), state)
    for layer in state.signature.text_layers:
        clause = clauses.get(layer.name)
        if clause is None or layer.name == state.signature.source.name:
            sketches.append(_default(rule, layer, state))
        elif clause.template is None:
            message = f"`{layer.name}` is a text layer, this clause is about a graph"
            state.error("SGL0306", clause.span, message, "write names of children and quoted words")
            sketches.append(())
        else:
            lowering = _Template(layer, clause, children, variables, state)
            sketches.append(lowering.run(clause.template))
            mentioned |= lowering.mentioned
    return tuple(sketches), frozenset(mentioned)


def _check_source(rule: s.Rule, clause: s.LayerClause | None, state: CompilerState) -> None:
    """Report a second source template, and a quotation of several words.

    Graphs stand on the words of the source layer; a second template could leave
    out or repeat words that carry nodes.
    """
    source = state.signature.source.name
    if clause is not None:
        message = f"the right-hand side is the template of `{source}`"
        hint = "remove this clause, and order the right-hand side itself"
        state.error("SGL0311", clause.span, message, hint)
    for word in rule.rhs:
        if isinstance(word, s.Child):
            continue
        parts = word.text.split()
        if not parts:
            hint = "remove it from the right-hand side"
            state.error("SGL0604", word.span, f"this word is empty in the layer `{source}`", hint)
        elif parts != [word.text]:
            apart = " ".join(f'"{part}"' for part in parts)
            state.error(
                "SGL0609",
                word.span,
                f"`{word.text}` has a space in it; each word of `{source}` is quoted separately",
                f"write `{apart}`",
            )


def source_template(rule: s.Rule) -> tuple[Item, ...]:
    """Return the right-hand side as a template."""
    items: list[Item] = []
    child = 0
    for part in rule.rhs:
        if isinstance(part, s.Child):
            items.append(Slot(child, part.capital))
            child += 1
        else:
            items.append(Token(part.text))
    return tuple(items)


def _default(rule: s.Rule, layer: TextLayer, state: CompilerState) -> TemplateSketch:
    if layer.name == state.signature.source.name:
        return source_template(rule)
    if len(rule.rhs) == 1 and isinstance(rule.rhs[0], s.Child):
        return (Slot(0),)
    report_without_clause(rule, layer.name, "below the rule", state)
    return ()


def report_without_clause(rule: s.Rule, layer: str, where: str, state: CompilerState) -> None:
    """Report that nothing is said of a layer, unless a clause is about no layer at all."""
    if not state.signature.has_strange(rule.layers):
        message = f"the rule `{rule.name}` has no clause for the layer `{layer}`"
        state.error("SGL0303", rule.name.span, message, f"add a line `{layer} …` {where}")


@dataclass
class _Template:
    """One clause of a text layer."""

    layer: TextLayer
    clause: s.LayerClause
    children: Children
    variables: VariableTable
    state: CompilerState
    mentioned: set[str] = field(default_factory=set)
    places: dict[int, list[s.Mention]] = field(default_factory=dict)
    sound: bool = True

    def run(self, template: tuple[s.TemplateItem, ...]) -> TemplateSketch:
        sketch: list[Item | FeatureVariable] = []
        for item in template:
            lowered = self._item(item)
            if lowered is not None:
                sketch.append(lowered)
        if self.sound:
            self._check_once()
        return tuple(sketch)

    def _item(self, item: s.TemplateItem) -> Item | FeatureVariable | None:
        if isinstance(item, s.Mention):
            return self._mention(item)
        if isinstance(item, s.Name):
            return Token(item.text)
        if isinstance(item, s.Column):
            return self._variable(item)
        self.sound = False
        message = "words are computed in `word` and `lexicon` declarations, not in rules"
        hint = "write names of children, quoted words, and `$f` for a feature variable `f`"
        self.state.error("SGL0309", item.span, message, hint)
        return None

    def _mention(self, mention: s.Mention) -> Slot | None:
        index = self.children.find(mention.name)
        if index is None:
            self.sound = False
            return None
        earlier = self.places.setdefault(index, [])
        if earlier and mention.mode != "repeat":
            self._report_doubled(mention, earlier[0])
        earlier.append(mention)
        return None if mention.mode == "drop" else Slot(index, mention.mode == "capital")

    def _variable(self, column: s.Column) -> FeatureVariable | None:
        name = column.name.text
        if name not in self.variables.domains:
            self.sound = False
            known: Mapping[str, object] = self.variables.domains
            self.state.error(
                "SGL0404",
                column.span,
                f"the rule has no feature variable `{name}`",
                suggest(name, known) or f"name it in the brackets of a category: `V[case={name}]`",
            )
            return None
        self.mentioned.add(name)
        return FeatureVariable(name)

    def _report_doubled(self, mention: s.Mention, earlier: s.Mention) -> None:
        message = f"`{mention.name}` occurs twice in the layer `{self.layer.name}`"
        hint = f"remove one, or write `repeat {mention.name}` if you mean it"
        self.state.error(
            "SGL0302", mention.span, message, hint, labels=[Label(earlier.span, "here first")]
        )

    def _check_once(self) -> None:
        missing = [
            self.children.name(index)
            for index in range(len(self.children.children))
            if index not in self.places
        ]
        if missing:
            listed = " and ".join(f"`{name}`" for name in missing)
            dropped = " ".join(f"drop {name}" for name in missing)
            self.state.error(
                "SGL0301",
                self.clause.span,
                f"the layer `{self.layer.name}` leaves out {listed}",
                f"put {listed} where it belongs, or write `{dropped}` if you mean it",
                label=f"{listed} {'has' if len(missing) == 1 else 'have'} no place here",
                notes=("every child is used exactly once in every layer",),
            )
