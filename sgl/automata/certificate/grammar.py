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

from sgl.automata.common import Numbering
from sgl.automata.patterns.symbols import Attributes, frame_of
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.structure import Body, LabelTest, PathAtom, Structure

Json = dict[str, object]

_Symbol = tuple[Hashable, tuple[object, ...]]


def grammar_data(
    grammar: CoreGrammar, layers: Sequence[str], alike: Mapping[int, Hashable]
) -> tuple[Json, list[int]]:
    """Return the grammar in these graph layers, and the symbol of each rule.

    Words with equal values in ``alike`` can be one symbol.
    """
    fragments: Numbering[str] = Numbering()
    labels: Numbering[Attributes] = Numbering()
    symbols: Numbering[_Symbol] = Numbering()
    rules: list[tuple[object, ...]] = []
    symbol_of: list[int] = []
    numbers = [grammar.graph_layer(layer) for layer in layers]
    for rule in grammar.rules:
        own = [fragments.number(_fragment(grammar, rule, number)) for number in numbers]
        labelled = [
            [
                labels.number(n.attributes)
                for n in rule.fragments[i].nodes
                if n.attributes is not None
            ]
            for i in numbers
        ]
        name = " ".join(grammar.categories[c].name for c in rule.rhs) or "…"
        symbol = (f"{grammar.categories[rule.lhs].name} -> {name}", rule.lhs, rule.rhs, *own)
        kind = rule.id if rule.rhs else ("word", alike[rule.id])
        symbol_of.append(symbols.number((kind, symbol)))
        rules.append((rule.name, symbol_of[-1], *labelled))
    content: Json = {
        "layers": list(layers),
        "start": grammar.start,
        "categories": [category.name for category in grammar.categories],
        "labels": [dict(label) for label in labels.values],
        "fragments": [json.loads(text) for text in fragments.values],
        "symbols": [symbol for _, symbol in symbols.values],
        "rules": rules,
    }
    return content, symbol_of


def _fragment(grammar: CoreGrammar, rule: Rule, layer: int) -> str:
    """Return the fragment of a rule as JSON."""
    frame = frame_of(grammar, rule, layer)
    inner = [node for node in range(frame.size) if node not in frame.exports]
    name = {node: number for number, node in enumerate((*frame.exports, *inner))}
    rows = [*frame.ports, *((node,) for node in frame.labelled)]
    content = {
        "ports": len(frame.exports),
        "rows": [[name[node] for node in row] for row in rows],
        "edges": [(name[edge.source], edge.label, name[edge.target]) for edge in frame.edges],
    }
    return json.dumps(content)


def structure_data(structure: Structure) -> Json:
    """Return the structure with everything that decides whether a graph contains it."""
    return {"bodies": [_body(body) for body in (structure.body, *structure.without)]}


def _body(body: Body) -> Json:
    names = [variable.name for variable in body.variables]

    def labels(test: LabelTest) -> list[object]:
        return [int(test.negated), *sorted(test.labels)]

    links = []
    for atom in body.links:
        bounds = (atom.low, atom.high) if isinstance(atom, PathAtom) else (1, 1)
        links.append((names[atom.source], labels(atom.labels), *bounds, names[atom.target]))
    return {
        "variables": names,
        "tests": [
            (variable.name, test.attribute, int(test.negated), *sorted(test.values))
            for variable in body.variables
            for test in variable.tests
        ],
        "degrees": [
            (variable.name, labels(test.labels), test.comparison, test.number)
            for variable in body.variables
            for test in variable.degrees
        ],
        "links": links,
    }
