"""``sglc sample --pairs``: items, each with the nearest sentence that training can contain."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.automata import StructureCompiler
from sgl.automata.weights.nearest import Nearest, NearestFinder
from sgl.cli.session import Session
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import Derivation
from sgl.core.plan import IN_DISTRIBUTION, Stratum
from sgl.frontend import Compiled
from sgl.rendering import outputs, written
from sgl.sampling.tables import content_lemmas


def training(compiled: Compiled) -> Stratum | None:
    """The in-distribution part of training, if the dataset has one."""
    for stratum in compiled.plan.strata:
        if (stratum.split, stratum.category) == ("train", IN_DISTRIBUTION):
            return stratum
    return None


def finder(session: Session, compiled: Compiled) -> NearestFinder:
    """Return what finds the nearest in-distribution sentence of an item."""
    stratum = training(compiled)
    if stratum is None:
        session.fail(
            "SGL0804",
            "the dataset has no in-distribution sentences that items could be held against",
            compiled.dataset_span,
            hint="say how many: `train 1000`",
        )
    split = StructureCompiler(compiled.grammar).split(stratum.constraint)
    if split.empty:
        session.fail("SGL0812", "training can contain no sentence", compiled.dataset_span)
    return NearestFinder(split, content_lemmas(compiled.grammar, compiled.plan))


def pair(core: CoreGrammar, derivation: Derivation, nearest: Nearest, shown: Sequence[str]) -> str:
    """Return one row: the item, the nearest sentence, the rules that are dropped and new."""
    known = outputs(core)
    texts = [written(known[name], d) for d in (derivation, nearest.derivation) for name in shown]
    return "\t".join([*texts, difference(core, nearest)])


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
