"""Interpret the rules of a certificate: symbols, ingredients, texts and their lengths, graph layers.

A rule adds its own words to those of its children, each counted once per use in the template. Numbers from a cap on are
merged, since no test of a structure distinguishes them.

A joint layer, ``syn+sem``, has the nodes of its layers with ``graph.layer`` as an attribute, and an edge ``&`` between
two nodes of one word; in the derivation, from the head of a phrase to its rule.  A phrase whose head has neither a
label nor parts is empty in its layer: its head is no node, and passes no test.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, combinations, product
from typing import Any, NamedTuple

from sgl.verify.certificate_derivation import check_derivation
from sgl.verify.schema import CoreForm
from sgl.verify.schema_grammar import (
    DERIVATION,
    CertifiedGrammar,
    Flaw,
    FragmentEdge,
    FragmentNode,
    GrammarRule,
    RuleFragment,
    Template,
)
from sgl.verify.structure import LengthComparison, StructureBody, passes
from sgl.verify.texts import JOINTS, worth

SAME, LAYER = "&", "graph.layer"
Label = tuple[tuple[str, str], ...]
Port = tuple[int, int]  # a child's port: the numbers of both
EMPTY: Label = (("", "empty"),)  # the label of an empty phrase


# ---- lengths


class Words(NamedTuple):
    """The words that a rule writes in a part of a phrase: its own, and parts of children, as (child, part)."""

    own: int
    used: tuple[tuple[int, int], ...]


#: For each tested layer, the numbers of words in the parts of a phrase.
Counts = tuple[tuple[int, ...], ...]


class Lengths:
    """The lengths of phrases as far as a structure with these bodies distinguishes them.

    ``effects`` says, for each rule and tested layer, which words the rule adds and how often it uses each child;
    ``layers`` are the tested layers with their caps, which represent all greater numbers.
    """

    def __init__(self, grammar: CertifiedGrammar, bodies: Sequence[StructureBody]) -> None:
        if any(body.lengths or not bodies[0].variables for body in bodies[1:]):
            raise Flaw("a `without` cannot test lengths, only nodes")
        self.tests: tuple[LengthComparison, ...] = bodies[0].lengths
        self.layers = dict[str, int]()
        for test in self.tests:
            self.layers[test.layer] = max(self.layers.get(test.layer, 0), test.number + 1)
        numbers = [_countable(grammar, layer) for layer in self.layers]
        self.effects = [tuple(effect(rule.templates[layer]) for layer in numbers) for rule in grammar.rules]

    def of(self, effects: tuple[tuple[Words, ...], ...], children: Sequence[Counts]) -> Counts:
        """Return the lengths of all parts of a phrase, from its rule and its children's lengths."""
        found = []
        for at, (most, parts) in enumerate(zip(self.layers.values(), effects, strict=True)):
            if any(part >= len(children[child][at]) for _, used in parts for child, part in used):
                raise Flaw("a phrase has no part of this number")
            sums = (own + sum(children[child][at][part] for child, part in used) for own, used in parts)
            found.append(tuple(min(most, number) for number in sums))
        return tuple(found)

    def met(self, lengths: Counts) -> bool:
        """Return whether a text of these lengths passes all tests."""
        words = dict(zip(self.layers, map(sum, lengths), strict=True))
        return all(passes(words[test.layer], test) for test in self.tests)


def _countable(grammar: CertifiedGrammar, layer: str) -> int:
    """Return the number of a layer whose words can be counted rule by rule."""
    number = grammar.text(layer)
    finish = grammar.text_layers[number].finish
    if finish is not None and finish.absorb:
        raise Flaw("lengths of a layer that absorbs words cannot be counted")
    return number


def effect(template: Template) -> tuple[Words, ...]:
    """Return the words that a template writes in each of its parts."""
    parts = [Words(0, ())]
    for item in template:
        own, used = parts[-1]
        if item.text is not None:
            parts[-1] = Words(own + worth(item.text), used)
        elif item.child is None:
            parts.append(Words(0, ()))
        elif item.functions:
            raise Flaw("lengths of a layer with functions cannot be counted")
        else:
            parts[-1] = Words(own, (*used, (item.child, item.number)))
    return tuple(parts)


def fresh(choices: Sequence[Any], before: Sequence[int]) -> Iterator[Any]:
    """Yield the rows of choices, except those made only of the first ``before`` of each."""
    known = [[*own] for own in choices]
    if not before:
        yield from product(*known)
    for place, number in enumerate(before):
        yield from product(*known[:place], known[place][number:], *known[place + 1 :])
        del known[place][number:]


# ---- symbols and ingredients


class Symbols(NamedTuple):
    """For each symbol, its category, the categories of its children, and its rules."""

    ends: dict[int, tuple[int, tuple[int, ...]]]
    rules: dict[int, list[int]]


def symbols_of(rules: Sequence[GrammarRule], symbols: Sequence[int]) -> Symbols:
    """Return the meaning of the symbols, whose rules must agree in their categories."""
    found = Symbols({}, {})
    for number, (rule, symbol) in enumerate(zip(rules, symbols, strict=True)):
        found.rules.setdefault(symbol, []).append(number)
        if found.ends.setdefault(symbol, rule.ends) != rule.ends:
            raise Flaw(f"rule {rule.name} has other categories than its symbol {symbol}")
    return found


Ingredient = tuple[str, str]


def ingredients(core: CoreForm, rule: GrammarRule) -> frozenset[Ingredient]:
    """Return the ingredients of a rule: words, entries and forms, or words and the rule."""
    layer = core.plan.lemma_layer
    lemmas = {own.lemma for own in rule.lemmas(core.grammar.graph(layer))} if layer else set[str]()
    found = {("word", lemma) for lemma in lemmas}
    if rule.rhs:
        return frozenset({*found, ("rule", rule.name)})
    category = core.grammar.categories[rule.lhs].name.partition("[")[0]
    found |= {("entry", f"{category}: {lemma}") for lemma in lemmas}
    form = _form(core, rule)
    return frozenset({*found, ("form", form)} if form else found)


def _form(core: CoreForm, rule: GrammarRule) -> str:
    """Return the words of a rule in the target, if that is a text layer."""
    targets = [number for number, own in enumerate(core.grammar.text_layers) if own.name == core.plan.target]
    texts = [item.text for number in targets for item in rule.templates[number] if item.text is not None]
    return " ".join(text for text in texts if text not in JOINTS)


# ---- graph layers


class Edge(NamedTuple):
    """An edge between nodes of a phrase, by number."""

    source: int
    label: str
    target: int


class RuleFrame(NamedTuple):
    """The effect of a rule on graphs: nodes that stay visible, edges, and rows of nodes.

    Nodes are numbered, the visible ones first.  There is a row for the ports of each child and one for each labelled
    node; it has the numbers of the nodes that these become.
    """

    ports: int
    edges: tuple[Edge, ...]
    rows: tuple[tuple[int, ...], ...]


class Frames(NamedTuple):
    """The frames of a layer, its rows of labels as dictionaries, and each rule's numbers of both."""

    frames: list[RuleFrame]
    labels: list[list[dict[str, str]]]
    of_rules: list[tuple[int, int]]


class JointLayer(NamedTuple):
    """A part of a joint layer: its mark, its number, that of its text layer, and each category's number of ports.

    ``before`` is each category's number of ports in the preceding layers.
    """

    mark: str
    number: int
    anchor: int
    ports: Sequence[int]
    before: Sequence[int]


def frames_of(grammar: CertifiedGrammar, name: str, spend: Callable[[int], object]) -> Frames:
    """Return the effects of a grammar's rules in a graph layer."""
    layers = _joint(grammar, name)
    frames, labels, rules = dict[RuleFrame, int](), dict[tuple[Label, ...], int](), list[tuple[int, int]]()
    for rule in grammar.rules:
        parts = [_part(rule, layer) for layer in layers]
        spend(sum(len(part.nodes) for part in parts) ** 2)  # in a joint layer, all pairs may be one word
        ports = [sum(layer.ports[category] for layer in layers) for category in (rule.lhs, *rule.rhs)]
        frame, own = _frame(rule, _joined(parts, layers), ports)
        rules.append((frames.setdefault(frame, len(frames)), labels.setdefault(own, len(labels))))
    return Frames([*frames], [[dict(label) for label in row] for row in labels], rules)


def _joint(grammar: CertifiedGrammar, name: str) -> list[JointLayer]:
    """Return the layers that a name combines."""
    names, found = name.split("+"), list[JointLayer]()
    before = [0] * len(grammar.categories)
    for own in names:
        number = grammar.graph(own)
        ports = [category.ports_in(own) for category in grammar.categories]
        found.append(JointLayer(own if len(names) > 1 else "", number, grammar.anchor(number), ports, before))
        before = [*map(operator.add, before, ports)]
    numbers = [layer.number for layer in found]
    if numbers != sorted({*numbers}):
        raise Flaw(f"{name} is neither a layer nor a list of layers in their order")
    return found


def _part(rule: GrammarRule, layer: JointLayer) -> RuleFragment:
    """Return the effect of a rule in a layer; each child's ports in preceding layers come first."""
    fragment, nodes = rule.fragments[layer.number], list[FragmentNode]()
    for place, node in enumerate(fragment.nodes):
        label = _label(rule, node, layer.mark)
        if label is None and place == fragment.exports[0] and not node.glue:
            label = EMPTY
        glue = tuple((child, port + layer.before[rule.rhs[child]]) for child, port in node.glue)
        nodes.append(FragmentNode(label, node.token, glue))
    return replace(fragment, nodes=tuple(nodes))


def _label(rule: GrammarRule, node: FragmentNode, layer: str) -> Label | None:
    if node.attributes is None:
        return None
    names = [name for name, _ in node.attributes]
    if node.token is None or "" in names or LAYER in names:
        raise Flaw(f"a label of rule {rule.name} has no word, or a name of its own")
    if len({*names}) < len(names):
        raise Flaw(f"a label of rule {rule.name} has an attribute twice")
    return (*node.attributes, (LAYER, layer)) if layer else node.attributes


def _joined(parts: Sequence[RuleFragment], layers: Sequence[JointLayer]) -> RuleFragment:
    """Return the parts of a joint layer as one, with their nodes one after the other."""
    nodes, edges, exports = list[FragmentNode](), list[FragmentEdge](), list[int]()
    words = list[tuple[int, tuple[int, int | None]]]()
    for part, layer in zip(parts, layers, strict=True):
        start = len(nodes)
        edges += [replace(edge, source=edge.source + start, target=edge.target + start) for edge in part.edges]
        exports += [node + start for node in part.exports]
        words += [(start + place, (layer.anchor, node.token)) for place, node in enumerate(part.nodes)]
        nodes += part.nodes
    if len(parts) > 1:
        edges += _same(words)
    if layers[-1].mark == DERIVATION:
        edges += _headed(parts)
    return RuleFragment(tuple(nodes), tuple(edges), tuple(exports))


def _headed(parts: Sequence[RuleFragment]) -> Iterator[FragmentEdge]:
    """Yield an edge from the head of a phrase, in each layer, to its node in the derivation, the last layer."""
    *starts, node = accumulate((len(part.nodes) for part in parts[:-1]), initial=0)
    for start, part in zip(starts, parts, strict=False):
        yield from (FragmentEdge(start + head, SAME, node) for head in part.exports[:1])


def _same(words: Sequence[tuple[int, tuple[int, int | None]]]) -> Iterator[FragmentEdge]:
    """Yield edges between the nodes of one word."""
    placed = [(node, word) for node, word in words if word[1] is not None]
    for (node, word), (other, same) in combinations(placed, 2):
        if word == same:
            yield FragmentEdge(node, SAME, other)


def _frame(rule: GrammarRule, part: RuleFragment, ports: Sequence[int]) -> tuple[RuleFrame, tuple[Label, ...]]:
    """Return the frame of a rule and its labels; ``ports`` are the numbers of ports of the rule and its children."""
    node_of = _glued(rule, part, ports[1:])
    if not len({*part.exports}) == len(part.exports) == ports[0]:
        raise Flaw(f"rule {rule.name} does not have the ports of its category")
    order = dict.fromkeys([*part.exports, *range(len(part.nodes)), *node_of.values()])
    place = {node: number for number, node in enumerate(order)}
    become = [tuple(place[node_of[child, port]] for port in range(size)) for child, size in enumerate(ports[1:])]
    labels = list[Label]()
    for number, node in enumerate(part.nodes):
        if node.attributes is not None:
            labels.append(node.attributes)
            become.append((place[number],))
    edges = tuple(Edge(place[edge.source], edge.label, place[edge.target]) for edge in part.edges)
    return RuleFrame(len(part.exports), edges, tuple(become)), tuple(labels)


def _glued(rule: GrammarRule, part: RuleFragment, ports: Sequence[int]) -> dict[Port, Any]:
    """Return the node to which each port of a child is glued, or the port itself, which is then a separate node."""
    found: dict[Port, Any] = {(child, port): (child, port) for child, size in enumerate(ports) for port in range(size)}
    for number, node in enumerate(part.nodes):
        for port in node.glue:
            if found.get(port) != port:
                raise Flaw(f"rule {rule.name} glues something that is not a port, or a port twice")
            found[port] = number
    return found


# ---- layers and twins


def check_layers(core: CoreForm, spend: Callable[[int], object]) -> None:
    """Check the names of layers and views, that texts differ from their twins in one place, and that nodes have one."""
    grammar = core.grammar
    graphs = [layer.name for layer in grammar.graph_layers]
    _check_names([*graphs, *(layer.name for layer in grammar.text_layers)])
    _check_names([view.name for view in grammar.views])
    if core.plan.lemma_layer != [*graphs, ""][0]:
        raise Flaw("the layer of lemmas is not the first graph layer")
    for number, layer in enumerate(grammar.text_layers):
        if layer.finish is not None:
            _check_twin(grammar, number, layer.finish.twin, spend)
    for number in range(len(grammar.graph_layers)):
        _check_written(grammar, number, spend)
    check_derivation(grammar)


def _check_names(names: Sequence[str]) -> None:
    if "" in names or len({*names}) < len(names):
        raise Flaw("two layers or two views have the same name, or one has none")


def _check_twin(grammar: CertifiedGrammar, layer: int, twin: str, spend: Callable[[int], object]) -> None:
    if twin and differences(grammar, layer, grammar.text(twin), spend) != {1}:
        raise Flaw(f"not every text differs from its twin in {grammar.text_layers[layer].name} once")


def _check_written(grammar: CertifiedGrammar, layer: int, spend: Callable[[int], object]) -> None:
    """Check that each node of a graph layer is one word, written in one place: otherwise the text has other nodes."""
    anchor, noded = grammar.anchor(layer), _noded(grammar, layer, spend)
    for rule in grammar.rules:
        nodes, times = _nodes(rule, layer, noded), Counter(place for _, place in _written(rule.templates[anchor]))
        if any(number != 1 or times[place] != 1 for place, number in nodes.items()):
            raise Flaw(f"a node of rule {rule.name} or below does not have one place in the text of its layer")


def _noded(grammar: CertifiedGrammar, layer: int, spend: Callable[[int], object]) -> list[set[int]]:
    """Return for each category the parts of its phrases that may have nodes of a graph layer."""
    found, size, anchor = [set[int]() for _ in grammar.categories], -1, grammar.anchor(layer)
    while size < (size := sum(map(len, found))):
        for rule in grammar.rules:
            nodes = _nodes(rule, layer, found)
            spend(1 + len(rule.templates[anchor]) + len(nodes))
            found[rule.lhs] |= {part for part, place in _written(rule.templates[anchor]) if place in nodes}
    return found


def _nodes(rule: GrammarRule, layer: int, noded: Sequence[set[int]]) -> Counter[Port]:
    """Count the nodes of each word of a rule, as (-1, item), and each part of a child, as one, if it may have nodes."""
    own = [(-1, x.token) for x in rule.fragments[layer].nodes if x.attributes is not None and x.token is not None]
    return Counter([*own, *((child, part) for child, category in enumerate(rule.rhs) for part in noded[category])])


def _written(template: Template) -> Iterator[tuple[int, Port]]:
    """Yield each word, and each part of a child, behind the part that it is in; twice if a function may lose words."""
    part = 0
    for place, item in enumerate(template):
        if item.child is not None:
            yield from [(part, (item.child, item.number))] * (1 + len(item.functions))
        elif item.text is None:
            part += 1
        elif item.text not in JOINTS:
            yield part, (-1, place)


def differences(grammar: CertifiedGrammar, layer: int, twin: int, spend: Callable[[int], object]) -> set[int]:
    """Return the possible numbers of rules in which a text's two layers differ; 2 stands for more."""
    found, size = [set[int]() for _ in grammar.categories], -1
    while size < (size := sum(map(len, found))):
        for rule in grammar.rules:
            spend(1 + len(rule.templates[layer]))
            uses = Counter(item.child for item in rule.templates[layer])
            sums = {int(rule.templates[layer] != rule.templates[twin])}
            for child, category in enumerate(rule.rhs):
                sums = {min(2, one + uses[child] * count) for one in sums for count in found[category]}
            found[rule.lhs] |= sums
    return found[grammar.start]
