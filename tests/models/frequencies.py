"""Are the drawn texts distributed as computed?

Draws derivations of every part of training and of generalization, as the sampler draws
them and before any rejection, and compares with what follows from the grammar of the
part without drawing anything: how often each rule is used, how many tokens a text has,
how high its derivation is::

    python benchmarks/models.py frequencies grammars/sget.sgl --items 4000 --jobs 2

For a sum f over the rules of a derivation, a mean over n derivations deviates from its
expectation by ``z`` standard errors.  Expectation and variance are exact: with m(q) the
expectation of f below state q, the variance is the sum over all states of the expected
number of visits times the variance of ``f(rule) + m(children)`` over the transitions of
the state.  Rules that are used less than 100 times on average are taken together by
category.  The probability of a height of at most h is the h-th Kleene iterate of the
inside equations; heights are compared by chi-square.

The largest of k standard normal numbers is itself large: 3.5 is usual for a thousand.
The table therefore ends with the probability that k such numbers have a larger one; the
exit status is 1 if it is below one in ten thousand.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from common import Json, Workers, command_line, forget, print_table, run_tasks, write_json
from opening import opened
from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.weights.split import height_distribution
from sgl.core.interpret import Derivation
from sgl.frontend import Compiled
from sgl.sampling import Tables, pack
from sgl.sampling.engine import candidate_key, derive, stream_key

#: A figure is compared by itself if it is expected so often.
ENOUGH = 100

#: The smallest expectation of a cell of a chi-square.
CELL = 10

#: Below this, k normal numbers do not look like this by chance.
ALARM = 1e-4

Array = NDArray[np.float64]


def main() -> int:
    """Run the comparison; the result is the exit status."""
    options = _options()
    compiled = opened(options.grammar)
    started = time.time()
    compiler = StructureCompiler(compiled.grammar)
    splits = {s.stream: compiler.split(s.constraint) for s in compiled.plan.strata}
    tables = pack(compiled.grammar, compiled.plan, splits)
    streams = [s.stream for s in tables.strata if s.split in ("train", "gen")][: options.limit]

    def work(stream: str) -> Json:
        return compare(compiled, splits[stream], tables, stream, options.items)

    memory = options.json.with_suffix(".partial") if options.json else None
    workers = Workers(options.jobs, memory)
    strata = run_tasks(streams, work, workers, f"{options.grammar} {options.items}")
    overall = summary(list(strata.values()))
    report(strata, overall)
    print(f"{time.time() - started:.0f} s")
    write_json(options.json, {"overall": overall, "strata": strata})
    forget(workers)
    return 1 if min(overall["p"], overall["heights p"]) < ALARM else 0


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--items", type=int, default=4000, help="derivations of each part")
    parser.add_argument("--limit", type=int, help="the first so many parts, for a short run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    return parser.parse_args()


@dataclass(frozen=True)
class Moments:
    """Exact expectations and variances of sums over the rules of a derivation.

    The states of the split have the numbers from 0; one more stands for the choice
    of the root.
    """

    split: SplitGrammar

    @cached_property
    def transitions(self) -> list[tuple[int, int, tuple[int, ...], float]]:
        """All choices as (state, rule or -1 for the root, children, probability)."""
        found = [
            (state, t.rule, t.children, t.probability)
            for state, row in enumerate(self.split.transitions_of)
            for t in row
        ]
        root = len(self.split.transitions_of)
        return [*found, *((root, -1, (state,), p) for state, p in self.split.roots)]

    @cached_property
    def size(self) -> int:
        """The number of states with that of the root."""
        return len(self.split.transitions_of) + 1

    @cached_property
    def inverse(self) -> Array:
        """Row q: the expected number of visits to every state below state q."""
        mean = np.zeros((self.size, self.size))
        for state, _, children, probability in self.transitions:
            for child in children:
                mean[state, child] += probability
        inverse: Array = np.linalg.inv(np.eye(self.size) - mean).astype(np.float64)
        return inverse

    def of(self, weights: Array) -> tuple[Array, Array]:
        """Expectations and variances of the sums, one for each row of ``weights``.

        ``weights[i, r]`` is what rule r adds to sum i.
        """
        state = np.array([t[0] for t in self.transitions])
        rule = np.array([t[1] for t in self.transitions])
        probability = np.array([t[3] for t in self.transitions])
        own = np.where(rule >= 0, weights[:, rule], 0.0)
        gain = np.zeros((len(weights), self.size))
        for row, values in enumerate(own):
            gain[row] = np.bincount(state, probability * values, self.size)
        below = gain @ self.inverse.T
        value = own
        for number, (_, _, children, _) in enumerate(self.transitions):
            for child in children:
                value[:, number] += below[:, child]
        variance = np.zeros(len(weights))
        for row, values in enumerate(value):
            spread = (values - below[row, state]) ** 2
            variance[row] = self.inverse[-1] @ np.bincount(state, probability * spread, self.size)
        return below[:, -1], variance


def compare(compiled: Compiled, split: SplitGrammar, tables: Tables, stream: str, items: int) -> Json:
    """The deviations of one stratum."""
    derivations = list(_drawn(tables, stream, items))
    names, weights = _sums(compiled, split, len(derivations))
    mean, variance = Moments(split).of(weights)
    uses = Counter(rule for derivation in derivations for rule in derivation)
    observed = weights @ np.array([uses[rule] for rule in range(weights.shape[1])], float)
    error = np.sqrt(np.maximum(variance, 0.0) * len(derivations))
    gap = observed - mean * len(derivations)
    # A sum that is the same in every text must be met to the digit.
    fixed = error < 1e-6 * np.maximum(1.0, observed)
    scores = np.where(fixed, np.where(abs(gap) < 0.5, 0.0, np.inf), gap / np.where(fixed, 1, error))
    worst = int(np.argmax(abs(scores)))
    heights = _heights(tables, derivations)
    chi, freedom = _chi_square(heights, _height_probabilities(split, max(heights)))
    return {
        "derivations": len(derivations),
        "comparisons": int(len(names) - fixed.sum()),
        "largest": abs(float(scores[worst])),
        "of": names[worst],
        "tokens": float(scores[names.index("tokens")]),
        "mean tokens": float(observed[names.index("tokens")] / len(derivations)),
        "expected tokens": split.expected_tokens,
        "heights": {"chi-square": chi, "degrees of freedom": freedom},
    }


def _drawn(tables: Tables, stream: str, items: int) -> Iterator[Derivation]:
    (stratum,) = [s for s in tables.strata if s.stream == stream]
    key = stream_key(tables.seed, stream)
    for number in range(items):
        derivation = derive(tables.states, stratum.start, candidate_key(key, number))
        if derivation is not None:
            yield tuple(derivation)


def _sums(compiled: Compiled, split: SplitGrammar, items: int) -> tuple[list[str], Array]:
    """What is compared: frequent rules, rare ones by category, and the tokens."""
    rules = compiled.grammar.rules
    rows: dict[str, list[int]] = {}
    for rule, expected in zip(rules, split.expected_rules, strict=True):
        if expected * items >= ENOUGH:
            rows[f"{rule.name} #{rule.id}"] = [rule.id]
        elif expected:
            category = compiled.grammar.categories[rule.lhs].name
            rows.setdefault(f"rare rules of {category}", []).append(rule.id)
    often = {
        name: members
        for name, members in rows.items()
        if sum(split.expected_rules[rule] for rule in members) * items >= ENOUGH
    }
    weights = np.zeros((len(often) + 1, len(rules)))
    for row, members in enumerate(often.values()):
        weights[row, members] = 1.0
    weights[-1] = compiled.grammar.source_tokens
    return [*often, "tokens"], weights


def _heights(tables: Tables, derivations: Sequence[Derivation]) -> Counter[int]:
    """How many derivations have each height, the number of rules on a longest path."""
    heights: Counter[int] = Counter()
    for derivation in derivations:
        stack: list[int] = []
        for rule in reversed(derivation):
            below = [stack.pop() for _ in range(tables.arity[rule])]
            stack.append(1 + max(below, default=0))
        heights[stack.pop()] += 1
    return heights


def _height_probabilities(split: SplitGrammar, highest: int) -> list[float]:
    """The probability of each height from 0 on; the last is that of all greater ones."""
    found = [*height_distribution(split), *repeat(0.0, highest)][: highest + 1]
    return [*found, 1.0 - sum(found)]


def _chi_square(heights: Counter[int], probabilities: Sequence[float]) -> tuple[float, int]:
    """Chi-square over cells of neighbouring heights, with its degrees of freedom."""
    total = heights.total()
    cells: list[list[float]] = []
    for height, probability in enumerate(probabilities):
        if not cells or cells[-1][1] >= CELL:
            cells.append([0.0, 0.0])
        cells[-1][0] += heights[height]
        cells[-1][1] += probability * total
    if len(cells) > 1 and cells[-1][1] < CELL:
        seen, expected = cells.pop()
        cells[-1][0] += seen
        cells[-1][1] += expected
    chi = sum((seen - expected) ** 2 / expected for seen, expected in cells)
    return chi, len(cells) - 1


def chi_square_p(chi: float, freedom: int) -> float:
    """The tail of chi-square after Wilson and Hilferty (1931), good to some per cent."""
    if not freedom:
        return 1.0
    part = 2 / (9 * freedom)
    return 1 - NormalDist().cdf(((chi / freedom) ** (1 / 3) - (1 - part)) / math.sqrt(part))


def summary(strata: Sequence[Json]) -> Json:
    """The largest deviation of all, and how probable a larger one is."""
    worst = max(strata, key=lambda stratum: stratum["largest"])
    number = sum(stratum["comparisons"] for stratum in strata)
    chi = sum(stratum["heights"]["chi-square"] for stratum in strata)
    freedom = sum(stratum["heights"]["degrees of freedom"] for stratum in strata)
    tail = math.erfc(worst["largest"] / math.sqrt(2))
    return {
        "derivations": sum(stratum["derivations"] for stratum in strata),
        "comparisons": number,
        "largest": worst["largest"],
        "of": worst["of"],
        "median of the largest": NormalDist().inv_cdf((1 + 0.5 ** (1 / number)) / 2),
        "p": -math.expm1(number * math.log1p(-tail)) if tail < 1 else 1.0,
        "heights chi-square": chi,
        "heights degrees of freedom": freedom,
        "heights p": chi_square_p(chi, freedom),
    }


def report(strata: dict[str, Json], overall: Json) -> None:
    """Print a line for each stratum, and the whole."""
    header = ("part", "compared", "max |z|", "tokens z", "tokens", "expected", "heights p", "of")
    rows = [
        (
            stream,
            stratum["comparisons"],
            stratum["largest"],
            stratum["tokens"],
            stratum["mean tokens"],
            stratum["expected tokens"],
            chi_square_p(*stratum["heights"].values()),
            stratum["of"],
        )
        for stream, stratum in strata.items()
    ]
    print_table(header, rows)
    print(
        f"{overall['derivations']:,} derivations, {overall['comparisons']:,} comparisons: "
        f"max |z| = {overall['largest']:.2f} ({overall['of']}); the median of the largest of as "
        f"many normal numbers is {overall['median of the largest']:.2f}; a larger one has "
        f"probability {overall['p']:.2g}"
    )
    print(
        f"heights: chi-square {overall['heights chi-square']:.1f} with "
        f"{overall['heights degrees of freedom']} degrees of freedom, "
        f"p = {overall['heights p']:.2g}"
    )
