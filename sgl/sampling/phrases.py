"""Phrases with blanks, put together from smaller ones, so that each is worked out once.

The words of a phrase are blanks, numbered from its left.  All else that it says in the texts
is known, and so is what it does to graphs.  A phrase is made of a rule and the phrases below
it, and is remembered, so that a new shape of a sentence takes a few steps near its root::

    noun                    ⟨0⟩                              node 0: ⟨0⟩ on word 0
    a + noun                a ⟨0⟩                            node 0: ⟨0⟩ on word 1
    verb                    ⟨0⟩                              node 0: ⟨0⟩ on word 0
    verb + (a + noun)       ⟨0⟩ a ⟨1⟩                        node 1: ⟨0⟩ on word 0,
                                                             node 0: ⟨1⟩ on word 2,
                                                             1 -theme-> 0

This is ``words_of`` and ``glue`` with numbers that are relative to the phrase: blanks are
counted from its first, words from where it begins, nodes from those of its last child, which
``glue`` makes first.

Many phrases never come again.  So texts and graphs are kept from the second
time on, and before that they are written into those of the whole at once.

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
from sgl.sampling.engine import PackedText, PackedView, Tables
from sgl.sampling.kinds import LEMMA, Kinds, with_lemma

#: Phrases are remembered until there are more of them than these.
MOST_PHRASES = 1 << 15

#: A word of a text, or twice the number of a blank, one more if it has a capital.
TextItem = Union[str, int]

#: Attributes of a node, the blank that is its lemma, and the word that it is on, or ``NONE``.
PhraseNode = tuple[Union[Attributes, None], int, int]

PhraseEdge = tuple[int, str, int]

NONE = -1


class PhraseGraph(NamedTuple):
    """The graph of a phrase: its number of words, nodes, ports and edges, as in ``glue``."""

    words: int
    nodes: Sequence[PhraseNode]
    ports: Sequence[int]
    edges: Sequence[PhraseEdge]
    last: Sequence[PhraseEdge]


class Phrase(NamedTuple):
    """A phrase: its number, its rule and smaller phrases, or the complement of a class of words.

    The blanks of child ``i`` begin at ``begins[i]``, and all of them end at ``begins[-1]``.
    ``lengths`` are the numbers of words in the graphs.  Texts and graphs are made when the
    phrase comes again.
    """

    number: int
    rule: int
    children: Sequence[Phrase]
    begins: Sequence[int]
    lengths: list[int]
    texts: list[Sequence[TextItem]]
    graphs: list[PhraseGraph]


class Phrases:
    """Puts phrases together, and remembers them.

    ``texts`` and ``graphs`` are the outputs that their texts and graphs are of.  Views of the
    same rules share a graph.
    """

    def __init__(self, tables: Tables, kinds: Kinds) -> None:
        self._tables = tables
        self._kinds = kinds
        self.texts: list[PackedText] = []
        self.graphs: list[PackedView] = []
        #: For each output where its text or graph is in a phrase.
        self.place: list[int] = []
        for output in (tables.source, *tables.targets):
            if isinstance(output, PackedView):
                same = [i for i, other in enumerate(self.graphs) if other.rules == output.rules]
                self.place.append(same[0] if same else len(self.graphs))
                self.graphs += [] if same else [output]
            else:
                self.place.append(len(self.texts))
                self.texts.append(output)
        self._known: dict[tuple[int, ...], Phrase] = {}
        self._made = 0

    def whole(self, shape: Sequence[int]) -> Phrase:
        """The phrase that a shape is."""
        if len(self._known) > MOST_PHRASES:
            self._known.clear()
        known, arity, before = self._known, self._tables.arity, self._made
        stack: list[Phrase] = []
        numbers: list[int] = []
        for rule in reversed(shape):
            count = arity[rule] if rule >= 0 else 0
            key = (rule, *numbers[-count:]) if count else (rule,)
            phrase = known.get(key)
            if phrase is None:
                # The last phrase on the stack is the first child.
                phrase = known[key] = self._phrase(rule, stack[: -count - 1 : -1])
                for child in phrase.children:
                    # What has come again may well come once more.
                    if child.number <= before and not child.texts:
                        self._remember(child)
            if count:
                del stack[-count:], numbers[-count:]
            stack.append(phrase)
            numbers.append(phrase.number)
        return stack.pop()

    def _remember(self, phrase: Phrase) -> None:
        """Keep the texts and graphs of a phrase."""
        texts = [self.text(phrase, number) for number in range(len(self.texts))]
        phrase.graphs.extend([self.graph(phrase, number) for number in range(len(self.graphs))])
        phrase.texts.extend(texts)

    def text(self, phrase: Phrase, number: int) -> Sequence[TextItem]:
        """One of the texts of a phrase."""
        return phrase.texts[number] if phrase.texts else self._written(phrase, number, 0)

    def _written(self, phrase: Phrase, number: int, begin: int) -> Sequence[TextItem]:
        """The words of a phrase in a text, ``words_of`` with blanks; ``begin`` is the first."""
        if phrase.texts:
            if not begin:
                return phrase.texts[number]
            more = 2 * begin
            return [word + more if isinstance(word, int) else word for word in phrase.texts[number]]
        begins = phrase.begins
        found: list[TextItem] = []
        for item in self.texts[number].templates[phrase.rule]:
            if isinstance(item, str):
                found.append(item)
                continue
            child = max(item, ~item)
            words = self._written(phrase.children[child], number, begin + begins[child])
            found += words if item >= 0 else _raised(words)
        return found

    def graph(self, phrase: Phrase, number: int) -> PhraseGraph:
        """One of the graphs of a phrase."""
        if phrase.graphs:
            return phrase.graphs[number]
        gluing = _Gluing(number, self.graphs[number].rules)
        return gluing.graph(phrase.lengths[number], gluing.glue(phrase, 0, 0))

    def _phrase(self, rule: int, children: Sequence[Phrase]) -> Phrase:
        """A rule, or the complement of a class of words, over its phrases."""
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
        return Phrase(self._made, rule, children, begins, lengths, [], [])

    def _words(self, number: int) -> Phrase:
        """The blank for the words of a class."""
        example = next(iter(self._kinds.classes[number].entries))
        rules = [view.rules[example] for view in self.graphs]
        return Phrase(
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


def _with_blank(rule: GluingRule) -> PhraseGraph:
    """The graph of a rule without children whose lemma is a blank."""
    nodes: list[PhraseNode] = []
    for node, blank in zip(rule.nodes, with_lemma(rule, "").nodes):
        word = NONE if node.token is None else rule.items[: node.token].count(WORD)
        nodes.append((blank.attributes, 0 if node != blank else NONE, word))
    return PhraseGraph(len(rule.items), nodes, rule.exports, rule.edges, rule.last)


class _Gluing:
    """Glues the graph of a phrase, as ``glue`` does, over the graphs of those that have them."""

    def __init__(self, number: int, rules: Sequence[GluingRule]) -> None:
        self._number = number
        self._rules = rules
        self._nodes: list[PhraseNode] = []
        #: Edges phrase by phrase, the last phrase first.
        self._edges: list[list[PhraseEdge]] = []
        self._last: list[PhraseEdge] = []
        self._merged: dict[int, int] = {}

    def glue(self, phrase: Phrase, begin: int, place: int) -> Sequence[int]:
        """Add the nodes and edges of a phrase; its ports.

        ``begin`` is the number of its first blank, ``place`` that of its first word.
        """
        if phrase.graphs:
            return self._add(phrase.graphs[self._number], begin, place)
        rule, children, nodes = self._rules[phrase.rule], phrase.children, self._nodes
        lengths = [child.lengths[self._number] for child in children]
        places, own = _places(rule.items, lengths, place)
        begins = phrase.begins
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

    def _add(self, graph: PhraseGraph, begin: int, place: int) -> Sequence[int]:
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

    def graph(self, words: int, ports: Sequence[int]) -> PhraseGraph:
        """What has been glued, its nodes numbered anew if some were merged."""
        nodes, merged = self._nodes, self._merged
        edges = list(chain.from_iterable(reversed(self._edges)))
        if not merged:
            return PhraseGraph(words, nodes, ports, edges, self._last)
        kept = [number for number in range(len(nodes)) if number not in merged]
        new = {number: place for place, number in enumerate(kept)}
        new.update([(number, new[_root(number, merged)]) for number in merged])
        return PhraseGraph(
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


def graph_of(phrase: PhraseGraph, lemmas: Sequence[str]) -> Graph:
    """The graph that a phrase is by itself, with these lemmas for its blanks."""
    on_words = [number for number, node in enumerate(phrase.nodes) if node[2] >= 0]
    on_words.sort(key=lambda number: phrase.nodes[number][2])
    index = {number: rank for rank, number in enumerate(on_words)}
    nodes = []
    for attributes, blank, word in map(phrase.nodes.__getitem__, on_words):
        filled = _filled(attributes, lemmas[blank]) if attributes and blank >= 0 else attributes
        nodes.append(GraphNode(filled or (), word))
    edges = dict.fromkeys(
        (index[source], label, index[target])
        for source, label, target in (*phrase.edges, *phrase.last)
        if source in index and target in index
    )
    ordered = sorted(edges, key=lambda edge: edge[0])
    return Graph(tuple(nodes), tuple(ordered), index[phrase.ports[0]])


@lru_cache(maxsize=4096)
def _filled(attributes: Attributes, lemma: str) -> Attributes:
    return tuple((name, lemma if name == LEMMA else value) for name, value in attributes)
