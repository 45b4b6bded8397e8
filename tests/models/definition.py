"""What it means that a graph contains a structure, written down directly.

A third opinion beside the automata and the verifier's search by networkx: the
definition in ``docs/structures.md``, by trying nodes for one variable after the
other::

    contains(graph, { A -[x]-> B; B -[y]-> C })
      A = 0?  B = 1?  C = 2? no.  C = 3? no.  B = 2? …

It is slow on long sentences and large structures, and short enough to be read.
"""

from __future__ import annotations

from collections.abc import Iterator

from sgl.core.graph import Graph
from sgl.core.structure import Body, LabelTest, Link, Structure, Variable

Match = dict[str, int]


def contains(graph: Graph, structure: Structure) -> bool:
    """Whether some match of the body is extended by no ``without`` body."""
    return any(
        not any(True for body in structure.without for _ in matches(graph, body, match))
        for match in matches(graph, structure.body, {})
    )


def matches(graph: Graph, body: Body, held: Match) -> Iterator[Match]:
    """The matches that keep the nodes in ``held`` and give the others different ones."""
    names = [variable.name for variable in body.variables]
    if not all(_passes(graph, held[variable.name], variable) for variable in body.variables if variable.name in held):
        return
    free = [variable for variable in body.variables if variable.name not in held]
    yield from _extend(graph, body, names, free, dict(held))


def _extend(graph: Graph, body: Body, names: list[str], free: list[Variable], match: Match) -> Iterator[Match]:
    if not _holds(graph, body, names, match):
        return
    if not free:
        yield dict(match)
        return
    variable, *rest = free
    for node in range(len(graph.nodes)):
        if node not in match.values() and _passes(graph, node, variable):
            yield from _extend(graph, body, names, rest, {**match, variable.name: node})


def _passes(graph: Graph, node: int, variable: Variable) -> bool:
    out = [label for source, label, _ in graph.edges if source == node]
    return all(test.accepts(graph.nodes[node].get(test.attribute)) for test in variable.tests) and all(
        test.accepts(sum(map(test.labels.accepts, out))) for test in variable.degrees
    )


def _holds(graph: Graph, body: Body, names: list[str], match: Match) -> bool:
    """Whether all statements are true whose variables have nodes."""
    for edge in body.edges:
        source, target = names[edge.source], names[edge.target]
        if source in match and target in match:
            ends = match[source], match[target]
            if not _has_edge(graph, ends[0], edge.labels, ends[1]):
                return False
    for path in body.paths:
        source, target = names[path.source], names[path.target]
        both = source in match and target in match
        if both and not _has_walk(graph, match[source], path, match[target]):
            return False
    return True


def _has_edge(graph: Graph, source: int, labels: LabelTest, target: int) -> bool:
    return any(s == source and t == target and labels.accepts(lab) for s, lab, t in graph.edges)


def _has_walk(graph: Graph, source: int, path: Link, target: int) -> bool:
    """Beyond as many edges as nodes, a longer walk reaches nothing new."""
    longest = path.low + len(graph.nodes) if path.high is None else path.high
    ends = {source}
    for length in range(longest + 1):
        if length >= path.low and target in ends:
            return True
        ends = {t for s, label, t in graph.edges if s in ends and path.labels.accepts(label)}
    return False
