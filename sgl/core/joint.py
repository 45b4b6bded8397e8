"""Join several graph layers into one, for structures that mention a word in each of them.

The *joint graph* of two layers has the nodes and edges of both, apart from one another.  A word
that has a node in each has an edge ``&`` from the node of the layer declared first to the other.
The attribute ``graph.layer`` of a node says whose it is.  In the derivation the word of a phrase is
its head: a rule adds an edge ``&`` from the head of its phrase to its own node.  So a structure over
two layers is one over a third, and whatever reads structures needs to know no more::

    syn { V -[nsubj]-> N } sem { V -[theme]-> N }

    syn+sem { V.syn[graph.layer=syn] -[nsubj]-> N.syn[graph.layer=syn];
              V.sem[graph.layer=sem] -[theme]-> N.sem[graph.layer=sem];
              V.syn -[&]-> V.sem; N.syn -[&]-> N.sem }
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from sgl.core.derivation import with_derivation
from sgl.core.grammar import DERIVATION, Category, CoreGrammar, Edge, Fragment, GraphLayer, Node, Rule
from sgl.core.structure import Body, LabelTest, Link, NodeTest, Structure, Variable

#: Separates the names of layers in the name of a joint one.
PLUS = "+"
#: The label of the edge between two nodes of one word; no author can write it.
SAME = "&"
#: The attribute with the layer of a node; no author can write it.
LAYER = "graph.layer"


def variable_of(name: str) -> str:
    """Return the author's name of a variable: ``V`` for ``V.sem``."""
    return name.partition(".")[0]


def joined(parts: Sequence[Structure], layers: Sequence[str]) -> Structure:
    """Return the conjunction of structures over different layers; variables of one name are one word."""
    lifted = [lift(part) for part in parts]
    body = lifted[0].body
    for part in lifted[1:]:
        body = united(body, part.body)
    without = tuple(clause for part in lifted for clause in part.without)
    own = {layer for part in parts for layer in part.layer.split(PLUS)}
    name = PLUS.join(layer for layer in layers if layer in own)
    apart = frozenset[frozenset[str]]().union(*(part.apart for part in parts))
    return linked(Structure(name, body, without, named=True, apart=apart))


def lift(structure: Structure) -> Structure:
    """Return a structure over one layer as one over a joint layer; a joint one stays as it is."""
    if PLUS in structure.layer:
        return structure
    layer = NodeTest(LAYER, frozenset({structure.layer}))

    def labels(test: LabelTest) -> LabelTest:
        return replace(test, labels=test.labels | {SAME}) if test.negated else test

    def lifted(body: Body) -> Body:
        variables = tuple(
            Variable(
                f"{variable.name}.{structure.layer}",
                (*variable.tests, layer),
                tuple(replace(degree, labels=labels(degree.labels)) for degree in variable.degrees),
            )
            for variable in body.variables
        )
        return Body(variables, tuple(replace(x, labels=labels(x.labels)) for x in body.links), body.lengths)

    without = tuple(lifted(body) for body in structure.without)
    return replace(structure, body=lifted(structure.body), without=without)


def linked(structure: Structure) -> Structure:
    """Return a joint structure with edges between its nodes that are one word.

    In a ``without`` body, a variable of the main body is the same word, whatever its layer.
    """
    layers = structure.layer.split(PLUS)
    words: dict[str, list[str]] = {}
    for variable in structure.body.variables:
        words.setdefault(variable_of(variable.name), []).append(variable.name)
    for names in words.values():
        names.sort(key=lambda name: layers.index(name.partition(".")[2]))
    pairs = [(first, other) for first, *others in words.values() for other in others]

    def of_without(body: Body) -> Iterator[tuple[str, str]]:
        for name in (variable.name for variable in body.variables):
            own = words.get(variable_of(name), [name])
            if name not in own:
                pair = sorted((own[0], name), key=lambda x: layers.index(x.partition(".")[2]))
                yield pair[0], pair[1]

    return replace(
        structure,
        body=_with_links(structure.body, pairs),
        without=tuple(_with_links(body, of_without(body)) for body in structure.without),
    )


def _with_links(body: Body, pairs: Iterable[tuple[str, str]]) -> Body:
    variables = {variable.name: variable for variable in body.variables}
    pairs = [*pairs]
    for name in chain.from_iterable(pairs):
        variables.setdefault(name, Variable(name))
    number = {name: place for place, name in enumerate(variables)}
    same = LabelTest(frozenset({SAME}))
    edges = [Link(number[first], same, number[second]) for first, second in pairs]
    return _in_order(Body(tuple(variables.values()), tuple(dict.fromkeys((*body.links, *edges))), body.lengths))


def _in_order(body: Body) -> Body:
    ends = [end for link in body.links for end in (link.source, link.target)]
    order = dict.fromkeys([*ends, *range(len(body.variables))])
    place = {old: new for new, old in enumerate(order)}
    links = tuple(link.between(place) for link in body.links)
    return Body(tuple(body.variables[old] for old in order), links, body.lengths)


def written(structure: Structure) -> str:
    """Return a structure as an author writes it: a joint one layer by layer, with one name for each word.

    >>> verb = Structure("syn", Body((Variable("V"),)))
    >>> written(joined([verb, replace(verb, layer="sem")], ["syn", "sem"]))
    'syn { V } sem { V }'
    """
    if PLUS not in structure.layer:
        return str(structure)
    names, shown = _words(structure.body), []
    for layer in structure.layer.split(PLUS):
        bodies = [_of_layer(body, layer, names) for body in (structure.body, *structure.without)]
        body, without = bodies[0], [clause for clause in bodies[1:] if clause.links or _own(clause, bodies[0])]
        if body.variables or body.lengths:
            shown.append(str(Structure(layer, body, tuple(without), named=True)))
    return " ".join(shown)


def _words(body: Body) -> dict[str, str]:
    """Return the author's name of each variable: one name for all nodes of a word, and different names for words."""
    words: dict[str, str] = {}
    same = [link for link in body.links if link.labels == LabelTest(frozenset({SAME}))]
    for link in same:
        first, other = body.variables[link.source].name, body.variables[link.target].name
        words[other] = words.setdefault(first, variable_of(first))
    for name in (variable.name for variable in body.variables):
        taken, wanted, number = set(words.values()), variable_of(name), 2
        while name not in words:
            words |= {name: wanted} if wanted not in taken else {}
            wanted, number = f"{variable_of(name)}{number}", number + 1
    return words


def _of_layer(body: Body, layer: str, names: Mapping[str, str]) -> Body:
    """Return the part of a joint body about one layer, as it was before ``lift``."""
    own = [place for place, v in enumerate(body.variables) if v.name.partition(".")[2] == layer]
    place = {old: new for new, old in enumerate(own)}

    def labels(test: LabelTest) -> LabelTest:
        return replace(test, labels=test.labels - {SAME})

    variables = tuple(
        Variable(
            names.get(variable.name, variable_of(variable.name)),
            tuple(test for test in variable.tests if test.attribute != LAYER),
            tuple(replace(degree, labels=labels(degree.labels)) for degree in variable.degrees),
        )
        for variable in (body.variables[old] for old in own)
    )
    links = (link.between(place) for link in body.links if link.source in place and link.target in place)
    lengths = body.lengths if layer == next((v.name.partition(".")[2] for v in body.variables), layer) else ()
    return Body(variables, tuple(replace(link, labels=labels(link.labels)) for link in links), lengths)


def _own(clause: Body, body: Body) -> bool:
    """Return whether a ``without`` body says anything about a node except that it is a node of the main body."""
    known = {variable.name for variable in body.variables}
    return any(variable.name not in known or variable.tests or variable.degrees for variable in clause.variables)


def renamed(body: Body, names: Mapping[str, str]) -> Body:
    """Return a body with new names for some of its variables."""
    variables = (replace(v, name=names.get(v.name, v.name)) for v in body.variables)
    return replace(body, variables=tuple(variables))


def united(first: Body, second: Body) -> Body:
    """Return the conjunction of two bodies; variables of one name are one."""
    variables: dict[str, Variable] = {v.name: v for v in first.variables}
    for variable in second.variables:
        known = variables.get(variable.name, variable)
        tests = tuple(dict.fromkeys((*known.tests, *variable.tests)))
        degrees = tuple(dict.fromkeys((*known.degrees, *variable.degrees)))
        variables[variable.name] = Variable(variable.name, tests, degrees)
    number = {name: index for index, name in enumerate(variables)}
    place = [number[variable.name] for variable in second.variables]
    links = [link.between(place) for link in second.links]
    return Body(
        tuple(variables.values()),
        tuple(dict.fromkeys((*first.links, *links))),
        tuple(dict.fromkeys((*first.lengths, *second.lengths))),
    )


def seen_by(grammar: CoreGrammar, layer: str) -> CoreGrammar:
    """Return a grammar with a given layer: itself, or one with only the joint layer; raises ``KeyError``."""
    names = layer.split(PLUS)
    grammar = with_derivation(grammar) if DERIVATION in names else grammar
    if len(names) == 1:
        return grammar
    numbers = [grammar.graph_layer(name) for name in names]
    anchors = [grammar.anchors[number] for number in numbers]
    ports = [[len(c.ports_in(name)) for name in names] for c in grammar.categories]

    def fragment(rule: Rule) -> Fragment:
        nodes: list[Node] = []
        edges: list[Edge] = []
        exports: list[int] = []
        heads: list[int] = []
        of_word: dict[tuple[int, int], list[int]] = {}
        for place, (name, number, anchor) in enumerate(zip(names, numbers, anchors, strict=True)):
            own, start = rule.fragments[number], len(nodes)
            before = [sum(ports[child][:place]) for child in rule.rhs]
            for node in own.nodes:
                attributes = node.attributes
                if attributes is not None:
                    attributes = tuple(sorted((*attributes, (LAYER, name))))
                if node.token is not None:
                    others = of_word.setdefault((anchor, node.token), [])
                    edges += [Edge(other, SAME, len(nodes)) for other in others]
                    others.append(len(nodes))
                glue = tuple((child, before[child] + port) for child, port in node.glue)
                nodes.append(Node(attributes, node.token, glue))
            edges += [replace(e, source=start + e.source, target=start + e.target) for e in own.edges]
            if name == DERIVATION:
                edges += [Edge(head, SAME, start + own.exports[0]) for head in heads]
            heads.append(start + own.exports[0])
            exports += [start + node for node in own.exports]
        return Fragment(tuple(nodes), tuple(edges), tuple(exports))

    return replace(
        grammar,
        categories=tuple(
            Category(c.name, tuple(f"{x}.{port}" for x in names for port in c.ports_in(x))) for c in grammar.categories
        ),
        rules=tuple(replace(rule, fragments=(fragment(rule),)) for rule in grammar.rules),
        graph_layers=(GraphLayer(layer, grammar.graph_layers[numbers[0]].anchor, free=True),),
        views=(),
    )
