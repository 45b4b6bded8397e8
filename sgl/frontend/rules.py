"""Lower rules to productions: one step for each layer, features still open."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sgl.core.grammar import HEAD, GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.fragments import FragmentLowering
from sgl.frontend.names import Scope
from sgl.frontend.productions import (
    CategoryPattern,
    FragmentSketch,
    Production,
    VariableTable,
    category_pattern,
)
from sgl.frontend.state import CompilerState
from sgl.frontend.templates import Children, lower_templates, report_without_clause
from sgl.lang import syntax as s
from sgl.lang.keywords import DECLARATIONS


def lower_rules(state: CompilerState) -> None:
    """Turn rules into productions: one step for each layer, features still open.

    Before: ``signature``.  After: ``productions``, with those of the rules that are sound.
    """
    found = []
    for rule, scope in state.names.of(s.Rule):
        production = _RuleLowering(rule, scope, state, VariableTable()).run()
        if production is not None:
            found.append(production)
    state.productions = found


@dataclass(frozen=True)
class _RuleLowering:
    """The lowering of one rule."""

    rule: s.Rule
    scope: Scope
    state: CompilerState
    variables: VariableTable

    def run(self) -> Production | None:
        rule = self.rule
        errors = self.state.diagnostics.errors
        lhs = self._category(rule.lhs)
        children = Children(rule, self.state)
        rhs = [self._category(child.category) for child in children.children]
        if not check_layers(rule.layers, self.state, children.names):
            return None
        if not self._are_named(children):
            return None
        templates, mentioned = lower_templates(rule, children, self.variables, self.state)
        sound = [pattern for pattern in rhs if pattern is not None]
        if lhs is None or len(sound) < len(rhs):
            return None
        fragments, in_graphs = self._fragments(lhs, sound, children)
        if self.state.diagnostics.errors == errors:
            used = mentioned | in_graphs
            self.variables.report_lonely(used, (lhs, *sound), self.state)
        weight = rule_weight(rule.weight, self.state)
        if self.state.diagnostics.errors > errors or len(fragments) < len(
            self.state.signature.graph_layers
        ):
            return None
        return Production(
            name=rule.name.text,
            lhs=lhs,
            rhs=tuple(sound),
            domains=dict(self.variables.domains),
            templates=templates,
            fragments=tuple(fragments),
            share=weight,
            span=rule.name.span,
            keep=rule.keep is not None,
        )

    def _are_named(self, children: Children) -> bool:
        """Return whether all names of children are known; clauses may have a misspelt category."""
        known = self.state.signature.categories
        return all(child.role or child.category.name.text in known for child in children.children)

    def _category(self, ref: s.CategoryRef) -> CategoryPattern | None:
        return category_pattern(ref, self.scope, self.variables, None, self.state)

    def _fragments(
        self, lhs: CategoryPattern, rhs: Sequence[CategoryPattern], children: Children
    ) -> tuple[list[FragmentSketch], frozenset[str]]:
        sketches: list[FragmentSketch] = []
        mentioned: set[str] = set()
        for layer in self.state.signature.graph_layers:
            statements = self._statements(layer)
            if statements is None:
                continue
            lowering = FragmentLowering(
                self.rule,
                layer,
                lhs.info,
                [pattern.info for pattern in rhs],
                children,
                self.variables,
                self.state,
            )
            sketch = lowering.run(statements)
            mentioned |= lowering.mentioned
            if sketch is not None:
                sketches.append(sketch)
        return sketches, frozenset(mentioned)

    def _statements(self, layer: GraphLayer) -> list[s.Statement] | None:
        clauses = [clause for clause in self.rule.layers if clause.layer.text == layer.name]
        statements: list[s.Statement] = []
        for clause in clauses:
            alone = _child_alone(clause)
            if alone is not None:
                statements.append(alone)
                continue
            if clause.statements is None:
                message = f"`{layer.name}` is a graph layer, this clause is a sequence of words"
                hint = "write edges such as `V -[obj]-> NP`"
                self.state.error("SGL0306", clause.span, message, hint)
                return None
            statements.extend(clause.statements)
        passes_up = len(self.rule.rhs) == 1 and isinstance(self.rule.rhs[0], s.Child)
        if not clauses and not passes_up:
            where = "with the edges between its words"
            report_without_clause(self.rule, layer.name, where, self.state)
            return None
        return statements


def _child_alone(clause: s.LayerClause) -> s.BindStatement | None:
    """``sem N``, which says that the head is that of ``N``, as it says ``ja N`` of words."""
    if clause.template is None or len(clause.template) != 1:
        return None
    (item,) = clause.template
    if not isinstance(item, s.Mention) or item.mode:
        return None
    head = s.NodeRef(item.span, s.Name(HEAD, item.span))
    return s.BindStatement(item.span, head, s.NodeRef(item.span, item.name))


def check_layers(
    clauses: Sequence[s.LayerClause], state: CompilerState, children: Collection[str] = ()
) -> bool:
    """Report clauses about layers that are not there, and second clauses of text layers.

    False if there is a second clause: it is then not clear what else belongs together.
    """
    text = [layer.name for layer in state.signature.text_layers]
    seen: set[str] = set()
    for clause in clauses:
        name = clause.layer.text
        if name in text and name in seen:
            hint = "remove one, or write the first line of the declaration it belongs to"
            state.error("SGL0308", clause.span, f"the layer `{name}` has two clauses", hint)
            return False
        _check_layer(clause.layer, children, state)
        seen.add(name)
    return True


def _check_layer(layer: s.Name, children: Collection[str], state: CompilerState) -> None:
    """Report a misspelt layer wherever it stands, and one that is not declared once."""
    known = state.signature.layer_names
    name = layer.text
    if name in known or name in state.signature.unsound or name in state.signature.unknown:
        return
    near = suggest(name, known)
    if not near:
        state.signature.unknown.add(name)
    hint = near or f"the layers are: {', '.join(known)}"
    if name in children:
        layer_name = state.signature.text_layers[-1].name
        hint = f"a clause begins with its layer: `{layer_name} {name} …`"
    elif name in DECLARATIONS:
        hint = f"a declaration starts in the first column: remove the spaces before `{name}`"
    state.error("SGL0201", layer.span, f"there is no layer `{name}`", hint)


def rule_weight(weight: s.Weight | None, state: CompilerState) -> float:
    """Return the weight of a rule as a number; 1 without one."""
    if weight is None:
        return 1.0
    name = weight.factor
    if name is None and weight.argument is None and weight.kind is not None:
        name = weight.kind
    if name is None or weight.column is not None or (weight.kind and weight.factor):
        hint = "`zipf(…)` and columns are for lexicons"
        state.error("SGL0701", weight.span, "the weight of a rule is a number", hint)
        return 1.0
    number = state.parameters.number(name)
    if number is not None and not 0 < number < 1e12:
        hint = "to leave the rule out, use `when` or remove it"
        state.error("SGL0701", weight.span, f"the weight `{name}` is not positive", hint)
        return 1.0
    return number if number is not None else 1.0
