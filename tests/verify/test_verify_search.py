"""Searching shapes finds what the definition of a match says, and only that."""

from __future__ import annotations

import pytest
from graph_search import definition, graphs, holds, search, sentence, structure_texts
from hypothesis import example, given, settings

from sgl.verify.conllu import Sentence
from sgl.verify.items import ShapeTable
from sgl.verify.search import Searcher, SearchError
from sgl.verify.structure import Labels, StructureError, read_structure

# The dog that the cat saw slept: dog is the subject of slept and the object of saw.
RELATIVE = sentence("dog cat saw slept", ((0, "acl:relcl", 2), (2, "nsubj", 1), (2, "~obj", 0), (3, "nsubj", 0)))


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
        ("{ N[lemma=dog]; M[lemma=cat] } without { X -[nsubj]-> N } without { Y -[obj]-> M }", False),
        # The only other governor of dog is saw, which the match has taken.
        ("{ A[lemma=slept] -[nsubj]-> N; V[lemma=saw] } without { X -[~obj]-> N }", True),
    ],
)
def test_structures_in_a_relative_clause(structure: str, found: bool) -> None:
    assert (search(structure, RELATIVE) is not None) is found


@pytest.mark.parametrize("more", ["", "N; ", "V -[nsubj]-> N; ", "V -[nsubj]-> N[lemma=dog]; "])
def test_sentences_that_differ_in_their_length_alone_are_told_apart(more: str) -> None:
    """A structure may ask for nothing else, and sees the same edges in both."""
    shapes = ShapeTable([read_structure(f"{{ {more}length en >= 3 }}")])
    searcher, found = Searcher(shapes), []
    for length in ("2", "3"):
        graph = sentence("dog slept", ((1, "nsubj", 0),))
        found.append(searcher.occurring(shapes.of(graph._replace(comments=(("length_en", length),)))))
    assert found == [0, 1]


def test_a_match_names_the_words() -> None:
    match = search("{ N -[acl:relcl]-> V; V -[nsubj]-> M }", RELATIVE)
    assert match == {"N": 0, "V": 2, "M": 1}


def test_equal_answers_give_one_shape() -> None:
    shapes = ShapeTable([read_structure("{ N[lemma=dog|cat] -[det]-> D }")])
    dog = shapes.of(sentence("dog slept", ((1, "nsubj", 0),)))
    assert shapes.of(sentence("cat saw", ((1, "obj", 0),))) is dog
    assert shapes.of(sentence("bird slept", ((1, "nsubj", 0),))) is not dog
    assert shapes.of(sentence("dog slept", ((1, "det", 0),))) is not dog


# --- against the definition --------------------------------------------------------------


@settings(max_examples=200, deadline=None)
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
    shapes = ShapeTable([read_structure("{ V -[obj]-> N[lemma=dog] }")])
    searcher = Searcher(shapes)
    first = shapes.of(sentence("saw cat", ((0, "obj", 1),)))
    second = shapes.of(sentence("heard bird", ((0, "obj", 1),)))
    assert first is second
    assert not searcher.occurring(first)


def test_an_empty_label_set_matches_nothing() -> None:
    assert Labels(frozenset()).passes("obj") is False
    assert search("{ V -[]-> N }", RELATIVE) is None


# --- a budget -----------------------------------------------------------------------------


def star(words: int) -> Sentence:
    """One word governs all others, of which some govern one another in pairs."""
    edges = [(0, "a", word) for word in range(1, words)]
    edges += [(word, "a", word + 1) for word in range(1, 14, 2)]
    return sentence("x " * words, tuple(edges))


@pytest.mark.slow
def test_a_search_without_end_is_given_up() -> None:
    """Nine edges apart: there are seven pairs, and the star gives one more."""
    text = "; ".join(f"A{number} -[*]-> B{number}" for number in range(9))
    shapes = ShapeTable([read_structure("{ N[lemma=y] }"), read_structure(f"{{ {text} }}")])
    searcher, shape = Searcher(shapes), shapes.of(star(30))
    searcher.allow([shape])
    with pytest.raises(SearchError) as problem:
        searcher.occurring(shape)
    assert problem.value.number == 1
    assert next(searcher.matches(shape, 1), None) is None


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("{ A -[a]-> B; C -[a]-> D; E -[a]-> F }", 1000),  # too many words for a variable
        ("{ A -[a]{2,}-> B }", 0),  # too many walks
    ],
)
def test_a_search_is_given_up_for_either_reason(text: str, pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.verify.search.STEPS", 3)
    monkeypatch.setattr("sgl.verify.search.STEPS_FOR_A_PAIR", pairs)
    shapes = ShapeTable([read_structure(text)])
    searcher, shape = Searcher(shapes), shapes.of(star(17))
    searcher.allow([shape])
    with pytest.raises(SearchError):
        searcher.occurring(shape)


def test_many_structures_take_steps_even_if_none_of_them_has_to_be_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest may have a million of them, and a file as many kinds of edges."""
    monkeypatch.setattr("sgl.verify.search.STEPS", 100)
    monkeypatch.setattr("sgl.verify.search.STEPS_FOR_A_PAIR", 0)
    shapes = ShapeTable([read_structure(f"{{ N[lemma=y{number}] }}") for number in range(1_000)])
    searcher, several = Searcher(shapes), [shapes.of(sentence(f"y{number}", ())) for number in range(3)]
    searcher.allow(several)
    with pytest.raises(SearchError):
        list(map(searcher.occurring, several))


def test_structures_about_other_labels_take_no_steps() -> None:
    """A word of a sentence does not cost more because there are thousands of structures about others."""
    shapes = ShapeTable([read_structure(f"{{ A[lemma=y{number}] -[a{number}]-> B }}") for number in range(1_000)])
    searcher = Searcher(shapes)
    searcher.left = most = 10.0**9
    assert searcher.occurring(shapes.of(sentence("y7 x", ((0, "a7", 1),)))) == 1 << 7
    assert most - searcher.left < 100


def chain(words: int) -> Sentence:
    """Each word governs the next one."""
    return sentence("x " * words, tuple((word, "a", word + 1) for word in range(words - 1)))


def test_walks_are_followed_once_for_all_sentences_with_the_same_edges() -> None:
    """Those of a long sentence take megabytes, and a file may have thousands that differ in one word."""
    shapes = ShapeTable([read_structure("{ V[lemma=saw] -[a]+-> W[lemma=dog] }")])
    searcher, used = Searcher(shapes), []
    for place in range(2):
        lemmas = ["saw" if word == place else "dog" for word in range(60)]
        searcher.left = most = 10.0**9
        assert searcher.occurring(shapes.of(sentence(" ".join(lemmas), chain(60).edges)))
        used.append(most - searcher.left)
    assert used[1] < used[0] / 2


def test_the_steps_of_shapes_do_not_depend_on_earlier_ones() -> None:
    """Each process searches some of them, and all together must say the same as one."""
    shapes = ShapeTable([read_structure("{ V -[a]+-> W }"), read_structure("{ V -[a]-> W; W -[a]-> X }")])
    searcher, several = Searcher(shapes), [shapes.of(chain(words)) for words in (5, 9)]
    left = []
    for _ in range(2):
        searcher.allow(several)
        left.append([searcher.left, *map(searcher.occurring, several), searcher.left])
    assert left[0] == left[1]


def test_long_sentences_have_more_steps() -> None:
    shapes = ShapeTable([read_structure("{ V -[a]+-> W }")])
    searcher, shape = Searcher(shapes), shapes.of(chain(600))
    searcher.allow([shape])
    assert searcher.occurring(shape)


def test_walks_that_the_budget_allows_are_found_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a sentence of a thousand words, a structure was said to be absent of which nobody had seen the end."""
    monkeypatch.setattr("sgl.verify.search.STEPS", 1_000)
    shapes = ShapeTable([read_structure("{ V -[a]+-> W }")])
    searcher, shape = Searcher(shapes), shapes.of(chain(61))
    searcher.allow([shape])
    assert searcher.occurring(shape)


def test_a_structure_has_at_most_100_nodes() -> None:
    """Each node is a call within a call of the search."""
    assert read_structure("{ " + "; ".join(f"N{number}" for number in range(100)) + " }")
    with pytest.raises(StructureError, match="more than 100 nodes or links"):
        read_structure("{ " + "; ".join(f"N{number}" for number in range(102)) + " }")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{ " + "; ".join(f"N[a={number}]" for number in range(1_001)) + " }", "or 1,000 tests"),
        ("{ N[" + ", ".join(["#a>=2"] * 1_001) + "] }", "or 1,000 tests"),
        ("{ N }" + " without { M }" * 1_000, "or 1,000 tests"),
    ],
    ids=["a test in each of many statements", "numbers of edges", "exceptions"],
)
def test_a_structure_has_not_so_many_tests_that_reading_it_takes_hours(text: str, said: str) -> None:
    """A manifest of 64 MB may be one structure; its tests were copied in each statement, and in each of its pieces."""
    with pytest.raises(StructureError, match=said):
        read_structure(text)
