"""How fast are sentences drawn, compared with the usual ways of expanding a grammar at random?

All sides draw from the same distribution: that of one stratum of a dataset, from which everything that patterns hold
out is cut away (``train/in_distribution`` by default)::

    python benchmarks/drawing.py grammars/sget.sgl --set meanings=on --json drawing.json

=====================  ==================================================================
NLTK                   ``productions(lhs)`` and ``random.choices``, as scripts usually do
NLTK rules in a dict   the same rules, looked up in advance
Python with bisect     cumulative weights and a stack
standalone             the module that comes with a dataset: accepted sentences as rows with
                       all targets
SGL, English           derivations and source texts
SGL, accepted          the same, with no lemma or sentence twice: what a dataset takes
SGL, all layers        texts of all layers, CoNLL-U, and a logical form if there is one, from
                       templates learnt from a million sentences
… from nothing         the same with no known templates: a second's worth, so the rate is that
                       of a small dataset
SGL, view …            derivations and one view of the library
=====================  ==================================================================

The sides take turns; figures are medians of CPU time over the rounds.  The draws of ``SGL, accepted`` are checked to be
distinct.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from common import Json, command_line, print_table, write_json
from drawing_peers import Draw, bisect_draw, nltk_draw
from opening import opened
from sgl.accel.draw import CompiledSampler
from sgl.automata import StructureCompiler
from sgl.core.arrays import Column
from sgl.core.grammar import View
from sgl.dataset.maker import SentenceWriter
from sgl.frontend import Compiled
from sgl.rendering.output import TemplateWriter, outputs, view_output, words_output
from sgl.rendering.views import VIEWS
from sgl.sampling import pack
from sgl.sampling.engine import PackedStratum, Tables
from sgl.sampling.rows import rows as rows_of
from sgl.sampling.strata import Batch, Sampler, StrataSampler

#: The number of candidates that kernels draw at a time.
BATCH = 20_000

#: The number of sentences that teach templates before all layers are measured.
KNOWN = 1_000_000

#: The number of items of a job that is large enough for machine code.
MANY = 1_000_000


def main() -> int:
    """Run the comparison."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--stream", default="train/in_distribution")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each side in a round")
    options = parser.parse_args()
    settings = dict(setting.split("=", 1) for setting in options.settings)
    compiled = opened(options.grammar, settings)
    tables = tables_of(compiled, options.stream)
    sides = dict(sides_of(compiled, tables))
    rates = measured(sides, options.rounds, options.seconds)
    base = rates.get("NLTK")
    rows = [[name, f"{rate:,.0f}", f"{rate / base:,.1f}" if base else "–"] for name, rate in rates.items()]
    print_table(["", "sentences/CPU-s", "times NLTK"], rows)
    print(f"{distinct(tables):,} accepted sentences, all distinct")
    overhead = overhead_of(tables, sides["SGL, all layers"], options.rounds)
    print(
        f"to hash, look up and keep them costs {overhead.memory:.1%} of all layers, "
        f"to draw others for repeated ones {overhead.again:.1%}"
    )
    if options.json:
        content: Json = {"rates": rates, "distinct_overhead": overhead._asdict()}
        write_json(options.json, content)
    return 0


def tables_of(compiled: Compiled, stream: str) -> Tables:
    """Return the tables of one stratum alone."""
    plan = compiled.plan
    stratum = next(s for s in plan.strata if s.stream == stream)
    split = StructureCompiler(compiled.grammar).split(stratum.constraint)
    return pack(compiled.grammar, replace(plan, strata=(stratum,)), {stream: split})


def sides_of(compiled: Compiled, tables: Tables) -> Iterator[tuple[str, Draw]]:
    """Yield the sides of the comparison that are installed."""
    try:
        yield "NLTK", nltk_draw(tables, indexed=False)
        yield "NLTK rules in a dict", nltk_draw(tables, indexed=True)
    except ImportError:
        print("NLTK is not installed")
    yield "Python with bisect", bisect_draw(tables)
    yield "standalone", standalone_draw(tables)
    yield "SGL, English", english_draw(tables)
    yield "SGL, accepted", accepted_draw(tables)
    layers = layers_draw(compiled, tables)
    layers(KNOWN)
    yield "SGL, all layers", layers

    def from_nothing(number: int) -> object:
        return layers_draw(compiled, tables)(number)

    yield "… from nothing", from_nothing
    yield from views_draw(compiled, tables)


def measured(sides: dict[str, Draw], rounds: int, seconds: float) -> dict[str, float]:
    """Return the sentences per CPU second of each side, as the median over the rounds."""
    number = {name: calibrated(draw, seconds) for name, draw in sides.items()}
    found: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, draw in sides.items():
            found[name].append(number[name] / seconds_of(draw, number[name]))
    return {name: statistics.median(rates) for name, rates in found.items()}


def calibrated(draw: Draw, seconds: float) -> int:
    """Return how many sentences take about ``seconds``; by then everything is compiled and warm.

    The quicker of two measurements counts, since the memory of the previous side may be freed during the other.
    """
    number = 200
    draw(number)
    while (taken := min(seconds_of(draw, number) for _ in range(2))) < seconds / 4:
        number = int(number * min(10.0, max(2.0, seconds / 2 / max(taken, 1e-3))))
    return int(number * seconds / taken)


def seconds_of(draw: Draw, number: int) -> float:
    """Return the CPU seconds that ``number`` sentences take; a side that measures itself returns its own."""
    started = time.process_time()
    result = draw(number)
    taken = time.process_time() - started
    return result if isinstance(result, float) else taken


# --- the standalone sampler --------------------------------------------------------------


def standalone_draw(tables: Tables) -> Draw:
    """Return a draw by the standalone sampler's code: rows of all targets."""

    def draw(number: int) -> None:
        list(rows_of(_wanting(tables, number)))

    return draw


# --- SGL ---------------------------------------------------------------------------------


def english_draw(tables: Tables) -> Draw:
    """Return a draw of derivations and source texts."""
    sampler, stratum = CompiledSampler(tables), tables.strata[0]

    def draw(number: int) -> None:
        for first in range(0, number, BATCH):
            sampler.derive(stratum, np.arange(first, min(first + BATCH, number)))

    return draw


def accepted_draw(tables: Tables) -> Draw:
    """Return a draw of candidates until enough are accepted."""

    def draw(number: int) -> None:
        StrataSampler(CompiledSampler(_wanting(tables, number))).stratum(0)

    return draw


def _wanting(tables: Tables, number: int) -> Tables:
    return tables._replace(strata=[tables.strata[0].of(number)])


def layers_draw(compiled: Compiled, tables: Tables) -> Draw:
    """Return a draw of every text layer, the dependency graph as CoNLL-U, and the first logical form."""
    grammar, plan = compiled.grammar, compiled.plan
    sampler, stratum = CompiledSampler(tables), tables.strata[0]
    known = outputs(grammar)
    others = [layer.name for layer in grammar.text_layers if layer.name != plan.source]
    forms = [view.name for view in grammar.views if view.kind in ("cogs", "varfree")][:1]
    writers = {name: TemplateWriter(known[name], MANY) for name in (*others, *forms)}
    names = (plan.source, *others)
    layer = grammar.graph_layer(plan.lemma_layer)
    sentences = SentenceWriter(names, writers, TemplateWriter(words_output(grammar, layer), MANY), {})

    def write(first: int, batch: Batch) -> list[Column]:
        texts = {name: writer.column(batch.derivations) for name, writer in writers.items()}
        texts[plan.source] = batch.sources
        body = sentences.column(batch.derivations, texts, "train", "c", first + 1)
        return [*texts.values(), body]

    return always_new(sampler, stratum, write)


def views_draw(compiled: Compiled, tables: Tables) -> Iterator[tuple[str, Draw]]:
    """Yield, for each view of the library, a draw of derivations with that view."""
    grammar = compiled.grammar
    sampler, stratum = CompiledSampler(tables), tables.strata[0]
    free = next((n for n, layer in enumerate(grammar.graph_layers) if layer.free), None)
    for view in (View(kind, kind, free) for kind in VIEWS if free is not None):
        writer = TemplateWriter(view_output(grammar, view), MANY)

        def write(_first: int, batch: Batch, writer: TemplateWriter = writer) -> list[Column]:
            return [writer.column(batch.derivations)]

        yield f"SGL, view {view.name}", always_new(sampler, stratum, write)


def always_new(sampler: Sampler, stratum: PackedStratum, write: Callable[[int, Batch], list[Column]]) -> Draw:
    """Return a draw that writes new sentences each time, since shapes drawn before are known."""
    drawn = 0

    def draw(number: int) -> list[Column]:
        nonlocal drawn
        columns: list[Column] = []
        drawn += number
        for first in range(drawn - number, drawn, BATCH):
            batch = sampler.derive(stratum, np.arange(first, min(first + BATCH, drawn)))
            columns = write(first, batch)
        return columns

    return draw


def distinct(tables: Tables, number: int = 40_000) -> int:
    """Return how many accepted sentences were compared as strings; all have to differ."""
    wanted = _wanting(tables, number)
    sampler = CompiledSampler(wanted)
    drawn = StrataSampler(sampler).stratum(0)
    texts = list(sampler.derive(wanted.strata[0], drawn.numbers).sources.texts())
    assert len(set(texts)) == len(texts)
    return len(texts)


class Overhead(NamedTuple):
    """The cost of keeping sentences distinct, as shares of the cost of all layers.

    ``memory`` is the share of hashing, looking up and keeping sentences, ``again`` that of drawing others in place of
    repeated ones.
    """

    memory: float
    again: float


def overhead_of(tables: Tables, layers: Draw, rounds: int, number: int = 200_000) -> Overhead:
    """Return the medians over the rounds."""
    wanted = _wanting(tables, number)

    def seconds(tables: Tables) -> tuple[float, int]:
        sampler = CompiledSampler(tables)
        started = time.process_time()
        drawn = StrataSampler(sampler).stratum(0)
        return time.process_time() - started, drawn.candidates

    found = []
    for _ in range(rounds):
        kept, candidates = seconds(wanted)
        let, fewest = seconds(wanted._replace(distinct_sentences=False))
        all_layers = seconds_of(layers, number)
        same = let * candidates / fewest
        found.append(Overhead((kept - same) / all_layers, (same - let) / all_layers))
    memory, again = (statistics.median(shares) for shares in zip(*found, strict=True))
    return Overhead(memory, again)


if __name__ == "__main__":
    sys.exit(main())
