"""Find edges, labels and parts of speech that Universal Dependencies lack, following phrases through their ports."""

import tomllib
from collections.abc import Iterator, Set
from itertools import chain
from pathlib import Path

from sgl.core.grammar import EXTRACTED, Edge, Node, Rule, Token
from sgl.diagnostics import Span, one_slip, suggest
from sgl.frontend.lower.graphs import Held, Kinds, held_by_ports
from sgl.lint.registry import Finding, Subject, of_grammar

_TABLE = tomllib.loads(Path(__file__).with_name("dependencies.toml").read_text("utf-8"))

_UPOS = frozenset(_TABLE["upos"].split())
#: The parts of speech that cannot be at the two ends of an edge, head and dependent.
_ODD = {label: [frozenset(end.split()) for end in ends] for label, ends in _TABLE["relations"].items()}


#: The share of UD labels from which a layer counts as Universal Dependencies.
_SHARE = 0.75


def _trees(subject: Subject) -> Iterator[int]:
    """Yield the numbers of graph layers that are dependency trees."""
    yield from (number for number, layer in enumerate(subject.declared.grammar.graph_layers) if not layer.free)


def _universal(subject: Subject) -> Iterator[int]:
    """Yield the numbers of tree layers in which most labels are labels of Universal Dependencies."""
    for layer in _trees(subject):
        labels = {_base(edge) for _, _, edge in _edges(subject, layer)}
        if len(labels & _ODD.keys()) >= _SHARE * len(labels):
            yield layer


def _base(edge: Edge) -> str:
    return edge.label.removeprefix(EXTRACTED).partition(":")[0]


@of_grammar("SGL0515")
def odd_edges(subject: Subject) -> Iterator[Finding]:
    """Find edges between parts of speech that UD never connect with this label."""
    for layer in _trees(subject):
        held, told = held_by_ports(subject.declared.grammar, layer, _upos), set[tuple[Span, str]]()
        for rule, span, edge in _edges(subject, layer):
            nodes = (rule.fragments[layer].nodes[end] for end in (edge.source, edge.target))
            heads, dependents = (_upos(node, rule, held).keys() for node in nodes)
            if _is_odd(edge, heads, dependents) and (span, edge.label) not in told:
                told.add((span, edge.label))
                turned = not _is_odd(edge, dependents, heads)
                head, dependent = ("|".join(sorted(end)) for end in (heads, dependents))
                message = f"in the rule `{rule.name}`, `{edge.label}` leads from {head} to {dependent}"
                hint = "reverse the edge" if turned else "check the label and the `upos`"
                yield Finding(span, message, hint, notes=("Universal Dependencies have no such edge",))


def _edges(subject: Subject, layer: int) -> Iterator[tuple[Rule, Span, Edge]]:
    for rule, span in subject.placed:
        yield from ((rule, span, edge) for edge in rule.fragments[layer].edges)


def _is_odd(edge: Edge, heads: Set[str], dependents: Set[str]) -> bool:
    """Return whether UD have no such edge; extracted edges and placeholders are never odd."""
    if edge.label.startswith(EXTRACTED) or _base(edge) not in _ODD or not (heads and dependents):
        return False
    no_heads, no_dependents = _ODD[_base(edge)]
    return heads <= no_heads or dependents <= no_dependents


def _upos(node: Node, rule: Rule, held: Held) -> Kinds:
    """Return the parts of speech that a node can have; ``?`` is unknown, a placeholder has none."""
    if node.attributes is not None:
        return {dict(node.attributes).get("upos", "?"): rule}
    parts = (held.get((rule.rhs[child], port), {}) for child, port in node.glue)
    return dict(chain.from_iterable(part.items() for part in parts))


@of_grammar("SGL0517")
def odd_parts_of_speech(subject: Subject) -> Iterator[Finding]:
    """Find words with a part of speech that UD lack, if other words have one of UD's."""
    for layer in _universal(subject):
        tags: dict[str, dict[str, tuple[Span, str]]] = {}
        for rule, span, node in _nodes(subject, layer):
            word = _word_of(rule, node, subject.declared.grammar.anchors[layer])
            tag = dict(node.attributes or ()).get("upos", "")
            tags.setdefault(tag, {}).setdefault(rule.name, (span, word))
        for tag in sorted(tags.keys() - _UPOS if tags.keys() & _UPOS else ()):
            for span, word in tags[tag].values():
                message = f'the word "{word}" has `upos={tag}`' if tag else f'the word "{word}" has no part of speech'
                hint = suggest(tag, sorted(_UPOS), "there is") if tag else "CoNLL-U shows `_`: give it a `upos`"
                yield Finding(span, message, hint)


def _nodes(subject: Subject, layer: int) -> Iterator[tuple[Rule, Span, Node]]:
    for rule, span in subject.placed:
        for node in rule.fragments[layer].nodes:
            if node.attributes is not None:
                yield rule, span, node


def _word_of(rule: Rule, node: Node, anchor: int) -> str:
    item = None if node.token is None else rule.templates[anchor][node.token]
    return item.text if isinstance(item, Token) else rule.name


@of_grammar("SGL0517")
def odd_labels(subject: Subject) -> Iterator[Finding]:
    """Find labels that UD lack, that only one rule writes, and that are similar to another label."""
    for layer in _universal(subject):
        labels: dict[str, dict[str, Span]] = {}
        for rule, span, edge in _edges(subject, layer):
            labels.setdefault(_base(edge), {}).setdefault(rule.name, span)
        alone = {label: rules for label, rules in labels.items() if label not in _ODD and len(rules) == 1}
        for label, rules in alone.items():
            if near := [other for other in (*labels, *_ODD) if one_slip(label, other)]:
                ((name, span),) = rules.items()
                message = f"in the rule `{name}`, `{label}` is not a label of Universal Dependencies"
                yield Finding(subject.names.labels.get(label, [span])[0], message, suggest(label, near))
