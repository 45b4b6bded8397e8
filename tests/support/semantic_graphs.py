"""Random semantic graphs, built as sentences are: clauses, noun phrases, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hypothesis import strategies as st

from sgl.core.graph import Graph, GraphNode

NOUNS = ("ant", "bee", "crow", "deer", "eel", "fox", "gnu", "hen", "ibis", "jay", "kiwi", "lark")
NAMES = ("Ada", "Bo", "Cy", "Dot", "Eve", "Fay", "Gus", "Hal")
VERBS = ("eye", "greet", "hum", "poke", "trust")
PREPOSITIONS = ("in", "on", "beside")
#: The roles of each frame in their order; the first is the subject.
FRAMES = (
    ("agent",),
    ("theme",),
    ("agent", "theme"),
    ("agent", "ccomp"),
    ("agent", "xcomp"),
    ("agent", "theme", "recipient"),
    ("agent", "recipient", "theme"),
    ("theme", "recipient", "agent"),
)


class Sentence(NamedTuple):
    """A graph and tokens that its names and its wh-word stand on."""

    graph: Graph
    tokens: tuple[str, ...]


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    """A clause, a question or a noun phrase with its semantic graph."""
    draft = _Draft(draw)
    head = draft.noun_phrase(3) if draw(st.booleans()) else draft.clause(3)
    if not draft.edges:  # a bare noun, a name or a wh-word: no sentence, no proper phrase
        draft = _Draft(draw)
        head = draft.clause(1)
    return draft.sentence(head)


class _Draft:
    """Nodes and edges in the order in which they are drawn."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.nodes: list[tuple[tuple[str, str], ...]] = []
        self.edges: list[tuple[int, str, int]] = []
        self._nouns = list(draw(st.permutations(NOUNS)))
        self._names = list(draw(st.permutations(NAMES)))
        self._wh = draw(st.booleans())

    def clause(self, depth: int, gap: int | None = None) -> int:
        """A verb with its arguments; ``gap`` is the noun that one of them is."""
        event = self._node(lemma=self.draw(st.sampled_from(VERBS)), type="event")
        frame = self.draw(st.sampled_from(FRAMES[:3] if depth == 0 else FRAMES))
        nominal = [role for role in frame if role not in ("ccomp", "xcomp")]
        extracted = self.draw(st.sampled_from(nominal)) if gap is not None else ""
        arguments: list[int] = []
        for role in frame:
            if role == extracted and gap is not None:
                argument = gap
            elif role == "ccomp":
                argument = self.clause(depth - 1)
            elif role == "xcomp":
                argument = self._node(lemma=self.draw(st.sampled_from(VERBS)), type="event")
                self.edges.append((argument, "agent", arguments[0]))
            else:
                argument = self.noun_phrase(depth - 1)
            arguments.append(argument)
            self.edges.append((event, role, argument))
        return event

    def noun_phrase(self, depth: int) -> int:
        """A name, a wh-word, or a noun with at most one modifier."""
        if self._wh:
            self._wh = False
            return self._node(type="wh")
        if not self._nouns or (self._names and self.draw(st.integers(0, 3)) == 0):
            return self._node(lemma=self._names.pop(), type="name")
        definite = "yes" if self.draw(st.booleans()) else "no"
        noun = self._node(definite=definite, lemma=self._nouns.pop(), type="entity")
        modifier = self.draw(st.sampled_from(("", "", *PREPOSITIONS, "that")))
        if depth > 0 and len(self._nouns) > 3 and modifier == "that":
            clause = self.clause(depth - 1, gap=noun)
            self.edges.append((noun, "nmod", clause))
        elif depth > 0 and len(self._nouns) > 3 and modifier:
            self.edges.append((noun, f"nmod:{modifier}", self._inner(depth - 1)))
        return noun

    def _inner(self, depth: int) -> int:
        wh, self._wh = self._wh, False
        found = self.noun_phrase(depth)
        self._wh = wh
        return found

    def _node(self, **attributes: str) -> int:
        self.nodes.append(tuple(sorted(attributes.items())))
        return len(self.nodes) - 1

    def sentence(self, head: int) -> Sentence:
        """Put the nodes on tokens; a wh-word is first."""
        count = len(self.nodes)
        places = self.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
        order = self.draw(st.permutations(range(count)))
        order = sorted(order, key=lambda node: ("type", "wh") not in self.nodes[node])
        rank = {node: number for number, node in enumerate(order)}
        positions = [sum(places[:number]) for number in range(count)]
        nodes = tuple(GraphNode(self.nodes[node], positions[rank[node]]) for node in order)
        edges = [(rank[s], label, rank[t]) for s, label, t in self.edges]
        edges.sort(key=lambda edge: edge[0])
        return Sentence(Graph(nodes, tuple(edges), rank[head]), _tokens(nodes))


def _tokens(nodes: Sequence[GraphNode]) -> tuple[str, ...]:
    tokens = ["_"] * (nodes[-1].position + 1)
    for node in nodes:
        if node.get("type") == "name":
            tokens[node.position] = node.get("lemma")
    return tuple(tokens)
