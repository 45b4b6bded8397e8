"""The core grammar as data: what decides the graphs of derivations, and names to read.

A *symbol* stands for rules that differ in the labels of their nodes only: every rule with
children is one, and so are the words that nothing in the certificate tells apart::

    symbol     ["VP -> V NP", VP, [V, NP], fragment]
    fragment   {"ports": 1, "rows": [[0], [1]], "edges": [[0, "obj", 1]]}
    rule       ["transitive", symbol, []]      word   ["V:saw", symbol, [label]]

The nodes of a fragment are counted, those that become ports of the whole first.  ``rows``
has for each child the nodes that its ports become, and then a row for each labelled node.
Words, templates and weights are left out: no claim is about them.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from sgl.core.grammar import CoreGrammar, Rule

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class GrammarData:
    """The grammar as data; ``symbol`` is the symbol of each rule."""

    content: Json
    symbol: tuple[int, ...]


def grammar_data(
    grammar: CoreGrammar, layers: Sequence[str], alike: Mapping[int, Hashable]
) -> GrammarData:
    """The grammar in these graph layers.

    Words with equal values in ``alike`` can be one symbol.
    """
    tables = _Tables()
    numbers = [grammar.graph_layer(layer) for layer in layers]
    for rule in grammar.rules:
        fragments, labels = [], []
        for number in numbers:
            fragment, own = _fragment(grammar, rule, number)
            fragments.append(tables.fragment(fragment))
            labels.append([tables.label(label) for label in own])
        name = " ".join(grammar.categories[c].name for c in rule.rhs) or "…"
        symbol = (f"{grammar.categories[rule.lhs].name} -> {name}", rule.lhs, rule.rhs, *fragments)
        kind = rule.id if rule.rhs else ("word", alike[rule.id])
        tables.symbol_of.append(tables.symbol((kind, symbol)))
        tables.rules.append((rule.name, tables.symbol_of[-1], *labels))
    content: Json = {
        "layers": list(layers),
        "start": grammar.start,
        "categories": [category.name for category in grammar.categories],
        "labels": [dict(label) for label in tables.labels],
        "fragments": [json.loads(text) for text in tables.fragments],
        "symbols": [symbol for _, symbol in tables.symbols],
        "rules": tables.rules,
    }
    return GrammarData(content, tuple(tables.symbol_of))


_Symbol = tuple[Hashable, tuple[object, ...]]
_Label = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Tables:
    """What the rules have in common, each numbered in the order of its first use."""

    fragments: dict[str, int] = field(default_factory=dict)
    labels: dict[_Label, int] = field(default_factory=dict)
    symbols: dict[_Symbol, int] = field(default_factory=dict)
    rules: list[tuple[object, ...]] = field(default_factory=list)
    symbol_of: list[int] = field(default_factory=list)

    def fragment(self, content: Json) -> int:
        return self.fragments.setdefault(json.dumps(content), len(self.fragments))

    def label(self, label: _Label) -> int:
        return self.labels.setdefault(label, len(self.labels))

    def symbol(self, symbol: _Symbol) -> int:
        return self.symbols.setdefault(symbol, len(self.symbols))


def _fragment(grammar: CoreGrammar, rule: Rule, layer: int) -> tuple[Json, list[_Label]]:
    """The fragment of a rule, and the labels of its labelled nodes."""
    fragment = rule.fragments[layer]
    inner = [x for x in range(len(fragment.nodes)) if x not in fragment.exports]
    name = {x: number for number, x in enumerate((*fragment.exports, *inner))}
    name_of_layer = grammar.graph_layers[layer].name
    rows = [[-1] * len(grammar.categories[child].ports_in(name_of_layer)) for child in rule.rhs]
    labels = []
    labelled = []
    for x, node in enumerate(fragment.nodes):
        for child, port in node.glue:
            rows[child][port] = name[x]
        if node.attributes is not None:
            labelled.append([name[x]])
            labels.append(node.attributes)
    size = len(fragment.nodes)
    for row in rows:
        for port, x in enumerate(row):
            if x < 0:  # A port that is not mentioned becomes a node that is forgotten.
                row[port] = size
                size += 1
    content: Json = {
        "ports": len(fragment.exports),
        "rows": rows + labelled,
        "edges": [
            (name[edge.source], edge.label, name[edge.target])
            for edge in dict.fromkeys(fragment.edges)
        ],
    }
    return content, labels
