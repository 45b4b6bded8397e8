"""Evaluate many derivations: what ``sgl.core.interpret`` does, shape by shape.

Derivations that differ in their words only have the same *shape*: the same word
order in every language and the same edges.  A shape is worked out once, by the
definition in ``sgl.core.interpret``; the other derivations of that shape only
fill in their words::

    (clause (np the dog) slept)     shape    (clause (np _ _) _)
                                    tokens   words of rules 2, 3, 4
    (clause (np a cat) ran)         edges    3 -nsubj-> 2, 2 -det-> 1
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import Derivation, Item, capitalised, derive_graph, finish
from sgl.core.word_order import WordPlace, word_order

#: Shapes that are remembered.
REMEMBERED_SHAPES = 20_000


@dataclass(frozen=True, slots=True)
class _Shape:
    """The tokens of each text layer; for each graph layer its graph and anchor."""

    tokens: tuple[tuple[WordPlace, ...], ...]
    graphs: tuple[tuple[Graph, int], ...]


class Interpreter:
    """A function from derivations to items, equal to ``interpret``."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._representative = _representatives(grammar)
        self._words = [
            [
                tuple(item.text if isinstance(item, Token) else "" for item in rule.templates[i])
                for rule in grammar.rules
            ]
            for i in range(len(grammar.text_layers))
        ]
        self._attributes = [
            [
                {node.token: node.attributes or () for node in rule.fragments[layer].nodes}
                for rule in grammar.rules
            ]
            for layer in range(len(grammar.graph_layers))
        ]
        self._shape = lru_cache(maxsize=REMEMBERED_SHAPES)(self._work_out)
        self._node = lru_cache(maxsize=None)(self._make_node)

    def __call__(self, derivation: Derivation) -> Item:
        """The value of ``derivation`` in every layer."""
        representative = self._representative
        shape = self._shape(tuple([representative[rule] for rule in derivation]))
        tokens = tuple(
            _fill(words, wanted, derivation)
            for words, wanted in zip(self._words, shape.tokens, strict=True)
        )
        texts = tuple(
            finish(layer, words)
            for layer, words in zip(self._grammar.text_layers, tokens, strict=True)
        )
        graphs = tuple(
            self._graph(layer, graph, shape.tokens[anchor], derivation)
            for layer, (graph, anchor) in enumerate(shape.graphs)
        )
        return Item(derivation, tokens, texts, graphs)

    def _graph(
        self, layer: int, graph: Graph, words: tuple[WordPlace, ...], derivation: Derivation
    ) -> Graph:
        """The graph of a shape with the attributes of this derivation's words."""
        nodes: list[GraphNode] = []
        for node in graph.nodes:
            place, item, _ = words[node.position]
            nodes.append(self._node(layer, derivation[place], item, node.position))
        return Graph(tuple(nodes), graph.edges, graph.head)

    def _make_node(self, layer: int, rule: int, item: int, position: int) -> GraphNode:
        return GraphNode(self._attributes[layer][rule][item], position)

    def _work_out(self, shape: Derivation) -> _Shape:
        grammar = self._grammar
        anchors = [grammar.text_layer(layer.anchor) for layer in grammar.graph_layers]
        graphs = [derive_graph(grammar, shape, layer) for layer in range(len(anchors))]
        return _Shape(
            tokens=tuple(
                word_order(grammar, shape, layer) for layer in range(len(grammar.text_layers))
            ),
            graphs=tuple(zip(graphs, anchors, strict=True)),
        )


def _fill(
    words: list[tuple[str, ...]], wanted: tuple[WordPlace, ...], derivation: Derivation
) -> tuple[str, ...]:
    """The tokens of a layer, from the words that each rule writes in it."""
    tokens: list[str] = []
    for place, item, capital in wanted:
        word = words[derivation[place]][item]
        tokens.append(capitalised(word) if capital else word)
    return tuple(tokens)


def _representatives(grammar: CoreGrammar) -> list[int]:
    """For each rule the first one that differs from it in words only."""
    first: dict[object, int] = {}
    return [
        first.setdefault(_without_words(rule) if rule.lexical else rule.id, rule.id)
        for rule in grammar.rules
    ]


def _without_words(rule: Rule) -> object:
    """What a lexical rule contributes besides its words: which are empty, and its graph."""
    templates = tuple(
        tuple(isinstance(item, Token) and bool(item.text) for item in template)
        for template in rule.templates
    )
    fragments = tuple(
        replace(
            fragment,
            nodes=tuple(
                node if node.attributes is None else replace(node, attributes=())
                for node in fragment.nodes
            ),
        )
        for fragment in rule.fragments
    )
    return templates, fragments
