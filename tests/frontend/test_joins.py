"""A condition joined to a structure is found where a match of the one extends to the other."""

from __future__ import annotations

import pytest
from graph_search import definition, extends, graphs, label_texts, maps, sentence
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from toy_notation import structure

from sgl.frontend.lower.quotas import join
from sgl.verify.conllu import Sentence
from sgl.verify.structure import GraphPattern, read_structure

IN_SUBJECT = "{ V -[nsubj]-> N; N -[nmod]-> M }"

JOINED_TO_A_WITHOUT = (
    "{ N -[nmod]-> M; M -[nmod]-> A_1 } without { M -[amod]-> A } "
    "without { M -[amod]-> A_1 } without { A_1 -[amod]-> B }"
)


def names(text: str) -> set[str]:
    """All variables of a structure."""
    read = read_structure(text)
    return {v.name for body in (read.body, *read.without) for v in body.variables}


def joined(first: str, second: str) -> str:
    """The two joined at all names that they share, as an author shares them."""
    main = {variable.name for variable in read_structure(first).body.variables}
    return str(join(structure(first), structure(second), frozenset(main & names(second))))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (IN_SUBJECT, "{ C -[ccomp]-> V }", IN_SUBJECT[:-2] + "; C -[ccomp]-> V }"),
        (IN_SUBJECT, "{ V[upos=VERB] }", "{ V[upos=VERB] -[nsubj]-> N; N -[nmod]-> M }"),
        (IN_SUBJECT, "{ V -[nsubj]-> N }", IN_SUBJECT),
        # A dependent of M in the condition is none of the new nodes of its `without`.
        (
            "{ N -[nmod]-> M } without { M -[amod]-> A }",
            "{ M -[nmod]-> A } without { A -[amod]-> B }",
            JOINED_TO_A_WITHOUT,
        ),
    ],
)
def test_variables_of_one_name_are_one(first: str, second: str, expected: str) -> None:
    assert joined(first, second) == expected


def extended(first: GraphPattern, second: GraphPattern, graph: Sentence) -> bool:
    """The definition: some match of the first can be extended to one of the second."""
    return any(
        not any(extends(body, match | places, graph) for body in second.without)
        for match in maps(first.body, {}, graph)
        if not any(extends(body, match, graph) for body in first.without)
        for places in maps(second.body, match, graph)
    )


@st.composite
def texts(draw: st.DrawFn, main: list[str], other: list[str]) -> str:
    """A structure with one body, and perhaps a `without`, over some variables each."""

    def body(variables: list[str]) -> str:
        name = st.sampled_from(variables)
        edges = [f"{draw(name)} -[{draw(label_texts)}]-> {draw(name)}" for _ in range(draw(st.integers(0, 2)))]
        nodes = [f"{draw(name)}[lemma=x|y]"] if draw(st.booleans()) else []
        assume(edges or nodes)
        return "{ " + "; ".join([*edges, *nodes]) + " }"

    bodies = [body(main)]
    bodies += [body(other)] if draw(st.booleans()) else []
    return " without ".join(bodies)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(texts(["A", "B"], ["A", "X", "C"]), texts(["A", "C", "X"], ["A", "C", "Y"]), graphs())
@example("{ A -[a]-> B } without { X -[b]-> A }", "{ C -[b]-> A }", sentence("x x x", ((0, "a", 1), (2, "b", 0))))
def test_a_join_is_found_where_a_match_extends(first: str, second: str, graph: Sentence) -> None:
    both = read_structure(joined(first, second))
    assert definition(both, graph) == extended(read_structure(first), read_structure(second), graph)
