"""Samples to look at: a few sentences of a grammar, of a pattern, of a split, or of a phrase."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.proofs.compiler import structures_of
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Item, interpret
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.diagnostics import Diagnostics, SourceMap, Span, one_of, shortlist
from sgl.frontend import Compiled
from sgl.frontend.queries import read_structure
from sgl.pipeline.partial_trees import PartialTreeError, cut_to_tree, read_category, read_tree
from sgl.sampling import pack, sample

#: The stream of samples, which is also their split and category.
STREAM = "sample"


class SampleError(ValueError):
    """Nothing can be sampled; the message says why."""


class NoSentenceError(SampleError):
    """No sentence of the grammar qualifies."""

    def __init__(self, place: Span) -> None:
        super().__init__("no sentence of the grammar qualifies")
        self.place = place


class SampleSource(NamedTuple):
    """Texts to sample that meet a constraint, from categories in turn; a partial tree leaves less of a grammar."""

    grammar: CoreGrammar
    starts: tuple[int, ...]
    constraint: Constraint


def source_of(
    compiled: Compiled, what: str | None, sources: SourceMap, diagnostics: Diagnostics, where: Sequence[str] = ()
) -> SampleSource | None:
    """Return what is meant by the WHAT of ``sglc sample``; None after a report about a structure.

    The texts must also contain all structures of ``where``.  Raises ``SampleError`` if nothing is meant.
    """
    source = _source_of(compiled, what, sources, diagnostics)
    for structure in [read_structure(compiled, text, sources, diagnostics) for text in where]:
        if source is None or structure is None:
            return None
        require = (*source.constraint.require, (structure,))
        source = source._replace(constraint=replace(source.constraint, require=require))
    return source


def _source_of(
    compiled: Compiled, what: str | None, sources: SourceMap, diagnostics: Diagnostics
) -> SampleSource | None:
    core = compiled.grammar
    if what is None:
        return SampleSource(core, (core.start,), Constraint())
    strata = compiled.plan.strata
    for stratum in strata:
        if what in (stratum.split, stratum.category, stratum.stream):
            return SampleSource(core, (core.start,), stratum.constraint)
    if what.lstrip().startswith("{"):
        if (structure := read_structure(compiled, what, sources, diagnostics)) is None:
            return None
        return SampleSource(core, (core.start,), Constraint(require=((structure,),)))
    try:
        if what.lstrip().startswith("("):
            return SampleSource(*cut_to_tree(core, read_tree(what)), Constraint())
        test = read_category(what)
    except PartialTreeError as problem:
        raise SampleError(str(problem)) from None
    names = dict.fromkeys(category.base for category in core.categories)
    if test.name not in names:
        known = list(dict.fromkeys((*(stratum.category for stratum in strata), *names)))
        raise SampleError(f"there is no pattern or category `{what}`; {one_of(what, known)}")
    if not (matching := tuple(i for i, found in enumerate(core.categories) if test.accepts(found))):
        variants = [found.name for found in core.categories if found.name.startswith(test.name)]
        raise SampleError(f"no phrase is `{test}`; there is {shortlist(variants)}")
    return SampleSource(core, matching, Constraint())


def sampled_items(compiled: Compiled, chosen: SampleSource, number: int, seed: int | None) -> list[Item]:
    """Return the items: one of the first category, one of the second, and so on.

    Raises ``NoSentenceError`` if a category has none.
    """
    core = chosen.grammar
    splits: dict[str, SplitGrammar] = {}
    counts = []
    for index, start in enumerate(chosen.starts[:number]):
        stream = f"{STREAM}/{index}" if index else STREAM
        counts.append((stream, len(range(index, number, len(chosen.starts))), chosen.constraint))
        splits[stream] = split_of(compiled, core, start, chosen.constraint)
    plan = plan_of(compiled.plan, counts, seed, distinct=False)
    parts = [part.items for part in sample(pack(core, plan, splits))]
    return [interpret(core, found.derivation) for row in zip_longest(*parts) for found in row if found is not None]


def plan_of(plan: Plan, strata: Sequence[tuple[str, int, Constraint]], seed: int | None, distinct: bool) -> Plan:
    """Return the plan of a sample: so many sentences of each stream that meet its constraint."""
    return replace(
        plan,
        strata=tuple(Stratum(STREAM, STREAM, *stratum) for stratum in strata),
        seed=plan.seed if seed is None else seed,
        distinct_sentences=distinct,
    )


def split_of(compiled: Compiled, core: CoreGrammar, start: int, constraint: Constraint) -> SplitGrammar:
    """Return the phrases of a category that meet a constraint."""
    known = core is compiled.grammar and start == core.start
    structures = structures_of(core) if known else StructureCompiler(replace(core, start=start))
    split = structures.split(constraint)
    if split.empty:
        raise NoSentenceError(compiled.dataset_span)
    return split
