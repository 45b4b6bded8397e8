"""How do our splits by divergence compare with the greedy procedure of Moisio, Creutz & Kurimo (2023)?

Draws sentences of a grammar (or takes those of a treebank), with lemmas and relations as atoms and labelled edges as
compounds, and divides them in three ways within the same bounds::

    python benchmarks/divergence.py grammars/sget.sgl --sizes 5000 20000 --json split.json

``dense``    the procedure as its authors run it: 1,000 candidates, drawn anew for every
             second choice, whose divergences come from dense 32-bit matrices of candidates
             and kinds.  A choice costs the same whatever was chosen before, so only some
             choices are timed, and the time multiplied (``--whole`` makes them all).
``greedy``   the same procedure, which looks only at the kinds that a candidate has.  The
             first choices of both are compared (in 64 bits, on the same candidates).
``anneal``   ours, with the same target and bounds, and the atom divergence of the greedy
             split as its limit.

Times are the processor time of one thread, in one run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from common import Json, command_line, print_table, write_json
from dense_splits import CANDIDATES, EVERY, Dense, agreement
from opening import opened
from sgl.automata import StructureCompiler
from sgl.core.graph import Graph
from sgl.core.interpret import interpret
from sgl.research.divergence import (
    TEST,
    TRAIN,
    Annealing,
    Bounds,
    Elements,
    Greedy,
    SplitTarget,
    SplitTask,
    anneal,
    count_names,
    greedy,
    measure,
)
from sgl.research.divergence.trees import dependency_trees, edge_compounds, node_and_edge_atoms
from sgl.research.treebank import TreebankReader, TreebankSentence, TreebankWord
from sgl.sampling import pack, sample

Result = TypeVar("Result")


def main() -> int:
    """Run all sizes and targets and show a table."""
    options = _options()
    rows: list[Json] = []
    _warm_up()
    whole = corpus(options.corpus, max(options.sizes), options.seed)
    for size in options.sizes:
        elements = elements_of(whole[:size])
        print(
            f"{size:,} sentences, {len(elements.atoms.names):,} atoms, {len(elements.compounds.names):,} compounds",
            file=sys.stderr,
        )
        rows += [compare(elements, target, options) for target in options.targets]
    show(rows)
    write_json(options.json, {"corpus": options.corpus.name, "seed": options.seed, "rows": rows})
    return 0 if all(row["better"] for row in rows) else 1


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("corpus", type=Path, help="a grammar, or a treebank in CoNLL-U")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000, 100_000])
    parser.add_argument("--targets", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    parser.add_argument("--moves", type=int, default=200, help="moves for each sentence")
    parser.add_argument("--discards", type=int, default=1000, help="sentences left out")
    parser.add_argument("--timed", type=int, default=6, help="dense choices that are timed")
    parser.add_argument("--whole", action="store_true", help="make all dense choices")
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def compare(elements: Elements, target: float, options: argparse.Namespace) -> Json:
    """Divide in all three ways for one target."""
    bounds = Bounds(Fraction(1, 5), Fraction(3, 10), options.discards)
    used = elements.atoms.items - options.discards
    settings = Greedy(CANDIDATES, EVERY)
    labels, greedy_time = _timed(
        lambda: greedy(SplitTask(elements, SplitTarget(target), bounds, options.seed), settings)
    )
    theirs = _divergences(elements, labels)
    agreed = agreement(elements, target, bounds, options.seed, options.timed)
    dense = Dense(elements, target, bounds, options.seed, np.float32)
    number = used if options.whole else min(options.timed, used)
    # The first choices consider one side only, so the total time is not overestimated.
    _, dense_time = _timed(lambda: list(dense.choices(number)))
    result: Json = {
        "sentences": elements.atoms.items,
        "compounds": len(elements.compounds.names),
        "target": target,
        "dense": {"cpu": dense_time * used / number, "timed": number, "agreed": agreed},
        "greedy": {"cpu": greedy_time, "atoms": theirs[0], "compounds": theirs[1]},
    }
    if options.whole:
        atoms, compounds = _divergences(elements, dense.labels)
        result["dense"] |= {"atoms": atoms, "compounds": compounds}
        theirs = min(theirs, (atoms, compounds), key=lambda pair: abs(pair[1] - target) + pair[0])
    ours, our_time = _timed(
        lambda: anneal(
            SplitTask(elements, SplitTarget(target, limit=0.99 * theirs[0]), bounds, options.seed),
            Annealing(options.moves),
        )
    )
    atoms, compounds = _divergences(elements, ours)
    result["anneal"] = {"cpu": our_time, "atoms": atoms, "compounds": compounds}
    result["anneal"]["discarded"] = int(np.count_nonzero(ours > TEST))
    result["ratio"] = result["dense"]["cpu"] / our_time
    nearer = abs(compounds - target) < abs(theirs[1] - target)
    result["better"] = nearer and atoms < theirs[0]
    return result


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """Return the result of some work and the processor time that it takes."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _divergences(elements: Elements, labels: NDArray[np.int8]) -> tuple[float, float]:
    """Return both divergences, computed by their definition."""
    found = measure(elements, labels == TRAIN, labels == TEST)
    return found.atoms, found.compounds


def corpus(path: Path, size: int, seed: int) -> list[TreebankSentence]:
    """Return different sentences: the first of a treebank, or a draw from the training split of a grammar."""
    if path.suffix == ".conllu":
        found = (read for read in TreebankReader().read(path) if isinstance(read, TreebankSentence))
        return list(islice(found, size))
    compiled = opened(path)
    first = compiled.plan.strata[0]
    plan = replace(compiled.plan, strata=(first.of(size),), seed=seed)
    core = compiled.grammar
    splits = {first.stream: StructureCompiler(core).split(first.constraint)}
    return [
        sentence_of(interpret(core, found.derivation).graphs[0])
        for part in sample(pack(core, plan, splits))
        for found in part.items
    ]


def sentence_of(graph: Graph) -> TreebankSentence:
    """Return the basic tree of a graph: its unmarked edges."""
    heads = {target: (source + 1, label) for source, label, target in graph.edges if not label.startswith("~")}
    words = []
    for number, node in enumerate(graph.nodes):
        head, label = heads.get(number, (0, "root"))
        words.append(TreebankWord("_", node.get("lemma"), "_", head, label))
    return TreebankSentence(0, 0, 0, (), tuple(words))


def elements_of(sentences: Sequence[TreebankSentence]) -> Elements:
    """Return lemmas and relations as atoms, and edges with the lemmas at both ends as compounds."""
    trees = dependency_trees(sentences)
    return Elements(node_and_edge_atoms(trees), edge_compounds(trees))


def _warm_up() -> None:
    """Have everything compiled before a clock starts."""
    tiny = count_names([["a"], ["b"], ["a", "b"], ["c"]])
    elements, bounds = Elements(tiny, tiny), Bounds(Fraction(1, 5), Fraction(1, 2))
    anneal(SplitTask(elements, SplitTarget(1.0), bounds, 1))
    greedy(SplitTask(elements, SplitTarget(1.0), bounds, 1))


def show(rows: Sequence[Json]) -> None:
    """Print a row for each size and target."""
    header = ["sentences", "target", "greedy D_A", "D_C", "ours D_A", "D_C"]
    header += ["dense s", "greedy s", "ours s", "ratio", "better", "agreed"]
    table = []
    for row in rows:
        theirs, ours, dense = row["greedy"], row["anneal"], row["dense"]
        table.append(
            [
                f"{row['sentences']:,}",
                f"{row['target']:g}",
                *(f"{part[name]:.5f}" for part in (theirs, ours) for name in ("atoms", "compounds")),
                f"{dense['cpu']:,.0f}",
                f"{theirs['cpu']:.1f}",
                f"{ours['cpu']:.1f}",
                f"{row['ratio']:,.0f}",
                "both" if row["better"] else "NO",
                f"{dense['agreed']}",
            ]
        )
    print_table(header, table)


if __name__ == "__main__":
    sys.exit(main())
