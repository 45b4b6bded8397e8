"""Interpret derivations except for their words: where words come from, and which nodes of rules coincide.

Rules are *alike* if they differ only in their names, weights, categories, words and attributes.  Two derivations have
one *shape* if their rules are alike one by one.  Everything here depends only on the shape, and is computed once for
it: a dataset has many sentences of a shape.  Shapes consist of rules without words, so the results cannot depend on a
word; ``derivation.py`` fills in the words.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import NamedTuple

from sgl.verify.schema_grammar import CertifiedGrammar, Flaw, GrammarRule, TemplateItem
from sgl.verify.texts import FUNCTIONS, LARGEST, Origin, Word, Words, capitalised
from sgl.verify.trees import EdgeColumns, edge_columns

Derivation = tuple[int, ...]  # its rules, in preorder
Shape = tuple[int, ...]  # a derivation with the number of each rule without words
HELD = 1 << 21  # words, nodes and edges to cache before the caches are cleared


class RuleUse(NamedTuple):
    """The places of a rule in a derivation and of its children."""

    place: int
    below: list[int]


class GluedNode(NamedTuple):
    """A node of a graph: the place of its word in the text, and the rule's node that labels it."""

    word: int
    label: "Local"


class GraphArc(NamedTuple):
    """An edge between nodes, by number."""

    source: int
    label: str
    target: int


class GluedGraph(NamedTuple):
    """The graph of a text: nodes in the order of their words, edges, and the head (-1 if it is no node).

    ``heads`` are those of the phrases that the rules make: words from 1, or 0.
    """

    nodes: list[GluedNode]
    edges: tuple[GraphArc, ...]
    head: int
    heads: list[int]


Local = tuple[int, int]  # the place of a rule in the derivation, and its node
LocalEdge = tuple[Local, str, Local]


def without_words(rule: GrammarRule) -> GrammarRule:
    """Return a rule without the parts that do not affect shapes; of a word, keep only whether it has letters."""
    templates = [[replace(item, text=item.text and "…") for item in template] for template in rule.templates]
    fragments = []
    for own in rule.fragments:
        nodes = [replace(node, attributes=None if node.attributes is None else ()) for node in own.nodes]
        fragments.append(replace(own, nodes=tuple(nodes)))
    children = (0,) * len(rule.rhs)
    return GrammarRule("", 0, children, "1", tuple(map(tuple, templates)), tuple(fragments))


class Shapes:
    """Interprets the shapes of a grammar; ``spend`` is called with the steps that this takes."""

    def __init__(self, grammar: CertifiedGrammar, spend: Callable[[int], object]) -> None:
        self.grammar, self.spend, self.held = grammar, spend, 0
        numbers = dict[GrammarRule, int]()
        self.alike = [numbers.setdefault(without_words(rule), len(numbers)) for rule in grammar.rules]
        self.rules = [*numbers]
        self.of, self.walk = lru_cache(8)(self._of), lru_cache(8)(self._walk)
        self.parts, self.graph, self.columns = cache(self._parts), cache(self._graph), cache(self._columns)

    def hold(self, size: int) -> None:
        """Account for new cache entries; clear the caches if they are too large."""
        self.spend(size)
        self.held += size
        if self.held > HELD:
            self.held = size
            for known in (self.parts, self.graph, self.columns):
                known.cache_clear()

    def _of(self, derivation: Derivation) -> Shape:
        """Return the shape of a derivation."""
        return tuple([self.alike[rule] for rule in derivation])

    def _walk(self, shape: Shape) -> list[RuleUse]:
        """Return the rules from last to first, each before the rules above it."""
        steps, places = list[RuleUse](), list[int]()
        for place in range(len(shape) - 1, -1, -1):
            children = self.rules[shape[place]].rhs
            if len(places) < len(children):
                raise Flaw("the rules are not one tree")
            steps.append(RuleUse(place, [places.pop() for _ in children]))
            places.append(place)
        if places != [0]:
            raise Flaw("the rules are not one tree")
        return steps

    def _parts(self, layer: int, shape: Shape) -> list[Words]:
        """Return the parts of a phrase in a text layer."""
        phrases = dict[int, list[Words]]()
        for place, below in self.walk(shape):
            parts = phrases[place] = [Words()]
            for number, item in enumerate(self.rules[shape[place]].templates[layer]):
                if item.child is not None:
                    parts[-1] += _of_child(item, phrases[below[item.child]])
                elif item.text is not None:
                    parts[-1].append(Word(Origin(place, number), not item.text))
                else:
                    parts.append(Words())
                if len(parts[-1]) > LARGEST:
                    raise Flaw("a text has too many words")
            self.spend(1 + sum(map(len, parts)))
        self.hold(sum(map(len, phrases[0])))
        return phrases[0]

    def _graph(self, layer: int, places: Sequence[int], shape: Shape) -> GluedGraph:
        """Return the graph of a graph layer, over the words of a text, which each word of a rule is a part of."""
        words = self.parts(self.grammar.anchor(layer), shape)[0]
        at = {word.origin: number for word, number in zip(words, places, strict=True) if number >= 0}
        rules = [self.rules[number] for number in shape]
        gluing = Gluing(self.walk(shape), rules, layer, self.spend)
        graph = gluing.graph(at, free=self.grammar.graph_layers[layer].free)
        self.hold(len(graph.nodes) + len(graph.edges))
        return graph

    def _columns(self, layer: int, places: Sequence[int], shape: Shape) -> list[tuple[EdgeColumns, Local | None]]:
        """Return for each word the CoNLL-U columns for the edges of this graph, and the rule's node that labels it."""
        graph = self.graph(layer, places, shape)
        word_of = [node.word for node in graph.nodes]
        arcs = [(word_of[source], label, word_of[target]) for source, label, target in graph.edges]
        head = word_of[graph.head] if graph.head >= 0 else -1
        self.hold(len(places))
        size, free = 1 + max(places, default=-1), self.grammar.graph_layers[layer].free
        labels = {node.word: node.label for node in graph.nodes}
        return [(own, labels.get(at)) for at, own in enumerate(edge_columns(size, arcs, head, free, self.spend))]


def _of_child(item: TemplateItem, parts: list[Words]) -> Words:
    """Return the words of a part of a child, after the functions of the template."""
    if item.number >= len(parts):
        raise Flaw(f"a phrase has no part {item.part}")
    words = parts[item.number]
    for name in reversed(item.functions):
        words = FUNCTIONS[name](words)
    return capitalised(words) if item.capital else words


class Gluing:
    """Builds the graph of a derivation from the root downwards: nodes of rules that coincide get one name."""

    def __init__(
        self, walk: list[RuleUse], rules: list[GrammarRule], layer: int, spend: Callable[[int], object]
    ) -> None:
        self.spend, self.fragments = spend, [rule.fragments[layer] for rule in rules]
        self.names = dict[Local, Local]()
        #: The labelled nodes with their words, in the order of the rules.
        self.labels = list[tuple[Origin, Local]]()
        self.edges, self.last = list[LocalEdge](), list[LocalEdge]()
        for step in reversed(walk):
            self._add(step)

    def _add(self, step: RuleUse) -> None:
        place, fragment = step.place, self.fragments[step.place]
        self.spend(len(fragment.nodes) + len(fragment.edges))
        for number, node in enumerate(fragment.nodes):
            own = self.names.setdefault((place, number), (place, number))
            for child, port in node.glue:
                own = self._meet(own, step.below[child], port)
            if node.attributes is not None and node.token is not None:
                self.labels.append((Origin(place, node.token), (place, number)))
        late = list[LocalEdge]()
        for edge in fragment.edges:
            made = (place, edge.source), edge.label, (place, edge.target)
            (late if edge.last else self.edges).append(made)
        self.last[:0] = late

    def _meet(self, own: Local, child: int, port: int) -> Local:
        """Identify a port of a child with a node."""
        exports = self.fragments[child].exports
        if port >= len(exports):
            raise Flaw(f"a rule has no port {port}")
        other = self.names.setdefault((child, exports[port]), own)
        if other != own:  # a child identifies two nodes
            self.spend(len(self.names))
            self.names = {node: own if name == other else name for node, name in self.names.items()}
        return own

    def graph(self, place_of: dict[Origin, int], *, free: bool) -> GluedGraph:
        """Return the graph over the words of a text, which words of rules are parts of."""
        found = self._nodes(place_of)
        order = sorted(found, key=lambda name: (found[name].word, name))
        number = {name: place for place, name in enumerate(order)}
        edges = dict[GraphArc, None]()
        for source, label, target in self.edges + self.last:
            start, end = number.get(self.names[source]), number.get(self.names[target])
            if start is not None and end is not None:
                edges[GraphArc(start, label, end)] = None
        ordered = sorted(edges, key=lambda edge: edge[:1] if free else edge)
        head = number.get(self.names[0, self.fragments[0].exports[0]], -1)
        return GluedGraph([found[name] for name in order], tuple(ordered), head, self._heads(found))

    def _heads(self, found: dict[Local, GluedNode]) -> list[int]:
        """Return the head of the phrase of each rule: its word from 1, or 0."""
        names = [self.names[place, fragment.exports[0]] for place, fragment in enumerate(self.fragments)]
        return [found[name].word + 1 if name in found else 0 for name in names]

    def _nodes(self, place_of: dict[Origin, int]) -> dict[Local, GluedNode]:
        """Return the nodes whose words are written, by name; of several labels the first counts."""
        found = dict[Local, GluedNode]()
        for origin, node in reversed(self.labels):
            if origin in place_of:
                found[self.names[node]] = GluedNode(place_of[origin], node)
        if len({node.word for node in found.values()}) < len(found):
            raise Flaw("two nodes are one word")
        return found
