"""Checks on what the patterns claim, by searching every sentence's graph.

A pattern divides its items, and its exposures, into parts that may overlap, so counting what fits each part is not
enough; the items are dealt out by a maximum flow from kinds of items to the parts that they fit.  Equal shares of the
targets of a pattern make a part for each target.  The sentences of a part of training are dealt out in the same way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby, islice, repeat
from operator import itemgetter

import networkx as nx

from sgl.verify.dataset import LoadedData, Place, Result, checks
from sgl.verify.items import EXPOSURE, GENERALIZATION, PART, TRAIN, TRAINING_LIKE
from sgl.verify.manifest import Clause, PatternClaim, QuotaClaim

#: The places that may not have some structures, and what is said of a sentence that has one.
_Rule = tuple[list[Place], tuple[Clause, ...], str]


@checks("V009", "V010", "V014", "V015", "V022", "V024")
def forbidden(data: LoadedData, tally: Result) -> None:
    """Report the sentences that have what they may not."""
    for code, (places, clauses, message) in (*_of_patterns(data), *_of_parts(data)):
        if code == tally.code and clauses:
            tally.checked += sum(data.categories[place] for place in places)
            _expect_none(data, tally, places, clauses, message)


def _of_patterns(data: LoadedData) -> Iterator[tuple[str, _Rule]]:
    training, items = data.places(*TRAINING_LIKE), data.places(GENERALIZATION)
    parts, allowing = data.manifest.parts, {pattern.name: pattern.allow for pattern in data.manifest.patterns}
    for pattern in data.manifest.patterns:
        name, held_out = pattern.name, pattern.held_out
        yield "V009", (training, held_out, f"{name} is held out")
        allowed = {EXPOSURE + name, *(PART + part.name for part in parts if name in part.allow)}
        others = [x for x in training if x.category not in allowed]
        yield "V010", (others, pattern.reserved, f"{name} reserves this for its exposures")
        own = [x for x in items if x.category == name]
        yield "V014", (own, pattern.exclude, f"{name} excludes this")
        others = [x for x in items if name not in (x.category, *allowing.get(x.category, ()))]
        yield "V015", (others, held_out, f"{name} is held out, and the item's pattern does not allow it")


def _of_parts(data: LoadedData) -> Iterator[tuple[str, _Rule]]:
    parts = data.manifest.parts
    for part in parts:
        found = data.places(*TRAINING_LIKE, *([] if part.tested else [GENERALIZATION]))
        for clause in part.only:
            sharing = (p for p in parts if clause.text in {other.text for other in p.only})
            own = {Place(quota.split or TRAIN, PART + p.name) for p in sharing for quota in p.quotas}
            others = [place for place in found if place not in own]
            yield "V022", (others, (clause,), f"only the part {part.name} may contain this")
    everywhere = data.places(*TRAINING_LIKE, GENERALIZATION)
    yield "V024", (everywhere, data.manifest.nowhere, "this is to be nowhere")


#: The sentences of some places that have one of some structures, with each of these.
_WITH = """
    SELECT number, clause FROM found JOIN kind USING (shape) JOIN sentence USING (split, category, shape, share)
    WHERE clause IN (SELECT value FROM json_each(:clauses))
    AND (split, category) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:places))
    ORDER BY number, clause
"""

#: The sentences of a place that have none of some structures.
_WITHOUT = """
    SELECT number FROM kind JOIN sentence USING (split, category, shape, share)
    WHERE (split, category) = (:split, :category) AND shape NOT IN
    (SELECT shape FROM found WHERE clause IN (SELECT value FROM json_each(:clauses)))
    ORDER BY number
"""


def _expect_none(
    data: LoadedData, tally: Result, places: list[Place], clauses: tuple[Clause, ...], message: str
) -> None:
    numbers, texts = [clause.number for clause in clauses], {clause.number: clause.text for clause in clauses}
    rows = data.table.select(_WITH, clauses=numbers, places=places)
    for number, found in groupby(rows, key=itemgetter(0)):
        occurring = {clause for _, clause in found}
        own = [clause for clause in dict.fromkeys(numbers) if clause in occurring]
        text = f"{message}: {' and '.join(texts[clause] for clause in own)}"
        tally.add(partial(data.violation, text, number, own[0]))


#: The number of sentences of train that have a structure.
_LICENSED = """
    SELECT coalesce(sum(items), 0) FROM found JOIN kind USING (shape) WHERE clause = :clause AND split = 'train'
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
    within: tuple[int, ...]
    outside: int
    target: str = ""

    def fits(self, occurring: int, target: str) -> bool:
        return (
            not occurring & self.outside and all(occurring & one for one in self.within) and self.target in ("", target)
        )


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
                _deal(data, tally, Place(split, category), _numbered(category, own))


def _divisions(data: LoadedData, pattern: PatternClaim) -> list[tuple[Place, _Labelled]]:
    """Return of the exposures and of the items of a pattern the place and the quotas."""
    category, name = EXPOSURE + pattern.name, pattern.name
    exposed = [
        (f"{category}: {x.structure.text}", QuotaClaim(x.count, (x.structure,), (), each_target=x.each_target))
        for x in pattern.expose
    ]
    items = _numbered(name, data.counted(GENERALIZATION, name, pattern.quotas))
    return [(Place(TRAIN, category), exposed), (Place(GENERALIZATION, name), items)]


def _numbered(category: str, quotas: Iterable[QuotaClaim]) -> _Labelled:
    return [(f"{category}, part {rank}", quota) for rank, quota in enumerate(quotas, 1)]


@checks("V021")
def shares(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        for place, labelled in _divisions(data, pattern):
            if any(quota.each_target for _, quota in labelled):
                parts = _deal(data, tally, place, labelled, pattern.targets)
                _expect_recorded(data, tally, place, parts)
        if any(quota.contexts for quota in pattern.quotas):
            _contexts(data, tally, pattern)


def _expect_recorded(data: LoadedData, tally: Result, place: Place, parts: list[_Part]) -> None:
    """Report if the manifest records other shares of targets than these parts have."""
    declared, recorded = Counter[str](), Counter[str]()
    for part in parts:
        declared[part.target] += part.count
    del declared[""]
    claim = data.manifest.splits.get(place.split)
    for stratum in claim.strata if claim else ():
        if stratum.category == place.category:
            recorded.update({target: number * stratum.copies for target, number in stratum.shares.items()})
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
        own = list(islice(items, stratum.count if stratum else 0))
        if not quota.contexts:
            continue
        tally.checked += len(own)
        names = (name for name in shares for _ in range(quota.contexts))
        for (row, shape), name in zip(own, chain(names, repeat("")), strict=False):
            if not _has(data, pattern, shape, [word.form.casefold() for word in data.words(row)], name):
                message = f"{pattern.name}: the item has not the instance {name!r}"
                tally.add(partial(data.violation, message, row))
        if {*shares.values()} != {quota.contexts} or sum(shares.values()) != quota.count:
            tally.fault(f"{stream}: instances have not {quota.contexts} contexts each", "manifest.json: splits.gen")


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
        within = tuple(map(_bits, groups))
        part = _Part(label, quota.count, within, _bits(quota.outside))
        if targets is None or not quota.each_target:
            yield part
            continue
        for rank, target in enumerate(targets):
            count = (quota.count + len(targets) - 1 - rank) // len(targets)
            yield replace(part, label=f"{label}, {target}", count=count, target=target)


def _bits(clauses: Iterable[Clause]) -> int:
    """Return the structures of some clauses as a set, with a bit for each."""
    return sum(1 << number for number in {clause.number for clause in clauses})


#: The sentences of a place by what structures and quotas tell apart, and those of one kind.
_KINDS = "SELECT shape, share, items FROM kind WHERE split = :split AND category = :category"
_OF_KIND = """
    SELECT number FROM sentence
    WHERE (split, category, shape, share) = (:split, :category, :shape, :share) ORDER BY number
"""

#: Ranks of parts that sentences fit, and the number of these sentences.
Kinds = Counter[tuple[int, ...]]


def _deal(
    data: LoadedData, tally: Result, place: Place, labelled: _Labelled, targets: tuple[str, ...] | None = None
) -> list[_Part]:
    """Report if items cannot be dealt out so that every part gets its number; return the parts.

    With ``targets``, these have equal shares.
    """
    parts, kinds, nowhere = list(_divided(labelled, targets)), Kinds(), list[int]()
    split, category = place
    for shape, share, items in data.table.select(_KINDS, split=split, category=category):
        occurring = data.shapes[shape].occurring
        kind = tuple(n for n, part in enumerate(parts) if part.fits(occurring, share))
        kinds[kind] += items
        if not kind:
            own = data.table.select(_OF_KIND, split=split, category=category, shape=shape, share=share)
            nowhere += [number for (number,) in own]
    tally.checked += kinds.total()
    for number in sorted(nowhere):
        tally.add(partial(data.violation, f"{category}: the item belongs to none of the parts", number))
    for rank, part in enumerate(parts):
        fitting = sum(count for kind, count in kinds.items() if rank in kind)
        tally.figure(part.label, fitting, f"{part.count:,} declared")
    found, wanted = kinds.total(), sum(part.count for part in parts)
    if found != wanted:
        tally.fault(f"{category}: {found:,} items instead of {wanted:,}")
    elif (dealt := _dealt(kinds, parts)) < wanted:
        tally.fault(f"{category}: only {dealt:,} of {wanted:,} items fit the parts' numbers")
    return parts


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
