"""Which sentences of the model contain a structure: the definition of docs/structures.md, by trying all nodes.

::

    contains(tree, structure)         some match that no ``without`` extends
    within(tree, structure, other)    some match extends to a condition of ``size``
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import permutations

from claims_structures import COMPARE, Body, Labels, Link, Structure
from claims_trees import Graph, Tree

#: Which word a variable is, by its name.
Words = Mapping[str, int]


def contains(tree: Tree, structure: Structure) -> bool:
    """Whether the lengths are right, and some match is extended by no ``without`` body.

    Of several layers a match is one word for each variable, which is a match in every layer.
    """
    sizes = {"en": len(tree.en), "ja": len(tree.ja)}
    if not all(COMPARE[sign](sizes[layer], number) for layer, sign, number in structure.lengths):
        return False
    if structure.depth is not None:
        return _deep(tree, *structure.depth)
    return any(True for _ in _extensions(tree, structure, {}, {}))


def within(tree: Tree, structure: Structure, condition: Structure) -> bool:
    """Whether some match of a structure extends to a condition; one without a common name is about the sentence."""
    if not structure.names & condition.all_names:
        return contains(tree, structure) and contains(tree, condition)
    return any(
        True
        for words, of_layer in _extensions(tree, structure, {}, {})
        for _ in _extensions(tree, condition, words, of_layer)
    )


def _deep(tree: Tree, labels: Labels, sign: str, number: int) -> bool:
    """Whether a walk of so many edges leads from one node to another, and none of more."""

    def has(length: int) -> bool:
        walks = {(node, node) for node in tree.nodes}
        for _ in range(length):
            walks = {
                (first, target)
                for first, last in walks
                for source, label, target in tree.edges
                if source == last and labels.passes(label)
            }
        return any(first != last for first, last in walks)

    number += {">": 1, "<": -1}.get(sign, 0)
    least, most = sign in (">", ">=", "="), sign in ("<", "<=", "=")
    return (not least or has(number)) and not (most and has(number + 1))


def _extensions(
    tree: Tree, structure: Structure, held: Words, taken: Mapping[str, Words]
) -> Iterator[tuple[Words, dict[str, Words]]]:
    """Yield what extends the words that are held to a match: the words of all variables, and those of each layer."""
    found = [({**held}, {**taken})]
    for part in structure.parts:
        layer, names = part.layer, part.body.variables
        found = [
            (more, {**own, layer: {**own.get(layer, {}), **{x: more[x] for x in names}}})
            for words, own in found
            for more in _matches(tree.graph(layer), part.body, words, own.get(layer, {}))
        ]
    for words, own in found:
        if not any(
            True
            for part in structure.parts
            for other in part.without
            for _ in _matches(tree.graph(part.layer), other, words, own[part.layer])
        ):
            yield words, own


def _matches(graph: Graph, body: Body, held: Words, taken: Words) -> Iterator[dict[str, int]]:
    """Yield matches that agree with what is held; other variables are no nodes that are taken."""
    free = [name for name in body.variables if name not in held]
    fixed = {name: held[name] for name in body.variables if name in held}
    if len({*fixed.values()}) < len(fixed) or not graph.nodes.keys() >= {*fixed.values()}:
        return
    if any(name not in taken and node in taken.values() for name, node in fixed.items()):
        return
    used = {*fixed.values(), *taken.values()}
    others = [node for node in graph.nodes if node not in used]
    for nodes in permutations(others, len(free)):
        match = {**held, **dict(zip(free, nodes, strict=True))}
        if all(node_passes(graph, body, name, match[name]) for name in body.variables) and all(
            _walks(graph, link, match[link.source], match[link.target]) for link in body.links
        ):
            yield match


def node_passes(graph: Graph, body: Body, name: str, node: int) -> bool:
    """Whether a node passes the tests of a variable."""
    lemma, upos = graph.nodes[node]
    if name in body.tests:
        attribute, negated, values = body.tests[name]
        if ((lemma if attribute == "lemma" else upos) in values) == negated:
            return False
    if name in body.degrees:
        labels, comparison, number = body.degrees[name]
        degree = sum(source == node and labels.passes(label) for source, label, _ in graph.edges)
        return {"=": degree == number, ">=": degree >= number, "<=": degree <= number}[comparison]
    return True


def _walks(graph: Graph, link: Link, source: int, target: int) -> bool:
    steps = {(s, t) for s, label, t in graph.edges if link.labels.passes(label)}
    reached = {source}
    for length in range(1, (link.high or link.low + len(graph.nodes)) + 1):
        reached = {t for s, t in steps if s in reached}
        if length >= link.low and target in reached:
            return True
    return False
