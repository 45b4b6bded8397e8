"""Searching shapes finds what the definition of a match says, and only that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sgl.verify.conllu import Sentence, Word
from sgl.verify.search import Match, Searcher
from sgl.verify.shape import QuestionTable, ShapeTable
from sgl.verify.structure import Body, Labels, Structure, Walk, read_structure

Edges = tuple[tuple[int, str, int], ...]


def sentence(lemmas: str, edges: Edges) -> Sentence:
    """A sentence with one word per lemma; ``saw`` and ``slept`` are verbs."""
    words = tuple(
        Word(
            lemma,
            (("lemma", lemma), ("upos", "VERB" if lemma in ("saw", "slept") else "NOUN")),
            space_after=True,
            extracted=False,
        )
        for lemma in lemmas.split()
    )
    return Sentence(1, (), words, tuple(sorted(edges)), 0)


def search(text: str, graph: Sentence) -> Match | None:
    vocabulary = QuestionTable([read_structure(text)])
    shape = ShapeTable(vocabulary).of(graph)
    searcher = Searcher(vocabulary.compiled())
    assert searcher.occurs(shape, 0) == (searcher.match(shape, 0) is not None)
    return searcher.match(shape, 0)


# The dog that the cat saw slept: dog is the subject of slept and the object of saw.
RELATIVE = sentence(
    "dog cat saw slept", ((0, "acl:relcl", 2), (2, "nsubj", 1), (2, "~obj", 0), (3, "nsubj", 0))
)


@pytest.mark.parametrize(
    ("structure", "found"),
    [
        ("{ V -[nsubj]-> N[lemma=cat] }", True),
        ("{ V[lemma=slept] -[nsubj]-> N[lemma=cat] }", False),
        ("{ V -[nsubj]-> N; N -[acl:relcl]-> W }", True),
        ("{ V -[nsubj]-> N; N -[acl:relcl]-> V }", False),
        ("{ N -[acl:relcl]-> V; V -[~obj]-> N }", True),
        ("{ V -[obj]-> N }", False),
        ("{ V -[^nsubj|acl:relcl]-> N }", True),
        ("{ V[#nsubj>=1, #*=2] }", True),
        ("{ V[#nsubj>=2] }", False),
        ("{ V -[*]{3}-> N }", True),
        ("{ V -[*]{3}-> V }", False),
        ("{ V -[*]{2}-> V }", True),
        ("{ A -[nsubj]{2}-> B }", False),
        ("{ A; B; C; D }", True),
        ("{ A; B; C; D; E }", False),
        ("{ V -[nsubj]-> N } without { N -[acl:relcl]-> X }", True),
        ("{ V[lemma=slept] -[nsubj]-> N } without { N -[acl:relcl]-> X }", False),
        ("{ V[lemma=slept] } without { V -[nsubj]-> N[lemma=cat] }", True),
        (
            "{ N[lemma=dog]; M[lemma=cat] } without { X -[nsubj]-> N } without { Y -[obj]-> M }",
            False,
        ),
        # The only other governor of dog is saw, which the match has taken.
        ("{ A[lemma=slept] -[nsubj]-> N; V[lemma=saw] } without { X -[~obj]-> N }", True),
    ],
)
def test_structures_in_a_relative_clause(structure: str, found: bool) -> None:
    assert (search(structure, RELATIVE) is not None) is found


def test_a_match_names_the_words() -> None:
    match = search("{ N -[acl:relcl]-> V; V -[nsubj]-> M }", RELATIVE)
    assert match == {"N": 0, "V": 2, "M": 1}


def test_equal_answers_give_one_shape() -> None:
    shapes = ShapeTable(QuestionTable([read_structure("{ N[lemma=dog|cat] -[det]-> D }")]))
    dog = shapes.of(sentence("dog slept", ((1, "nsubj", 0),)))
    assert shapes.of(sentence("cat saw", ((1, "obj", 0),))) is dog
    assert shapes.of(sentence("bird slept", ((1, "nsubj", 0),))) is not dog
    assert shapes.of(sentence("dog slept", ((1, "det", 0),))) is not dog


# --- against the definition --------------------------------------------------------------


def definition(structure: Structure, graph: Sentence) -> bool:
    """The definition, word by word: try every injective map."""
    return any(
        not any(extends(body, places, graph) for body in structure.without)
        for places in maps(structure.body, {}, graph)
    )


def extends(body: Body, places: dict[str, int], graph: Sentence) -> bool:
    return any(True for _ in maps(body, places, graph))


def maps(body: Body, held: dict[str, int], graph: Sentence) -> Iterator[dict[str, int]]:
    names = [variable.name for variable in body.variables if variable.name not in held]
    free = [node for node in range(len(graph.words)) if node not in held.values()]
    for nodes in permutations(free, len(names)):
        places = held | dict(zip(names, nodes, strict=True))
        if holds(body, places, graph):
            yield places


def holds(body: Body, places: dict[str, int], graph: Sentence) -> bool:
    nodes = [places[variable.name] for variable in body.variables]
    for variable, node in zip(body.variables, nodes, strict=True):
        for test in variable.tests:
            if (graph.words[node].get(test.attribute) in test.values) == test.negated:
                return False
        for degree in variable.degrees:
            out = [label for source, label, _ in graph.edges if source == node]
            if not degree.accept(sum(map(degree.labels.accept, out))):
                return False
    return all(
        walk_exists(nodes[link.source], link.walk, nodes[link.target], graph) for link in body.links
    )


def walk_exists(start: int, walk: Walk, end: int, graph: Sentence) -> bool:
    """Beyond as many edges as nodes, a longer walk reaches nothing new."""
    frontier = {start}
    longest = walk.low + len(graph.words) if walk.high is None else walk.high
    for length in range(longest + 1):
        if length >= walk.low and end in frontier:
            return True
        frontier = {t for s, label, t in graph.edges if s in frontier and walk.labels.accept(label)}
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


@settings(max_examples=400, deadline=None)
@given(structure_texts(), graphs())
@example("{ C -[a]{2}-> A; C -[~a]-> A }", sentence("x x", ((0, "~a", 1),)))
def test_the_search_agrees_with_the_definition(text: str, graph: Sentence) -> None:
    assert (search(text, graph) is not None) == definition(read_structure(text), graph)


@settings(max_examples=100, deadline=None)
@given(structure_texts(), graphs())
def test_what_is_found_is_a_match(text: str, graph: Sentence) -> None:
    body = read_structure(text).body
    match = search(text, graph)
    if match is not None:
        assert len(set(match.values())) == len(match) == len(body.variables)
        assert holds(body, match, graph)


def test_one_search_serves_all_sentences_of_a_shape() -> None:
    vocabulary = QuestionTable([read_structure("{ V -[obj]-> N[lemma=dog] }")])
    shapes = ShapeTable(vocabulary)
    searcher = Searcher(vocabulary.compiled())
    first = shapes.of(sentence("saw cat", ((0, "obj", 1),)))
    second = shapes.of(sentence("heard bird", ((0, "obj", 1),)))
    assert first is second
    assert not searcher.occurs(first, 0)


def test_an_empty_label_set_matches_nothing() -> None:
    assert Labels(frozenset()).accept("obj") is False
    assert search("{ V -[]-> N }", RELATIVE) is None
