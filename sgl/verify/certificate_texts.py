"""What a certificate says of texts: their finish, and twins.

A word that the finish of a text layer absorbs is in no text and no graph.  Automata know nothing
of that, so no structure may see such a word: it is a leaf of its rule, and no test passes it.
Each text of a layer differs once from that of its twin.
"""

from itertools import product
from typing import Any

Json = Any  # a part of a certificate
PAIR, TRIPLE = (str, str), (str, str, str)
# after, absorb, forms, elisions, capital, twin
FINISH = ([str], [PAIR], [TRIPLE], [TRIPLE], int, str)


def check_unseen(grammar: Json, structure: Json) -> None:
    """Check that no structure sees a word that may be absorbed: one that is a leaf of its rule."""
    layers = structure["layer"].split("+")
    for layer in layers:  # of a joint structure what it says of each layer
        parts = [_of_layer(body, layer) for body in structure["bodies"]]
        _check_unseen(grammar, layer, parts if len(layers) > 1 else structure["bodies"])


def _of_layer(body: Json, layer: str) -> Json:
    own = [v for v, a, (_, values) in body["tests"] if (a, values) == ("graph.layer", [layer])]
    tests = [test for test in body["tests"] if test[0] in own and test[1] != "graph.layer"]
    links = [link for link in body["links"] if link[0] in own and link[4] in own]
    degrees = [degree for degree in body["degrees"] if degree[0] in own]
    return {"variables": own, "tests": tests, "links": links, "degrees": degrees}


def _check_unseen(grammar: Json, name: str, bodies: Json) -> None:
    names = [name for name, *_ in grammar["graph"]]
    layer = names.index(name)
    anchors = [name for name, *_ in grammar["text"]]
    anchor = anchors.index(grammar["graph"][layer][1])
    _, _, _, *finish = grammar["text"][anchor]
    lost = {word for own in finish for word, _ in own[1]}
    labels, leaves = set[str](), list[dict[str, str]]()
    for name, *_, templates, fragments in grammar["rules"] if lost else ():
        nodes, edges, exports = fragments[layer].values()
        for number, (attributes, token, glued) in enumerate(nodes):
            kind, text = templates[anchor][token][:2] if token is not None else ("", "")
            if kind != "word" or lost.isdisjoint({text, text[:1].upper() + text[1:]}):
                continue
            if number in exports or glued or any(edge[0] == number for edge in edges):
                raise ValueError(f"a word of rule {name} may be absorbed and is no leaf")
            labels |= {label for _, label, target, _ in edges if target == number}
            leaves.append(dict(attributes or ()))
    first, *_ = bodies
    for body in bodies if leaves else ():
        tests = [link[1] for link in body["links"]] + [degree[1] for degree in body["degrees"]]
        if any((label in own) != bool(negated) for negated, own in tests for label in labels):
            raise ValueError("a label of it leads to a word that may be absorbed")
        known = {end for link in body["links"] for end in (link[0], link[4])}
        known |= {*first["variables"]} if body is not first else set()
        for variable in set(body["variables"]) - known:
            own = [(a, *test) for v, a, test in body["tests"] if v == variable]
            for leaf in leaves:
                if all((leaf.get(a, "") in values) != bool(no) for a, no, values in own):
                    raise ValueError(f"its node {variable} can be a word that may be absorbed")


def check_layers(core: Json) -> None:
    """Check the names of layers and views, and that each text differs once from its twin."""
    grammar = core["grammar"]
    text, graph, views = ([x[0] for x in grammar[k]] for k in ("text", "graph", "views"))
    for names in ([*text, *graph], views):
        if "" in names or len({*names}) < len(names):
            raise ValueError("two layers or two views have the same name, or one has none")
    if core["plan"]["lemma_layer"] != [*graph, ""][0]:
        raise ValueError("the layer of lemmas is not the first graph layer")
    twins = [(n, x[3][5]) for n, x in enumerate(grammar["text"]) if x[3:] and x[3][5]]
    for layer, twin in twins:
        if differences(grammar, layer, text.index(twin)) != {1}:
            raise ValueError(f"not every text differs from its twin in {text[layer]} once")


def differences(grammar: Json, layer: int, twin: int) -> set[int]:
    """Return in how many rules the texts of a grammar can differ in two layers; 2 is any more."""
    found, size = [set[int]() for _ in grammar["categories"]], -1
    while size < (size := sum(map(len, found))):
        for _, lhs, rhs, *_, templates, _ in grammar["rules"]:
            used = [item[1] for item in templates[layer] if item[0] != "word"]
            for counts in product(*[found[child] for child in rhs]):
                own = int(templates[layer] != templates[twin])
                found[lhs] = found[lhs] | {min(2, own + sum(counts[child] for child in used))}
    start: int = grammar["start"]
    return found[start]
