"""Semantic graphs and their written forms, and back."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from semantic_graphs import Sentence, sentences

from sgl.core.graph import Graph, GraphNode
from sgl.rendering.meaning import ViewError
from sgl.rendering.views import VIEWS
from sgl.research.logical_forms import read_cogs, read_varfree
from sgl.sampling.tables import BUNDLED

FORMS = Path(__file__).parent.parent / "golden" / "views" / "forms.txt"
cogs, varfree, penman = (
    lambda graph, name=name: VIEWS[name].render(graph, ()) for name in ("cogs", "varfree", "penman")
)


def golden() -> list[dict[str, str]]:
    blocks = FORMS.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    return [dict(line.split(maxsplit=1) for line in block.splitlines()) for block in blocks]


# --- Our own sentences --------------------------------------------------------------------


@pytest.mark.parametrize("case", golden(), ids=lambda case: case["sentence"])
def test_a_sentence_in_every_view(case: dict[str, str]) -> None:
    tokens = case["sentence"].split()
    graph = read_cogs(case["cogs"], tokens)
    forms = {name: view.render(graph, tokens) for name, view in VIEWS.items()}
    assert {"sentence": case["sentence"], **forms} == case


@pytest.mark.parametrize("case", golden(), ids=lambda case: case["sentence"])
def test_a_variable_free_form_is_read_and_written_again(case: dict[str, str]) -> None:
    assert varfree(read_varfree(case["varfree"])) == case["varfree"]


def test_every_view_has_a_description() -> None:
    assert list(VIEWS) == sorted(VIEWS)
    assert all(view.name == name and view.description for name, view in VIEWS.items())


@pytest.mark.parametrize("page", ["language.md", "logical-forms.md"])
def test_every_view_is_in_the_documentation(page: str) -> None:
    text = (Path(__file__).parents[2] / "docs" / page).read_text("utf-8")
    assert [name for name in VIEWS if f"`{name}`" not in text] == []


def test_the_bundled_views_need_only_the_standard_library_of_python_39() -> None:
    modules = [name for name in BUNDLED if name.startswith("sgl.rendering.")]
    #: Those of authors' views need Jinja, and are bundled with these alone.
    of_authors = {"sgl.rendering.sandbox", "sgl.rendering.template"}
    assert {view.write.__module__ for view in VIEWS.values()} < set(modules)
    for name in modules:
        source = Path(import_module(name).__file__ or "").read_text("utf-8")
        tree = ast.parse(source, feature_version=(3, 9))
        imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        imported -= {module for module in imported if name in of_authors and str(module).partition(".")[0] == "jinja2"}
        assert {module for module in imported if str(module).startswith("sgl")} <= {*BUNDLED}
        assert imported <= {"__future__", "collections", "collections.abc", "functools", "hashlib", "typing", *BUNDLED}
        assert not re.search(r"\bslots=|\bstrict=|\bmatch ", source)


# --- What a graph must be -----------------------------------------------------------------


def node(position: int, **attributes: str) -> GraphNode:
    return GraphNode(tuple(sorted(attributes.items())), position)


DOG = node(1, type="entity", lemma="dog", definite="no")
BARK = node(2, type="event", lemma="bark")


def test_function_words_are_not_shown() -> None:
    graph = Graph((node(0), DOG, BARK, node(3)), ((2, "agent", 1),), 2)
    assert cogs(graph) == "dog ( x _ 1 ) AND bark . agent ( x _ 2 , x _ 1 )"
    assert varfree(graph) == "bark ( agent = dog )"


@pytest.mark.parametrize(
    ("graph", "view", "message"),
    [
        (Graph((DOG, BARK), (), 1), "cogs", "the verb 'bark' has no arguments"),
        (Graph((DOG, BARK), (), 1), "varfree", "'dog' is attached to no other word"),
        (Graph((DOG, BARK), (), 1), "penman", "'dog' is attached to no other word"),
        (Graph((DOG, node(1, type="entity", lemma="cat")), (), 0), "cogs", "shares its token"),
        (Graph((DOG, node(1, type="entity", lemma="cat")), (), 0), "recogs", "token of its own"),
        (Graph((node(0), DOG), ((1, "nmod", 0),), 1), "cogs", "a word without meaning"),
        (Graph((node(0), DOG), (), 0), "cogs", "the head of the graph"),
        (Graph((node(0, type="thing", lemma="dog"),), (), 0), "cogs", "not entity, name, wh"),
        (Graph((node(0, type="entity", lemma="ice cream"),), (), 0), "cogs", "'ice cream'"),
        (Graph((node(0, type="event", lemma="eat", open="a+b+c+d+f"),), (), 0), "cogs", "open"),
        (Graph((DOG, node(2, type="name", lemma="Tom", open="x")), (), 0), "cogs", "by itself"),
        (
            Graph((node(0, type="name", lemma="Tom"), DOG), ((0, "nmod:in", 1),), 0),
            "cogs",
            "a name or wh-word has no dependents, and 'Tom' has",
        ),
        (Graph((DOG, node(-1, type="event", lemma="bark")), ((1, "agent", 0),), 1), "cogs", "no token"),
        (Graph((DOG, BARK), ((1, "agent of", 0),), 1), "varfree", "the label 'agent of'"),
    ],
)
def test_a_graph_without_such_a_form_is_refused(graph: Graph, view: str, message: str) -> None:
    with pytest.raises(ViewError, match=re.escape(message)):
        VIEWS[view].render(graph, ())


def test_copies_of_copies_are_refused_before_they_fill_the_memory() -> None:
    nodes = tuple(node(i, type="event", lemma="say") for i in range(40))
    edges = tuple((i, role, i + 1) for i in range(39) for role in ("ccomp", "xcomp"))
    with pytest.raises(ViewError, match="copies"):
        varfree(Graph(nodes, edges, 0))
    assert penman(Graph(nodes, edges, 0)).count("/") == 40


def test_a_chain_of_any_length_is_refused_without_a_traceback() -> None:
    nodes = tuple(node(i, type="event", lemma="say") for i in range(5000))
    graph = Graph(nodes, tuple((i, "ccomp", i + 1) for i in range(4999)), 0)
    for view in ("varfree", "penman"):
        with pytest.raises(ViewError):
            VIEWS[view].render(graph, ())


# --- Laws ---------------------------------------------------------------------------------


@settings(deadline=None)
@given(sentences())
def test_version_2_of_recogs_renames_the_positional_form(sentence: Sentence) -> None:
    if len(sentence.graph.nodes) > 60:
        return
    positional = VIEWS["recogs"].render(sentence.graph, ())
    renamed = VIEWS["recogs_v2"].render(sentence.graph, ())
    pairs = set(zip(re.findall(r"\d+", positional), re.findall(r"\d+", renamed), strict=True))
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    assert all(int(new) < 60 for _, new in pairs)
    assert re.sub(r"\d+", "#", positional) == re.sub(r"\d+", "#", renamed)
    first = VIEWS["recogs_v1"].render(sentence.graph, ())
    assert sorted(re.split(" ; | AND ", first)) == sorted(re.split(" ; | AND ", renamed))


@settings(deadline=None)
@given(sentences())
def test_penman_has_every_edge_once(sentence: Sentence) -> None:
    graph = sentence.graph
    triples = penman_triples(penman(graph))
    edges = [t for t in triples if t[1] not in (":instance", ":definite", ":op1")]
    assert len(edges) == len(graph.edges)
    variables = {source for source, role, _ in triples if role == ":instance"}
    assert len(variables) == len(graph.nodes)
    assert {target for _, _, target in edges} <= variables


def penman_triples(text: str) -> list[tuple[str, str, str]]:
    """Source, role, target; a reader for what this notation needs."""
    tokens = re.findall(r'[()/]|"[^"]*"|[^\s()/]+', text)
    found: list[tuple[str, str, str]] = []
    stack: list[str] = []
    role = ""
    for rank, part in enumerate(tokens):
        if part == "(":
            if stack:
                found.append((stack[-1], role, tokens[rank + 1]))
            stack.append(tokens[rank + 1])
        elif part == ")":
            stack.pop()
        elif part == "/":
            found.append((stack[-1], ":instance", tokens[rank + 1]))
        elif part.startswith(":"):
            role = part
        elif tokens[rank - 1] == role:
            found.append((stack[-1], role, part))
    assert not stack
    return found
