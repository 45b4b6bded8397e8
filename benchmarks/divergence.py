"""Our splits by divergence against the greedy procedure of Moisio, Creutz & Kurimo (2023).

Draws sentences of a grammar (or takes those of a treebank), with lemmas and relations as
atoms and labelled edges as compounds, and divides them three ways within the same bounds::

    python benchmarks/divergence.py grammars/sget.sgl --sizes 5000 20000 --json split.json

``dense``    the procedure as its authors run it: 1,000 candidates, drawn anew for every
             second choice, the divergences of all of them with dense 32-bit matrices of
             candidates and kinds.  A choice costs the same whatever was chosen before, so
             some choices are timed and multiplied (``--whole`` makes them all).
``greedy``   the same procedure, looking only at the kinds of a candidate: its divergences.
             The first choices of both are compared (in 64 bits, on the same candidates).
``anneal``   ours, with the same target, the same bounds, and less atom divergence than the
             greedy split has as its limit.

Times are processor time of one thread, in one run.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from common import Json, print_table, write_json
from opening import opened
from sgl.automata import StructureCompiler
from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA
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
from sgl.research.divergence.problem import Occurrences
from sgl.research.divergence.search import choose
from sgl.research.divergence.trees import dependency_trees, edge_compounds, node_and_edge_atoms
from sgl.research.treebank import TreebankReader, TreebankSentence, TreebankWord
from sgl.sampling import pack, sample
from sgl.sampling.engine import candidate_key, stream_key

#: As the authors run it.
CANDIDATES, EVERY = 1000, 2

#: Scores that differ by less are equal; which of two equal candidates is taken is chance.
EQUAL = 1e-9

Matrix = NDArray[np.floating]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a grammar, or a treebank in CoNLL-U")
    parser.add_argument("--sizes", type=int, nargs="+", default=[5_000, 20_000, 100_000])
    parser.add_argument("--targets", type=float, nargs="+", default=[0.0, 0.5, 1.0])
    parser.add_argument("--moves", type=int, default=200, help="moves for each sentence")
    parser.add_argument("--discards", type=int, default=1000, help="sentences left out")
    parser.add_argument("--timed", type=int, default=6, help="dense choices that are timed")
    parser.add_argument("--whole", action="store_true", help="make all dense choices")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--json", type=Path, help="write the result to this file")
    return parser.parse_args()


def compare(elements: Elements, target: float, options: argparse.Namespace) -> Json:
    """All three ways for one target."""
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
    # The first choices consider one side only, so the time of all is not overestimated.
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
    """What some work gives, and the processor time that it takes."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started


def _divergences(elements: Elements, labels: NDArray[np.int8]) -> tuple[float, float]:
    """The divergences, by the definition."""
    found = measure(elements, labels == TRAIN, labels == TEST)
    return found.atoms, found.compounds


def agreement(elements: Elements, target: float, bounds: Bounds, seed: int, number: int) -> int:
    """How many of the first choices of ours are best by the dense procedure as well."""
    dense = Dense(elements, target, bounds, seed, np.float64)
    settings = Greedy(CANDIDATES, EVERY)
    labels, order = choose(SplitTask(elements, SplitTarget(target), bounds, seed), settings, number)
    ours = [(item, int(labels[item])) for item in order]
    return sum(lost < EQUAL for _, _, lost in dense.choices(number, ours))


@dataclass
class Dense:
    """The greedy procedure with dense matrices, on the candidates that ours would draw.

    Each choice computes the divergences of all candidates on either side anew: logarithms,
    a sum and exponentials of matrices with a column for each kind.
    """

    elements: Elements
    target: float
    bounds: Bounds
    seed: int
    real: type[np.floating]

    def __post_init__(self) -> None:
        items = self.elements.atoms.items
        self.labels = np.full(items, 2, np.int8)
        self._pool = np.arange(items)
        self._sums = [np.zeros((2, len(part.names)), self.real) for part in self.elements]

    def choices(self, number: int, given: Sequence[tuple[int, int]] = ()) -> Iterator[tuple[int, int, float]]:
        """Make choices one after the other: which item, to which side.

        Where a choice is ``given`` it is made, and the last number says how much better the
        best one would have been.
        """
        key = stream_key(self.seed, "split/greedy")
        left = len(self._pool)
        rows: list[Matrix] = []
        for choice in range(number):
            since = 0 if choice < 2 else (choice - 2) % EVERY
            drawn = min(CANDIDATES - since, left)
            lost = 0.0
            if choice == 0:
                at, side = _below(candidate_key(key, 0), left), 0
            else:
                if since == 0:
                    self._draw(candidate_key(key, choice), drawn, left)
                    rows = [_dense(part, self._pool[:drawn], self.real) for part in self.elements]
                scores = self._scores([matrix[:drawn] for matrix in rows])
                best = max(scores, key=lambda one: float(scores[one].max()))
                side, at = best, int(scores[best].argmax())
                if choice < len(given):
                    item, side = given[choice]
                    at = self._pool[:drawn].tolist().index(item)
                    lost = float(scores[best].max() - scores[side][at])
                for matrix in rows:
                    matrix[at] = matrix[drawn - 1]
            item = int(self._pool[at])
            for part, sums in zip(self.elements, self._sums, strict=True):
                sums[side] += _dense(part, np.array([item]), self.real)[0]
            self.labels[item] = side
            if choice > 0:
                self._swap(at, drawn - 1)
                at = drawn - 1
            self._swap(at, left - 1)
            left -= 1
            yield item, side, lost

    def _swap(self, one: int, other: int) -> None:
        self._pool[one], self._pool[other] = self._pool[other], self._pool[one]

    def _draw(self, key: int, drawn: int, left: int) -> None:
        for index in range(drawn):
            other = index + _below(candidate_key(key, index), left - index)
            self._swap(index, other)

    def _scores(self, rows: Sequence[Matrix]) -> dict[int, Matrix]:
        """The scores of all candidates on each side that the bounds allow."""
        train, test = (int(np.count_nonzero(self.labels == side)) for side in (TRAIN, TEST))
        least, most, used = self.bounds.least, self.bounds.most, train + test
        to_test = test + 1 <= most * (used + 1) or test < least * used
        to_train = test >= least * (used + 1) or not to_test
        return {
            side: -np.abs(self._divergence(0, rows[0], side, ATOM_ALPHA))
            - np.abs(self._divergence(1, rows[1], side, COMPOUND_ALPHA) - self.target)
            for side, allowed in ((TEST, to_test), (TRAIN, to_train))
            if allowed
        }

    def _divergence(self, part: int, rows: Matrix, side: int, alpha: float) -> Matrix:
        """The divergence with each candidate added to a side."""
        sums = self._sums[part]
        other = sums[1 - side] / max(sums[1 - side].sum(), 1)
        candidates = rows + sums[side]
        exponent = alpha if side == TRAIN else 1 - alpha
        candidates /= candidates.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(candidates) * self.real(exponent)
            logs += np.log(other) * self.real(1 - exponent)
        divergence: Matrix = 1 - np.exp(logs).sum(axis=1)
        return divergence


def _dense(part: Occurrences, items: NDArray[np.int64], real: type[np.floating]) -> Matrix:
    """The rows of items as a dense matrix."""
    matrix = np.zeros((len(items), len(part.names)), real)
    for row, item in enumerate(items.tolist()):
        entries = slice(part.start[item], part.start[item + 1])
        matrix[row, part.kinds[entries]] = part.times[entries]
    return matrix


def _below(bits: int, limit: int) -> int:
    return bits * limit >> 64


def corpus(path: Path, size: int, seed: int) -> list[TreebankSentence]:
    """Different sentences: the first of a treebank, or drawn from training of a grammar."""
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
    """The basic tree of a graph: its unmarked edges."""
    heads = {target: (source + 1, label) for source, label, target in graph.edges if not label.startswith("~")}
    words = []
    for number, node in enumerate(graph.nodes):
        head, label = heads.get(number, (0, "root"))
        words.append(TreebankWord("_", node.get("lemma"), "_", head, label))
    return TreebankSentence(0, 0, 0, (), tuple(words))


def elements_of(sentences: Sequence[TreebankSentence]) -> Elements:
    """Lemmas and relations, and edges with the lemmas at both ends."""
    trees = dependency_trees(sentences)
    return Elements(node_and_edge_atoms(trees), edge_compounds(trees))


def _warm_up() -> None:
    """Have everything compiled before a clock runs."""
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
