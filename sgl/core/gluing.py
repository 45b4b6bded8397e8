"""Glue the graph of a derivation together, from plain tables.

Read from the back, the rules of a derivation come with the values of their children on a
stack, the first child uppermost.  The value of a phrase is its words and its *ports*, the
nodes that are still visible.  A rule makes nodes, or takes ports of its children, several
of them glued to one node; it writes edges between these nodes, and exports some as the
ports of the whole.

What a phrase is glued to does not depend on the attributes of its nodes.  So it is computed
without them, and kept for other phrases that differ in attributes only::

    (np the dog)    (np a cat)      2 words, 1 node on word 1, which is the port

This module needs nothing but the standard library, because the standalone sampler of a
dataset contains it as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
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


class Gluer:
    """Glues the graphs of derivations together.

    ``arity[r]`` is the number of children of rule ``r``; rules may be added later.  With
    ``written`` the edges of a node stand in the order in which rules write them, outer rules
    first, but their last edges after all others, inner rules first; else they are sorted.
    """

    def __init__(self, rules: Sequence[GluingRule], arity: Sequence[int], *, written: bool) -> None:
        self._rules = rules
        self._arity = arity
        self._written = written
        self._forms: list[_Form] = []

    def __call__(self, derivation: Sequence[int]) -> Graph:
        """Return the graph of a derivation.

        Raises:
            LookupError: it has no head, or none that is a node on a word.
        """
        rules, arity, forms = self._rules, self._arity, self._forms
        forms += [_form(rule) for rule in rules[len(forms) :]]
        joined = _kept if len(derivation) <= LONGEST_KEPT else _join
        stack: list[_Phrase] = []
        for number in reversed(derivation):
            children = stack[: -arity[number] - 1 : -1]
            del stack[len(stack) - arity[number] :]
            stack.append(joined(forms[number], *children))
        nodes, edges, head = _outline(stack.pop(), self._written)
        shown = [
            GraphNode(rules[derivation[place]].nodes[number].attributes or (), position)
            for place, number, position in nodes
        ]
        return Graph(tuple(shown), edges, head)


class _Form:
    """What a rule does, but for attributes; equal ones are one object."""

    __slots__ = ("edges", "exports", "items", "last", "nodes", "words")

    def __init__(self, rule: GluingRule) -> None:
        #: Children, and words of the rule from -1 down.
        self.items: list[int] = []
        self.exports, self.edges, self.last = rule.exports, rule.edges, rule.last
        own: dict[int, int] = {}
        for place, child in enumerate(rule.items):
            if child == WORD:
                own[place] = len(own)
            self.items.append(-len(own) if child == WORD else child)
        self.words = len(own)
        #: Whether a node has attributes, its word, and what is glued.
        self.nodes = [
            (
                node.attributes is not None,
                None if node.token is None or node.attributes is None else own[node.token],
                node.glue,
            )
            for node in rule.nodes
        ]


def _form(rule: GluingRule) -> _Form:
    nodes = [node._replace(attributes=node.attributes and ()) for node in rule.nodes]
    return _form_of(rule._replace(nodes=tuple(nodes)))


_form_of = lru_cache(maxsize=1 << 12)(_Form)


class _Phrase:
    """A phrase: a node is the place and number of its attributes in the phrase, and its word.

    Both are -1 if a node has none.  ``order`` are the words from left to right.
    """

    __slots__ = ("edges", "last", "nodes", "order", "ports", "size", "words")

    def __init__(self, size: int, words: int, order: list[int]) -> None:
        #: How many rules and words there are.
        self.size, self.words = size, words
        self.order = order
        self.nodes: list[tuple[int, int, int]] = []
        self.edges: list[tuple[int, str, int]] = []
        self.last: list[tuple[int, str, int]] = []
        self.ports: list[int] = []


#: The phrases of derivations with more rules are not kept.
LONGEST_KEPT = 64


def _join(form: _Form, *children: _Phrase) -> _Phrase:
    """Return the phrase that a rule makes of its children."""
    phrase = _Phrase(1, form.words, [])
    orders: list[list[int]] = []
    places: list[int] = []
    words: list[int] = []
    for child in children:
        places.append(phrase.size)
        words.append(phrase.words)
        orders.append([phrase.words + word for word in child.order])
        phrase.size += child.size
        phrase.words += child.words
    for item in form.items:
        if item < 0:
            phrase.order.append(-1 - item)
        else:
            phrase.order += orders[item]
    # Nodes are numbered as they are made, those of the last child first.
    nodes: list[tuple[int, int, int]] = []
    starts = [0] * len(children)
    for at in range(len(children) - 1, -1, -1):
        starts[at] = len(nodes)
        place, word = places[at], words[at]
        nodes += [
            (p + place if p >= 0 else -1, n, w + word if w >= 0 else -1)
            for p, n, w in children[at].nodes
        ]
    ports = [
        [port + start for port in child.ports]
        for child, start in zip(children, starts)  # noqa: B905 - Python 3.9 has no `strict`
    ]
    made, parent = _local_nodes(form, nodes, ports)
    edges = [(made[s], label, made[t]) for s, label, t in form.edges]
    last: list[tuple[int, str, int]] = []
    for child, start in zip(children, starts):  # noqa: B905
        edges += [(s + start, label, t + start) for s, label, t in child.edges]
        last = [(s + start, label, t + start) for s, label, t in child.last] + last
    last += [(made[s], label, made[t]) for s, label, t in form.last]
    phrase.ports = [made[number] for number in form.exports]
    phrase.nodes, phrase.edges, phrase.last = nodes, edges, last
    if parent:
        _merge(phrase, parent)
    return phrase


_kept = lru_cache(maxsize=1 << 14)(_join)


def _local_nodes(
    form: _Form, nodes: list[tuple[int, int, int]], ports: list[list[int]]
) -> tuple[list[int], dict[int, int]]:
    """Return the numbers of a rule's nodes, and for nodes glued to others their numbers."""
    parent: dict[int, int] = {}
    made: list[int] = []

    def find(node: int) -> int:
        while node in parent:
            node = parent[node]
        return node

    for number, (has_attributes, token, glue) in enumerate(form.nodes):
        if not glue:
            found = len(nodes)
            nodes.append((-1, -1, -1))
        else:
            found, *others = [find(ports[child][port]) for child, port in glue]
            for other in map(find, others):
                if other != found:
                    parent[other] = found
                    if nodes[found][0] < 0:
                        nodes[found] = nodes[other]
        if has_attributes:
            nodes[found] = (0, number, nodes[found][2] if token is None else token)
        made.append(found)
    return made, parent


def _merge(phrase: _Phrase, parent: dict[int, int]) -> None:
    """Leave out the nodes that were glued to others."""
    moved: list[int] = []
    live = 0
    for node in range(len(phrase.nodes)):
        moved.append(live)
        live += node not in parent
    for node in parent:
        root = node
        while root in parent:
            root = parent[root]
        moved[node] = root - sum([other < root for other in parent])
    phrase.nodes = [node for at, node in enumerate(phrase.nodes) if at not in parent]
    phrase.ports = [moved[port] for port in phrase.ports]
    phrase.edges = [(moved[s], label, moved[t]) for s, label, t in phrase.edges]
    phrase.last = [(moved[s], label, moved[t]) for s, label, t in phrase.last]


@lru_cache(maxsize=1 << 14)
def _outline(
    phrase: _Phrase,
    written: bool,
) -> tuple[list[tuple[int, int, int]], tuple[tuple[int, str, int], ...], int]:
    """Return nodes as places, numbers and positions, edges between them, and the head."""
    position = {word: index for index, word in enumerate(phrase.order)}
    # A phrase may leave a gap open: a placeholder without a word is no node yet.
    roots = [node for node, (_, _, word) in enumerate(phrase.nodes) if word in position]
    roots.sort(key=lambda node: position[phrase.nodes[node][2]])
    index = {node: rank for rank, node in enumerate(roots)}
    found = [phrase.nodes[node] for node in roots]
    nodes = [(place, number, position[word]) for place, number, word in found]
    edges = dict.fromkeys(
        (index[source], label, index[target])
        for source, label, target in (*phrase.edges, *phrase.last)
        if source in index and target in index
    )
    ordered = sorted(edges, key=lambda edge: edge[0]) if written else sorted(edges)
    return nodes, tuple(ordered), index[phrase.ports[0]]
