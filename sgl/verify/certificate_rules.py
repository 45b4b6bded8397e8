"""What the rules of a certificate do: symbols, ingredients, texts and their lengths, graph layers.

A rule adds its own words to those of its children, each as often as its template has the child.
Numbers from some number on are one, since no test of a structure tells them apart.

A joint layer, ``syn+sem``, has the nodes of its layers with ``graph.layer`` as an attribute, and
an edge ``&`` between two nodes of one word.  A phrase whose head has neither a label nor parts is
empty in its layer: its head is no node, and passes no test.

A word that the finish of a text layer absorbs is in no text and no graph.  Automata know nothing
of that, so no structure may see such a word: it is a leaf of its rule, and no test passes it.
Each text of a layer differs once from that of its twin.
"""

from collections.abc import Iterator
from itertools import accumulate, combinations, product
from typing import Any

Json = Any  # a part of a certificate
SAME, LAYER = "&", "graph.layer"
EMPTY = (("", "empty"),)  # in place of the label of a phrase that is empty
PAIR, TRIPLE = (str, str), (str, str, str)
# after, absorb, forms, elisions, capital, twin
FINISH = ([str], [PAIR], [TRIPLE], [TRIPLE], int, str)


class Lengths:
    """The lengths of phrases as a structure with these bodies sees them.

    ``effects`` say what each rule adds, and how often it has each child, for every layer that is
    tested; ``layers`` are these, with the number that stands for all that follow.
    """

    def __init__(self, grammar: Json, bodies: Json) -> None:
        if any("lengths" in body or not bodies[0]["variables"] for body in bodies[1:]):
            raise ValueError("a `without` is about no lengths, and about nodes")
        self.tests, self.layers = bodies[0].get("lengths", ()), dict[str, int]()
        for layer, _, number in self.tests:
            self.layers[layer] = max(self.layers.get(layer, 0), number + 1)
        names = [name for name, *_ in grammar["text"]]
        if any(own[3:] and own[3][1] for own in grammar["text"] if own[0] in self.layers):
            raise ValueError("lengths of a layer that absorbs words cannot be counted")
        numbers = [names.index(layer) for layer in self.layers]
        self.effects = [tuple(effect(rule[5][layer]) for layer in numbers) for rule in grammar["rules"]]

    def of(self, effects: Json, children: Json) -> Json:
        """Return the lengths of all parts of a phrase from its rule and those of its children."""
        return tuple(
            tuple(min(cap, own + sum(children[c][at][part] for c, part in used)) for own, used in x)
            for at, (cap, x) in enumerate(zip(self.layers.values(), effects, strict=True))
        )

    def met(self, lengths: Json) -> bool:
        """Return whether a text of these lengths passes all tests."""
        of = dict(zip(self.layers, map(sum, lengths), strict=True))
        return all(
            {"=": of[x] == n, "!=": of[x] != n, ">=": of[x] >= n, "<=": of[x] <= n}[sign] for x, sign, n in self.tests
        )


def effect(template: Json) -> Json:
    """Return for each part of a template its words, and the parts of children that it uses."""
    parts: list[Json] = [(0, ())]
    for kind, *item in template:
        own, used = parts[-1]
        if kind == "cut":
            parts.append((0, ()))
        elif kind == "word":
            parts[-1] = own + 1, used
        elif item[3:]:
            raise ValueError("lengths of a layer with functions cannot be counted")
        else:
            parts[-1] = own, (*used, (item[0], max(item[2] - 1, 0) if item[2:] else 0))
    return tuple(parts)


def fresh(choices: list[Json], before: list[int]) -> Iterator[Json]:
    """Yield the rows of choices, without those of the first ``before`` of each."""
    known = [[*own] for own in choices]
    if not before:
        yield from product(*known)
    for place, number in enumerate(before):
        yield from product(*known[:place], known[place][number:], *known[place + 1 :])
        del known[place][number:]


def symbols_of(rules: Json, symbols: Json) -> tuple[Json, Json]:
    """Return the categories of each symbol, its own and of its children, and its rules."""
    ends, rules_of = dict[int, Json](), dict[int, list[int]]()
    for number, (rule, symbol) in enumerate(zip(rules, symbols, strict=True)):
        rules_of.setdefault(symbol, []).append(number)
        if ends.setdefault(symbol, rule[1:3]) != rule[1:3]:
            raise ValueError(f"rule {rule[0]} has other categories than its symbol {symbol}")
    return ends, rules_of


def ingredients(core: Json, rule: Json) -> frozenset[tuple[str, str]]:
    """Return the words, entries and forms, or the words and the rule, that a text has by it."""
    name, lhs, children, _, _, templates, fragments = rule
    grammar, plan = core["grammar"], core["plan"]
    graphs, texts = ([name for name, *_ in grammar[layer]] for layer in ("graph", "text"))
    lemma_layer, target = plan["lemma_layer"], plan["target"]
    nodes = fragments[graphs.index(lemma_layer)]["nodes"] if lemma_layer else []
    lemmas = {lemma for label, *_ in nodes if (lemma := dict(label or ()).get("lemma"))}
    found = {("word", lemma) for lemma in lemmas}
    if children:
        return frozenset({*found, ("rule", name)})
    category = grammar["categories"][lhs][0].partition("[")[0]
    items = templates[texts.index(target)] if target in texts else []
    form = " ".join(item[1] for item in items if item[0] == "word")
    found |= {("entry", f"{category}: {lemma}") for lemma in lemmas}
    return frozenset({*found, ("form", form)} if form else found)


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


def check_unseen(grammar: Json, structure: Json) -> None:
    """Check that no structure sees a word that may be absorbed: one that is a leaf of its rule."""
    layers, bodies = structure["layer"].split("+"), structure["bodies"]
    for name in layers:  # of a joint structure what it says of each layer
        parts = [_of_layer(body, name) for body in bodies] if len(layers) > 1 else bodies
        layer = [name for name, *_ in grammar["graph"]].index(name)
        anchor = [name for name, *_ in grammar["text"]].index(grammar["graph"][layer][1])
        labels, leaves = _absorbed(grammar, layer, anchor)
        for body in parts if leaves else ():
            tests = [link[1] for link in body["links"]] + [degree[1] for degree in body["degrees"]]
            if any((label in own) != bool(negated) for negated, own in tests for label in labels):
                raise ValueError("a label of it leads to a word that may be absorbed")
            known = {end for link in body["links"] for end in (link[0], link[4])}
            known |= {*parts[0]["variables"]} if body is not parts[0] else set()
            for variable in set(body["variables"]) - known:
                own = [(a, *test) for v, a, test in body["tests"] if v == variable]
                for leaf in leaves:
                    if all((leaf.get(a, "") in values) != bool(no) for a, no, values in own):
                        raise ValueError(f"its node {variable} can be a word that may be absorbed")


def _of_layer(body: Json, layer: str) -> Json:
    own = [v for v, a, (_, values) in body["tests"] if (a, values) == (LAYER, [layer])]
    tests = [test for test in body["tests"] if test[0] in own and test[1] != LAYER]
    links = [link for link in body["links"] if link[0] in own and link[4] in own]
    degrees = [degree for degree in body["degrees"] if degree[0] in own]
    return {"variables": own, "tests": tests, "links": links, "degrees": degrees}


def _absorbed(grammar: Json, layer: int, anchor: int) -> tuple[set[str], list[dict[str, str]]]:
    """Return the labels of the edges to words that may be absorbed, and their attributes."""
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
    return labels, leaves


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
