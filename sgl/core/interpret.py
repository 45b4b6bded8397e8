"""Evaluate a derivation in the layers of its grammar.

A derivation is the tuple of its rule ids in preorder.  Because every rule has a
fixed number of children this determines the tree, and reading it from the back
is a postorder walk that needs no recursion: the values of a rule's children are
the last ones on the stack, the first child on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar, Rule, TextLayer, Token
from sgl.core.graph import Graph, GraphNode

Derivation = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A derivation with its value in every layer.

    ``tokens[i]`` and ``texts[i]`` belong to text layer ``i`` of the grammar,
    ``graphs[j]`` to graph layer ``j``.
    """

    derivation: Derivation
    tokens: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...]
    graphs: tuple[Graph, ...]


def interpret(grammar: CoreGrammar, derivation: Derivation) -> Item:
    """The value of ``derivation`` in every layer."""
    tokens = tuple(
        tuple(derive_tokens(grammar, derivation, layer))
        for layer in range(len(grammar.text_layers))
    )
    return Item(
        derivation=derivation,
        tokens=tokens,
        texts=tuple(
            finish(layer, words) for layer, words in zip(grammar.text_layers, tokens, strict=True)
        ),
        graphs=tuple(
            derive_graph(grammar, derivation, layer) for layer in range(len(grammar.graph_layers))
        ),
    )


def derive_tokens(grammar: CoreGrammar, derivation: Derivation, layer: int) -> list[str]:
    """The tokens of ``derivation`` in text layer ``layer``."""
    rules = grammar.rules
    stack: list[list[str]] = []
    for rule_id in reversed(derivation):
        rule = rules[rule_id]
        children = [stack.pop() for _ in rule.rhs]
        words: list[str] = []
        for item in rule.templates[layer]:
            if isinstance(item, Token):
                words.append(item.text)
            elif item.capital:
                words.extend(_capitalised(children[item.child]))
            else:
                words.extend(children[item.child])
        stack.append(words)
    return stack.pop()


def finish(layer: TextLayer, tokens: Sequence[str]) -> str:
    """Join tokens as the layer declares: ``attach`` tokens take no space."""
    if not layer.join:
        return "".join(tokens)
    parts: list[str] = []
    for token in tokens:
        if parts and token not in layer.attach:
            parts.append(layer.join)
        parts.append(token)
    return "".join(parts)


def _capitalised(tokens: list[str]) -> list[str]:
    for index, token in enumerate(tokens):
        if token:
            return [*tokens[:index], token[0].upper() + token[1:], *tokens[index + 1 :]]
    return tokens


class _GraphBuilder:
    """Union-find over the nodes created so far, with their labels and edges."""

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.attributes: list[tuple[tuple[str, str], ...] | None] = []
        self.token: list[int] = []
        #: Edges rule by rule, the last rule of the derivation first.
        self.edges: list[list[tuple[int, str, int]]] = []
        self.token_count = 0

    def find(self, node: int) -> int:
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def create(self) -> int:
        self.parent.append(len(self.parent))
        self.attributes.append(None)
        self.token.append(-1)
        return len(self.parent) - 1

    def merge(self, first: int, second: int) -> int:
        first, second = self.find(first), self.find(second)
        if first != second:
            self.parent[second] = first
            if self.attributes[first] is None:
                self.attributes[first] = self.attributes[second]
                self.token[first] = self.token[second]
        return first


def derive_graph(grammar: CoreGrammar, derivation: Derivation, layer: int) -> Graph:
    """The graph of ``derivation`` in graph layer ``layer``."""
    anchor = grammar.text_layer(grammar.graph_layers[layer].anchor)
    builder = _GraphBuilder()
    # Each value on the stack: ids of the anchor tokens in order, and the ports.
    stack: list[tuple[list[int], list[int]]] = []
    for rule_id in reversed(derivation):
        rule = grammar.rules[rule_id]
        children = [stack.pop() for _ in rule.rhs]
        stack.append(_apply(builder, rule, layer, anchor, children))
    tokens, ports = stack.pop()
    return _freeze(builder, tokens, ports[0], written=grammar.graph_layers[layer].free)


def _apply(
    builder: _GraphBuilder,
    rule: Rule,
    layer: int,
    anchor: int,
    children: list[tuple[list[int], list[int]]],
) -> tuple[list[int], list[int]]:
    tokens: list[int] = []
    token_of_item: dict[int, int] = {}
    for index, item in enumerate(rule.templates[anchor]):
        if isinstance(item, Token):
            token_of_item[index] = builder.token_count
            tokens.append(builder.token_count)
            builder.token_count += 1
        else:
            tokens.extend(children[item.child][0])
    fragment = rule.fragments[layer]
    local: list[int] = []
    for node in fragment.nodes:
        glued = [children[child][1][port] for child, port in node.glue]
        identity = builder.find(glued[0]) if glued else builder.create()
        for other in glued[1:]:
            identity = builder.merge(identity, other)
        if node.attributes is not None:
            builder.attributes[identity] = node.attributes
            if node.token is not None:
                builder.token[identity] = token_of_item[node.token]
        local.append(identity)
    builder.edges.append(
        [(local[edge.source], edge.label, local[edge.target]) for edge in fragment.edges]
    )
    return tokens, [local[index] for index in fragment.exports]


def _freeze(builder: _GraphBuilder, tokens: list[int], head: int, *, written: bool) -> Graph:
    """The graph; with ``written`` the edges of a node in the order in which rules write them."""
    position = {token: index for index, token in enumerate(tokens)}
    # A phrase may leave a gap open: a placeholder without a word is no node yet.
    roots = [
        node
        for node in range(len(builder.parent))
        if builder.find(node) == node and builder.token[node] in position
    ]
    roots.sort(key=lambda node: position[builder.token[node]])
    index = {node: rank for rank, node in enumerate(roots)}
    nodes = tuple(
        GraphNode(builder.attributes[node] or (), position[builder.token[node]]) for node in roots
    )
    edges = dict.fromkeys(
        (index[builder.find(source)], label, index[builder.find(target)])
        for of_rule in reversed(builder.edges)
        for source, label, target in of_rule
        if builder.find(source) in index and builder.find(target) in index
    )
    ordered = sorted(edges, key=lambda edge: edge[0]) if written else sorted(edges)
    return Graph(nodes, tuple(ordered), index[builder.find(head)])
