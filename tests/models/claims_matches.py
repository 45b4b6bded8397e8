"""Which sentences of the model contain a structure: the definition of docs/structures.md, by trying all nodes.

::

    contains(tree, structure)         some match that no ``without`` extends
    within(tree, structure, other)    some match extends to a condition of ``size``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from itertools import product

from claims_structures import COMPARE, Body, Labels, Link, Structure
from claims_trees import Graph, Tree

#: Which word a variable is, by its name; nodes of the derivation are called as in ``_called``.
Words = Mapping[str, int]

#: The layers in the order of their declarations: that of derivations is the last.
ORDER = ("syn", "sem", "dep")


def _called(layer: str, name: str) -> str:
    """What a variable is called among words: a phrase of the derivation is not one with its head."""
    return f"{name} in {layer}" if layer == "derivation" else name


def _headed(tree: Tree, of_layer: Mapping[str, Words]) -> bool:
    """Whether each variable of the derivation that is one of a graph is a phrase with this head there.

    Of several graphs it is the first.
    """
    return all(
        tree.heads[phrase].get(layer) == of_layer[layer][name]
        for name, phrase in of_layer.get("derivation", {}).items()
        for layer in [own for own in ORDER if name in of_layer.get(own, {})][:1]
    )


def _of_head(tree: Tree, layer: str, of_layer: Mapping[str, Words]) -> Callable[[str, int], bool]:
    """What a node has to be that a ``without`` body adds in a layer: a phrase with the head that is matched.

    The other way round, it is the head of the phrase that is matched.
    """

    def fits(name: str, node: int) -> bool:
        if layer != "derivation":
            phrase = of_layer.get("derivation", {}).get(name)
            return phrase is None or tree.heads[phrase].get(layer) == node
        own = [graph for graph in ORDER if name in of_layer.get(graph, {})][:1]
        return all(tree.heads[node].get(graph) == of_layer[graph][name] for graph in own)

    return fits


def contains(tree: Tree, structure: Structure) -> bool:
    """Whether the lengths are right, and some match is extended by no ``without`` body.

    Of several layers a match is one word for each variable, which is a match in every layer.
    """
    return any(True for _ in _extensions(tree, structure, {}, {}))


def within(tree: Tree, structure: Structure, condition: Structure, own_names: Set[str] = frozenset()) -> bool:
    """Whether some match of a structure extends to a condition; one without a common name is about the sentence.

    The names that are ``own_names`` in structures of the items are such in the condition, too.
    """
    if not structure.names & condition.all_names:
        return contains(tree, structure) and contains(tree, condition)
    return any(
        True
        for words, of_layer in _extensions(tree, structure, {}, {})
        for _ in _extensions(tree, condition, words, of_layer, own_names)
    )


def _measured(tree: Tree, part: Structure) -> bool:
    """Whether the lengths and the depth of a sentence are right."""
    sizes = {"en": len(tree.en), "ja": len(tree.ja), "rules": tree.term.count("(")}
    if not all(COMPARE[sign](sizes[layer], number) for layer, sign, number in part.lengths):
        return False
    return part.depth is None or _deep(tree.graph(part.layer), *part.depth)


def _deep(graph: Graph, labels: Labels, sign: str, number: int) -> bool:
    """Whether a walk of so many edges leads from one node to another, and none of more."""

    def has(length: int) -> bool:
        walks = {(node, node) for node in graph.nodes}
        for _ in range(length):
            walks = {
                (first, target)
                for first, last in walks
                for source, label, target in graph.edges
                if source == last and labels.passes(label)
            }
        return any(first != last for first, last in walks)

    number += {">": 1, "<": -1}.get(sign, 0)
    least, most = sign in (">", ">=", "="), sign in ("<", "<=", "=")
    return (not least or has(number)) and not (most and has(number + 1))


def _extensions(
    tree: Tree, structure: Structure, held: Words, taken: Mapping[str, Words], own_names: Set[str] = frozenset()
) -> Iterator[tuple[Words, dict[str, Words]]]:
    """Yield what extends the words that are held to a match: the words of all variables, and those of each layer."""
    if not all(_measured(tree, part) for part in structure.parts):
        return
    own_names = own_names | structure.own_names
    found = [({**held}, {**taken})]
    for part in structure.parts:
        layer, names = part.layer, part.body.variables
        found = [
            (more, {**own, layer: {**own.get(layer, {}), **{x: more[_called(layer, x)] for x in names}}})
            for words, own in found
            for more in _matches(tree, layer, part.body, words, own.get(layer, {}), own_names)
        ]
    for words, own in found:
        if _headed(tree, own) and not any(
            True
            for part in structure.parts
            for other in part.without
            for _ in _matches(
                tree, part.layer, other, words, own[part.layer], own_names, _of_head(tree, part.layer, own)
            )
        ):
            yield words, own


def _matches(
    tree: Tree,
    layer: str,
    body: Body,
    held: Words,
    taken: Words,
    own_names: Set[str],
    fits: Callable[[str, int], bool] = lambda *_: True,
) -> Iterator[dict[str, int]]:
    """Yield matches that agree with what is held; other variables are no nodes that are taken, and have to fit."""
    graph, called = tree.graph(layer), {name: _called(layer, name) for name in body.variables}
    free = [name for name in body.variables if called[name] not in held]
    fixed = {name: held[called[name]] for name in body.variables if called[name] in held}
    if len({*fixed.values()}) < len(fixed) or not graph.nodes.keys() >= {*fixed.values()}:
        return
    if any(name not in taken and node in taken.values() for name, node in fixed.items()):
        return
    used = {*fixed.values(), *taken.values()}
    others = [node for node in graph.nodes if node not in used]

    def passes(name: str, node: int) -> bool:
        return node_passes(graph, body, name, node) and (name in own_names or _is_meant(graph, name, node))

    if not all(passes(name, node) for name, node in fixed.items()):
        return
    walks = {link: _walks(graph, link) for link in body.links}
    for nodes in product(*([node for node in others if passes(name, node) and fits(name, node)] for name in free)):
        match = {**fixed, **dict(zip(free, nodes, strict=True))}
        if len({*nodes}) == len(nodes) and all((match[x.source], match[x.target]) in walks[x] for x in body.links):
            yield {**held, **{called[name]: node for name, node in match.items()}}


def _is_meant(graph: Graph, name: str, node: int) -> bool:
    """Whether a node is what the name of a variable means."""
    meant = graph.meant(name)
    return meant is None or graph.value(node, meant[0]) == meant[1]


def node_passes(graph: Graph, body: Body, name: str, node: int) -> bool:
    """Whether a node passes the tests of a variable."""
    if name in body.tests:
        attribute, negated, values = body.tests[name]
        if (graph.value(node, attribute) in values) == negated:
            return False
    if name in body.degrees:
        labels, comparison, number = body.degrees[name]
        degree = sum(source == node and labels.passes(label) for source, label, _ in graph.edges)
        return {"=": degree == number, ">=": degree >= number, "<=": degree <= number}[comparison]
    return True


def _walks(graph: Graph, link: Link) -> set[tuple[int, int]]:
    """The pairs of nodes from the first of which a walk leads to the second."""
    steps = {(s, t) for s, label, t in graph.edges if link.labels.passes(label)}
    found, reached = set[tuple[int, int]](), {(node, node) for node in graph.nodes}
    for length in range(1, (link.high or link.low + len(graph.nodes)) + 1):
        reached = {(first, t) for first, last in reached for s, t in steps if s == last}
        found |= reached if length >= link.low else set()
    return found
