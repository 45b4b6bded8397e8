"""How fast are derivations written, as columns and one by one?

Every column of a data set that is read off derivations is written in both ways: graphs are
glued, and written as CoNLL-U and as logical forms; s-expressions, depths and features::

    python benchmarks/columns.py grammars/sget.sgl grammars/slog.sgl --items 20000

Times are CPU seconds of one core, the best of a few runs for columns; building tables and
compiling kernels is not counted.  The texts are compared.  A graph is glued once for all
that is written of it, in both ways; so gluing has a line of its own.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from common import Json, print_table, write_json
from opening import opened
from sgl.automata import StructureCompiler
from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish
from sgl.core.plan import Constraint, Stratum
from sgl.dataset.columns import FeatureColumns, NotationColumns
from sgl.dataset.notation import DerivationNotation, features, recursive_labels
from sgl.frontend import Compiled
from sgl.rendering import ViewOutput, conllu
from sgl.rendering.columns import ConlluColumns
from sgl.rendering.packed import PackedLayer, pack_layer
from sgl.rendering.view_columns import PACKED_VIEWS, ViewColumns
from sgl.sampling import pack
from sgl.sampling.engine import derive
from sgl.sampling.random import candidate_key, stream_key

Result = TypeVar("Result")

#: A column: its name, how it is written at once, and how its texts are written one by one.
Task = tuple[str, Callable[[], object], Callable[[], Sequence[object]]]

#: How it is said whether texts are equal.
EQUAL = {True: "yes", False: "NO", None: "-"}

#: Runs of which the best counts.
RUNS = 5


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("grammars", type=Path, nargs="+")
    parser.add_argument("--items", type=int, default=20_000, help="derivations for columns")
    parser.add_argument("--plain", type=int, default=2_000, help="derivations one by one")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    results: list[Json] = []
    for path in options.grammars:
        results += measured(path.name, opened(path), options.items, options.plain)
    print_table(
        ("grammar", "column", "per CPU second", "one by one", "ratio", "equal"),
        [(*list(result.values())[:-1], EQUAL[result["equal"]]) for result in results],
    )
    write_json(options.json, {"columns": results})
    return 1 if any(result["equal"] is False for result in results) else 0


def drawn(compiled: Compiled, number: int) -> Iterator[Derivation]:
    """Derivations of the grammar as it is written."""
    grammar, plan = compiled.grammar, compiled.plan
    stratum = Stratum("columns", "columns", "columns", number, Constraint(), repeated=True)
    split = StructureCompiler(grammar).split(stratum.constraint)
    tables = pack(grammar, replace(plan, strata=(stratum,)), {"columns": split})
    key, candidate = stream_key(1, "columns"), 0
    while number > 0:
        derivation = derive(tables.states, tables.strata[0].start, candidate_key(key, candidate))
        candidate += 1
        if derivation is not None:
            number -= 1
            yield tuple(derivation)


def measured(name: str, compiled: Compiled, items: int, plain: int) -> Iterator[Json]:
    """The figures of all columns of a grammar."""
    derivations = list(drawn(compiled, items))
    words = sum(len(derive_tokens(compiled.grammar, one, 0)) for one in derivations) / items
    print(f"{name}: {items:,} derivations of {words:.1f} words", file=sys.stderr)
    for column, at_once, one_by_one in tasks(compiled, derivations, derivations[:plain]):
        rows, fast = timed(at_once, RUNS)
        texts, slow = timed(one_by_one, 1)
        yield {
            "grammar": name,
            "column": column,
            "columns_per_second": round(items / fast),
            "plain_per_second": round(plain / slow),
            "ratio": round(items / fast * slow / plain),
            "equal": equal(rows, texts),
        }


def timed(work: Callable[[], Result], runs: int) -> tuple[Result, float]:
    """A result and the CPU seconds of the best run; one more comes first, for kernels."""
    result = work()
    best = float("inf")
    for _ in range(runs):
        started = time.process_time()
        result = work()
        best = min(best, time.process_time() - started)
    return result, max(best, 1e-9)


def equal(rows: object, texts: Sequence[object]) -> bool | None:
    """Whether a column begins with some values; None for graphs, of which texts are written."""
    if isinstance(rows, Column):
        return [rows.bytes_of(row).decode() for row in range(len(texts))] == list(texts)
    if isinstance(rows, np.ndarray):
        return rows[: len(texts)].tolist() == list(texts)
    return None


def tasks(
    compiled: Compiled, derivations: Sequence[Derivation], few: Sequence[Derivation]
) -> Iterator[Task]:
    """The columns of a grammar."""
    grammar, plan = compiled.grammar, compiled.plan
    flat = Derivations.of(derivations)
    source = grammar.text_layer(plan.source)
    notation, columns = DerivationNotation(grammar, source), NotationColumns(grammar, source)
    yield (
        "s-expression",
        lambda: columns.expressions(flat),
        lambda: [notation.write(one) for one in few],
    )
    yield (
        "depth",
        lambda: columns.heights(flat),
        lambda: [notation.height(one) for one in few],
    )
    for number in range(len(grammar.graph_layers)):
        layer = pack_layer(grammar, number)
        yield from of_layer(layer, flat, derivations, few)


def of_layer(
    layer: PackedLayer,
    flat: Derivations,
    derivations: Sequence[Derivation],
    few: Sequence[Derivation],
) -> Iterator[Task]:
    """The columns of a graph layer."""
    grammar, number = layer.grammar, layer.layer
    given, glued = layer.graphs(flat), [derive_graph(grammar, one, number) for one in few]
    yield (
        f"gluing {grammar.graph_layers[number].name}",
        lambda: layer.graphs(flat),
        lambda: [derive_graph(grammar, one, number) for one in few],
    )
    for view in grammar.views:
        if view.layer == number and view.kind in PACKED_VIEWS:
            output, form = ViewOutput(grammar, view), ViewColumns(layer, view)
            yield (
                view.name,
                lambda form=form: form.column(given),
                lambda output=output: [output.render(graph, ()) for graph in glued],
            )
    if not grammar.graph_layers[number].free:
        labels = recursive_labels(grammar, number)
        counted = FeatureColumns(layer, labels)
        yield (
            "features",
            lambda: counted.column(given),
            lambda: [features(graph, labels) for graph in glued],
        )
        order = [layer.anchor, *(set(range(len(grammar.text_layers))) - {layer.anchor})]
        names = [grammar.text_layers[text].name for text in order]
        words = [derive_tokens(grammar, one, layer.anchor) for one in few]
        texts = [written(grammar, derivations, text) for text in order]
        tree = ConlluColumns(layer, names)
        values = [[text.bytes_of(row).decode() for text in texts] for row in range(len(few))]
        yield (
            "CoNLL-U",
            lambda: tree.column(given, texts, split="train", category="in_distribution"),
            lambda: [
                conllu(
                    graph,
                    words[row],
                    list(zip(names, values[row], strict=True)),
                    sent_id=f"train-{row + 1:06d}",
                    category="in_distribution",
                )
                for row, graph in enumerate(glued)
            ],
        )


def written(grammar: CoreGrammar, derivations: Sequence[Derivation], layer: int) -> Column:
    """The texts of a layer."""
    return Column.of(
        [
            finish(grammar.text_layers[layer], derive_tokens(grammar, one, layer))
            for one in derivations
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
