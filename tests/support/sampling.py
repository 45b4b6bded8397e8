"""Helpers for the tests of sampling: splits that need no automata, and chi-square."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from toy import GrammarBuilder

from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.weights.split import NO_CHILD, SplitGrammar, Transition, Transitions, split_grammar
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.dataset import DataFile
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.manifest import counted_labels
from sgl.dataset.rows import write_items
from sgl.sampling import pack
from sgl.sampling.engine import Tables
from sgl.sampling.strata import MEMORY, BatchFilter, Progress, Sampler, StrataSampler, StratumSample, sampler_for


def split_of(
    grammar: CoreGrammar, roots: Sequence[tuple[int, float]], transitions: Sequence[Sequence[Transition]]
) -> SplitGrammar:
    """A split grammar written down by hand, without what sampling does not ask for."""
    return SplitGrammar(
        grammar=grammar,
        category=(grammar.start,) * len(transitions),
        transitions=columns(transitions),
        roots=tuple(roots),
        mass=1.0,
    )


def sample_strata(
    sampler: Sampler,
    ambiguity: BatchFilter[Any] | None = None,
    progress: Progress | None = None,
    *,
    memory: int = MEMORY,
    folder: Path | None = None,
) -> Iterator[StratumSample]:
    """The samples of the strata, one after the other."""
    sampling = StrataSampler(sampler, ambiguity, memory=memory, folder=folder)
    for number in range(len(sampler.tables.strata)):
        yield sampling.stratum(number, progress)


def sample_and_write(
    directory: Path, grammar: CoreGrammar, plan: Plan, tables: Tables
) -> tuple[list[StratumSample], list[DataFile]]:
    """Sample a plan from its tables and write it; no sentence is parsed."""
    sampler = sampler_for(tables)
    samples = list(sample_strata(sampler))
    chunks, counted = ChunkMaker(grammar, plan, sampler).chunks, counted_labels(grammar, plan)
    return samples, write_items(directory, plan, chunks, samples, counted=counted)


def columns(transitions_of: Sequence[Sequence[Transition]]) -> Transitions:
    """The columns of the sorted transitions of each state."""
    rows = [(state, t) for state, own in enumerate(transitions_of) for t in own]
    width = max((len(t.children) for _, t in rows), default=0)
    children = [(*t.children, *(NO_CHILD,) * (width - len(t.children))) for _, t in rows]
    return Transitions(
        states=np.array([state for state, _ in rows], np.intp),
        rules=np.array([t.rule for _, t in rows], np.intp),
        children=np.array(children, np.intp).reshape(len(rows), width).T,
        probabilities=np.array([t.probability for _, t in rows], np.float64),
    )


def whole(grammar: CoreGrammar, root: int | None = None) -> SplitGrammar:
    """The split that leaves the grammar as it is: its states are the categories.

    It starts from the category ``root``, if that is given.
    """
    return split_of(
        grammar,
        roots=[(grammar.start if root is None else root, 1.0)],
        transitions=[[Transition(r.lhs, r.id, r.rhs, r.weight) for r in rules] for rules in grammar.rules_of],
    )


def splits_of(grammar: CoreGrammar, plan: Plan) -> dict[str, SplitGrammar]:
    """The grammars of all strata of a plan, compiled from their constraints."""
    compiler = StructureCompiler(grammar)
    return {stratum.stream: split_grammar(compiler.language(stratum.constraint)) for stratum in plan.strata}


def plan_of(counts: dict[str, int], *, seed: int = 2024, lemmas: tuple[str, ...] = (), sentences: bool = False) -> Plan:
    """A plan without patterns: ``counts`` has the number of items by split."""
    return Plan(
        seed=seed,
        source="en",
        target="ja",
        strata=tuple(
            Stratum(split, "in_distribution", f"{split}/in_distribution", Extent(count), Constraint())
            for split, count in counts.items()
        ),
        patterns=(),
        distinct_lemmas=lemmas,
        distinct_sentences=sentences,
        lemma_layer="syn",
    )


def chi_square_p(observed: Sequence[int], expected: Sequence[float]) -> float:
    """The p-value of Pearson's chi-square test, cells - 1 degrees of freedom."""
    pairs = zip(observed, expected, strict=True)
    statistic = sum((seen - wanted) ** 2 / wanted for seen, wanted in pairs)
    return upper_gamma((len(expected) - 1) / 2, statistic / 2)


def upper_gamma(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(a, x).

    By its series below a + 1 and Lentz's continued fraction above (Abramowitz &
    Stegun 6.5.29 and 6.5.31).
    """
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return 1 - total * scale
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for n in range(1, 100_000):
        step = -n * (n - a)
        b += 2
        d = 1 / (step * d + b or tiny)
        c = b + step / c or tiny
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return fraction * scale


def tables_of(grammar: CoreGrammar, split: SplitGrammar | None = None, plan: Plan | None = None) -> Tables:
    """What is sampled from: one split for all strata of a plan."""
    plan = plan or plan_of({"train": 100})
    split = split or whole(grammar)
    return pack(grammar, plan, {stratum.stream: split for stratum in plan.strata})


def small_grammar() -> CoreGrammar:
    """Finite: 2 + 2 * 3 sentences, of very different probabilities."""
    build = GrammarBuilder()
    for name in ("Text", "N", "V"):
        build.category(name)
    build.rule("bare", "Text -> N", "0", "0", "head=0", 1)
    build.rule("clause", "Text -> N V", "0 1", "0 1", "head=1; 1 -nsubj-> 0", 3)
    build.word("N", "dog", "犬", 9, upos="NOUN")
    build.word("N", "cat", "猫", 1, upos="NOUN")
    build.word("V", "ran", "走った", 5, upos="VERB")
    build.word("V", "slept", "寝た", 4, upos="VERB")
    build.word("V", "sang", "歌った", 1, upos="VERB")
    return build.build("small", "Text")


SMALL = small_grammar()
