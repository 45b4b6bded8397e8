"""The verifier's own reader of structures understands what the compiler writes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgl.core import structure as core
from sgl.verify.structure import (
    DegreeComparison,
    GraphPattern,
    Labels,
    Link,
    StructureBody,
    StructureError,
    ValueTest,
    read_structure,
)

LABELS = st.sampled_from(["nsubj", "nsubj:pass", "obj", "~obj", "acl:relcl", "nmod"])
VALUES = st.sampled_from(["dog", "New York", "犬", 'a"b\\c', "x|y", "", "well-known", "}", "#"])
label_tests = st.builds(core.LabelTest, st.frozensets(LABELS, max_size=3), st.booleans())
node_tests = st.builds(
    core.NodeTest,
    st.sampled_from(["lemma", "upos", "Tense", "Number[psor]"]),
    st.frozensets(VALUES, max_size=3),
    st.booleans(),
)
degree_tests = st.builds(core.DegreeTest, label_tests, st.sampled_from(["=", ">=", "<="]), st.integers(0, 9))


@st.composite
def bodies(draw: st.DrawFn) -> core.Body:
    names = draw(st.lists(st.sampled_from(["V", "N", "M", "N.2", "X'", "名"]), min_size=1, unique=True))
    variables = tuple(
        core.Variable(
            name, tuple(draw(st.lists(node_tests, max_size=2))), tuple(draw(st.lists(degree_tests, max_size=1)))
        )
        for name in names
    )
    ends = st.integers(0, len(names) - 1)
    edges = tuple(draw(st.lists(st.builds(core.Link, ends, label_tests, ends), max_size=3)))
    low = draw(st.integers(0, 4))
    high = st.one_of(st.none(), st.integers(low, 6))
    paths = st.builds(core.Link, ends, label_tests, ends, st.just(low), high)
    return core.Body(variables, (*edges, *draw(st.lists(paths, max_size=2))))


structures = st.builds(core.Structure, st.just("syn"), bodies(), st.lists(bodies(), max_size=2).map(tuple))


def meaning(structure: core.Structure) -> list[object]:
    """A structure of the compiler as names, tests and links, in no order."""
    return [body_meaning(body) for body in (structure.body, *structure.without)]


def body_meaning(body: core.Body) -> object:
    def labels(test: core.LabelTest) -> tuple[object, ...]:
        return (test.labels, test.negated)

    variables = {
        variable.name: (
            {(test.attribute, test.values, test.negated) for test in variable.tests},
            {(labels(test.labels), test.comparison, test.number) for test in variable.degrees},
        )
        for variable in body.variables
    }
    names = [variable.name for variable in body.variables]
    links = [(names[x.source], labels(x.labels), x.low, x.high, names[x.target]) for x in body.links]
    return variables, links


def read_meaning(structure: GraphPattern) -> list[object]:
    """The same of a structure of the verifier."""
    return [read_body_meaning(body) for body in (structure.body, *structure.without)]


def read_body_meaning(body: StructureBody) -> object:
    def labels(test: Labels) -> tuple[object, ...]:
        return (test.labels, test.negated)

    variables = {
        variable.name: (
            {(test.attribute, test.values, test.negated) for test in variable.tests},
            {(labels(test.labels), test.comparison, test.number) for test in variable.degrees},
        )
        for variable in body.variables
    }
    names = [variable.name for variable in body.variables]
    links = [(names[x.source], labels(x.labels), x.low, x.high, names[x.target]) for x in body.links]
    return variables, links


@pytest.mark.slow
@given(structures)
def test_reading_undoes_writing(structure: core.Structure) -> None:
    assert read_meaning(read_structure(str(structure))) == meaning(structure)


def test_an_example_in_full() -> None:
    structure = read_structure("{ V[upos!=AUX] -[nsubj|obj]-> N[lemma=dog, #^det>=2]; N -[*]+-> M }")
    verb, noun, other = structure.body.variables
    assert verb.tests == (ValueTest("upos", frozenset({"AUX"}), negated=True),)
    assert noun.tests == (ValueTest("lemma", frozenset({"dog"})),)
    assert noun.degrees == (DegreeComparison(Labels(frozenset({"det"}), negated=True), ">=", 2),)
    assert other.name == "M"
    assert structure.body.links == (
        Link(0, Labels(frozenset({"nsubj", "obj"})), 1),
        Link(1, Labels(frozenset(), negated=True), 2, 1, None),
    )


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("", 1, "'{' expected"),
        ("{ }", 3, "the name of a variable expected"),
        ("{ V -[nsubj> N }", 12, "']' expected"),
        ("{ V -[nsubj]> N }", 13, "'->' expected"),
        ("{ V[lemma] }", 10, "'=' or '!=' expected"),
        ("{ V[lemma=a|] }", 13, "a value expected"),
        ("{ V[#amod>2] }", 10, "'=', '>=' or '<=' expected"),
        ("{ V -[a]{3,2}-> N }", 13, "an upper bound of at least 3 expected"),
        ("{ V -[a]{99999}-> N }", 10, "a whole number below 1,000 expected"),
        ("{ V } without", 14, "'{' expected"),
        ("{ V } X", 7, "the end of the structure expected"),
        ('{ V[lemma="dog] }', 11, "']' expected"),
    ],
)
def test_a_mistake_is_named_with_its_column(text: str, column: int, reason: str) -> None:
    with pytest.raises(StructureError) as error:
        read_structure(text)
    assert str(error.value) == f"{reason} at column {column}"


@given(st.text(alphabet='{}[]-><VN;,|^*#="\\ 1a~:', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(StructureError):
        assert read_structure(text).body.variables
