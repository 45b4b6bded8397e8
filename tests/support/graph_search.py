"""Small graphs and structures, and what it means that one occurs in the other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

from hypothesis import assume
from hypothesis import strategies as st

from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.items import ShapeTable
from sgl.verify.search import Match, Searcher
from sgl.verify.structure import GraphPattern, Link, StructureBody, passes, read_structure

Edges = tuple[tuple[int, str, int], ...]


def sentence(lemmas: str, edges: Edges) -> Sentence:
    """A sentence with one word per lemma; ``saw`` and ``slept`` are verbs."""
    words = tuple(
        WordForm(
            lemma,
            (("lemma", lemma), ("upos", "VERB" if lemma in ("saw", "slept") else "NOUN")),
            space_after=True,
            extracted=False,
        )
        for lemma in lemmas.split()
    )
    return Sentence(1, (), words, tuple(sorted(edges)))


def search(text: str, graph: Sentence) -> Match | None:
    shapes = ShapeTable([read_structure(text)])
    shape, searcher = shapes.of(graph), Searcher(shapes)
    first = next(searcher.matches(shape, 0), None)
    assert searcher.occurring(shape) == (first is not None)
    return first


def definition(structure: GraphPattern, graph: Sentence) -> bool:
    """The definition, word by word: try every injective map."""
    return any(
        not any(extends(body, places, graph) for body in structure.without)
        for places in maps(structure.body, {}, graph)
    )


def extends(body: StructureBody, places: dict[str, int], graph: Sentence) -> bool:
    return any(True for _ in maps(body, places, graph))


def maps(body: StructureBody, held: dict[str, int], graph: Sentence) -> Iterator[dict[str, int]]:
    names = [variable.name for variable in body.variables if variable.name not in held]
    free = [node for node in range(len(graph.words)) if node not in held.values()]
    for nodes in permutations(free, len(names)):
        places = held | dict(zip(names, nodes, strict=True))
        if holds(body, places, graph):
            yield places


def holds(body: StructureBody, places: dict[str, int], graph: Sentence) -> bool:
    nodes = [places[variable.name] for variable in body.variables]
    for variable, node in zip(body.variables, nodes, strict=True):
        for test in variable.tests:
            if (graph.words[node].get(test.attribute) in test.values) == test.negated:
                return False
        for degree in variable.degrees:
            out = [label for source, label, _ in graph.edges if source == node]
            if not passes(sum(map(degree.labels.passes, out)), degree):
                return False
    return all(walk_exists(nodes[link.source], link, nodes[link.target], graph) for link in body.links)


def walk_exists(start: int, walk: Link, end: int, graph: Sentence) -> bool:
    """Beyond as many edges as nodes, a longer walk reaches nothing new."""
    frontier = {start}
    longest = walk.low + len(graph.words) if walk.high is None else walk.high
    for length in range(longest + 1):
        if length >= walk.low and end in frontier:
            return True
        frontier = {t for s, label, t in graph.edges if s in frontier and walk.labels.passes(label)}
    return False


LABELS = ["a", "b", "~a"]
label_texts = st.sampled_from(["a", "b", "~a", "a|b", "^a", "*"])
bounds = st.sampled_from(["", "", "", "{2}", "{1,2}", "+", "{0,2}", "{2,}"])
test_texts = st.sampled_from(
    ["", "", "[lemma=x]", "[lemma!=x]", "[lemma=x|y, #a>=1]", "[#*<=1]", "[#^a=0]", '[xpos=""]']
)


@st.composite
def structure_texts(draw: st.DrawFn) -> str:
    def body(names: list[str]) -> str:
        name = st.sampled_from(names)
        statements = [
            f"{draw(name)}{draw(test_texts)} -[{draw(label_texts)}]{draw(bounds)}-> {draw(name)}"
            for _ in range(draw(st.integers(0, 3)))
        ]
        statements += [f"{draw(name)}{draw(test_texts)}" for _ in range(draw(st.integers(0, 2)))]
        assume(statements)
        return "{ " + "; ".join(statements) + " }"

    bodies = [body(["A", "B", "C"])]
    bodies += [body(["A", "B", "X"]) for _ in range(draw(st.integers(0, 2)))]
    return " without ".join(bodies)


@st.composite
def graphs(draw: st.DrawFn) -> Sentence:
    size = draw(st.integers(1, 5))
    node = st.integers(0, size - 1)
    edge = st.tuples(node, st.sampled_from(LABELS), node).filter(lambda e: e[0] != e[2])
    edges = draw(st.sets(edge, max_size=7)) if size > 1 else set()
    lemmas = draw(st.lists(st.sampled_from("xyz"), min_size=size, max_size=size))
    return sentence(" ".join(lemmas), tuple(edges))
