"""Lower rules to productions: one step for each case and each layer, features still open.

The cases say which clauses apply for which values of the feature variables.  A clause may end with a condition,
``de  obj Vt if o = last``.  The rule then has several versions, one for each set of clauses that apply together; it
stays one rule, with one name and one weight.  Of a text layer exactly one clause applies.  A clause without a condition
is for the rest, which the right-hand side is for the source layer.  Of a graph layer all that apply add up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import NamedTuple

from sgl.core.grammar import HEAD, GraphLayer
from sgl.diagnostics import Label, shortlist, suggest
from sgl.foreign import limits
from sgl.frontend.fragments import FragmentLowering
from sgl.frontend.mentions import RuleNames, VariableTable, category_pattern, is_comparable
from sgl.frontend.names import Scope
from sgl.frontend.productions import (
    CategoryPattern,
    FragmentSketch,
    Production,
    Version,
    check_layers,
    check_parts,
    rule_weight,
)
from sgl.frontend.signature import CategoryInfo
from sgl.frontend.state import CompilerState
from sgl.frontend.templates import report_without_clause, templates_of
from sgl.lang import syntax as s

#: So many combinations of values may decide which clauses of one rule apply.
MAX_COMBINATIONS = 10_000

#: So many combinations without a clause are named.
_SHOWN = 4

Values = tuple[str, ...]
_Part = s.LayerClause | s.WeightCase


@dataclass(frozen=True, slots=True)
class Case:
    """What applies for the values that ``when`` tells: clauses of layers, one of the weights."""

    clauses: tuple[s.LayerClause, ...]
    weight: s.Weight | None
    sharing: int
    when: str


class Cases(NamedTuple):
    """The cases of a rule, and which of them is for which values of the ``deciding`` variables."""

    cases: tuple[Case, ...]
    deciding: tuple[str, ...]
    number: Mapping[Values, int]


@dataclass(frozen=True)
class _Choice:
    """What the variables that decide have for values, combination by combination."""

    names: RuleNames
    deciding: tuple[str, ...]

    def told(self, values: Values) -> str:
        return ", ".join(f"{name} = {value}" for name, value in zip(self.deciding, values, strict=True))

    def applying(self, parts: Iterable[_Part], values: Values) -> list[_Part]:
        holds, given = self.names.variables.holds, dict(zip(self.deciding, values, strict=True))
        return [part for part in parts if all(holds(c, given[c.column.text]) for c in part.conditions)]

    def check(self, what: str, conditional: Sequence[_Part], *, complete: bool) -> None:
        """Report clauses of a layer, or weights, of which several apply or, if they are not ``complete``, none."""
        state, missing = self.names.state, list[str]()
        for values in self.names.variables.combinations(self.deciding) if conditional else ():
            found = self.applying(conditional, values)
            if len(found) > 1:
                message = f"there is a second {what} for `{self.told(values)}`"
                hint = "let their conditions exclude one another"
                state.error("SGL0314", found[1].span, message, hint, labels=[Label(found[0].span, "here first")])
                return
            if not found and not complete:
                missing.append(f"`{self.told(values)}`")
        if missing:
            hint = "add it, or one without `if` for all other values; brackets leave values out: `N[case=acc|dat]`"
            state.error("SGL0314", conditional[-1].span, f"there is no {what} for {shortlist(missing, _SHOWN)}", hint)


def cases_of(names: RuleNames) -> Cases | None:
    """Return the cases of a rule; None after a report."""
    rule, variables, state = names.rule, names.variables, names.state
    weights = rule.weights or (s.WeightCase(rule.span, None, ()),)
    parts: list[_Part] = [*rule.layers, *weights]
    conditions = [condition for part in parts for condition in part.conditions]
    if not conditions and len(weights) == 1:
        return Cases((Case(rule.layers, weights[0].weight, 0, ""),), (), {(): 0})
    known = [_is_known(condition, variables, state) for condition in conditions]
    if not all(known):
        return None
    #: The variables that decide, in the order of their first mention.
    deciding = tuple(dict.fromkeys(condition.column.text for condition in conditions))
    if prod(len(variables.domains[name]) for name in deciding) > MAX_COMBINATIONS:
        message = f"the conditions have more than {MAX_COMBINATIONS:,} combinations of values"
        state.error("SGL0706", rule.name.span, message, "split the rule into several")
        return None
    choice, errors = _Choice(names, deciding), state.diagnostics.errors
    chosen = _chosen(choice, weights)
    if chosen is None or state.diagnostics.errors > errors:
        return None
    cases: dict[tuple[int, ...], Case] = {}
    for values, some in chosen.items():
        clauses = tuple(part for part in some if isinstance(part, s.LayerClause))
        sharing = next(i for i, weight in enumerate(weights) if any(part is weight for part in some))
        case = Case(clauses, weights[sharing].weight, sharing, choice.told(values))
        cases.setdefault(tuple(map(id, some)), case)
    order = {key: place for place, key in enumerate(cases)}
    number = {values: order[tuple(map(id, some))] for values, some in chosen.items()}
    return Cases(tuple(cases.values()), deciding, number)


def _chosen(choice: _Choice, weights: Sequence[s.WeightCase]) -> dict[Values, list[_Part]] | None:
    """Return which clauses and which weight apply for which values; what is wrong with them is reported."""
    rule, state = choice.names.rule, choice.names.state
    errors, source = state.diagnostics.errors, state.signature.source.name
    texts = [text.name for text in state.signature.text_layers]
    layers = dict.fromkeys([*texts, *(c.layer.text for c in rule.layers if "." in c.layer.text)])
    groups: list[tuple[str, Sequence[_Part]]] = [("", weights)]
    groups += [(layer, [c for c in rule.layers if c.layer.text == layer]) for layer in layers]
    parts: tuple[_Part, ...] = (*rule.layers, *weights)
    rests: list[tuple[_Part, list[_Part]]] = []
    for layer, own in groups:
        conditional, plain = [part for part in own if part.conditions], [part for part in own if not part.conditions]
        # What has no condition is for the rest; of the source layer the right-hand side is.
        rests += [(rest, conditional) for rest in plain[:1]]
        if not layer and len(plain) > 1:
            message = "the rule has two weights without a condition"
            state.error("SGL0314", plain[-1].span, message, "write `if …` behind one of them")
        what = f"clause of the layer `{layer}`" if layer else "weight"
        choice.check(what, conditional, complete=bool(plain) or layer == source)
    if state.diagnostics.errors > errors:
        return None
    found: dict[Values, list[_Part]] = {}
    for values in choice.names.variables.combinations(choice.deciding):
        idle = {id(rest) for rest, conditional in rests if choice.applying(conditional, values)}
        found[values] = [part for part in choice.applying(parts, values) if id(part) not in idle]
    used = {id(part) for some in found.values() for part in some}
    for part in (part for part in parts if id(part) not in used):
        message = "this applies for no values that the rule can have"
        if not part.conditions:
            message = "the conditions of the others leave no values for this one"
        state.error("SGL0314", part.span, message, "remove it, or correct them")
    return found


def _is_known(condition: s.Condition, variables: VariableTable, state: CompilerState) -> bool:
    name = condition.column
    hint = "a condition is about a variable in the brackets of a category, as in `VP[form=f]`"
    if not variables.use(name.text, name.span, hint):
        return False
    values = variables.values_of(name.text)
    strange = [value for value in condition.values if value.text not in values]
    for value in strange:
        message = f"`{value}` is not a value of `{name}`"
        state.error("SGL0402", value.span, message, suggest(value.text, values, "its values are"))
    if condition.comparison.text not in ("=", "!=") and not strange:
        features = sorted({feature for _, feature in variables.mentions[name.text]})
        return all(is_comparable(feature, condition.span, state) for feature in features)
    return not strange


def lower_rules(state: CompilerState) -> None:
    """Turn rules into productions, layer by layer, features open. Before: ``signature``. After: ``rules``."""
    rules = state.names.of(s.Rule)
    lowered = (state.kept("rule", (rule,), partial(_lower_rule, rule, scope, state)) for rule, scope in rules)
    state.rules = tuple(production for production in lowered if production is not None)


def _lower_rule(rule: s.Rule, scope: Scope, state: CompilerState) -> Production | None:
    most = limits().children
    if len(rule.rhs) > most:
        message = f"the rule `{rule.name}` has more than {most:,} children and words"
        hint = "divide it into several rules, or raise the limit: `--limit children=NUMBER`"
        state.error("SGL0712", rule.rhs[most].span, message, hint)
        return None
    errors, names = state.diagnostics.errors, RuleNames(rule, scope, state)
    rule = names.rule
    refs = (rule.lhs, *(child.category for child in names.children))
    found = [category_pattern(ref, scope, names.variables) for ref in refs]
    # Clauses may mention a misspelt category by its name.
    unnamed = [child.category.name for child in names.children if child.role is None]
    known = all(name.text in state.signature.categories for name in unnamed)
    known &= check_layers(rule.layers, state, names.index)
    if not known or not check_parts(rule.layers, rule.lhs.name, state):
        return None
    patterns = [pattern for pattern in found if pattern is not None]
    if len(patterns) < len(found) or not names.variables.check_compared():
        # What is wrong with words can be told all the same.
        if not any(clause.conditions for clause in rule.layers):
            templates_of(names, rule.layers)
        return None
    cases = cases_of(names)
    if cases is None:
        return None
    found_versions = [_version(names, case, patterns) for case in cases.cases]
    versions = [version for version in found_versions if version is not None]
    if state.diagnostics.errors == errors:
        names.variables.report_lonely(patterns)
    if state.diagnostics.errors > errors or len(versions) < len(cases.cases):
        return None
    return Production(
        name=rule.name.text,
        lhs=patterns[0],
        rhs=tuple(patterns[1:]),
        domains=dict(names.variables.domains),
        versions=tuple(versions),
        span=rule.name.span,
        orders=names.variables.orders,
        deciding=cases.deciding,
        number=cases.number,
        keep=rule.keep is not None,
    )


def _version(names: RuleNames, case: Case, patterns: Sequence[CategoryPattern]) -> Version | None:
    state = names.state
    templates = templates_of(names, case.clauses)
    fragments: list[FragmentSketch | None] = []
    infos = [pattern.info for pattern in patterns]
    first: FragmentLowering | None = None
    for layer in state.signature.graph_layers:
        said = any(clause.layer.text == layer.name for clause in case.clauses)
        if fragments and fragments[0] is None and not said:
            fragments.append(None)  # It follows from the first layer, which was reported.
            continue
        statements = _statements(names, layer, case, infos)
        anchor = [text.name for text in state.signature.text_layers].index(layer.anchor)
        default = first.default_of(layer) if first is not None and (layer.free or anchor) else None
        lowering = FragmentLowering(names, layer, infos[0], infos[1:], templates[anchor], case.when, default)
        fragments.append(lowering.run(statements) if statements is not None else None)
        first = first or lowering
    weight = rule_weight(case.weight, state)
    sketches = tuple(fragment for fragment in fragments if fragment is not None)
    if len(sketches) < len(fragments):
        return None
    return Version(templates, sketches, weight, case.sharing, case.when)


def _statements(
    names: RuleNames, layer: GraphLayer, case: Case, infos: Sequence[CategoryInfo]
) -> list[s.Statement] | None:
    """Return what a rule says about a graph layer; None after a report.

    ``sem N`` says that the head is that of ``N``, as ``ja N`` says it of words.  In a free layer
    without a clause ports are bound as in the first layer.
    """
    rule, state = names.rule, names.state
    clauses = [clause for clause in case.clauses if clause.layer.text == layer.name]
    statements: list[s.Statement] = []
    for clause in clauses:
        template = clause.template or ()
        alone = template[0] if len(template) == 1 else None
        if isinstance(alone, s.Mention) and not alone.mode:
            head = s.NodeRef(alone.span, s.Name(HEAD, alone.span))
            statements.append(s.BindStatement(alone.span, head, s.NodeRef(alone.span, alone.name)))
        elif clause.statements is not None:
            statements.extend(clause.statements)
        else:
            message = f"`{layer.name}` is a graph layer, this clause is a sequence of words"
            state.error("SGL0306", clause.span, message, "write edges such as `V -[obj]-> NP`")
            return None
    passes_up = len(names.children) == 1 and not any(isinstance(p, s.Name) for p in rule.rhs)
    first = state.signature.graph_layers[0]
    if not clauses and layer.free and layer is not first and names.children:
        inherited = (s_ for clause in case.clauses if clause.layer.text == first.name for s_ in clause.statements or ())
        return [one for one in inherited if _is_about_ports(one, names, layer, infos)]
    if not clauses and not passes_up:
        report_without_clause(rule, layer.name, "with the edges between its words", state)
        return None
    return statements


def _is_about_ports(statement: s.Statement, names: RuleNames, layer: GraphLayer, infos: Sequence[CategoryInfo]) -> bool:
    ends = [getattr(statement, end) for end in ("left", "right", "node") if hasattr(statement, end)]
    lhs, *children = (info.ports_in(layer.name) for info in infos)
    for end in ends:
        child = names.index.get(end.name.text)
        ports = children[child] if child is not None else lhs[1:]
        port = end.port or (end.name if child is None else None)
        if end.name.quoted or (port is not None and port.text not in ports):
            return False
    return bool(ends)
