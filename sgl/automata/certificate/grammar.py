"""The core grammar and structures as data: what decides graphs, and names to read.

A *symbol* stands for rules that differ in the labels of their nodes only: every rule with
children is one, and so are the words that nothing in the certificate tells apart::

    symbol     ["VP -> V NP", VP, [V, NP], fragment]
    fragment   {"ports": 1, "rows": [[0], [1]], "edges": [[0, "obj", 1]]}
    rule       ["transitive", symbol, []]      word   ["V:saw", symbol, [label]]

The nodes of a fragment are counted, those that become ports of the whole first.  ``rows``
has for each child the nodes that its ports become, and then a row for each labelled node.
Words, templates and weights are left out: no claim is about them.

A structure is written body by body::

    { V -[nsubj|nsubj:pass]-> N[lemma=dog] } without { N -[nmod]{2,}-> M[#amod>=1] }

    variables [V, N]  links [[V, [0, nsubj, nsubj:pass], 1, 1, N]]  tests [[N, lemma, 0, dog]]
    variables [N, M]  links [[N, [0, nmod], 2, null, M]]   degrees [[M, [0, amod], ">=", 1]]

A list of labels or values has a number in front: 1 if it is negated.  A link is a walk with
its least and largest number of edges; an edge is a walk of one.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from sgl.automata.common import Numbering
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class GrammarData:
    """The grammar as data; ``symbol`` is the symbol of each rule."""

    content: Json
    symbol: tuple[int, ...]


def grammar_data(
    grammar: CoreGrammar, layers: Sequence[str], alike: Mapping[int, Hashable]
) -> GrammarData:
    """Return the grammar in these graph layers.

    Words with equal values in ``alike`` can be one symbol.
    """
    fragments: Numbering[str] = Numbering()
    labels: Numbering[_Label] = Numbering()
    symbols: Numbering[_Symbol] = Numbering()
    rules: list[tuple[object, ...]] = []
    symbol_of: list[int] = []
    numbers = [grammar.graph_layer(layer) for layer in layers]
    for rule in grammar.rules:
        read = [_fragment(grammar, rule, number) for number in numbers]
        own = [fragments.number(json.dumps(fragment)) for fragment, _ in read]
        name = " ".join(grammar.categories[c].name for c in rule.rhs) or "…"
        symbol = (f"{grammar.categories[rule.lhs].name} -> {name}", rule.lhs, rule.rhs, *own)
        kind = rule.id if rule.rhs else ("word", alike[rule.id])
        symbol_of.append(symbols.number((kind, symbol)))
        rules.append((rule.name, symbol_of[-1], *[[*map(labels.number, row)] for _, row in read]))
    content: Json = {
        "layers": list(layers),
        "start": grammar.start,
        "categories": [category.name for category in grammar.categories],
        "labels": [dict(label) for label in labels.values],
        "fragments": [json.loads(text) for text in fragments.values],
        "symbols": [symbol for _, symbol in symbols.values],
        "rules": rules,
    }
    return GrammarData(content, tuple(symbol_of))


_Symbol = tuple[Hashable, tuple[object, ...]]
_Label = tuple[tuple[str, str], ...]


def _fragment(grammar: CoreGrammar, rule: Rule, layer: int) -> tuple[Json, list[_Label]]:
    """Return the fragment of a rule, and the labels of its labelled nodes."""
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


def structure_data(structure: Structure) -> Json:
    """Return the structure with everything that decides whether a graph contains it."""
    return {"bodies": [_body(body) for body in (structure.body, *structure.without)]}


def _body(body: Body) -> Json:
    names = [variable.name for variable in body.variables]
    return {
        "variables": names,
        "tests": [
            (variable.name, test.attribute, int(test.negated), *sorted(test.values))
            for variable in body.variables
            for test in variable.tests
        ],
        "degrees": [
            (variable.name, _labels(test.labels), test.comparison, test.number)
            for variable in body.variables
            for test in variable.degrees
        ],
        "links": [
            (names[atom.source], _labels(atom.labels), *_bounds(atom), names[atom.target])
            for atom in body.links
        ],
    }


def _labels(test: LabelTest) -> list[object]:
    return [int(test.negated), *sorted(test.labels)]


def _bounds(atom: EdgeAtom | PathAtom) -> tuple[int, int | None]:
    return (atom.low, atom.high) if isinstance(atom, PathAtom) else (1, 1)
