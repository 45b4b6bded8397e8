"""Checks on what the patterns claim, by searching every sentence's graph.

A pattern divides its items, and its exposures, into parts that may overlap, so counting what fits each part is not
enough; the items are dealt out by a maximum flow from kinds of items to the parts that they fit.  Equal shares of the
targets of a pattern make a part for each target.  The sentences of a part of training are dealt out in the same way.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, repeat

import networkx as nx

from sgl.verify.dataset import LoadedData, Result, SplitCategory, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, PART, TRAIN, TRAINING_LIKE
from sgl.verify.manifest import Clause, PatternClaim, QuotaClaim

#: The sentences of some places that have one of some structures.
_WITH = """
    SELECT number, profile FROM kind CROSS JOIN sentence USING (split, category, profile, share)
    WHERE profile IN (SELECT profile FROM found WHERE clause IN (SELECT value FROM json_each(:clauses)))
    AND (split, category) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:places))
    ORDER BY number
"""

#: The sentences of a place that have none of some structures.
_WITHOUT = """
    SELECT number FROM kind CROSS JOIN sentence USING (split, category, profile, share)
    WHERE (split, category) = (:split, :category) AND profile NOT IN
    (SELECT profile FROM found WHERE clause IN (SELECT value FROM json_each(:clauses)))
    ORDER BY number
"""


def _expect_none(
    data: LoadedData, tally: Result, places: list[SplitCategory], clauses: tuple[Clause, ...], message: str
) -> None:
    tally.checked += sum(data.categories[place] for place in places) if clauses else 0
    numbers, texts = [clause.number for clause in clauses], {clause.number: clause.text for clause in clauses}
    told: dict[int, tuple[str, int]] = {}
    for number, profile in data.table.select(_WITH, clauses=numbers, places=places):
        if profile not in told:
            own = [clause for clause in texts if clause in data.table.profiles[profile]]
            told[profile] = f"{message}: {' and '.join(texts[clause] for clause in own)}", own[0]
        text, first = told[profile]
        tally.add(partial(data.violation, text, number, first))


@checks("V009")
def held_out(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        _expect_none(data, tally, data.places(*TRAINING_LIKE), pattern.held_out, f"{pattern.name} is held out")


@checks("V010")
def reserved(data: LoadedData, tally: Result) -> None:
    for name, pattern in ((pattern.name, pattern) for pattern in data.manifest.patterns):
        allowed = {EXPOSURE + name, *(PART + part.name for part in data.manifest.parts if name in part.allow)}
        others = [place for place in data.places(*TRAINING_LIKE) if place.category not in allowed]
        _expect_none(data, tally, others, pattern.reserved, f"{name} reserves this for its exposures")


@checks("V014")
def excluded(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        own = [place for place in data.places(GENERALIZATION) if place.category == pattern.name]
        _expect_none(data, tally, own, pattern.exclude, f"{pattern.name} excludes this")


@checks("V015")
def held_out_by_others(data: LoadedData, tally: Result) -> None:
    for name, pattern in ((pattern.name, pattern) for pattern in data.manifest.patterns):
        allowing = {name, *(other.name for other in data.manifest.patterns if name in other.allow)}
        others = [place for place in data.places(GENERALIZATION) if place.category not in allowing]
        message = f"{name} is held out, and the item's pattern does not allow it"
        _expect_none(data, tally, others, pattern.held_out, message)


@checks("V022")
def parts(data: LoadedData, tally: Result) -> None:
    owners = {
        (clause.text, SplitCategory(quota.split or TRAIN, PART + part.name))
        for part in data.manifest.parts
        for clause in part.only
        for quota in part.quotas
    }
    for part in data.manifest.parts:
        places = data.places(*TRAINING_LIKE, *([] if part.tested else [GENERALIZATION]))
        for clause in part.only:
            others = [place for place in places if (clause.text, place) not in owners]
            _expect_none(data, tally, others, (clause,), f"only the part {part.name} may contain this")


@checks("V024")
def restrictions(data: LoadedData, tally: Result) -> None:
    places = data.places(*TRAINING_LIKE, GENERALIZATION)
    _expect_none(data, tally, places, data.manifest.nowhere, "this is to be nowhere")


#: The number of sentences of train that have a structure.
_LICENSED = """
    SELECT coalesce(sum(items), 0) FROM found JOIN kind USING (profile) WHERE clause = :clause AND split = 'train'
"""


@checks("V012")
def needs_licensed(data: LoadedData, tally: Result) -> None:
    size = sum(data.categories[place] for place in data.places(TRAIN))
    for pattern in data.manifest.patterns:
        for need in pattern.need:
            tally.checked += size
            ((found,),) = data.table.select(_LICENSED, clause=need.structure.number)
            label = f"{pattern.name} needs {need.structure.text}"
            tally.figure(label, found, f"at least {need.minimum:,}")
            if found < need.minimum:
                message = f"{label} in {need.minimum:,} sentences of train, {found:,} have it"
                tally.fault(message, need.structure.place)


@checks("V013")
def instances(data: LoadedData, tally: Result) -> None:
    wanted = {pattern.name: [clause.number for clause in pattern.instances] for pattern in data.manifest.patterns}
    for place in data.places(GENERALIZATION):
        split, category = place
        tally.checked += data.categories[place]
        message = f"there is no pattern {category!r}"
        if category in wanted:
            message = f"no structure of {category} occurs"
        clauses = wanted.get(category, [])
        for (number,) in data.table.select(_WITHOUT, split=split, category=category, clauses=clauses):
            tally.add(partial(data.violation, message, number))


@dataclass(frozen=True, slots=True)
class _Part:
    """How many items have one of each set ``within``, none ``outside``, and count for a target."""

    label: str
    count: int
    within: tuple[frozenset[int], ...]
    outside: frozenset[int]
    target: str = ""

    def fits(self, occurring: frozenset[int], target: str) -> bool:
        wanted = self.target in ("", target) and not occurring & self.outside
        return wanted and all(occurring & one for one in self.within)


#: Quotas with what they are called.
_Labelled = list[tuple[str, QuotaClaim]]


@checks("V011", "V016")
def quotas(data: LoadedData, tally: Result) -> None:
    """Report the exposures, or the items, that do not fill the quotas of their pattern."""
    for pattern in data.manifest.patterns:
        exposures, items = _divisions(data, pattern)
        _deal(data, tally, *(exposures if tally.code == "V011" else items))


@checks("V023")
def part_quotas(data: LoadedData, tally: Result) -> None:
    for part in data.manifest.parts:
        category = PART + part.name
        for split in TRAINING_LIKE:
            counted = data.counted(split, category, part.quotas)
            own = [quota for quota in counted if (quota.split or TRAIN) == split]
            own = [replace(quota, within_one_of=(part.only, *quota.within_one_of)) for quota in own]
            if own:
                _deal(data, tally, SplitCategory(split, category), _numbered(category, own))


def _divisions(data: LoadedData, pattern: PatternClaim) -> list[tuple[SplitCategory, _Labelled]]:
    """Return of the exposures and of the items of a pattern the place and the quotas."""
    category, name = EXPOSURE + pattern.name, pattern.name
    exposed = [(f"{category}: {x.structure.text}", QuotaClaim(x.extent, (x.structure,))) for x in pattern.expose]
    items = _numbered(name, data.counted(GENERALIZATION, name, pattern.quotas))
    return [(SplitCategory(TRAIN, category), exposed), (SplitCategory(GENERALIZATION, name), items)]


def _numbered(category: str, quotas: Iterable[QuotaClaim]) -> _Labelled:
    return [(f"{category}, part {rank}", quota) for rank, quota in enumerate(quotas, 1)]


@checks("V021")
def shares(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        for place, labelled in _divisions(data, pattern):
            if any(quota.extent.targets for _, quota in labelled):
                parts = _deal(data, tally, place, labelled, pattern.targets)
                _expect_recorded(data, tally, place, parts)
        if any(quota.extent.contexts for quota in pattern.quotas):
            _contexts(data, tally, pattern)


def _expect_recorded(data: LoadedData, tally: Result, place: SplitCategory, parts: list[_Part]) -> None:
    """Report if the manifest records other shares of targets than these parts have."""
    declared, recorded = Counter[str](), Counter[str]()
    for part in parts:
        declared[part.target] += part.count
    del declared[""]
    claim = data.manifest.splits.get(place.split)
    for stratum in claim.strata if claim else ():
        if stratum.category == place.category:
            recorded.update({target: number * stratum.extent.copies for target, number in stratum.shares.items()})
    if +recorded != +declared:
        message = f"{place.category}: the manifest records other shares of targets"
        tally.fault(message, f"manifest.json: splits.{place.split}")


#: The items of a pattern, in their order.
_ITEMS = "SELECT number, shape FROM sentence WHERE split = 'gen' AND category = :category ORDER BY number"


def _contexts(data: LoadedData, tally: Result, pattern: PatternClaim) -> None:
    """Report instances without their number of contexts: these are items one after the other, each with it."""
    claim, items = data.manifest.splits.get(GENERALIZATION), data.table.each(_ITEMS, category=pattern.name)
    strata = {stratum.stream: stratum for stratum in claim.strata} if claim else {}
    for number, quota in enumerate(pattern.quotas):
        stratum = strata.get(stream := f"{GENERALIZATION}/{pattern.name}/{number}")
        shares = stratum.shares if stratum else {}
        own = list(islice(items, min(stratum.count, sys.maxsize) if stratum else 0))
        if not quota.extent.contexts:
            continue
        tally.checked += len(own)
        names = (name for name in shares for _ in range(quota.extent.contexts))
        for (row, shape), name in zip(own, chain(names, repeat("")), strict=False):
            if not _has(data, pattern, shape, [word.form.casefold() for word in data.words(row)], name):
                message = f"{pattern.name}: the item has not the instance {name!r}"
                tally.add(partial(data.violation, message, row))
        if {*shares.values()} != {quota.extent.contexts} or sum(shares.values()) != quota.extent.count:
            tally.fault(
                f"{stream}: instances have not {quota.extent.contexts} contexts each", "manifest.json: splits.gen"
            )


def _has(data: LoadedData, pattern: PatternClaim, shape: int, words: list[str], name: str) -> bool:
    """Return whether words are in a sentence, in the order of their parts, and have a structure of the pattern."""
    places, at = list[int](), 0
    for part in name.casefold().split(" … "):
        own = part.split()
        starts = (n for n in range(at, len(words) - len(own) + 1) if words[n : n + len(own)] == own)
        if not own or (start := next(starts, None)) is None:
            return False
        places += range(start, at := start + len(own))
    # Behind the words are the nodes of further layers.
    whole = data.shapes[shape]
    instance = whole.part([*places, *range(len(words), whole.frame.size)])
    return any(data.known.searcher.match(instance, clause.number) is not None for clause in pattern.instances)


def _divided(labelled: _Labelled, targets: tuple[str, ...] | None) -> Iterator[_Part]:
    for label, quota in labelled:
        groups = (*((clause,) for clause in quota.within), *quota.within_one_of)
        within = tuple(map(_numbers, groups))
        part = _Part(label, quota.extent.count, within, _numbers(quota.outside))
        if targets is None or not quota.extent.targets:
            yield part
            continue
        for rank, target in enumerate(targets):
            count = (quota.extent.count + len(targets) - 1 - rank) // len(targets)
            yield replace(part, label=f"{label}, {target}", count=count, target=target)


def _numbers(clauses: Iterable[Clause]) -> frozenset[int]:
    return frozenset(clause.number for clause in clauses)


#: The sentences of a place by what structures and quotas tell apart, and those of one kind.
_KINDS = "SELECT profile, share, items FROM kind WHERE split = :split AND category = :category"
_OF_KIND = """
    SELECT number FROM sentence
    WHERE (split, category, profile, share) = (:split, :category, :profile, :share) ORDER BY number
"""

#: Ranks of parts that sentences fit, and the number of these sentences.
Kinds = Counter[tuple[int, ...]]


def _deal(
    data: LoadedData, tally: Result, place: SplitCategory, labelled: _Labelled, targets: tuple[str, ...] | None = None
) -> list[_Part]:
    """Report if items cannot be dealt out so that every part gets its number; return the parts.

    With ``targets``, these have equal shares.
    """
    parts = list(_divided(labelled, targets))
    kinds = _kinds(data, tally, place, parts)
    for rank, part in enumerate(parts):
        fitting = sum(count for kind, count in kinds.items() if rank in kind)
        tally.figure(part.label, fitting, f"{part.count:,} declared")
    found, wanted = kinds.total(), sum(part.count for part in parts)
    if found != wanted:
        tally.fault(f"{place.category}: {found:,} items instead of {wanted:,}")
    elif (dealt := _dealt(kinds, parts)) < wanted:
        tally.fault(f"{place.category}: only {dealt:,} of {wanted:,} items fit the parts' numbers")
    return parts


def _kinds(data: LoadedData, tally: Result, place: SplitCategory, parts: list[_Part]) -> Kinds:
    """Count the sentences of a place by the parts that they fit, and report those that fit none."""
    kinds, nowhere, of = Kinds(), list[int](), place._asdict()
    for profile, share, items in data.table.select(_KINDS, **of):
        occurring = data.table.profiles[profile]
        kind = tuple(rank for rank, part in enumerate(parts) if part.fits(occurring, share))
        kinds[kind] += items
        if not kind:
            nowhere += [number for (number,) in data.table.select(_OF_KIND, **of, profile=profile, share=share)]
    tally.checked += kinds.total()
    for number in sorted(nowhere):
        tally.add(partial(data.violation, f"{place.category}: the item belongs to none of the parts", number))
    return kinds


def _dealt(kinds: Kinds, parts: list[_Part]) -> int:
    """Return how many items can be dealt out: a maximum flow from kinds of items to the parts that they fit."""
    network: nx.DiGraph[object] = nx.DiGraph()
    network.add_nodes_from(("source", "sink"))
    for kind, count in kinds.items():
        network.add_edge("source", kind, capacity=count)
        network.add_edges_from((kind, rank) for rank in kind)
    for rank, part in enumerate(parts):
        network.add_edge(rank, "sink", capacity=part.count)
    return int(nx.maximum_flow_value(network, "source", "sink"))
