"""Columns that kernels write have the texts of the functions that write one at a time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from random_graph_grammars import grammars
from sget import compile_file
from toy import TOY

import columns
from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar, Edge, Fragment, Rule, View
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.dataset.columns import FeatureColumns, NotationColumns
from sgl.dataset.notation import DerivationNotation, features
from sgl.rendering import ConlluError, ViewError, ViewOutput, conllu
from sgl.rendering.columns import ConlluColumns
from sgl.rendering.packed import pack_layer
from sgl.rendering.view_columns import ViewColumns
from sgl.resources import grammars_dir

ROOT = Path(__file__).parents[2]
GRAMMARS = {
    "sget": (grammars_dir() / "sget.sgl", {}),
    "sget with meanings": (grammars_dir() / "sget.sgl", {"meanings": "on"}),
    "slog": (grammars_dir() / "slog.sgl", {}),
    "cogs": (grammars_dir() / "cogs.sgl", {}),
    "farm": (ROOT / "docs" / "examples" / "farm.sgl", {}),
}


@cache
def sample(name: str) -> tuple[CoreGrammar, tuple[Derivation, ...]]:
    """A bundled grammar and derivations of it, by their weights."""
    path, settings = GRAMMARS[name]
    grammar = compile_file(path, settings).grammar
    choose = Random(2026)  # noqa: S311
    return grammar, tuple(drawn(grammar, choose) for _ in range(300))


def drawn(grammar: CoreGrammar, choose: Random) -> Derivation:
    """A derivation that does not grow for ever."""
    rules: list[int] = []
    waiting = [grammar.start]
    while waiting:
        found = grammar.rules_of[waiting.pop()]
        if len(rules) > 60:
            found = (min(found, key=lambda rule: len(rule.rhs)),)
        (rule,) = choose.choices(found, [rule.weight for rule in found])
        rules.append(rule.id)
        waiting += reversed(rule.rhs)
    return tuple(rules)


def texts(grammar: CoreGrammar, derivations: Iterable[Derivation], layer: int) -> list[str]:
    return [
        finish(grammar.text_layers[layer], derive_tokens(grammar, one, layer))
        for one in derivations
    ]


def outcome(written: Callable[[], Iterable[str]]) -> object:
    """The texts, or the exception that there is instead."""
    try:
        return list(written())
    except (ConlluError, ViewError, LookupError) as error:
        return type(error), str(error)


def compare_views(grammar: CoreGrammar, derivations: Sequence[Derivation], view: View) -> None:
    layer = pack_layer(grammar, view.layer)
    output = ViewOutput(grammar, view)
    assert outcome(
        lambda: ViewColumns(layer, view).column(layer.graphs(Derivations.of(derivations))).texts()
    ) == outcome(
        lambda: [
            output.render(
                derive_graph(grammar, one, view.layer), derive_tokens(grammar, one, output.anchor)
            )
            for one in derivations
        ]
    )


def compare_conllu(
    grammar: CoreGrammar,
    derivations: Sequence[Derivation],
    number: int,
    *,
    first: int = 1,
    category: str = "in_distribution",
    texts_of: Callable[..., list[str]] = texts,
) -> None:
    layer = pack_layer(grammar, number)
    order = sorted(range(len(grammar.text_layers)), key=lambda text: text != layer.anchor)
    names = [grammar.text_layers[text].name for text in order]
    given = [texts_of(grammar, derivations, text) for text in order]
    found = outcome(
        lambda: (
            ConlluColumns(layer, names)
            .column(
                layer.graphs(Derivations.of(derivations)),
                [Column.of(column) for column in given],
                split="train",
                category=category,
                first=first,
            )
            .texts()
        )
    )
    assert found == outcome(
        lambda: [
            conllu(
                derive_graph(grammar, one, number),
                derive_tokens(grammar, one, layer.anchor),
                list(zip(names, row, strict=True)),
                sent_id=f"train-{first + item:06d}",
                category=category,
            )
            for item, (one, *row) in enumerate(zip(derivations, *given, strict=True))
        ]
    )


@pytest.mark.parametrize("name", GRAMMARS)
def test_every_view_of_a_grammar_is_written_as_one_by_one(name: str) -> None:
    grammar, derivations = sample(name)
    for view in grammar.views:
        if view.kind != "conllu":
            compare_views(grammar, derivations, view)


@pytest.mark.parametrize("name", GRAMMARS)
def test_conllu_of_a_grammar_is_written_as_one_by_one(name: str) -> None:
    grammar, derivations = sample(name)
    # The number of the item grows out of its six digits.
    compare_conllu(grammar, derivations, 0, first=999_900)


@pytest.mark.parametrize("name", GRAMMARS)
def test_derivations_of_a_grammar_are_written_as_one_by_one(name: str) -> None:
    compare_notation(*sample(name))


def compare_notation(grammar: CoreGrammar, derivations: Sequence[Derivation]) -> None:
    notation, written = DerivationNotation(grammar, 0), NotationColumns(grammar, 0)
    flat = Derivations.of(derivations)
    assert list(written.expressions(flat).texts()) == list(map(notation.write, derivations))
    assert written.heights(flat).tolist() == list(map(notation.height, derivations))


@pytest.mark.parametrize("name", GRAMMARS)
def test_labels_of_a_grammar_are_counted_as_one_by_one(name: str) -> None:
    grammar, derivations = sample(name)
    layer = pack_layer(grammar, 0)
    for labels in ((), layer.labels, (*layer.labels[:2], "unheard_of")):
        column = FeatureColumns(layer, labels).column(layer.graphs(Derivations.of(derivations)))
        assert list(column.texts()) == [
            features(derive_graph(grammar, one, 0), labels) for one in derivations
        ]


@settings(max_examples=60, deadline=None)
@given(grammars())
def test_columns_of_random_grammars_are_written_or_refused_as_one_by_one(
    made: tuple[CoreGrammar, list[Derivation]],
) -> None:
    grammar, derivations = made
    compare_notation(grammar, derivations)
    for one in derivations:
        for view in grammar.views:
            compare_views(grammar, [one], view)
        for layer in (0, 1):
            compare_conllu(grammar, [one], layer)


@settings(max_examples=20, deadline=None)
@given(grammars())
def test_the_first_item_without_a_form_is_the_one_that_is_reported(
    made: tuple[CoreGrammar, list[Derivation]],
) -> None:
    grammar, derivations = made
    for view in grammar.views:
        compare_views(grammar, derivations, view)
    compare_conllu(grammar, derivations, 0)


# --- fronted words ------------------------------------------------------------------------


def with_edges(grammar: CoreGrammar, choose: Random) -> CoreGrammar:
    """A grammar whose rules have further edges, some of them extracting."""
    return CoreGrammar(
        grammar.name,
        grammar.categories,
        tuple(
            Rule(
                rule.id,
                rule.name,
                rule.lhs,
                rule.rhs,
                rule.weight,
                rule.templates,
                tuple(disturbed(fragment, choose) for fragment in rule.fragments),
            )
            for rule in grammar.rules
        ),
        grammar.start,
        grammar.text_layers,
        grammar.graph_layers,
    )


def disturbed(fragment: Fragment, choose: Random) -> Fragment:
    numbers = range(len(fragment.nodes))
    edges = [
        Edge(edge.source, f"~{edge.label}", edge.target)
        if choose.random() < 0.3 and not edge.label.startswith("~")
        else edge
        for edge in fragment.edges
    ]
    if len(numbers) > 1 and choose.random() < 0.5:
        source, target = choose.sample(numbers, 2)
        edges.append(Edge(source, choose.choice(["~obj", "~acl", "~a"]), target))
    return Fragment(fragment.nodes, tuple(edges), fragment.exports)


@pytest.mark.parametrize("seed", range(15))
def test_fronted_words_join_the_tree_as_one_by_one(seed: int) -> None:
    choose = Random(seed)  # noqa: S311
    grammar = with_edges(TOY, choose)
    written = 0
    for _ in range(25):
        derivation = drawn(grammar, choose)
        compare_conllu(grammar, [derivation], 0)
        try:
            tokens = derive_tokens(grammar, derivation, 0)
            text = finish(grammar.text_layers[0], tokens)
            graph = derive_graph(grammar, derivation, 0)
            written += "Extracted" in conllu(graph, tokens, [("en", text)], sent_id="", category="")
        except ConlluError:
            continue
    assert written, "no sentence with a fronted word has a form"


# --- what comes from outside ----------------------------------------------------------------


SPACES = "\t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
NO_SPACES = "\x08\x0e\x1b é\u1681\u200b\u2027\u2030\u2060\u3001\u3042\u3400\U0001f600"


@pytest.mark.parametrize("character", SPACES + NO_SPACES)
def test_a_text_with_a_character_is_a_comment_or_is_refused(character: str) -> None:
    def texts_with(grammar: CoreGrammar, rows: Sequence[Derivation], layer: int) -> list[str]:
        found = texts(grammar, rows, layer)
        return [f"{text}{character}" for text in found] if layer else found

    derivation = drawn(TOY, Random(1))  # noqa: S311
    compare_conllu(TOY, [derivation], 0, texts_of=texts_with)


@pytest.mark.parametrize("category", ["wh_object", "two words", "two\nlines", "質問"])
def test_a_category_is_one_line_or_is_refused(category: str) -> None:
    derivation = drawn(TOY, Random(1))  # noqa: S311
    compare_conllu(TOY, [derivation], 0, category=category)


def test_a_text_that_is_not_its_words_is_refused() -> None:
    def other(grammar: CoreGrammar, rows: Sequence[Derivation], layer: int) -> list[str]:
        return [f"{text} more" for text in texts(grammar, rows, layer)]

    derivation = drawn(TOY, Random(1))  # noqa: S311
    compare_conllu(TOY, [derivation], 0, texts_of=other)


def test_columns_of_nothing_are_empty() -> None:
    layer = pack_layer(TOY, 0)
    none = Derivations.of([])
    graphs = layer.graphs(none)
    nothing = [Column.of([]), Column.of([])]
    tree = ConlluColumns(layer, ["en", "ja"])
    assert tree.column(graphs, nothing, split="dev", category="c").rows == 0
    assert ViewColumns(layer, View("cogs", "cogs", 0)).column(graphs).rows == 0
    assert FeatureColumns(layer, layer.labels).column(graphs).rows == 0
    assert NotationColumns(TOY, 0).expressions(none).rows == 0
    assert NotationColumns(TOY, 0).heights(none).tolist() == []


def test_columns_can_be_written_from_a_part_of_a_longer_array() -> None:
    derivations = [drawn(TOY, Random(seed)) for seed in range(9)]  # noqa: S311
    flat = Derivations.of(derivations)
    part = Derivations(flat.rules, flat.offsets[3:7])
    assert list(part) == derivations[3:6]
    layer = pack_layer(TOY, 0)
    found = FeatureColumns(layer, layer.labels).column(layer.graphs(part))
    whole = FeatureColumns(layer, layer.labels).column(layer.graphs(Derivations.of(part)))
    assert list(found.texts()) == list(whole.texts())
    assert np.array_equal(
        NotationColumns(TOY, 0).heights(part), NotationColumns(TOY, 0).heights(flat)[3:6]
    )


def test_the_package_of_graphs_does_not_import_numba() -> None:
    modules = (
        "sgl.rendering, sgl.rendering.columns, sgl.rendering.view_columns, sgl.dataset.columns"
    )
    program = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_the_benchmark_of_columns_compares_what_it_measures() -> None:
    compiled = compile_file(*GRAMMARS["farm"])
    results = list(columns.measured("farm", compiled, items=60, plain=30))
    compared = {result["column"]: result["equal"] for result in results}
    assert compared == {
        "s-expression": True,
        "depth": True,
        "gluing syn": None,
        "features": True,
        "CoNLL-U": True,
    }
    assert all(result["columns_per_second"] > 0 for result in results)
    assert columns.equal(Column.of(["a", "b"]), ["a"])
    assert columns.equal(Column.of(["a", "b"]), ["b"]) is False
