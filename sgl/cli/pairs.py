"""``sglc sample --pairs``: items, each with the nearest sentence that training can contain."""

from __future__ import annotations

from collections.abc import Sequence

import click

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.weights.nearest import Nearest, NearestFinder
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import Derivation
from sgl.core.plan import IN_DISTRIBUTION, Stratum
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.pipeline.deciding import deciding
from sgl.rendering import outputs, written
from sgl.sampling.tables import content_lemmas


def training(compiled: Compiled) -> Stratum | None:
    """The in-distribution part of training, if the dataset has one."""
    for stratum in compiled.plan.strata:
        if (stratum.split, stratum.category) == ("train", IN_DISTRIBUTION):
            return stratum
    return None


def finder(compiled: Compiled, diagnostics: Diagnostics) -> NearestFinder | None:
    """What finds the nearest in-distribution sentences; None after a report."""
    stratum = training(compiled)
    if stratum is None:
        diagnostics.error(
            "SGL0804",
            compiled.dataset_span,
            "the dataset has no in-distribution sentences that items could be held against",
            hint="say how many: `train 1000`",
        )
        return None
    splits: list[SplitGrammar] = []
    with deciding(compiled, diagnostics):
        splits.append(StructureCompiler(compiled.grammar).split(stratum.constraint))
    if not splits:
        return None
    if splits[0].empty:
        diagnostics.error("SGL0812", compiled.dataset_span, "training can contain no sentence")
        return None
    return NearestFinder(splits[0], content_lemmas(compiled.grammar, compiled.plan))


def print_pair(
    core: CoreGrammar, derivation: Derivation, nearest: Nearest, shown: Sequence[str]
) -> None:
    """One row: the item, the nearest sentence, the rules that are dropped and new."""
    known = outputs(core)
    texts = [written(known[name], d) for d in (derivation, nearest.derivation) for name in shown]
    click.echo("\t".join([*texts, difference(core, nearest)]))


def difference(core: CoreGrammar, nearest: Nearest) -> str:
    """The rules that differ, words with their category: ``-with_pp -N:cat +noun``."""
    signed = (("-", nearest.dropped), ("+", nearest.new))
    return " ".join(sign + _name(core, rule) for sign, rules in signed for rule in rules)


def _name(core: CoreGrammar, number: int) -> str:
    rule = core.rules[number]
    if not rule.lexical:
        return rule.name
    category = core.categories[rule.lhs].name.partition("[")[0]
    words = "_".join(item.text for item in rule.templates[0] if isinstance(item, Token))
    return f"{category}:{words}"
