"""What rules do in graph layers, also in joint ones: one part of the checker of certificates.

A joint layer, ``syn+sem``, has the nodes of its layers with ``graph.layer`` as an attribute, and
an edge ``&`` between two nodes of one word.  A phrase whose head has neither a label nor parts is
empty in its layer: its head is no node, and passes no test.
"""

from itertools import accumulate, combinations
from typing import Any

Json = Any  # a part of a certificate
SAME, LAYER = "&", "graph.layer"
EMPTY = (("", "empty"),)  # in place of the label of a phrase that is empty


def frames_of(grammar: Json, name: str) -> tuple[list[Json], list[Json], list[Json]]:
    """Return effects in a graph layer, rows of labels, and for each rule its numbers of both."""
    layers, names = name.split("+"), [own for own, *_ in grammar["graph"]]
    numbers = [names.index(layer) for layer in layers]
    texts = [grammar["graph"][number][1] for number in numbers]
    anchors = [[own for own, *_ in grammar["text"]].index(text) for text in texts]
    if numbers != sorted({*numbers}):
        raise ValueError(f"{name} is no layer, and no layers in their order")
    ports = [
        [len({*own} - {p for p, other in limited if other != layer}) for layer in layers]
        for _, own, limited in grammar["categories"]
    ]
    effects, labels, rules = dict[Json, int](), dict[Json, int](), list[Json]()
    for rule in grammar["rules"]:
        before = [[0, *accumulate(ports[child])] for child in rule[2]]
        parts = [
            _part(rule, number, layer if len(layers) > 1 else "", [own[place] for own in before])
            for place, (number, layer) in enumerate(zip(numbers, layers, strict=True))
        ]
        effect, own = _frame(rule, _joined(parts, anchors), [sum(each) for each in ports])
        places = effects.setdefault(effect, len(effects)), labels.setdefault(own, len(labels))
        rules.append(places)
    return [*effects], [[*map(dict, row)] for row in labels], rules


def _part(rule: Json, number: int, layer: str, before: list[int]) -> Json:
    nodes, edges, exports = rule[6][number].values()
    mark, found = [[LAYER, layer]] * bool(layer), list[Json]()
    for place, (label, token, glue) in enumerate(nodes):
        if label is not None and (token is None or {"", LAYER} & {*dict(label)}):
            raise ValueError(f"a label of rule {rule[0]} has no word, or a name of its own")
        own: Json = None if label is None else [*label, *mark]
        if place == exports[0] and label is None and not glue:
            own = EMPTY
        found.append((own, token, [(child, port + before[child]) for child, port in glue]))
    return found, [edge[:3] for edge in edges], exports


def _joined(parts: list[Json], anchors: list[int]) -> Json:
    starts = [0, *accumulate(len(nodes) for nodes, *_ in parts)]
    pairs = [*zip(parts, starts[:-1], strict=True)]
    nodes = [node for own, *_ in parts for node in own]
    edges = [(s + n, e, t + n) for (_, own, _), n in pairs for s, e, t in own]
    exports = [node + n for (*_, own), n in pairs for node in own]
    words = [
        (start + place, (anchor, token))
        for ((own, *_), start), anchor in zip(pairs, anchors, strict=True)
        for place, (_, token, _) in enumerate(own)
        if token is not None
    ]
    same = [(x, SAME, y) for (x, one), (y, other) in combinations(words, 2) if one == other]
    return nodes, edges + (same if len(parts) > 1 else []), exports


def _frame(rule: Json, fragment: Json, ports: list[int]) -> tuple[Json, Json]:
    """Return the labels of a rule, and its effect: how many nodes stay visible, edges, and rows.

    Nodes are numbered, the visible ones first.  There is a row for the ports of each child
    and one for each node with a label, of the numbers of the nodes that they become.
    """
    (name, lhs, children, *_), (nodes, edges, exports) = rule, fragment
    glue = [(tuple(port), node) for node, (*_, own) in enumerate(nodes) for port in own]
    rows = [[(child, port) for port in range(ports[c])] for child, c in enumerate(children)]
    node_of = {port: port for row in rows for port in row} | dict(glue)
    labels = [(n, tuple(map(tuple, own))) for n, (own, *_) in enumerate(nodes) if own is not None]
    if len(node_of) > sum(map(len, rows)) or len(dict(glue)) < len(glue):
        raise ValueError(f"rule {name} glues what is no port, or a port twice")
    if {*exports} - {*range(len(nodes))} or not len({*exports}) == len(exports) == ports[lhs]:
        raise ValueError(f"rule {name} has not the ports of its category")
    if any(len(dict(label)) < len(label) for _, label in labels):
        raise ValueError(f"a label of rule {name} has an attribute twice")
    order = dict.fromkeys([*exports, *range(len(nodes)), *node_of.values()])
    place = {node: number for number, node in enumerate(order)}
    become = [tuple(place[node_of[port]] for port in row) for row in rows]
    become += [(place[node],) for node, _ in labels]
    written = tuple((place[s], label, place[t]) for s, label, t in edges)
    return (len(exports), written, tuple(become)), tuple([label for _, label in labels])
