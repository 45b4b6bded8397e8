"""Decide whether two structures are equal up to the names of variables and the order of parts.

A structure becomes a graph in which each of its statements is a node: about a variable in one of its bodies, or about
two variables through a link.  Structures are alike if their graphs are isomorphic.
"""

from sgl.core.structure import Structure

#: The statement at each node of a graph, and its edges.
_Graph = tuple[dict[object, object], list[tuple[object, object]]]


def alike(first: Structure, second: Structure) -> bool:
    """Return whether two structures say the same about the same parts."""
    one, other = _said(first), _said(second)
    # Most structures differ in their statements, or only in names, and need no comparison of graphs.
    if first.layer != second.layer or sorted(map(repr, one[0].values())) != sorted(map(repr, other[0].values())):
        return False
    return first.canonical() == second.canonical() or _isomorphic(one, other)


def _isomorphic(*both: _Graph) -> bool:
    import networkx as nx

    first, second = (nx.DiGraph(edges) for _, edges in both)
    for graph, (nodes, _) in zip((first, second), both, strict=True):
        graph.add_nodes_from((node, {"said": said}) for node, said in nodes.items())
    return bool(nx.is_isomorphic(first, second, node_match=lambda own, its: own == its))


def _said(structure: Structure) -> _Graph:
    nodes: dict[object, object] = {}
    edges: list[tuple[object, object]] = []
    for place, body in enumerate((structure.body, *structure.without)):
        nodes[place] = ("without" if place else "body", *sorted(map(str, body.lengths)))
        for variable in body.variables:
            # Variables of one name are shared among bodies.
            nodes[variable.name] = "variable"
            tests = sorted(map(str, variable.tests)), sorted(map(str, variable.degrees))
            nodes[place, variable.name] = tests
            edges += [(place, (place, variable.name)), ((place, variable.name), variable.name)]
        for number, link in enumerate(body.links):
            source, target = (body.variables[end].name for end in (link.source, link.target))
            nodes[place, number] = (str(link.labels), link.low, link.high)
            edges += [(place, (place, number)), (source, (place, number)), ((place, number), target)]
    return nodes, edges
