"""Lower rules to productions: one step for each case and each layer, features still open.

The cases say which clauses apply for which values of the feature variables.  A clause may end with a condition,
``de  obj Vt if o = last``.  The rule then has several versions, one for each set of clauses that apply together; it
stays one rule, with one name and one weight.  Of a text layer exactly one clause applies.  A clause without a condition
is for the rest, which the right-hand side is for the source layer.  Of a graph layer all that apply add up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

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


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a rule, and which of them is for which values of the ``deciding`` variables."""

    cases: tuple[Case, ...]
    deciding: tuple[str, ...]
    number: Mapping[Values, int]


def cases_of(names: RuleNames) -> Cases | None:
    """Return the cases of a rule; None after a report."""
    rule, variables, state = names.rule, names.variables, names.state
    weights = rule.weights or (s.WeightCase(rule.span, None, ()),)
    parts: list[_Part] = [*rule.layers, *weights]
    conditions = [condition for part in parts for condition in part.conditions]
    if not conditions and len(weights) == 1:
        return Cases((Case(rule.layers, weights[0].weight, 0, ""),), (), {(): 0})
    known = [_is_known(condition, variables, state) for condition in conditions]
    return _Choice(names, weights).cases() if all(known) else None


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


@dataclass(frozen=True)
class _Group:
    """Clauses of one text layer, or weights, of which one applies; ``rest`` without conditions.

    It is ``complete`` without a rest if the right-hand side, of the source layer, is the rest.
    """

    what: str
    parts: tuple[_Part, ...]
    rest: _Part | None
    complete: bool


class _Choice:
    """Finds what applies, combination of values by combination."""

    def __init__(self, names: RuleNames, weights: Sequence[s.WeightCase]) -> None:
        rule, state = names.rule, names.state
        self._rule, self._weights, self._state = rule, weights, state
        self._variables = names.variables
        self._parts: list[_Part] = [*rule.layers, *weights]
        #: The variables that decide, in the order of their first mention.
        deciding = (c.column.text for part in self._parts for c in part.conditions)
        self._deciding = tuple(dict.fromkeys(deciding))
        source, texts = state.signature.source.name, state.signature.text_layers
        self._groups = [_group("weight", weights, complete=False)]
        parts = (clause.layer.text for clause in rule.layers if "." in clause.layer.text)
        for layer in dict.fromkeys([*(text.name for text in texts), *parts]):
            clauses = [clause for clause in rule.layers if clause.layer.text == layer]
            what = f"clause of the layer `{layer}`"
            self._groups.append(_group(what, clauses, complete=layer == source))

    def cases(self) -> Cases | None:
        state, domains = self._state, self._variables.domains
        errors = state.diagnostics.errors
        if prod(len(domains[name]) for name in self._deciding) > MAX_COMBINATIONS:
            message = f"the conditions have more than {MAX_COMBINATIONS:,} combinations of values"
            state.error("SGL0706", self._rule.name.span, message, "split the rule into several")
            return None
        combinations = self._variables.combinations(self._deciding)
        for group in self._groups:
            self._check(group, combinations)
        if state.diagnostics.errors == errors:
            self._check_idle(combinations)
        if state.diagnostics.errors > errors:
            return None
        found: dict[tuple[int, ...], int] = {}
        cases: list[Case] = []
        number: dict[Values, int] = {}
        for values in combinations:
            clauses, sharing = self._chosen(values)
            key = (*map(id, clauses), sharing)
            if key not in found:
                found[key] = len(cases)
                weight = self._weights[sharing].weight
                cases.append(Case(clauses, weight, sharing, self._told(values)))
            number[values] = found[key]
        return Cases(tuple(cases), self._deciding, number)

    def _applies(self, part: _Part, values: Values) -> bool:
        given = dict(zip(self._deciding, values, strict=True))
        return all(self._variables.holds(condition, given[condition.column.text]) for condition in part.conditions)

    def _chosen(self, values: Values) -> tuple[tuple[s.LayerClause, ...], int]:
        idle = {id(group.rest) for group in self._groups if any(self._applies(part, values) for part in group.parts)}
        applying = [part for part in self._parts if self._applies(part, values) and id(part) not in idle]
        clauses = tuple(part for part in applying if isinstance(part, s.LayerClause))
        weight = next(part for part in applying if isinstance(part, s.WeightCase))
        return clauses, next(i for i, one in enumerate(self._weights) if one is weight)

    def _check(self, group: _Group, combinations: Sequence[Values]) -> None:
        plain = [part for part in self._weights if not part.conditions]
        if group.rest in plain and group.rest is not plain[-1]:
            message = "the rule has two weights without a condition"
            self._state.error("SGL0314", plain[-1].span, message, "write `if …` behind one of them")
        missing: list[str] = []
        for values in combinations if group.parts else ():
            applying = [part for part in group.parts if self._applies(part, values)]
            if len(applying) > 1:
                first, second, *_ = applying
                message = f"there is a second {group.what} for `{self._told(values)}`"
                labels = [Label(first.span, "here first")]
                hint = "let their conditions exclude one another"
                self._state.error("SGL0314", second.span, message, hint, labels=labels)
                return
            if not applying and group.rest is None and not group.complete:
                missing.append(f"`{self._told(values)}`")
        if missing:
            message = f"there is no {group.what} for {shortlist(missing, _SHOWN)}"
            hint = "add it, or one without `if` for all other values; brackets leave values out: `N[case=acc|dat]`"
            self._state.error("SGL0314", group.parts[-1].span, message, hint)

    def _check_idle(self, combinations: Sequence[Values]) -> None:
        used: set[int] = set()
        for values in combinations:
            clauses, sharing = self._chosen(values)
            used |= {*map(id, clauses), id(self._weights[sharing])}
        for part in self._parts:
            if id(part) not in used:
                message = "this applies for no values that the rule can have"
                if not part.conditions:
                    message = "the conditions of the others leave no values for this one"
                self._state.error("SGL0314", part.span, message, "remove it, or correct them")

    def _told(self, values: Values) -> str:
        pairs = zip(self._deciding, values, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in pairs)


def _group(what: str, parts: Sequence[_Part], *, complete: bool) -> _Group:
    conditional = tuple(part for part in parts if part.conditions)
    rest = next((part for part in parts if not part.conditions), None)
    return _Group(what, conditional, rest, complete)


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
    default: int | None = None
    for layer in state.signature.graph_layers:
        said = any(clause.layer.text == layer.name for clause in case.clauses)
        if fragments and fragments[0] is None and not said:
            fragments.append(None)  # It follows from the first layer, which was reported.
            continue
        statements = _statements(names, layer, case, infos)
        anchor = [text.name for text in state.signature.text_layers].index(layer.anchor)
        told = (templates[anchor], case.when, default if layer.free or anchor else None)
        lowering = FragmentLowering(names, layer, infos[0], infos[1:], *told)
        fragments.append(lowering.run(statements) if statements is not None else None)
        default = lowering.head_child() if len(fragments) == 1 else default
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
