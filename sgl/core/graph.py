"""Define the graphs of graph layers, and glue them together by rules.

A graph has nodes on tokens and labelled edges.  An edge whose label starts with ``~`` leads to an extracted node (the
gap of a relative clause, a fronted wh-word, a controlled subject).  In UD terms, the unmarked edges form the basic tree
and all edges together the enhanced graph.

Read backwards, each rule of a derivation finds the values of its children on a stack, the first child uppermost.  The
value of a phrase is its words and its *ports*, the nodes that are still visible.  A rule makes nodes or takes ports of
its children, gluing several to one node; it writes edges between these nodes, and exports some as the ports of the
whole.

    (np the dog)      words 0 1, node 0 on word 1, which is the port

This module needs only the standard library, because the standalone sampler of a dataset contains it unchanged.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

Attributes = tuple[tuple[str, str], ...]


class GraphNode(NamedTuple):
    """A node: its attributes (sorted pairs) and its token's 0-based position."""

    attributes: Attributes
    position: int

    def get(self, attribute: str, default: str = "") -> str:
        """Return the value of an attribute, or ``default``."""
        for key, value in self.attributes:
            if key == attribute:
                return value
        return default


class Graph(NamedTuple):
    """A graph over the tokens of a sentence.

    ``nodes`` are in the order of their tokens; an edge ``(s, label, t)`` names nodes by their index in ``nodes``;
    ``head`` is the index of the head of the whole text, or -1 if that is not a node.  ``edges`` are sorted.  In a free
    layer they are sorted only by source, and the edges of one node are in the order in which the derivation writes
    them: outer rules before inner ones, and within a rule as written.  Logical forms list the roles of an event in this
    order, the subject first.
    """

    nodes: tuple[GraphNode, ...]
    edges: tuple[tuple[int, str, int], ...]
    head: int


def moved(graph: Graph, places: Sequence[int]) -> Graph:
    """Return a graph whose words stand at other places; -1 for one that is not there, and has no node."""
    kept = [number for number, node in enumerate(graph.nodes) if places[node.position] >= 0]
    index = {number: rank for rank, number in enumerate(kept)}
    nodes = [graph.nodes[n]._replace(position=places[graph.nodes[n].position]) for n in kept]
    edges = [(index[s], e, index[t]) for s, e, t in graph.edges if s in index and t in index]
    return Graph(tuple(nodes), tuple(edges), index.get(graph.head, -1))


#: The most graphs that are remembered.
MOST_KNOWN = 1 << 12

#: In ``GluingRule.items``, a word of the rule rather than a child, and the end of a part.
WORD, END = -1, -2

#: If a phrase has parts, one ends before each ``CUT``, which is not a word.  Tables represent a part of a child by
#: ``child + part * PARTS``, with parts counted from 1.
CUT, PARTS = "\0", 1 << 16


class GluingNode(NamedTuple):
    """A node of a rule, as in ``sgl.core.grammar.Node``."""

    attributes: Attributes | None
    token: int | None
    glue: tuple[tuple[int, int], ...]


class GluingRule(NamedTuple):
    """The effect of a rule in a graph layer.

    ``items`` is its template in the anchoring text layer: the numbers of children, ``WORD`` or ``END``; a node's
    ``token`` is an index into it.  ``edges`` connect nodes by number, ``exports`` are the nodes that become ports;
    ``last`` edges are written after the edges of the rules below.
    """

    items: tuple[int, ...]
    nodes: tuple[GluingNode, ...]
    edges: tuple[tuple[int, str, int], ...]
    exports: tuple[int, ...]
    last: tuple[tuple[int, str, int], ...] = ()


class Gluer:
    """A function that glues the graphs of derivations together.

    ``arity[r]`` is the number of children of rule ``r``; rules may be added later.  With ``written``, the edges of a
    node are in the order in which rules write them, outer rules first, but ``last`` edges come after all others, inner
    rules first; otherwise edges are sorted.
    """

    def __init__(self, rules: Sequence[GluingRule], arity: Sequence[int], *, written: bool) -> None:
        self._rules = rules
        self._arity = arity
        self._written = written
        #: The latest graphs, as several outputs are often written for one derivation.
        self._known: dict[Sequence[int], Graph] = {}

    def __getstate__(self) -> dict[str, object]:
        """Pickle everything except the graphs."""
        return {**vars(self), "_known": {}}

    def __call__(self, derivation: tuple[int, ...]) -> Graph:
        """Return the graph of a derivation."""
        known = self._known.get(derivation)
        if known is None:
            if len(self._known) == MOST_KNOWN:
                self._known.clear()
            known = self._known[derivation] = self._glued(derivation)
        return known

    def _glued(self, derivation: Sequence[int]) -> Graph:
        rules, arity = self._rules, self._arity
        glued = _Gluing()
        stack: list[_Phrase] = []
        for number in reversed(derivation):
            size = arity[number]
            children = stack[: -size - 1 : -1]
            del stack[len(stack) - size :]
            stack.append(glued.phrase(rules[number], children))
        return glued.graph(stack.pop(), written=self._written)


#: The numbers of the words of a phrase from left to right, with nested lists for children, and the numbers of the nodes
#: at its ports.
_Phrase = tuple[list[Any], list[int]]


class _Gluing:
    """The nodes and edges of a derivation, numbered as they are made while reading it backwards."""

    def __init__(self) -> None:
        self._words = 0
        self._attributes: list[Attributes | None] = []
        #: The word of each node, or -1 without one.
        self._word: list[int] = []
        #: The node that each glued node was merged into.
        self._parent: dict[int, int] = {}
        #: The edges of each rule, and all ``last`` edges.
        self._edges: list[list[tuple[int, str, int]]] = []
        self._last: list[tuple[int, str, int]] = []

    def phrase(self, rule: GluingRule, children: Sequence[_Phrase]) -> _Phrase:
        items, nodes, edges, exports, last = rule
        words: list[Any] = []
        for item in items:
            if item == WORD:
                words.append(self._words)
                self._words += 1
            elif 0 <= item < PARTS:
                words.append(children[item][0])
            else:
                child, part = item % PARTS, item // PARTS
                words.append(CUT if item == END else part_of(children[child][0], part))
        made: list[int] = []
        for attributes, token, glue in nodes:
            if glue:
                node = self._glue([children[child][1][port] for child, port in glue])
            else:
                node = len(self._word)
                self._attributes.append(None)
                self._word.append(-1)
            if attributes is not None:
                self._attributes[node] = attributes
                if token is not None:
                    self._word[node] = words[token]
            made.append(node)
        if edges:
            self._edges.append([(made[s], label, made[t]) for s, label, t in edges])
        for s, label, t in last:
            self._last.append((made[s], label, made[t]))
        return words, [made[node] for node in exports]

    def _glue(self, ports: Sequence[int]) -> int:
        first = self._root(ports[0])
        for port in ports[1:]:
            other = self._root(port)
            if other != first:
                self._parent[other] = first
                if self._attributes[first] is None:
                    self._attributes[first] = self._attributes[other]
                    self._word[first] = self._word[other]
        return first

    def _root(self, node: int) -> int:
        while node in self._parent:
            node = self._parent[node]
        return node

    def graph(self, phrase: _Phrase, *, written: bool) -> Graph:
        words, ports = phrase
        position = _positions([word for word in words if word != CUT])
        parent, word = self._parent, self._word
        # A phrase may leave a gap open: a placeholder without a word is not a node yet.
        nodes = [node for node, at in enumerate(word) if at >= 0 and node not in parent]
        nodes.sort(key=lambda node: position[word[node]])
        index = {node: rank for rank, node in enumerate(nodes)}
        for node in parent:
            root = self._root(node)
            if root in index:
                index[node] = index[root]
        # Rules were read backwards, and so were their edges.
        edges = dict.fromkeys(
            (index[source], label, index[target])
            for source, label, target in (*chain(*reversed(self._edges)), *self._last)
            if source in index and target in index
        )
        shown = [GraphNode(self._attributes[n] or (), position[word[n]]) for n in nodes]
        ordered = sorted(edges, key=lambda edge: edge[0]) if written else sorted(edges)
        return Graph(tuple(shown), tuple(ordered), index.get(ports[0], -1))


def parts_of(words: Sequence[Any], cut: object = CUT) -> list[Sequence[Any]]:
    """Divide the words of a phrase into its parts.

    >>> parts_of(["steht", CUT, "auf"])
    [['steht'], ['auf']]
    """
    ends = [place for place, word in enumerate(words) if word == cut]
    starts = [0, *(end + 1 for end in ends)]
    return [words[own] for own in map(slice, starts, [*ends, len(words)])]


def part_of(words: Sequence[Any], part: int, cut: object = CUT) -> Sequence[Any]:
    """Return one part of the words of a phrase, by its number from 1; 0 means all of them."""
    return parts_of(words, cut)[part - 1] if part else words


def _positions(words: list[Any]) -> dict[int, int]:
    position: dict[int, int] = {}
    waiting = [iter(words)]
    while waiting:
        for item in waiting[-1]:
            if isinstance(item, list):
                waiting.append(iter(item))
                break
            position[item] = len(position)
        else:
            waiting.pop()
    return position
