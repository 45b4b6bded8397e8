"""Logical forms are read back as the graphs they were written from."""

from __future__ import annotations

import string
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from published_forms import COGS, SLOG, needs_published, rows
from semantic_graphs import NOUNS, VERBS, Sentence, sentences

from sgl.core.graph import Graph
from sgl.rendering.views import VIEWS
from sgl.research.evaluate import equivalent
from sgl.research.logical_forms import LogicalFormError, read_cogs, read_varfree
from sgl.research.logical_forms.graphs import read_with

cogs, varfree = (lambda graph, name=name: VIEWS[name].render(graph, ()) for name in ("cogs", "varfree"))


# --- Laws ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(sentences())
def test_a_cogs_form_is_read_as_the_graph_it_was_written_from(sentence: Sentence) -> None:
    assert read_cogs(cogs(sentence.graph), sentence.tokens) == sentence.graph


@settings(deadline=None)
@given(sentences())
def test_a_variable_free_form_keeps_the_meaning_of_the_graph(sentence: Sentence) -> None:
    form = varfree(sentence.graph)
    graph = read_varfree(form)
    assert varfree(graph) == form
    assert equivalent(cogs(graph), cogs(sentence.graph))


# --- Any text -----------------------------------------------------------------------------

WORDS = ("a", "e", "Tom", "TV", "agent", "theme", "ccomp", "nmod", "in", *NOUNS[:3], *VERBS[:2])
TOKENS = st.sampled_from([*"x_().,;*?=", "AND", "LAMBDA", "1", "2", "01", *WORDS])
SOUPS = st.lists(TOKENS, max_size=30).map(" ".join)


@st.composite
def damaged(draw: st.DrawFn, view: str) -> str:
    """A form with some tokens replaced, dropped, or repeated."""
    tokens = VIEWS[view].render(draw(sentences()).graph, ()).split()
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(tokens)))
        tokens[at : at + draw(st.integers(0, 2))] = draw(st.lists(TOKENS, max_size=2))
    return " ".join(tokens)


@settings(deadline=None)
@given(st.text() | SOUPS | damaged("cogs"))
@example("LAMBDA a . LAMBDA a . eat ( a )")
@example("x _ " + "9" * 5000)
@example("eat . agent ( x _ " + "9" * 5000 + " , Tom )")
def test_any_text_is_a_cogs_form_or_a_logical_form_error(text: str) -> None:
    graph = graph_or_error(read_cogs, text)
    if isinstance(graph, Graph):
        assert equivalent(cogs(graph), text)


@settings(deadline=None)
@given(st.text() | SOUPS | damaged("varfree"))
@example("dog ( nmod . in = dog )")
@example("x ( agent = n ( nmod = e ( agent = m ( nmod . in = n ) ) ) , theme = m ( nmod . in = n ) )")
@example("eat ( agent = " * 3000)
def test_any_text_is_a_variable_free_form_or_a_logical_form_error(text: str) -> None:
    graph = graph_or_error(read_varfree, text)
    if isinstance(graph, Graph):
        assert varfree(graph) == " ".join(text.split())


def graph_or_error(read: Callable[[str], Graph], text: str) -> Graph | None:
    """The graph, or none after an error that is within the text; any other error fails."""
    try:
        return read(text)
    except LogicalFormError as error:
        wrong = error
    assert 0 <= wrong.position <= len(text)
    assert wrong.reason
    return None


# --- Errors -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "expected a predicate, found the end"),
        ("see . agent ( x _ 2 , x _ 1", 27, "expected ')', found the end"),
        ("see . agent ( x _ 2 , 1 )", 22, "expected a variable, a name or '?', found '1'"),
        ("see . agent ( x _ 02 , Tom )", 18, "expected the number of a variable, found '02'"),
        ("see . agent ( x _ 2 , x _ 1 )", 0, "x _ 1 has no atom of its own"),
        ("cat ( x _ 1 ) ; * dog ( x _ 2 )", 14, "expected the end, found ';'"),
        ("* cat ( x _ 1 ) AND see", 16, "expected the end, found 'AND'"),
        ("cat ( x _ 1 ) AND dog ( x _ 1 )", 18, "x _ 1 has a noun already"),
        ("cat ( x _ 1 ) AND dog ( x _ 4 )", 18, "there is no head: x _ 1 does not lead to x _ 4"),
        ("cat ( x _ 1 ) AND dog . nmod ( x _ 1 , ? )", 18, "x _ 1 is 'cat', not 'dog'"),
        ("cat . nmod ( x _ 1 )", 0, "'cat . nmod' needs a second argument"),
        ("see ( x _ 1 , Tom )", 0, "expected a role after 'see'"),
        ("LAMBDA a . LAMBDA a . cat ( a )", 18, "expected a variable that is not bound yet"),
        ("LAMBDA a . cat ( b )", 17, "expected one of the variables a, found 'b'"),
        ("LAMBDA a . LAMBDA e . cat ( a )", 22, "expected a role after 'cat'"),
        ("LAMBDA a . LAMBDA e . run . agent ( a , e )", 22, "expected the last variable and one other as arguments"),
    ],
)
def test_an_error_of_a_cogs_form_says_where_and_what(text: str, position: int, reason: str) -> None:
    with pytest.raises(LogicalFormError) as caught:
        read_cogs(text)
    assert caught.value.position == position
    assert caught.value.reason.startswith(reason)
    assert str(caught.value) == f"character {position}: {caught.value.reason}"


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("", 0, "expected a word or '?', found the end"),
        ("see ( agent = Tom", 17, "expected ')', found the end"),
        ("see ( agent Tom )", 12, "expected '=', found 'Tom'"),
        ("see ( agent = * )", 16, "expected a noun after '*', found ')'"),
        ("see ( )", 6, "expected a role, found ')'"),
        ("see ( agent = Tom ) )", 20, "expected the end, found ')'"),
        ("* see ( agent = Tom )", 2, "'see' is a verb by its roles, and only nouns have '*'"),
        ("a ( nmod = b , agent = c )", 0, "'a' has modifiers as a noun and roles as a verb"),
        ("a ( nmod . = b )", 11, "expected a word after 'nmod .', found '='"),
    ],
)
def test_an_error_of_a_variable_free_form_says_where_and_what(text: str, position: int, reason: str) -> None:
    with pytest.raises(LogicalFormError) as caught:
        read_varfree(text)
    assert (caught.value.position, caught.value.reason) == (position, reason)


def test_a_long_token_is_cut_in_the_message() -> None:
    with pytest.raises(LogicalFormError, match="…"):
        read_cogs("see " + string.ascii_letters * 10)


# --- Conventions of the variable-free form ------------------------------------------------


def types(text: str, **options: tuple[str, ...]) -> dict[str, str]:
    graph = read_varfree(text, **options)
    return {node.get("lemma"): node.get("type") for node in graph.nodes}


def test_a_capital_is_a_name_unless_the_noun_is_known() -> None:
    assert types("see ( theme = TV )") == {"see": "event", "TV": "name"}
    assert types("see ( theme = TV )", common_nouns=("TV",)) == {"see": "event", "TV": "entity"}
    assert types("see ( theme = * TV )") == {"see": "event", "TV": "entity"}


def test_a_repeated_verb_is_two_events_and_a_repeated_noun_one_entity() -> None:
    graph = read_varfree("say ( agent = cat , ccomp = say ( agent = cat , theme = * cat ) )")
    assert sorted(node.get("lemma") for node in graph.nodes) == ["cat", "cat", "say", "say"]
    assert [label for _, label, target in graph.edges if target == graph.edges[0][2]] == ["agent", "agent"]


# --- The published forms ------------------------------------------------------------------


@pytest.mark.slow
@needs_published
@pytest.mark.parametrize(("name", "count"), [*zip((*COGS, *SLOG), (24155, 3000, 4046), strict=True)])
def test_published_cogs_forms_are_read_and_written_again(name: str, count: int) -> None:
    found = rows(name)
    assert len(found) == count
    assert [form for _, form in found if cogs(read_cogs(form)) != form] == []


@needs_published
@pytest.mark.parametrize(("name", "count"), [("slog/train.varfree.tsv", 32755), ("slog/dev.varfree.tsv", 4046)])
def test_published_variable_free_forms_are_read_and_written_again(name: str, count: int) -> None:
    found = rows(name)
    assert len(found) == count
    assert [form for _, form in found if varfree(read_varfree(form)) != form] == []


@needs_published
def test_the_two_published_forms_of_a_sentence_are_of_one_graph() -> None:
    pairs = list(zip(rows("slog/dev.cogs.tsv"), rows("slog/dev.varfree.tsv"), strict=True))
    assert all(first[0] == second[0] for first, second in pairs)
    forms = [(first[1], second[1]) for first, second in pairs]
    assert [pair for pair in forms if varfree(read_cogs(pair[0])) != pair[1]] == []


@needs_published
def test_a_variable_free_form_and_its_sentence_give_the_published_cogs_form() -> None:
    pairs = zip(rows("slog/dev.cogs.tsv"), rows("slog/dev.varfree.tsv"), strict=True)
    for (sentence, form), (_, bare) in pairs:
        assert cogs(read_with(bare, sentence)) == cogs(read_with(form, sentence)) == form, sentence
