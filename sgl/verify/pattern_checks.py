"""Checks on what the patterns claim, by searching every sentence's graph.

A pattern divides its items, and its exposures, into parts that may overlap, so counting what fits each part is not
enough; the items are dealt out by a maximum flow from kinds of items to the parts that they fit.  Equal shares of the
targets of a pattern make a part for each target.  The sentences of a part of training are dealt out in the same way.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import networkx as nx

from sgl.verify.dataset import LoadedData, Result, checks, clause_bits
from sgl.verify.items import EXPOSURE, GENERALIZATION, PART, TRAIN, TRAINING_LIKE, CategoryGroups, Group
from sgl.verify.manifest import Clause, PatternClaim, QuotaClaim

#: The categories that may not have some structures, and what a sentence that has one is told.
_Rule = tuple[list[CategoryGroups], tuple[Clause, ...], str]


@checks("V009", "V010", "V014", "V015", "V022", "V024")
def forbidden(data: LoadedData, tally: Result) -> None:
    """Report the sentences that have what they may not."""
    for code, (categories, clauses, message) in (*_of_patterns(data), *_of_parts(data)):
        if code == tally.code and clauses:
            _expect_none(data, tally, categories, clauses, message)


def _of_patterns(data: LoadedData) -> Iterator[tuple[str, _Rule]]:
    training, items = data.categories_of(*TRAINING_LIKE), data.categories_of(GENERALIZATION)
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
        found = data.categories_of(*TRAINING_LIKE, *([] if part.tested else [GENERALIZATION]))
        for clause in part.only:
            sharing = (p for p in parts if clause.text in {own.text for own in p.only})
            places = {(PART + p.name, quota.split or TRAIN) for p in sharing for quota in p.quotas}
            others = [own for own in found if (own.category, own.split) not in places]
            yield "V022", (others, (clause,), f"only the part {part.name} may contain this")
    everywhere = data.categories_of(*TRAINING_LIKE, GENERALIZATION)
    yield "V024", (everywhere, data.manifest.nowhere, "this is to be nowhere")


def _expect_none(
    data: LoadedData, tally: Result, categories: list[CategoryGroups], clauses: tuple[Clause, ...], message: str
) -> None:
    wanted = clause_bits(clauses)
    found: dict[Group, list[Clause]] = {}
    for category in categories:
        tally.checked += category.items
        for group, _ in category.groups if category.occurring & wanted else ():
            if occurring := group.shape.occurring & wanted:
                found[group] = [clause for clause in clauses if occurring >> clause.number & 1]
    for split, entry, group in data.members(list(found)):
        first, *_ = own = found[group]
        text = f"{message}: {' and '.join(dict.fromkeys(clause.text for clause in own))}"
        tally.add(partial(data.violation, text, split, entry, first))


@checks("V012")
def needs_licensed(data: LoadedData, tally: Result) -> None:
    train = [each for category in data.categories_of(TRAIN) for each in category.groups]
    size = sum(count for _, count in train)
    for pattern in data.manifest.patterns:
        for need in pattern.need:
            tally.checked += size
            number = need.structure.number
            found = sum(count for group, count in train if group.shape.occurring >> number & 1)
            label = f"{pattern.name} needs {need.structure.text}"
            tally.figure(label, found, f"at least {need.minimum:,}")
            if found < need.minimum:
                message = f"{label} in {need.minimum:,} sentences of train, {found:,} have it"
                tally.fault(message, need.structure.place)


@checks("V013")
def instances(data: LoadedData, tally: Result) -> None:
    patterns = data.manifest.patterns
    wanted = {pattern.name: clause_bits(pattern.instances) for pattern in patterns}
    without: list[Group] = []
    for own in data.categories_of(GENERALIZATION):
        tally.checked += own.items
        bits = wanted.get(own.category, 0)
        without += [group for group, _ in own.groups if not group.shape.occurring & bits]
    for split, entry, group in data.members(without):
        message = (
            f"no structure of {group.category} occurs"
            if group.category in wanted
            else f"there is no pattern {group.category!r}"
        )
        tally.add(partial(data.violation, message, split, entry))


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
                _deal(data, tally, split, category, _numbered(category, own))


def _divisions(data: LoadedData, pattern: PatternClaim) -> list[tuple[str, str, _Labelled]]:
    """Return of the exposures and of the items of a pattern the split, the category and the quotas."""
    category, name = EXPOSURE + pattern.name, pattern.name
    exposed = [(f"{category}: {x.structure.text}", QuotaClaim(x.extent, (x.structure,))) for x in pattern.expose]
    items = _numbered(name, data.counted(GENERALIZATION, name, pattern.quotas))
    return [(TRAIN, category, exposed), (GENERALIZATION, name, items)]


def _numbered(category: str, quotas: Iterable[QuotaClaim]) -> _Labelled:
    return [(f"{category}, part {rank}", quota) for rank, quota in enumerate(quotas, 1)]


@checks("V021")
def shares(data: LoadedData, tally: Result) -> None:
    for pattern in data.manifest.patterns:
        for split, category, labelled in _divisions(data, pattern):
            if not any(quota.extent.targets for _, quota in labelled):
                continue
            declared: Counter[str] = Counter()
            for part in _deal(data, tally, split, category, labelled, pattern.targets):
                declared[part.target] += part.count
            del declared[""]
            recorded: Counter[str] = Counter()
            claim = data.manifest.splits.get(split)
            for stratum in claim.strata if claim else ():
                if stratum.category == category:
                    recorded.update({x: n * stratum.extent.copies for x, n in stratum.shares.items()})
            if +recorded != +declared:
                message = f"{category}: the manifest records other shares of targets"
                tally.fault(message, f"manifest.json: splits.{split}")
        if any(quota.extent.contexts for quota in pattern.quotas):
            _contexts(data, tally, pattern)


def _contexts(data: LoadedData, tally: Result, pattern: PatternClaim) -> None:
    """Report instances without their number of contexts: these are items one after the other, each with it."""
    claim, own = data.manifest.splits.get(GENERALIZATION), data.categories_of(GENERALIZATION)
    items = data.members([group for x in own if x.category == pattern.name for group, _ in x.groups])
    quotas = {f"{GENERALIZATION}/{pattern.name}/{number}": quota for number, quota in enumerate(pattern.quotas)}
    strata = {stratum.stream: stratum for stratum in claim.strata} if claim else {}
    for stream, quota in quotas.items():
        shares = strata[stream].shares if stream in strata else {}
        names = dict(enumerate(name for name in shares for _ in range(quota.extent.contexts)))
        for rank, (split, entry, group) in enumerate(islice(items, strata[stream].count if stream in strata else 0)):
            tally.checked += quota.extent.contexts > 0
            name = names.get(rank, "")
            if quota.extent.contexts and not _has(
                data, pattern, group, [x.form.casefold() for x in data.item(split, entry).words], name
            ):
                message = f"{pattern.name}: the item has not the instance {name!r}"
                tally.add(partial(data.violation, message, split, entry))
        if quota.extent.contexts and (
            {*shares.values()} != {quota.extent.contexts} or sum(shares.values()) != quota.extent.count
        ):
            tally.fault(
                f"{stream}: instances have not {quota.extent.contexts} contexts each", "manifest.json: splits.gen"
            )


def _has(data: LoadedData, pattern: PatternClaim, group: Group, words: list[str], name: str) -> bool:
    """Return whether words are in a sentence, in the order of their parts, and have a structure of the pattern."""
    places, at = list[int](), 0
    for part in name.casefold().split(" … "):
        own = part.split()
        starts = (n for n in range(at, len(words) - len(own) + 1) if words[n : n + len(own)] == own)
        if not own or (start := next(starts, None)) is None:
            return False
        places += range(start, at := start + len(own))
    # Behind the words are the nodes of further layers.
    shape = group.shape.part([*places, *range(len(words), group.shape.frame.size)])
    return any(data.known.searcher.match(shape, clause.number) is not None for clause in pattern.instances)


def _divided(labelled: _Labelled, targets: tuple[str, ...] | None) -> Iterator[_Part]:
    for label, quota in labelled:
        groups = (*((clause,) for clause in quota.within), *quota.within_one_of)
        within = tuple(map(clause_bits, groups))
        part = _Part(label, quota.extent.count, within, clause_bits(quota.outside))
        if targets is None or not quota.extent.targets:
            yield part
            continue
        for rank, target in enumerate(targets):
            count = (quota.extent.count + len(targets) - 1 - rank) // len(targets)
            yield replace(part, label=f"{label}, {target}", count=count, target=target)


def _deal(
    data: LoadedData,
    tally: Result,
    split: str,
    category: str,
    labelled: _Labelled,
    targets: tuple[str, ...] | None = None,
) -> list[_Part]:
    """Report if items cannot be dealt out so that every part gets its number; return the parts.

    With ``targets``, these have equal shares.  Most items are dealt out by a maximum flow from
    kinds of items to the parts that they fit.
    """
    parts = list(_divided(labelled, targets))
    kinds: Counter[tuple[int, ...]] = Counter()
    nowhere: list[Group] = []
    for own in data.categories_of(split):
        for group, count in own.groups if own.category == category else ():
            tally.checked += count
            occurring = group.shape.occurring
            kind = tuple(n for n, p in enumerate(parts) if p.fits(occurring, group.target))
            kinds[kind] += count
            if not kind:
                nowhere.append(group)
    for found_in, entry, _ in data.members(nowhere):
        message = f"{category}: the item belongs to none of the parts"
        tally.add(partial(data.violation, message, found_in, entry))
    network: nx.DiGraph[object] = nx.DiGraph()
    network.add_nodes_from(("source", "sink"))
    for kind, count in kinds.items():
        network.add_edge("source", kind, capacity=count)
        network.add_edges_from((kind, rank) for rank in kind)
    for rank, part in enumerate(parts):
        network.add_edge(rank, "sink", capacity=part.count)
        fitting = sum(count for kind, count in kinds.items() if rank in kind)
        tally.figure(part.label, fitting, f"{part.count:,} declared")
    found, wanted = kinds.total(), sum(part.count for part in parts)
    if found != wanted:
        tally.fault(f"{category}: {found:,} items instead of {wanted:,}")
    elif (dealt := int(nx.maximum_flow_value(network, "source", "sink"))) < wanted:
        message = f"only {dealt:,} of {wanted:,} items fit the parts' numbers"
        tally.fault(f"{category}: {message}")
    return parts
