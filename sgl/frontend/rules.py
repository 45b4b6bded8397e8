"""Lower rules to productions: one step for each case and each layer, features still open."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.grammar import HEAD, GraphLayer
from sgl.frontend.cases import Case, cases_of
from sgl.frontend.children import RuleNames
from sgl.frontend.clauses import check_layers, rule_weight
from sgl.frontend.fragments import FragmentLowering
from sgl.frontend.mentions import category_pattern
from sgl.frontend.names import Scope
from sgl.frontend.productions import CategoryPattern, FragmentSketch, Production, Version
from sgl.frontend.state import CompilerState
from sgl.frontend.templates import report_without_clause, templates_of
from sgl.lang import syntax as s


def lower_rules(state: CompilerState) -> None:
    """Turn rules into productions: one step for each layer, features still open.

    Before: ``signature``.  After: ``productions``, with those of the rules that are sound.
    """
    lowered = (_lower_rule(rule, scope, state) for rule, scope in state.names.of(s.Rule))
    state.productions = [production for production in lowered if production is not None]


def _lower_rule(rule: s.Rule, scope: Scope, state: CompilerState) -> Production | None:
    errors, names = state.diagnostics.errors, RuleNames(rule, scope, state)
    rule = names.rule
    refs = (rule.lhs, *(child.category for child in names.children))
    found = [category_pattern(ref, scope, names.variables, None, state) for ref in refs]
    # Clauses may mention a misspelt category by its name.
    unnamed = [child.category.name for child in names.children if child.role is None]
    known = all(name.text in state.signature.categories for name in unnamed)
    if not check_layers(rule.layers, state, names.index) or not known:
        return None
    patterns = [pattern for pattern in found if pattern is not None]
    if len(patterns) < len(found) or not names.variables.check_compared():
        # What is wrong with words can be told all the same.
        if not any(clause.conditions for clause in rule.layers):
            templates_of(names, rule.layers)
        return None
    cases = cases_of(rule, names.variables, state)
    if cases is None:
        return None
    versions: list[Version] = []
    for case in cases.cases:
        version = _version(names, case, patterns)
        if version is not None:
            versions.append(version)
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
    """Return what a rule is where the clauses of a case apply; None after a report."""
    state = names.state
    templates = templates_of(names, case.clauses)
    fragments: list[FragmentSketch | None] = []
    infos = [pattern.info for pattern in patterns]
    for layer in state.signature.graph_layers:
        statements = _statements(names, layer, case)
        lowering = FragmentLowering(names, layer, infos[0], infos[1:], templates.places, case.when)
        fragments.append(lowering.run(statements) if statements is not None else None)
    weight = rule_weight(case.weight, state)
    sketches = tuple(fragment for fragment in fragments if fragment is not None)
    if len(sketches) < len(fragments):
        return None
    return Version(templates.sketches, sketches, weight, case.sharing, case.when)


# ---- graph layers


def _statements(names: RuleNames, layer: GraphLayer, case: Case) -> list[s.Statement] | None:
    """Return what a rule says about a graph layer; None after a report.

    ``sem N`` says that the head is that of ``N``, as ``ja N`` says it of words.
    """
    rule, state = names.rule, names.state
    clauses = [clause for clause in case.clauses if clause.layer.text == layer.name]
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
        report_without_clause(rule, layer.name, "with the edges between its words", state)
        return None
    return statements
