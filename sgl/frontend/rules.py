"""Lower rules to productions: one step for each layer, features still open.

The right-hand side is the template of the source layer.  Every child stands
exactly once in every layer unless the author writes ``drop`` or ``copy``: a
forgotten child would silently change the meaning of every sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sgl.core.grammar import HEAD, GraphLayer, Item, Slot, TextLayer, Token
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.fragments import FragmentLowering
from sgl.frontend.names import Scope
from sgl.frontend.parameters import is_weight
from sgl.frontend.productions import (
    FeatureVariable,
    FragmentSketch,
    Production,
    TemplateSketch,
    VariableTable,
    category_pattern,
)
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s
from sgl.lang.keywords import DECLARATIONS

_ONCE = "every child is used exactly once in every layer"


def lower_rules(state: CompilerState) -> None:
    """Turn rules into productions: one step for each layer, features still open.

    Before: ``signature``.  After: ``productions``, with those of the rules that are sound.
    """
    lowered = (_lower_rule(rule, scope, state) for rule, scope in state.names.of(s.Rule))
    state.productions = [production for production in lowered if production is not None]


def _lower_rule(rule: s.Rule, scope: Scope, state: CompilerState) -> Production | None:
    errors, names = state.diagnostics.errors, RuleNames(rule, state)
    refs = (rule.lhs, *(child.category for child in names.children))
    found = [category_pattern(ref, scope, names.variables, None, state) for ref in refs]
    # Clauses may mention a misspelt category by its name.
    unnamed = [child.category.name for child in names.children if child.role is None]
    known = all(name.text in state.signature.categories for name in unnamed)
    if not check_layers(rule.layers, state, names.index) or not known:
        return None
    templates = _templates(names)
    patterns = [pattern for pattern in found if pattern is not None]
    if len(patterns) < len(found):
        return None
    fragments: list[FragmentSketch | None] = []
    for layer in state.signature.graph_layers:
        statements, infos = _statements(names, layer), [pattern.info for pattern in patterns]
        lowering = FragmentLowering(names, layer, infos[0], infos[1:])
        fragments.append(lowering.run(statements) if statements is not None else None)
    if state.diagnostics.errors == errors:
        names.variables.report_lonely(patterns)
    weight = rule_weight(rule.weight, state)
    sketches = tuple(fragment for fragment in fragments if fragment is not None)
    if state.diagnostics.errors > errors or len(sketches) < len(fragments):
        return None
    return Production(
        name=rule.name.text,
        lhs=patterns[0],
        rhs=tuple(patterns[1:]),
        domains=dict(names.variables.domains),
        templates=templates,
        fragments=sketches,
        share=weight,
        span=rule.name.span,
        keep=rule.keep is not None,
    )


class RuleNames:
    """What the clauses of a rule may mention: its children and its feature variables."""

    def __init__(self, rule: s.Rule, state: CompilerState) -> None:
        self.rule, self.state, self.variables = rule, state, VariableTable(state)
        self.children = tuple(item for item in rule.rhs if isinstance(item, s.Child))
        called: dict[str, list[int]] = {}
        for index in range(len(self.children)):
            called.setdefault(self.name(index).text, []).append(index)
        #: The children by the names that are those of one alone.
        self.index = {name: indices[0] for name, indices in called.items() if len(indices) == 1}
        #: What several children are called, and what of it was reported.
        self.ambiguous = called.keys() - self.index.keys()
        self.reported: set[str] = set()
        #: Where names were first mentioned that no child has.
        self.missing: dict[str, Span] = {}
        for name, (first, *others) in called.items():
            roles = [role for index in others if (role := self.children[index].role) is not None]
            if roles:
                self.reported.add(name)
                message = f"two children are called `{name}`"
                labels = [Label(self.name(first).span, f"the other `{name}`")]
                state.error("SGL0304", roles[0].span, message, "rename one", labels=labels)

    def name(self, index: int) -> s.Name:
        """Return what a child is called: its role, or else its category."""
        return self.children[index].role or self.children[index].category.name

    def find(self, name: s.Name) -> int | None:
        """Return the child that a name means; None after a report."""
        text = name.text
        if text in self.index:
            return self.index[text]
        of_category = [child for child in self.children if child.category.name.text == text]
        if text in self.ambiguous:
            if text not in self.reported:
                # Once for each rule: all mentions follow from the same children.
                self.reported.add(text)
                message = f"the rule has several children `{text}`; which of them is meant?"
                labels = [Label(child.span, f"one `{text}`") for child in of_category]
                hint = f"give them roles: `first:{text}`, `second:{text}`"
                self.state.error("SGL0304", name.span, message, hint, labels=labels)
        elif any(child.role and child.role.text in self.ambiguous for child in of_category):
            pass  # The role was reported, and may be no role.
        elif (first := self.missing.setdefault(text, name.span)) != name.span:
            self.state.diagnostics.also_at("SGL0305", first, name.span)
        else:
            hint = self._hint(text, of_category)
            self.state.error("SGL0305", name.span, f"the rule has no child `{text}`", hint)
        return None

    def _hint(self, name: str, of_category: Sequence[s.Child]) -> str:
        """Return what a name may mean that no child has."""
        role = next((child.role for child in of_category if child.role is not None), None)
        if role is not None:
            return f"the `{name}` of this rule is called `{role}`"
        known = ", ".join(f"`{known}`" for known in self.index) or "none"
        near = suggest(name, self.index)
        if near or name[:1].isupper():
            return near or f"its children: {known}"
        return f'a word is quoted: `"{name}"`; the children of the rule: {known}'


# ---- text layers


def _templates(names: RuleNames) -> tuple[TemplateSketch, ...]:
    """Return the template of each text layer."""
    rule, state = names.rule, names.state
    clauses = {clause.layer.text: clause for clause in rule.layers}
    source, *others = state.signature.text_layers
    sketches = [_source_template(rule, clauses.get(source.name), state)]
    for layer in others:
        clause = clauses.get(layer.name)
        if clause is None:
            # A child alone stands there as it does in the source.
            if len(rule.rhs) > 1 or not names.children:
                _report_without_clause(rule, layer.name, "below the rule", state)
            sketches.append((Slot(0),))
        elif clause.template is None:
            message = f"`{layer.name}` is a text layer, this clause is about a graph"
            hint = "write names of children and quoted words"
            state.error("SGL0306", clause.span, message, hint)
        else:
            sketches.append(_template(layer, clause, names))
    return tuple(sketches)


def _source_template(
    rule: s.Rule, clause: s.LayerClause | None, state: CompilerState
) -> TemplateSketch:
    """Return the right-hand side as a template.

    Graphs stand on the words of the source layer; a second template could leave
    out or repeat words that carry nodes.
    """
    source = state.signature.source.name
    if clause is not None:
        message = f"the right-hand side is the template of `{source}`"
        hint = "remove this clause, and order the right-hand side itself"
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
    return tuple(items)


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


def _report_without_clause(rule: s.Rule, layer: str, where: str, state: CompilerState) -> None:
    """Report that nothing is said of a layer, unless a clause is about no layer at all."""
    if not state.signature.has_strange(rule.layers):
        message = f"the rule `{rule.name}` has no clause for the layer `{layer}`"
        state.error("SGL0303", rule.name.span, message, f"add a line `{layer} …` {where}")


# ---- graph layers


def _statements(names: RuleNames, layer: GraphLayer) -> list[s.Statement] | None:
    """Return what a rule says about a graph layer; None after a report.

    ``sem N`` says that the head is that of ``N``, as ``ja N`` says it of words.
    """
    rule, state = names.rule, names.state
    clauses = [clause for clause in rule.layers if clause.layer.text == layer.name]
    statements: list[s.Statement] = []
    for clause in clauses:
        template = clause.template or ()
        alone = template[0] if len(template) == 1 else None
        if isinstance(alone, s.Mention) and not alone.mode:
            head = s.NodeRef(alone.span, s.Name(HEAD, alone.span))
            child = s.NodeRef(alone.span, alone.name)
            statements.append(s.BindStatement(alone.span, head, child))
        elif clause.statements is not None:
            statements.extend(clause.statements)
        else:
            message = f"`{layer.name}` is a graph layer, this clause is a sequence of words"
            state.error("SGL0306", clause.span, message, "write edges such as `V -[obj]-> NP`")
            return None
    passes_up = len(rule.rhs) == 1 and isinstance(rule.rhs[0], s.Child)
    if not clauses and not passes_up:
        _report_without_clause(rule, layer.name, "with the edges between its words", state)
        return None
    return statements


# ---- what rules and words have in common


def check_layers(
    clauses: Sequence[s.LayerClause], state: CompilerState, children: Collection[str] = ()
) -> bool:
    """Report clauses about layers that are not there, and second clauses of text layers.

    False if there is a second clause: it is then not clear what else belongs together.
    """
    signature, known = state.signature, state.signature.layer_names
    text, seen = {layer.name for layer in signature.text_layers}, set[str]()
    for clause in clauses:
        name = clause.layer.text
        if name in text and name in seen:
            hint = "remove one, or write the first line of the declaration it belongs to"
            state.error("SGL0308", clause.span, f"the layer `{name}` has two clauses", hint)
            return False
        seen.add(name)
        if name in known or name in signature.unsound or name in signature.unknown:
            continue
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
