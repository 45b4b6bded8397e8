# ruff: noqa: B023 - the functions are called where they are made
"""What is worked out for a shape is what is written for each sentence of that shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from random_graph_grammars import grammars
from test_columns import GRAMMARS, sample

from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.rendering import ConlluError, ViewError
from sgl.rendering.columns import ConlluColumns
from sgl.rendering.graph_columns import GraphColumns
from sgl.rendering.packed import pack_layer
from sgl.rendering.view_columns import PACKED_VIEWS, ViewColumns
from sgl.sampling.text_writer import text_writer


def outcome(written: Callable[[], Iterable[str]]) -> object:
    """The texts, or the exception that there is instead."""
    try:
        return list(written())
    except ViewError:
        # The message of a batch has the sentence, which that of the column has not.
        return ViewError
    except (ConlluError, LookupError) as error:
        return type(error), str(error)


def compare(
    grammar: CoreGrammar, derivations: Sequence[Derivation], often: int, size: int = 100
) -> int:
    """Compare all columns, in batches; how many sentences were written by their shape."""
    layer = next(n for n, graph in enumerate(grammar.graph_layers) if not graph.free)
    anchor = grammar.text_layer(grammar.graph_layers[layer].anchor)
    order = [anchor, *(n for n in range(len(grammar.text_layers)) if n != anchor)]
    names = [grammar.text_layers[n].name for n in order]
    views = [view for view in grammar.views if view.kind in PACKED_VIEWS]
    columns = GraphColumns(grammar, views, (layer, names), text_writer, order, often)
    conllu = ConlluColumns(pack_layer(grammar, layer), names)
    shaped = 0
    for first in range(0, len(derivations), size):
        part = Derivations.of(derivations[first : first + size])
        texts = [text_writer(grammar, n)(part) for n in order]
        batch = columns.batch(part)
        for n, text in zip(order, texts, strict=True):
            assert list(batch.words(n).texts()) == list(text.texts())
        shaped += batch.shaped
        heading: Any = {"split": "train", "category": "c d", "first": first + 1}
        graphs = pack_layer(grammar, layer).graphs(part)

        assert outcome(lambda: batch.conllu(texts, **heading).texts()) == outcome(
            lambda: conllu.column(graphs, texts, **heading).texts()
        )
        for number, view in enumerate(views):
            packed = pack_layer(grammar, view.layer)
            glued = packed.graphs(part)
            assert outcome(lambda: batch.view(number).texts()) == outcome(
                lambda: ViewColumns(packed, view).column(glued).texts()
            )
    return shaped


@pytest.mark.parametrize("name", GRAMMARS)
def test_shapes_of_a_grammar_write_what_is_written_in_general(name: str) -> None:
    grammar, derivations = sample(name)
    assert compare(grammar, derivations * 3, often=2) > len(derivations)


@given(grammars())
@settings(max_examples=60, deadline=None)
def test_shapes_of_random_grammars_write_what_is_written_in_general(
    found: tuple[CoreGrammar, list[Derivation]],
) -> None:
    grammar, derivations = found
    if any(not graph.free for graph in grammar.graph_layers):
        compare(grammar, derivations * 3, often=1, size=4)


def test_shapes_that_are_seldom_met_are_written_in_general() -> None:
    grammar, derivations = sample("farm")
    assert compare(grammar, derivations, often=10_000) == 0
