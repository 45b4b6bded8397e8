"""The core grammar as data: what decides the graphs of derivations, and names to read.

::

    fragment   {"nodes": 2, "ports": [[0], [1]], "labelled": [], "edges": [[0, "obj", 1]],
                "exports": [0]}
    rule       ["transitive", VP, [V, NP], [fragment]]
    word       ["V:saw", V, [], [fragment, label]]

``ports`` has for each child the node that each of its ports becomes; nodes in no row are
new.  Words, templates and weights are left out: no claim is about them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from sgl.core.grammar import CoreGrammar, Rule

Json = dict[str, object]

#: What a port can be: a placeholder, a node with its label, or either.
OPEN, LABELLED, EITHER = range(3)


def grammar_entry(grammar: CoreGrammar, layers: Sequence[str]) -> Json:
    """The grammar with these graph layers, and each rule's fragments in them."""
    numbers = [grammar.graph_layer(layer) for layer in layers]
    kinds = [_port_kinds(grammar, number) for number in numbers]
    tables = _Tables()
    rules = [
        (rule.name, rule.lhs, rule.rhs, *(tables.entry(grammar, rule, n) for n in numbers))
        for rule in grammar.rules
    ]
    return {
        "layers": list(layers),
        "start": grammar.start,
        "categories": [
            (category.name, *(layer[rank] for layer in kinds))
            for rank, category in enumerate(grammar.categories)
        ],
        "labels": [dict(label) for label in tables.labels],
        "fragments": [json.loads(text) for text in tables.fragments],
        "rules": rules,
    }


@dataclass(frozen=True, slots=True)
class _Tables:
    """The distinct fragments and labels, numbered."""

    fragments: dict[str, int] = field(default_factory=dict)
    labels: dict[tuple[tuple[str, str], ...], int] = field(default_factory=dict)

    def entry(self, grammar: CoreGrammar, rule: Rule, layer: int) -> list[int]:
        """The fragment of a rule and the labels of its nodes, by number."""
        text = json.dumps(_fragment(grammar, rule, layer))
        labels = (node.attributes for node in rule.fragments[layer].nodes)
        return [
            self.fragments.setdefault(text, len(self.fragments)),
            *(self.labels.setdefault(x, len(self.labels)) for x in labels if x is not None),
        ]


def _fragment(grammar: CoreGrammar, rule: Rule, layer: int) -> Json:
    fragment = rule.fragments[layer]
    ports = [[-1] * len(grammar.categories[child].ports) for child in rule.rhs]
    for local, node in enumerate(fragment.nodes):
        for child, port in node.glue:
            ports[child][port] = local
    size = len(fragment.nodes)
    for row in ports:
        for port, local in enumerate(row):
            if local < 0:  # A port that is not mentioned becomes a node that is forgotten.
                row[port] = size
                size += 1
    return {
        "nodes": size,
        "ports": ports,
        "labelled": [x for x, node in enumerate(fragment.nodes) if node.attributes is not None],
        "edges": [
            (edge.source, edge.label, edge.target) for edge in dict.fromkeys(fragment.edges)
        ],
        "exports": fragment.exports,
    }


def _port_kinds(grammar: CoreGrammar, layer: int) -> list[list[int]]:
    """What each port of each category can be: the least assignment that all rules agree with."""
    kinds: list[list[int | None]] = [[None] * len(c.ports) for c in grammar.categories]
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            fragment = rule.fragments[layer]
            for port, local in enumerate(fragment.exports):
                node = fragment.nodes[local]
                parts = [kinds[rule.rhs[child]][at] for child, at in node.glue]
                if node.attributes is not None:
                    parts.append(LABELLED)
                old = kinds[rule.lhs][port]
                new = _either(old, _glued(parts))
                if new != old:
                    kinds[rule.lhs][port] = new
                    changed = True
    # Nothing is derived from a category that is still unknown.
    return [[LABELLED if kind is None else kind for kind in row] for row in kinds]


def _glued(parts: Sequence[int | None]) -> int | None:
    """What a node is, given its parts; None while nothing is known of one of them."""
    if None in parts:
        return None
    if LABELLED in parts:
        return LABELLED
    return EITHER if EITHER in parts else OPEN


def _either(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return first if first == second else EITHER
