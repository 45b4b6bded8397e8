"""Glue the graph of a derivation together, from plain tables.

Read from the back, the rules of a derivation come with the values of their children on a
stack, the first child uppermost.  The value of a phrase is its words and its *ports*, the
nodes that are still visible.  A rule makes nodes, or takes ports of its children, several
of them glued to one node; it writes edges between these nodes, and exports some as the
ports of the whole.

This module needs nothing but the standard library, because the standalone sampler of a
dataset contains it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sgl.core.graph import Graph, GraphNode

Attributes = tuple[tuple[str, str], ...]

#: In ``GluingRule.items``: a word of the rule, and not one of its children.
WORD = -1


class GluingNode(NamedTuple):
    """A node of a rule: as in ``sgl.core.grammar.Node``."""

    attributes: Attributes | None
    token: int | None
    glue: tuple[tuple[int, int], ...]


class GluingRule(NamedTuple):
    """What a rule does in a graph layer.

    ``items`` is its template in the text layer whose words the nodes are: the numbers of
    children, or ``WORD``; ``token`` of a node counts in it.  ``edges`` are between nodes
    by number, ``exports`` the nodes that become ports; ``last`` are edges that are written
    after those of the rules below.
    """

    items: tuple[int, ...]
    nodes: tuple[GluingNode, ...]
    edges: tuple[tuple[int, str, int], ...]
    exports: tuple[int, ...]
    last: tuple[tuple[int, str, int], ...] = ()


def glue(
    rules: Sequence[GluingRule], arity: Sequence[int], derivation: Sequence[int], *, written: bool
) -> Graph:
    """Return the graph of a derivation.

    ``arity[r]`` is the number of children of rule ``r``.  With ``written`` the edges of a
    node stand in the order in which rules write them, outer rules first, but their last
    edges after all others, inner rules first; else they are sorted.
    """
    builder = _Builder()
    stack: list[tuple[list[int], list[int]]] = []
    for number in reversed(derivation):
        children = [stack.pop() for _ in range(arity[number])]
        stack.append(builder.apply(rules[number], children))
    words, ports = stack.pop()
    return builder.graph(words, ports[0], written=written)


class _Builder:
    """Union-find over the nodes made so far, with their labels and edges."""

    def __init__(self) -> None:
        self._parent: list[int] = []
        self._attributes: list[Attributes | None] = []
        self._word: list[int] = []
        self._words = 0
        #: Edges rule by rule, the last rule of the derivation first.
        self._edges: list[list[tuple[int, str, int]]] = []
        self._last: list[tuple[int, str, int]] = []

    def apply(
        self, rule: GluingRule, children: Sequence[tuple[list[int], list[int]]]
    ) -> tuple[list[int], list[int]]:
        """Return the words and ports of a phrase, from those of its children."""
        words: list[int] = []
        own: dict[int, int] = {}
        for place, child in enumerate(rule.items):
            if child == WORD:
                own[place] = self._words
                words.append(self._words)
                self._words += 1
            else:
                words.extend(children[child][0])
        nodes = [self._node(node, own, children) for node in rule.nodes]
        self._edges.append([(nodes[s], label, nodes[t]) for s, label, t in rule.edges])
        self._last += [(nodes[s], label, nodes[t]) for s, label, t in rule.last]
        return words, [nodes[number] for number in rule.exports]

    def _node(
        self,
        node: GluingNode,
        own: dict[int, int],
        children: Sequence[tuple[list[int], list[int]]],
    ) -> int:
        glued = [children[child][1][port] for child, port in node.glue]
        found = self._find(glued[0]) if glued else self._create()
        for other in glued[1:]:
            self._merge(found, other)
        if node.attributes is not None:
            self._attributes[found] = node.attributes
            if node.token is not None:
                self._word[found] = own[node.token]
        return found

    def _create(self) -> int:
        self._parent.append(len(self._parent))
        self._attributes.append(None)
        self._word.append(-1)
        return len(self._parent) - 1

    def _find(self, node: int) -> int:
        while self._parent[node] != node:
            self._parent[node] = self._parent[self._parent[node]]
            node = self._parent[node]
        return node

    def _merge(self, first: int, second: int) -> None:
        """Make two nodes one, under the number of the first."""
        second = self._find(second)
        if first != second:
            self._parent[second] = first
            if self._attributes[first] is None:
                self._attributes[first] = self._attributes[second]
                self._word[first] = self._word[second]

    def graph(self, words: Sequence[int], head: int, *, written: bool) -> Graph:
        """Return the graph over these words, its nodes in their order."""
        position = {word: index for index, word in enumerate(words)}
        # A phrase may leave a gap open: a placeholder without a word is no node yet.
        roots = [
            node
            for node in range(len(self._parent))
            if self._find(node) == node and self._word[node] in position
        ]
        roots.sort(key=lambda node: position[self._word[node]])
        index = {node: rank for rank, node in enumerate(roots)}
        nodes = tuple(
            GraphNode(self._attributes[node] or (), position[self._word[node]]) for node in roots
        )
        edges = dict.fromkeys(
            (index[self._find(source)], label, index[self._find(target)])
            for of_rule in (*reversed(self._edges), self._last)
            for source, label, target in of_rule
            if self._find(source) in index and self._find(target) in index
        )
        ordered = sorted(edges, key=lambda edge: edge[0]) if written else sorted(edges)
        return Graph(nodes, tuple(ordered), index[self._find(head)])
