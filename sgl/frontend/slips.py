"""Find what is allowed and hardly meant: twin rules, weights without effect, odd dependencies.

Each makes a grammar that compiles, is proved and verified, and is not the author's: a rule that is
there twice makes all its sentences ambiguous, so that they are rejected; a weight that competes
with nothing changes no probability; an ``nsubj`` from a noun to a verb is the wrong way round.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sgl.core.grammar import EXTRACTED, CoreGrammar, Edge, Rule, Token
from sgl.diagnostics import Label, Span, one_slip, shortlist, suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

_TABLE = tomllib.loads(Path(__file__).with_name("dependencies.toml").read_text("utf-8"))

_UPOS = frozenset(_TABLE["upos"].split())
#: Which parts of speech cannot stand at the two ends of an edge, head and dependent.
_ODD = {label: [frozenset(end.split()) for end in ends] for label, ends in _TABLE["relations"].items()}
_NAMED = 3


def find_slips(state: CompilerState) -> None:
    """Warn about twin rules, idle weights, odd dependencies. Before: ``declared``, made of ``instances`` one by one."""
    _find_twins(state)
    _find_idle_weights(state)
    for layer, graph in enumerate(state.declared.grammar.graph_layers):
        if not graph.free:
            _find_odd_edges(state, layer)
            _find_odd_names(state, layer)


def _phrasal(state: CompilerState) -> Iterator[tuple[Rule, Span]]:
    lowered = state.declared
    for rule, span in zip(lowered.grammar.rules, lowered.rule_spans, strict=True):
        if rule.rhs:
            yield rule, span


def _find_twins(state: CompilerState) -> None:
    first: dict[Rule, tuple[Rule, Span]] = {}
    twins: dict[tuple[Span, Span], list[Rule]] = {}
    every: dict[Span, int] = {}
    for rule, span in _phrasal(state):
        every[span] = every.get(span, 0) + 1
        made = replace(rule, id=0, name="", weight=0.0, origin=None, keep=False)
        other, place = first.setdefault(made, (rule, span))
        if other is not rule and place != span:
            twins.setdefault((span, place), []).append(rule)
    categories = state.declared.grammar.categories
    for (span, place), rules in twins.items():
        other = next(found for found, at in first.values() if at == place)
        names = shortlist((categories[rule.lhs].name for rule in rules), _NAMED)
        partly = f" for {names}" if len(rules) < every[span] else ""
        message = f"the rule `{rules[0].name}` makes the same as `{other.name}`{partly}"
        hint = "remove one of the two; a weight makes a phrase more frequent"
        notes = ("a sentence with such a phrase has two readings, each with its weight",)
        state.warning("SGL0406", span, message, hint, labels=[Label(place, "the same rule")], notes=notes)


def _find_idle_weights(state: CompilerState) -> None:
    """Warn about weights of rules that are the only ones of all their categories, under any setting."""
    grammar = state.declared.grammar
    rivals: dict[Span, set[str]] = {}
    made: dict[Span, Rule] = {}
    # Once for each category: it may have thousands of rules.
    names_of = [{rule.name for rule in rules} for rules in grammar.rules_of]
    for rule, span in _phrasal(state):
        rivals.setdefault(span, set()).update(names_of[rule.lhs] - {rule.name})
        made.setdefault(span, rule)
    here = {id(rule) for rule, _ in state.names.of(s.Rule)}
    declared = (rule for rule, _ in state.names.declared(s.Rule))
    off = {rule.lhs.name.text for rule in declared if id(rule) not in here}
    for declaration, _ in state.names.of(s.Rule):
        # Several weights of one rule compete with one another.
        span, weights = declaration.name.span, declaration.weights
        weight = weights[0].weight if len(weights) == 1 else None
        if weight is None or rivals.get(span, {""}) or declaration.lhs.name.text in off:
            continue
        category = grammar.categories[made[span].lhs]
        others = {
            rule.name
            for rule in grammar.rules
            if rule.name != made[span].name and grammar.categories[rule.lhs].base == category.base
        }
        listed = shortlist((f"`{name}`" for name in sorted(others)), _NAMED)
        why = f"with these features; others come from {listed}" if others else "at all"
        message = f"the weight of `{made[span].name}` has no effect: it competes with nothing"
        hint = "remove it; the values of a feature have weights: `feature x = a ~ 9 | b`"
        state.warning("SGL0713", weight.span, message, hint, label=f"no other rule makes a `{category.base}` {why}")


def _find_odd_edges(state: CompilerState, layer: int) -> None:
    ports = _parts_of_speech(state.declared.grammar, layer)
    told: set[tuple[Span, str]] = set()
    for rule, span in _phrasal(state):
        for edge in rule.fragments[layer].edges:
            base = edge.label.partition(":")[0]
            if edge.label.startswith(EXTRACTED) or base not in _ODD or (span, edge.label) in told:
                continue
            ends = [_upos(rule, layer, end, ports) for end in (edge.source, edge.target)]
            if not all(ends) or not _is_odd(edge, ends[0], ends[1]):
                continue
            told.add((span, edge.label))
            turned = not _is_odd(edge, ends[1], ends[0])
            head, dependent = ("|".join(sorted(end)) for end in ends)
            message = f"in the rule `{rule.name}`, `{edge.label}` leads from {head} to {dependent}"
            hint = "turn the edge round" if turned else "look at the label, and at the `upos`"
            state.warning("SGL0515", span, message, hint, notes=("Universal Dependencies have no such edge",))


def _find_odd_names(state: CompilerState, layer: int) -> None:
    """Warn about parts of speech that UD do not have beside some that they have, and about labels that are near one."""
    grammar, spans = state.declared.grammar, state.declared.rule_spans
    tags: dict[str, dict[str, tuple[Span, str]]] = {}
    labels: dict[str, dict[str, Span]] = {}
    for rule, span in zip(grammar.rules, spans, strict=True):
        for node in (node for node in rule.fragments[layer].nodes if node.attributes is not None):
            item = None if node.token is None else rule.templates[grammar.anchors[layer]][node.token]
            word = item.text if isinstance(item, Token) else rule.name
            tags.setdefault(dict(node.attributes or ()).get("upos", ""), {}).setdefault(rule.name, (span, word))
        for edge in rule.fragments[layer].edges:
            labels.setdefault(edge.label.removeprefix(EXTRACTED).partition(":")[0], {}).setdefault(rule.name, span)
    for tag in sorted(tags.keys() - _UPOS if tags.keys() & _UPOS else ()):
        for span, word in tags[tag].values():
            message = f'the word "{word}" has `upos={tag}`' if tag else f'the word "{word}" has no part of speech'
            hint = suggest(tag, sorted(_UPOS), "there is") if tag else "CoNLL-U shows `_`: give it a `upos`"
            state.warning("SGL0517", span, message, hint)
    for label, rules in labels.items():
        # Only what one rule alone writes may be a slip.
        if label in _ODD or len(rules) > 1:
            continue
        if near := [other for other in (*labels, *_ODD) if one_slip(label, other)]:
            ((name, span),) = rules.items()
            place = next(iter(state.names.labelled(label)), span)
            message = f"in the rule `{name}`, `{label}` is no label of Universal Dependencies"
            state.warning("SGL0517", place, message, suggest(label, near))


def _is_odd(edge: Edge, heads: frozenset[str], dependents: frozenset[str]) -> bool:
    no_heads, no_dependents = _ODD[edge.label.partition(":")[0]]
    return heads <= no_heads or dependents <= no_dependents


def _parts_of_speech(grammar: CoreGrammar, layer: int) -> dict[tuple[int, int], frozenset[str]]:
    ports: dict[tuple[int, int], frozenset[str]] = {}
    changed, rules = True, grammar.rules
    while changed:
        changed = False
        for rule in rules:
            for port, node in enumerate(rule.fragments[layer].exports):
                known = ports.get((rule.lhs, port), frozenset())
                found = known | _upos(rule, layer, node, ports)
                changed |= found != known
                ports[rule.lhs, port] = found
        # Of words all is known at once.
        rules = tuple(rule for rule in rules if rule.rhs)
    return ports


def _upos(rule: Rule, layer: int, number: int, ports: Mapping[tuple[int, int], frozenset[str]]) -> frozenset[str]:
    """Return the parts of speech that a node can have; ``?`` is unknown, a placeholder has none."""
    node = rule.fragments[layer].nodes[number]
    if node.attributes is not None:
        return frozenset({dict(node.attributes).get("upos", "?")})
    parts = (ports.get((rule.rhs[child], port), frozenset()) for child, port in node.glue)
    return frozenset[str]().union(*parts)
