"""When two structures are one: whatever their variables are called, and in whatever order their parts are written.

A structure is a graph in which everything that it says is a node: of a variable in one of its bodies, of two variables
by a link.  Structures are alike if their graphs are.
"""

from sgl.core.structure import Structure

#: What each node of a graph says, and its edges.
_Graph = tuple[dict[object, object], list[tuple[object, object]]]


def alike(first: Structure, second: Structure) -> bool:
    """Return whether two structures say the same of the same parts."""
    one, other = _said(first), _said(second)
    # Most structures differ in what they say, or in names alone, and are not laid over each other.
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
            # Bodies share the variables of one name.
            nodes[variable.name] = "variable"
            tests = sorted(map(str, variable.tests)), sorted(map(str, variable.degrees))
            nodes[place, variable.name] = tests
            edges += [(place, (place, variable.name)), ((place, variable.name), variable.name)]
        for number, link in enumerate(body.links):
            source, target = (body.variables[end].name for end in (link.source, link.target))
            nodes[place, number] = (str(link.labels), link.low, link.high)
            edges += [(place, (place, number)), (source, (place, number)), ((place, number), target)]
    return nodes, edges
