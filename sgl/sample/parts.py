"""Parts of sentences, put together from parts: what shapes have in common is worked out once.

The words of a part are blanks, numbered from its left; all else that it says in the texts,
and what it does to graphs, is known.  A part is made of a rule and smaller parts, and
remembered, so that a new shape takes a few steps near its root::

    noun                    ⟨0⟩                              node 0: ⟨0⟩ on word 0
    a + noun                a ⟨0⟩                            node 0: ⟨0⟩ on word 1
    verb                    ⟨0⟩                              node 0: ⟨0⟩ on word 0
    verb + (a + noun)       ⟨0⟩ a ⟨1⟩                        node 1: ⟨0⟩ on word 0,
                                                             node 0: ⟨1⟩ on word 2,
                                                             1 -theme-> 0

This is ``words_of`` and ``glue`` with numbers that are relative to the part: blanks to its
first, words to its place in the text, nodes to those of the parts to the right of it, which
``glue`` makes first.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, Union

from sgl.core.gluing import WORD, Attributes, GluingRule
from sgl.core.graph import Graph, GraphNode
from sgl.sample.engine import PackedText, PackedView, Tables
from sgl.sample.kinds import LEMMA, Kinds, with_lemma

#: Parts are remembered until there are more of them than these.
MOST_PARTS = 1 << 15

#: A word of a text, or twice the number of a blank, one more if it has a capital.
TextItem = Union[str, int]

#: Attributes of a node, the blank that is its lemma, and the word that it is on, or ``NONE``.
PartNode = tuple[Union[Attributes, None], int, int]

PartEdge = tuple[int, str, int]

NONE = -1


class PartGraph(NamedTuple):
    """The graph of a part: its number of words, nodes, ports and edges, as in ``glue``."""

    words: int
    nodes: Sequence[PartNode]
    ports: Sequence[int]
    edges: Sequence[PartEdge]
    last: Sequence[PartEdge]


class Part(NamedTuple):
    """A part: its number, the classes of its blanks, its other lemmas, its texts and graphs.

    ``words`` and ``lemmas`` are those of ``Tables`` that its rules have.
    """

    number: int
    classes: tuple[int, ...]
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    texts: list[list[TextItem]]
    graphs: list[PartGraph]


class Parts:
    """Puts parts together, and remembers them.

    ``texts`` and ``graphs`` are the outputs that their texts and graphs are of.  Views of the
    same rules share a graph.
    """

    def __init__(self, tables: Tables, kinds: Kinds) -> None:
        self._tables = tables
        self._kinds = kinds
        self.texts: list[PackedText] = []
        self.graphs: list[PackedView] = []
        #: For each output where its text or graph is in a part.
        self.place: list[int] = []
        for output in (tables.source, *tables.targets):
            if isinstance(output, PackedText):
                self.place.append(len(self.texts))
                self.texts.append(output)
            else:
                same = [i for i, other in enumerate(self.graphs) if other.rules == output.rules]
                self.place.append(same[0] if same else len(self.graphs))
                self.graphs += [] if same else [output]
        self._known: dict[tuple[int, ...], Part] = {}
        self._made = 0

    def whole(self, shape: Sequence[int]) -> Part:
        """The part that a shape is."""
        if len(self._known) > MOST_PARTS:
            self._known.clear()
        known, arity = self._known, self._tables.arity
        stack: list[Part] = []
        for rule in reversed(shape):
            children = [stack.pop() for _ in range(arity[rule])] if rule >= 0 else []
            key = (rule, *[child.number for child in children])
            part = known.get(key)
            if part is None:
                part = known[key] = self._part(rule, children)
            stack.append(part)
        return stack.pop()

    def _part(self, rule: int, children: Sequence[Part]) -> Part:
        """A rule, or the complement of a class of words, over its parts."""
        self._made += 1
        if rule < 0:
            return self._words(~rule)
        # The blanks of a child begin where those of the children before it end.
        classes: tuple[int, ...] = ()
        begins = []
        for child in children:
            begins.append(len(classes))
            classes += child.classes
        tables = self._tables
        return Part(
            number=self._made,
            classes=classes,
            words=sum((child.words for child in children), tables.words[rule]),
            lemmas=sum((child.lemmas for child in children), tables.lemmas[rule]),
            texts=[
                _put_together(text.templates[rule], [child.texts[i] for child in children], begins)
                for i, text in enumerate(self.texts)
            ],
            graphs=[
                _glued(view.rules[rule], [child.graphs[i] for child in children], begins)
                for i, view in enumerate(self.graphs)
            ],
        )

    def _words(self, number: int) -> Part:
        """The blank for the words of a class."""
        example = next(iter(self._kinds.classes[number].entries))
        return Part(
            number=self._made,
            classes=(number,),
            words=(),
            lemmas=(),
            texts=[[0] for _ in self.texts],
            graphs=[_with_blank(view.rules[example]) for view in self.graphs],
        )


def _put_together(
    template: Sequence[TextItem], children: Sequence[Sequence[TextItem]], begins: Sequence[int]
) -> list[TextItem]:
    """The text of a rule over those of its children: ``words_of`` with blanks."""
    found: list[TextItem] = []
    for item in template:
        if isinstance(item, str):
            found.append(item)
            continue
        child = max(item, ~item)
        begin = 2 * begins[child]
        words = [word if isinstance(word, str) else word + begin for word in children[child]]
        found += words if item >= 0 else _raised(words)
    return found


def _raised(words: list[TextItem]) -> list[TextItem]:
    """The words with the first letter of the first non-empty one raised."""
    for place, word in enumerate(words):
        if isinstance(word, int):
            return [*words[:place], word | 1, *words[place + 1 :]]
        if word:
            return [*words[:place], word[0].upper() + word[1:], *words[place + 1 :]]
    return words


def _with_blank(rule: GluingRule) -> PartGraph:
    """The graph of a rule of words whose lemma is a blank."""
    blank = with_lemma(rule, "")
    graph = _glued(blank, [], [])
    # The nodes of a rule without children are its own, in their order.
    nodes = [
        (attributes, 0 if node.attributes != attributes else NONE, word)
        for (attributes, _, word), node in zip(graph.nodes, rule.nodes)
    ]
    return graph._replace(nodes=nodes)


def _glued(
    rule: GluingRule, children: Sequence[PartGraph], begins: Sequence[int]
) -> PartGraph:
    """The graph of a rule over those of its children: ``glue`` with relative numbers."""
    places, own, words = _places(rule.items, children)
    nodes: list[PartNode] = []
    edges: list[list[PartEdge]] = [[] for _ in children]
    last: list[PartEdge] = []
    first_node = [0] * len(children)
    for child in reversed(range(len(children))):
        graph, place, begin = children[child], places[child], begins[child]
        first = first_node[child] = len(nodes)
        nodes += [
            (
                attributes,
                blank + begin if blank >= 0 else NONE,
                word + place if word >= 0 and place >= 0 else NONE,
            )
            for attributes, blank, word in graph.nodes
        ]
        edges[child] = [(s + first, label, t + first) for s, label, t in graph.edges]
        last += [(s + first, label, t + first) for s, label, t in graph.last]
    merged: dict[int, int] = {}
    of_rule: list[int] = []
    for attributes, token, glue in rule.nodes:
        glued = [first_node[child] + children[child].ports[port] for child, port in glue]
        if glued:
            number = _merge(glued, nodes, merged)
        else:
            number = len(nodes)
            nodes.append((None, NONE, NONE))
        if attributes is not None:
            word = nodes[number][2] if token is None else own[token]
            nodes[number] = (attributes, NONE, word)
        of_rule.append(number)
    all_edges = [(of_rule[s], label, of_rule[t]) for s, label, t in rule.edges]
    for of_child in edges:
        all_edges += of_child
    last += [(of_rule[s], label, of_rule[t]) for s, label, t in rule.last]
    ports = [of_rule[number] for number in rule.exports]
    graph = PartGraph(words, nodes, ports, all_edges, last)
    return _without_merged(graph, merged) if merged else graph


def _places(
    items: Sequence[int], children: Sequence[PartGraph]
) -> tuple[list[int], dict[int, int], int]:
    """Where the words of each child begin, the rule's own words, and the number of words.

    Of a child that is repeated the last place counts; one that is dropped has none.
    """
    places = [NONE] * len(children)
    own: dict[int, int] = {}
    words = 0
    for item, child in enumerate(items):
        if child == WORD:
            own[item] = words
            words += 1
        else:
            places[child] = words
            words += children[child].words
    return places, own, words


def _merge(glued: Sequence[int], nodes: list[PartNode], merged: dict[int, int]) -> int:
    """Make these nodes one, under the number of the first."""
    first, *others = [_root(number, merged) for number in glued]
    for number in others:
        other = _root(number, merged)
        if other != first:
            merged[other] = first
            if nodes[first][0] is None:
                nodes[first] = nodes[other]
    return first


def _root(number: int, merged: dict[int, int]) -> int:
    while number in merged:
        number = merged[number]
    return number


def _without_merged(graph: PartGraph, merged: dict[int, int]) -> PartGraph:
    """The graph with its nodes numbered anew, without those that were merged into others."""
    kept = [number for number in range(len(graph.nodes)) if number not in merged]
    new = {number: place for place, number in enumerate(kept)}
    new.update((number, new[_root(number, merged)]) for number in merged)

    def renumbered(edges: Iterable[PartEdge]) -> list[PartEdge]:
        return [(new[s], label, new[t]) for s, label, t in edges]

    return PartGraph(
        graph.words,
        [graph.nodes[number] for number in kept],
        [new[number] for number in graph.ports],
        renumbered(graph.edges),
        renumbered(graph.last),
    )


def graph_of(part: PartGraph, lemmas: Sequence[str]) -> Graph:
    """The graph that a part is by itself, with these lemmas for its blanks."""
    on_words = [number for number, node in enumerate(part.nodes) if node[2] >= 0]
    on_words.sort(key=lambda number: part.nodes[number][2])
    index = {number: rank for rank, number in enumerate(on_words)}
    nodes = []
    for attributes, blank, word in map(part.nodes.__getitem__, on_words):
        if attributes and blank >= 0:
            attributes = _filled(attributes, lemmas[blank])
        nodes.append(GraphNode(attributes or (), word))
    edges = dict.fromkeys(
        (index[source], label, index[target])
        for source, label, target in (*part.edges, *part.last)
        if source in index and target in index
    )
    ordered = sorted(edges, key=lambda edge: edge[0])
    return Graph(tuple(nodes), tuple(ordered), index[part.ports[0]])


@lru_cache(maxsize=4096)
def _filled(attributes: Attributes, lemma: str) -> Attributes:
    return tuple((name, lemma if name == LEMMA else value) for name, value in attributes)
