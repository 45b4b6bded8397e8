"""Check that the numbers and names of a certificate refer to something, so that all later lookups succeed."""

from collections.abc import Iterable
from itertools import chain

from sgl.verify.naming import check_names
from sgl.verify.schema import CertificateData
from sgl.verify.schema_grammar import (
    COLUMN,
    CertifiedGrammar,
    Flaw,
    GrammarRule,
    GraphLayer,
    GraphView,
    RuleFragment,
    TemplateItem,
    WrittenLayer,
)
from sgl.verify.schema_plan import PatternClaim
from sgl.verify.texts import FUNCTIONS


def check_references(data: CertificateData) -> None:
    """Check the references of the grammar, the plan and the sampler's tables."""
    grammar = data.core.grammar
    _below("the start", [grammar.start], len(grammar.categories))
    _check_views(grammar)
    anchors = [grammar.text(layer.anchor) for layer in grammar.graph_layers]
    for category in grammar.categories:
        if not category.ports:
            raise Flaw(f"the category {category.name} has no port")
    for rule in grammar.rules:
        _check_rule(grammar, rule, anchors)
    for categories in grammar.names:
        _below("a lexicon of names", chain.from_iterable(categories), len(grammar.rules))
    check_names(data)
    _check_plan(data)
    _check_sampler(data)


def _check_views(grammar: CertifiedGrammar) -> None:
    _below("a view", [view.layer for view in grammar.views], len(grammar.graph_layers))
    layers = names_of(grammar.text_layers) | names_of(grammar.graph_layers)
    for view in grammar.views:
        _among({*view.reads}, layers)
        if (view.kind == COLUMN) != bool(view.reads) or (view.kind == COLUMN and not view.template):
            raise Flaw(f"{view.name} is no column of this grammar: it reads nothing, or has no template")


def _check_rule(grammar: CertifiedGrammar, rule: GrammarRule, anchors: list[int]) -> None:
    what = f"rule {rule.name}"
    _below(what, [rule.lhs, *rule.rhs], len(grammar.categories))
    if len(rule.templates) != len(grammar.text_layers) or len(rule.fragments) != len(grammar.graph_layers):
        raise Flaw(f"{what} does not have a template and a fragment for each layer")
    for item in chain(*rule.templates):
        _check_item(what, item, len(rule.rhs))
        if rule.lhs == grammar.start and item.text is None and item.child is None:
            raise Flaw(f"{what} makes a text of several parts, of which only the first is written")
    for anchor, fragment in zip(anchors, rule.fragments, strict=True):
        _check_fragment(what, fragment, len(rule.rhs), len(rule.templates[anchor]))


def _check_item(what: str, item: TemplateItem, children: int) -> None:
    if item.child is not None:
        _below(what, [item.child], children)
    for name in item.functions:
        if name not in FUNCTIONS:
            raise Flaw(f"{what} uses the text function {name!r}, which the checker does not know")


def _check_fragment(what: str, fragment: RuleFragment, children: int, items: int) -> None:
    nodes = len(fragment.nodes)
    if not fragment.exports:
        raise Flaw(f"{what} exports no node")
    _below(what, fragment.exports, nodes)
    for edge in fragment.edges:
        _below(what, [edge.source, edge.target], nodes)
    for node in fragment.nodes:
        _below(what, [child for child, _ in node.glue], children)
        if node.token is not None:
            _below(what, [node.token], items)


def _check_plan(data: CertificateData) -> None:
    grammar, plan = data.core.grammar, data.core.plan
    texts = names_of(grammar.text_layers)
    _among({plan.source}, texts)
    _among({plan.target, *plan.further}, texts | names_of(grammar.views))
    _among({plan.lemma_layer, *plan.graphs}, names_of(grammar.graph_layers) | {""})
    for layer in grammar.text_layers:
        _among({layer.finish.twin} if layer.finish else set(), texts | {""})
    patterns = names_of(plan.patterns)
    for stratum in plan.strata:
        _among({stratum.category} if stratum.split == "gen" else set(), patterns)


def names_of(things: Iterable[WrittenLayer | GraphLayer | GraphView | PatternClaim]) -> set[str]:
    """Return the names of some things."""
    return {thing.name for thing in things}


def _among(names: set[str], known: set[str]) -> None:
    if unknown := names - known:
        raise Flaw(f"there is nothing called {min(unknown)!r}")


def _check_sampler(data: CertificateData) -> None:
    sampler, rules = data.sampler, data.core.grammar.rules
    strata = len(data.core.plan.strata)
    if len(sampler.starts) != strata or len(sampler.found) not in (0, strata):
        raise Flaw("not every stratum has a start, or its states of instances")
    _below("a start of the sampler", sampler.starts, len(sampler.states))
    for number, state in enumerate(sampler.states):
        _below(f"state {number} of the sampler", state.rules, len(rules))
        for rule, children in zip(state.rules, state.children, strict=True):
            _below(f"state {number} of the sampler", children, len(sampler.states))
            if len(children) != len(rules[rule].rhs):
                raise Flaw(f"state {number} of the sampler does not have the children of rule {rule}")


def _below(what: str, numbers: Iterable[int], size: int) -> None:
    for number in numbers:
        if number >= size:
            raise Flaw(f"{what} refers to number {number} of {size}")
