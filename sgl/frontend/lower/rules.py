"""Lower rules to productions: a version for each case, one step for each layer, features still open."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from sgl.core.grammar import HEAD, Fragment, GraphLayer
from sgl.diagnostics import Reported, attempt, each, whole
from sgl.foreign import limits, raising
from sgl.frontend.elaborate.categories import CategoryPattern, category_pattern, report_lonely
from sgl.frontend.elaborate.rules import Case, RuleNames, cases_of
from sgl.frontend.lower.fragments import FragmentLowering
from sgl.frontend.lower.productions import Production, Version, check_layers, check_parts, rule_weight
from sgl.frontend.lower.templates import report_without_clause, templates_of
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import CategoryInfo, Signed
from sgl.lang import syntax as s


def lower_rules(state: Signed) -> tuple[Production, ...]:
    """Turn rules into productions, layer by layer, with open features."""
    rules = state.names.of(s.Rule)
    tables = state.signature.tables.values()
    lowered = (state.kept("rule", (rule, *tables), partial(_lower_rule, rule, scope, state)) for rule, scope in rules)
    return tuple(production for production in lowered if production is not None)


def _lower_rule(rule: s.Rule, scope: Scope, state: Signed) -> Production:
    most = limits().children
    if len(rule.rhs) > most:
        message = f"the rule `{rule.name}` has more than {most:,} children and words"
        hint = f"split it into several rules, or raise the limit: {raising('children')}"
        state.fail("SGL0712", rule.rhs[most].span, message, hint)
    with whole(state.diagnostics):
        names = RuleNames(rule, scope, state)
        patterns = _patterns(names)
        written = tuple(names.write_out(part) if isinstance(part, s.TableCell) else part for part in names.rule.rhs)
        names.rule = rule = replace(names.rule, layers=names.write_out(names.rule.layers), rhs=written)
        cases = cases_of(names)
        versions = each(lambda case: _version(names, case, patterns), cases.cases)
    with whole(state.diagnostics):
        report_lonely(names.variables, patterns)
    return Production(
        name=rule.name.text,
        lhs=patterns[0],
        rhs=tuple(patterns[1:]),
        domains=dict(names.variables.domains),
        versions=tuple(versions),
        span=rule.name.span,
        constraints=tuple(names.variables.constraints),
        deciding=cases.deciding,
        number=cases.number,
        keep=rule.keep is not None,
        roles=tuple(names.name(child).text for child in range(len(names.children))),
    )


def _patterns(names: RuleNames) -> list[CategoryPattern]:
    """Return the categories of a rule, left-hand side first; report errors also in layer names."""
    rule, state = names.rule, names.state
    refs = (rule.lhs, *(child.category for child in names.children))
    patterns = attempt(each, lambda ref: category_pattern(ref, names.scope, names.variables, state), refs)
    # Clauses may mention a misspelt category by its name.
    unnamed = [child.category.name for child in names.children if child.role is None]
    known = all(name.text in state.signature.categories for name in unnamed)
    known &= check_layers(rule.layers, state, names.index)
    if not known or not check_parts(rule.layers, rule.lhs.name, state):
        raise Reported
    if patterns is not None and names.variables.settle(rule.where):
        return patterns
    # Errors in words can be reported anyway.
    if not any(clause.conditions for clause in rule.layers):
        templates_of(names, names.write_out(tuple(clause for clause in rule.layers if clause.statements is None)))
    raise Reported


def _version(names: RuleNames, case: Case, patterns: Sequence[CategoryPattern]) -> Version:
    state = names.state
    templates = templates_of(names, case.clauses)
    fragments: list[Fragment | None] = []
    infos = [pattern.info for pattern in patterns]
    first: FragmentLowering | None = None
    for layer in state.signature.graph_layers:
        said = any(clause.layer.text == layer.name for clause in case.clauses)
        if fragments and fragments[0] is None and not said:
            fragments.append(None)  # It depends on the first layer, whose errors were reported.
            continue
        anchor = [text.name for text in state.signature.text_layers].index(layer.anchor)
        default = first.default_of(layer) if first is not None and (layer.free or anchor) else None
        lowering = FragmentLowering(names, layer, infos[0], infos[1:], templates[anchor], case.when, default)
        fragments.append(None)
        with suppress(Reported):
            fragments[-1] = lowering.run(_statements(names, layer, case, infos))
        first = first or lowering
    weight = rule_weight(case.weight, state)
    sketches = tuple(fragment for fragment in fragments if fragment is not None)
    if len(sketches) < len(fragments):
        raise Reported
    return Version(templates, sketches, weight, case.sharing, case.when)


def _statements(names: RuleNames, layer: GraphLayer, case: Case, infos: Sequence[CategoryInfo]) -> list[s.Statement]:
    """Return the statements of a rule for a graph layer.

    ``sem N`` makes the head of ``N`` the head, just as ``ja N`` takes the words of ``N``.  In a free layer without a
    clause, ports are bound as in the first layer.
    """
    rule, state = names.rule, names.state
    clauses = [clause for clause in case.clauses if clause.layer.text == layer.name]
    statements: list[s.Statement] = []
    for clause in clauses:
        said = _said(clause)
        if said is None:
            message = f"`{layer.name}` is a graph layer, this clause is a sequence of words"
            state.fail("SGL0306", clause.span, message, "write edges such as `V -[obj]-> NP`")
        statements += said
    passes_up = len(names.children) == 1 and not any(isinstance(p, s.Name) for p in rule.rhs)
    first = state.signature.graph_layers[0]
    if not clauses and layer.free and layer is not first and names.children:
        inherited = (s_ for clause in case.clauses if clause.layer.text == first.name for s_ in clause.statements or ())
        return [one for one in inherited if _is_about_ports(one, names, layer, infos)]
    if not clauses and not passes_up:
        report_without_clause(rule, layer.name, "with the edges between its words", state)
        raise Reported
    return statements


def _said(clause: s.LayerClause) -> Sequence[s.Statement] | None:
    """Return the statements of a clause; a single child is the head."""
    alone = clause.template[0] if clause.template is not None and len(clause.template) == 1 else None
    if isinstance(alone, s.Mention) and not alone.mode:
        head = s.NodeRef(alone.span, s.Name(HEAD, alone.span))
        return [s.BindStatement(alone.span, head, s.NodeRef(alone.span, alone.name))]
    return clause.statements


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
