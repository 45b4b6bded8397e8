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

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
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
    """A part: its number, its rule and smaller parts, or the complement of a class of words.

    The blanks of child ``i`` begin at ``begins[i]``, and all of them end at ``begins[-1]``.
    ``lengths`` are the numbers of words in the graphs.  Texts and graphs are made when the
    part comes again.
    """

    number: int
    rule: int
    children: Sequence[Part]
    begins: Sequence[int]
    lengths: list[int]
    texts: list[Sequence[TextItem]]
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
        known, arity, before = self._known, self._tables.arity, self._made
        stack: list[Part] = []
        numbers: list[int] = []
        for rule in reversed(shape):
            count = arity[rule] if rule >= 0 else 0
            key = (rule, *numbers[-count:]) if count else (rule,)
            part = known.get(key)
            if part is None:
                # The last part on the stack is the first child.
                part = known[key] = self._part(rule, stack[: -count - 1 : -1])
                for child in part.children:
                    # What has come again may well come once more.
                    if child.number <= before and not child.texts:
                        self._remember(child)
            if count:
                del stack[-count:], numbers[-count:]
            stack.append(part)
            numbers.append(part.number)
        return stack.pop()

    def _remember(self, part: Part) -> None:
        """Keep the texts and graphs of a part."""
        texts = [self.text(part, number) for number in range(len(self.texts))]
        part.graphs.extend([self.graph(part, number) for number in range(len(self.graphs))])
        part.texts.extend(texts)

    def text(self, part: Part, number: int) -> Sequence[TextItem]:
        """One of the texts of a part."""
        return part.texts[number] if part.texts else self._written(part, number, 0)

    def _written(self, part: Part, number: int, begin: int) -> Sequence[TextItem]:
        """The words of a part in a text, ``words_of`` with blanks; ``begin`` is the first."""
        if part.texts:
            if not begin:
                return part.texts[number]
            more = 2 * begin
            return [word + more if isinstance(word, int) else word for word in part.texts[number]]
        begins = part.begins
        found: list[TextItem] = []
        for item in self.texts[number].templates[part.rule]:
            if isinstance(item, str):
                found.append(item)
                continue
            child = max(item, ~item)
            words = self._written(part.children[child], number, begin + begins[child])
            found += words if item >= 0 else _raised(words)
        return found

    def graph(self, part: Part, number: int) -> PartGraph:
        """One of the graphs of a part."""
        if part.graphs:
            return part.graphs[number]
        gluing = _Gluing(number, self.graphs[number].rules)
        return gluing.graph(part.lengths[number], gluing.glue(part, 0, 0))

    def _part(self, rule: int, children: Sequence[Part]) -> Part:
        """A rule, or the complement of a class of words, over its parts."""
        self._made += 1
        if rule < 0:
            return self._words(~rule)
        begins = [0]
        for child in children:
            begins.append(begins[-1] + child.begins[-1])
        lengths = []
        for number, view in enumerate(self.graphs):
            items = view.rules[rule].items
            lengths.append(
                sum([1 if item == WORD else children[item].lengths[number] for item in items])
            )
        return Part(self._made, rule, children, begins, lengths, [], [])

    def _words(self, number: int) -> Part:
        """The blank for the words of a class."""
        example = next(iter(self._kinds.classes[number].entries))
        rules = [view.rules[example] for view in self.graphs]
        return Part(
            number=self._made,
            rule=~number,
            children=(),
            begins=[1],
            lengths=[len(rule.items) for rule in rules],
            texts=[[0] for _ in self.texts],
            graphs=[_with_blank(rule) for rule in rules],
        )


def _raised(words: Sequence[TextItem]) -> Sequence[TextItem]:
    """The words with the first letter of the first non-empty one raised."""
    for place, word in enumerate(words):
        if isinstance(word, int):
            return [*words[:place], word | 1, *words[place + 1 :]]
        if word:
            return [*words[:place], word[0].upper() + word[1:], *words[place + 1 :]]
    return words


def _with_blank(rule: GluingRule) -> PartGraph:
    """The graph of a rule without children whose lemma is a blank."""
    nodes: list[PartNode] = []
    for node, blank in zip(rule.nodes, with_lemma(rule, "").nodes):
        word = NONE if node.token is None else rule.items[: node.token].count(WORD)
        nodes.append((blank.attributes, 0 if node != blank else NONE, word))
    return PartGraph(len(rule.items), nodes, rule.exports, rule.edges, rule.last)


class _Gluing:
    """Glues the graph of a part, as ``glue`` does, over the graphs of those that have them."""

    def __init__(self, number: int, rules: Sequence[GluingRule]) -> None:
        self._number = number
        self._rules = rules
        self._nodes: list[PartNode] = []
        #: Edges part by part, the last part first.
        self._edges: list[list[PartEdge]] = []
        self._last: list[PartEdge] = []
        self._merged: dict[int, int] = {}

    def glue(self, part: Part, begin: int, place: int) -> Sequence[int]:
        """Add the nodes and edges of a part; its ports.

        ``begin`` is the number of its first blank, ``place`` that of its first word.
        """
        if part.graphs:
            return self._add(part.graphs[self._number], begin, place)
        rule, children, nodes = self._rules[part.rule], part.children, self._nodes
        lengths = [child.lengths[self._number] for child in children]
        places, own = _places(rule.items, lengths, place)
        begins = part.begins
        ports: list[Sequence[int]] = [()] * len(children)
        for child in reversed(range(len(children))):
            ports[child] = self.glue(children[child], begin + begins[child], places[child])
        of_rule: list[int] = []
        for attributes, token, glued in rule.nodes:
            if glued:
                number = self._merge([ports[child][port] for child, port in glued])
            else:
                number = len(nodes)
                nodes.append((None, NONE, NONE))
            if attributes is not None:
                word = nodes[number][2] if token is None else own[token]
                nodes[number] = (attributes, NONE, word)
            of_rule.append(number)
        self._edges.append([(of_rule[s], label, of_rule[t]) for s, label, t in rule.edges])
        self._last += [(of_rule[s], label, of_rule[t]) for s, label, t in rule.last]
        return [of_rule[number] for number in rule.exports]

    def _add(self, graph: PartGraph, begin: int, place: int) -> Sequence[int]:
        first = len(self._nodes)
        self._nodes += [
            (
                attributes,
                blank + begin if blank >= 0 else NONE,
                word + place if word >= 0 and place >= 0 else NONE,
            )
            for attributes, blank, word in graph.nodes
        ]
        self._edges.append([(s + first, label, t + first) for s, label, t in graph.edges])
        self._last += [(s + first, label, t + first) for s, label, t in graph.last]
        return [port + first for port in graph.ports]

    def _merge(self, glued: Sequence[int]) -> int:
        """Make these nodes one, under the number of the first."""
        nodes, merged = self._nodes, self._merged
        first = _root(glued[0], merged)
        for number in glued[1:]:
            other = _root(number, merged)
            if other != first:
                merged[other] = first
                if nodes[first][0] is None:
                    nodes[first] = nodes[other]
        return first

    def graph(self, words: int, ports: Sequence[int]) -> PartGraph:
        """What has been glued, its nodes numbered anew if some were merged."""
        nodes, merged = self._nodes, self._merged
        edges = list(chain.from_iterable(reversed(self._edges)))
        if not merged:
            return PartGraph(words, nodes, ports, edges, self._last)
        kept = [number for number in range(len(nodes)) if number not in merged]
        new = {number: place for place, number in enumerate(kept)}
        new.update([(number, new[_root(number, merged)]) for number in merged])
        return PartGraph(
            words,
            [nodes[number] for number in kept],
            [new[number] for number in ports],
            [(new[s], label, new[t]) for s, label, t in edges],
            [(new[s], label, new[t]) for s, label, t in self._last],
        )


def _places(
    items: Sequence[int], lengths: Sequence[int], place: int
) -> tuple[list[int], dict[int, int]]:
    """Where the words of each child begin, and the rule's own words.

    Of a child that is repeated the last place counts; one that is dropped has none, and
    neither has what is in a phrase that was dropped.
    """
    places = [NONE] * len(lengths)
    own: dict[int, int] = {}
    for item, child in enumerate(items):
        if child == WORD:
            own[item] = place
            place += place >= 0
        elif place >= 0:
            places[child] = place
            place += lengths[child]
    return places, own


def _root(number: int, merged: Mapping[int, int]) -> int:
    """The node that a node has become one with."""
    while number in merged:
        number = merged[number]
    return number


def graph_of(part: PartGraph, lemmas: Sequence[str]) -> Graph:
    """The graph that a part is by itself, with these lemmas for its blanks."""
    on_words = [number for number, node in enumerate(part.nodes) if node[2] >= 0]
    on_words.sort(key=lambda number: part.nodes[number][2])
    index = {number: rank for rank, number in enumerate(on_words)}
    nodes = []
    for attributes, blank, word in map(part.nodes.__getitem__, on_words):
        filled = _filled(attributes, lemmas[blank]) if attributes and blank >= 0 else attributes
        nodes.append(GraphNode(filled or (), word))
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
