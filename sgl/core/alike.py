"""When two structures are one: whatever their variables are called, and in whatever order their parts are written.

A structure is a graph in which everything that it says is a node: of a variable in one of its bodies, of two variables
by a link.  Structures are alike if their graphs are.
"""

from typing import TYPE_CHECKING

from sgl.core.structure import Structure

if TYPE_CHECKING:
    import networkx as nx


def alike(first: Structure, second: Structure) -> bool:
    """Return whether two structures say the same of the same parts."""
    from networkx import is_isomorphic

    one, other = _said(first), _said(second)
    # Most structures differ in what they say, and are not laid over each other.
    said = (sorted(repr(said) for _, said in graph.nodes(data="said")) for graph in (one, other))
    if first.layer != second.layer or next(said) != next(said):
        return False
    return bool(is_isomorphic(one, other, node_match=lambda own, its: own == its))


def _said(structure: Structure) -> "nx.DiGraph[object]":
    from networkx import DiGraph

    graph: nx.DiGraph[object] = DiGraph()
    for place, body in enumerate((structure.body, *structure.without)):
        graph.add_node(place, said=("without" if place else "body", *sorted(map(str, body.lengths))))
        for variable in body.variables:
            # Bodies share the variables of one name.
            graph.add_node(variable.name, said="variable")
            tests = sorted(map(str, variable.tests)), sorted(map(str, variable.degrees))
            graph.add_node((place, variable.name), said=tests)
            graph.add_edges_from([(place, (place, variable.name)), ((place, variable.name), variable.name)])
        for number, link in enumerate(body.links):
            source, target = (body.variables[end].name for end in (link.source, link.target))
            graph.add_node((place, number), said=(str(link.labels), link.low, link.high))
            graph.add_edges_from([(place, (place, number)), (source, (place, number)), ((place, number), target)])
    return graph
