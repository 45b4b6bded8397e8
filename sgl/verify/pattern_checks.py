"""Checks on what the patterns claim, by searching every sentence's graph.

A pattern divides its items, and its exposures, into parts that may overlap: an item
may fit the part within a complement clause and the part outside a relative clause.
Counting what fits each part is therefore not enough; the items are dealt out by a
maximum flow from kinds of items to the parts that they fit::

    12 fit part 1            ──12──> part 1 wants 12
     7 fit parts 1 and 2     ── 7──> part 2 wants  7

Equal shares of the targets of a pattern make a part for each target.  The sentences of
a part of training are dealt out in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import networkx as nx

from sgl.verify.dataset import Dataset, clause_bits
from sgl.verify.items import (
    EXPOSURE,
    GENERALIZATION,
    PART,
    TRAIN,
    TRAINING_LIKE,
    CategoryGroups,
    Group,
)
from sgl.verify.manifest import Clause, PatternClaim, Quota
from sgl.verify.report import Tally, Violation


def held_out(data: Dataset, tally: Tally) -> None:
    """No sentence of train, dev or test contains a held-out structure of any pattern."""
    for pattern in data.manifest.patterns:
        message = f"{pattern.name} is held out"
        _expect_none(data, tally, data.categories_of(*TRAINING_LIKE), pattern.held_out, message)


def reserved(data: Dataset, tally: Tally) -> None:
    """Outside gen only exposures and parts that allow it have what a pattern reserves."""
    for pattern in data.manifest.patterns:
        allowed = {PART + part.name for part in data.manifest.parts if pattern.name in part.allow}
        allowed.add(EXPOSURE + pattern.name)
        categories = [
            own for own in data.categories_of(*TRAINING_LIKE) if own.category not in allowed
        ]
        message = f"{pattern.name} reserves this for its exposures"
        _expect_none(data, tally, categories, pattern.reserved, message)


def needs_licensed(data: Dataset, tally: Tally) -> None:
    """Every part that a pattern needs occurs in enough sentences of train."""
    train = list(data.groups_of(TRAIN))
    size = sum(count for _, count in train)
    for pattern in data.manifest.patterns:
        for need in pattern.need:
            tally.checked += size
            found = sum(count for group, count in train if data.contains(group, need.clause))
            label = f"{pattern.name} needs {need.clause.text}"
            tally.figure(label, found, f"at least {need.count:,}")
            if found < need.count:
                message = f"{label} in {need.count:,} sentences of train, {found:,} have it"
                tally.add(Violation(message, need.clause.place))


def instances(data: Dataset, tally: Tally) -> None:
    """Every generalization item contains a structure that its pattern generalizes to."""
    patterns = data.manifest.patterns
    instances = {pattern.name: data.first_of(pattern.instances) for pattern in patterns}
    without: list[Group] = []
    for group, count in data.groups_of(GENERALIZATION):
        tally.checked += count
        if group.category not in instances or instances[group.category](group) is None:
            without.append(group)
    for split, entry, group in data.members(without):
        message = (
            f"no structure of {group.category} occurs"
            if group.category in instances
            else f"there is no pattern {group.category!r}"
        )
        tally.add_later(partial(data.violation_by, message, split, entry))


def exclusions(data: Dataset, tally: Tally) -> None:
    """No generalization item contains what its pattern excludes."""
    for pattern in data.manifest.patterns:
        categories = [
            own for own in data.categories_of(GENERALIZATION) if own.category == pattern.name
        ]
        _expect_none(data, tally, categories, pattern.exclude, f"{pattern.name} excludes this")


def foreign_structures(data: Dataset, tally: Tally) -> None:
    """No generalization item contains what another pattern holds out, unless it is allowed."""
    allowed = {pattern.name: pattern.allow for pattern in data.manifest.patterns}
    for pattern in data.manifest.patterns:
        categories = [
            own
            for own in data.categories_of(GENERALIZATION)
            if own.category != pattern.name and pattern.name not in allowed.get(own.category, ())
        ]
        message = f"{pattern.name} is held out, and the item's pattern does not allow it"
        _expect_none(data, tally, categories, pattern.held_out, message)


def parts_apart(data: Dataset, tally: Tally) -> None:
    """What a part has for its own occurs nowhere else, but in items if it is tested."""
    parts = data.manifest.parts
    for part in parts:
        looked_at = TRAINING_LIKE if part.tested else (*TRAINING_LIKE, GENERALIZATION)
        for clause in part.only:
            sharing = (p for p in parts if clause.text in {own.text for own in p.only})
            places = {(PART + p.name, quota.split or TRAIN) for p in sharing for quota in p.quotas}
            categories = [
                own
                for own in data.categories_of(*looked_at)
                if (own.category, own.split) not in places
            ]
            message = f"only the part {part.name} may contain this"
            _expect_none(data, tally, categories, (clause,), message)


def restrictions(data: Dataset, tally: Tally) -> None:
    """No sentence of any split contains a structure that is to be nowhere."""
    categories = data.categories_of(*TRAINING_LIKE, GENERALIZATION)
    _expect_none(data, tally, categories, data.manifest.nowhere, "this is to be nowhere")


def _expect_none(
    data: Dataset,
    tally: Tally,
    categories: list[CategoryGroups],
    clauses: tuple[Clause, ...],
    message: str,
) -> None:
    """Report every item that contains one of some structures, with the first of them."""
    if not clauses:
        return
    first, wanted = data.first_of(clauses), clause_bits(clauses)
    found: dict[Group, Clause] = {}
    for category in categories:
        tally.checked += category.items()
        for group, _ in category.groups if category.may_contain(wanted) else ():
            clause = first(group)
            if clause:
                found[group] = clause
    for split, entry, group in data.members(list(found)):
        clause = found[group]
        text = f"{message}: {clause.text}"
        tally.add_later(partial(data.violation_by, text, split, entry, clause))


@dataclass(frozen=True, slots=True)
class _Share:
    """A part of the items of a category: how many, and which may belong to it."""

    label: str
    count: int
    fits: Callable[[Group], bool]
    each_target: bool = False


@dataclass(frozen=True, slots=True)
class _Dealing:
    """The items of one category in one split, with the parts they are dealt out to."""

    split: str
    category: str
    parts: tuple[_Share, ...]

    def groups(self, data: Dataset) -> Iterator[tuple[Group, int]]:
        """Yield the groups of items of the category."""
        for kind in data.categories_of(self.split):
            if kind.category == self.category:
                yield from kind.groups


def exposures(data: Dataset, tally: Tally) -> None:
    """Train has the declared number of exposures of every kind, each with its structure."""
    for pattern in data.manifest.patterns:
        _deal(data, tally, _exposed(data, pattern))


def quotas(data: Dataset, tally: Tally) -> None:
    """The generalization items of every pattern fill its quotas."""
    for pattern in data.manifest.patterns:
        _deal(data, tally, _tested(data, pattern))


def shares(data: Dataset, tally: Tally) -> None:
    """Every target of a pattern has the declared share of its items and exposures.

    An item counts for the first of the targets whose lemma occurs in it; the shares
    are equal, and the first targets have one more where that does not come out even.
    """
    for pattern in data.manifest.patterns:
        for parted in (_exposed(data, pattern), _tested(data, pattern)):
            if any(part.each_target for part in parted.parts):
                divided = tuple(p for part in parted.parts for p in _divided(part, pattern))
                _deal(data, tally, replace(parted, parts=divided))
                _compare_recorded(data, tally, parted, pattern)


def part_quotas(data: Dataset, tally: Tally) -> None:
    """The sentences of every part contain what it has for its own, and fill its quotas."""
    for part in data.manifest.parts:
        quotas = [replace(quota, within=(part.only, *quota.within)) for quota in part.quotas]
        category = PART + part.name
        for split in TRAINING_LIKE:
            own = tuple(quota for quota in quotas if (quota.split or TRAIN) == split)
            if own:
                _deal(data, tally, _Dealing(split, category, _parts(data, category, own)))


def _exposed(data: Dataset, pattern: PatternClaim) -> _Dealing:
    category = EXPOSURE + pattern.name
    parts = (
        _Share(
            f"{category}: {part.clause.text}",
            part.count,
            _contains(data, part.clause),
            part.each_target,
        )
        for part in pattern.expose
    )
    return _Dealing(TRAIN, category, tuple(parts))


def _tested(data: Dataset, pattern: PatternClaim) -> _Dealing:
    return _Dealing(GENERALIZATION, pattern.name, _parts(data, pattern.name, pattern.quotas))


def _parts(data: Dataset, name: str, quotas: tuple[Quota, ...]) -> tuple[_Share, ...]:
    return tuple(
        _Share(f"{name}, part {rank}", quota.count, _within(data, quota), quota.each_target)
        for rank, quota in enumerate(quotas, 1)
    )


def _contains(data: Dataset, clause: Clause) -> Callable[[Group], bool]:
    return lambda group: data.contains(group, clause)


def _within(data: Dataset, quota: Quota) -> Callable[[Group], bool]:
    """Return a test: does an item contain one of each group within, and none outside?"""
    outside = data.first_of(quota.outside)
    within = [data.first_of(clauses) for clauses in quota.within]

    def fits(group: Group) -> bool:
        return not outside(group) and all(inside(group) for inside in within)

    return fits


def _divided(part: _Share, pattern: PatternClaim) -> Iterator[_Share]:
    """Yield a part as the parts that its targets have of it."""
    if not part.each_target:
        yield part
        return
    for target, count in _equal(part.count, pattern.targets):
        yield replace(
            part, label=f"{part.label}, {target}", count=count, fits=_counts(part, target)
        )


def _equal(count: int, targets: tuple[str, ...]) -> list[tuple[str, int]]:
    """Equal shares of ``count``, the first ones greater by one."""
    return [
        (target, (count + len(targets) - 1 - rank) // len(targets))
        for rank, target in enumerate(targets)
    ]


def _counts(part: _Share, target: str) -> Callable[[Group], bool]:
    """Return whether an item fits a part and counts for ``target``."""
    return lambda group: group.target == target and part.fits(group)


def _compare_recorded(data: Dataset, tally: Tally, parted: _Dealing, pattern: PatternClaim) -> None:
    """Compare the shares that the manifest records for the strata with those declared."""
    recorded: Counter[str] = Counter()
    for stratum in data.manifest.splits.get(parted.split, ()):
        if stratum.category == parted.category:
            recorded.update(dict(stratum.shares))
    declared: Counter[str] = Counter()
    for part in parted.parts:
        if part.each_target:
            declared.update(dict(_equal(part.count, pattern.targets)))
    if +recorded != +declared:
        message = f"{parted.category}: the manifest records other shares of targets"
        tally.add(Violation(message, f"manifest.json: splits.{parted.split}"))


def _deal(data: Dataset, tally: Tally, parted: _Dealing) -> None:
    """Report if the items cannot be dealt out so that every part gets its number."""
    parts, label = parted.parts, parted.category
    kinds: Counter[tuple[int, ...]] = Counter()
    nowhere: list[Group] = []
    for group, count in parted.groups(data):
        tally.checked += count
        kind = tuple(rank for rank, part in enumerate(parts) if part.fits(group))
        kinds[kind] += count
        if not kind:
            nowhere.append(group)
    for split, entry, _ in data.members(nowhere):
        message = f"{label}: the item belongs to none of the parts"
        tally.add_later(partial(data.violation_by, message, split, entry))
    for rank, part in enumerate(parts):
        fitting = sum(count for kind, count in kinds.items() if rank in kind)
        tally.figure(part.label, fitting, f"{part.count:,} declared")
    wanted = sum(part.count for part in parts)
    if kinds.total() != wanted:
        tally.add(Violation(f"{label}: {kinds.total():,} items instead of {wanted:,}"))
    elif (dealt := _most_dealt(kinds, parts)) < wanted:
        tally.add(Violation(f"{label}: only {dealt:,} of {wanted:,} items fit the parts' numbers"))


def _most_dealt(kinds: Counter[tuple[int, ...]], parts: tuple[_Share, ...]) -> int:
    """Return how many items can be dealt out at most: a maximum flow from kinds to parts."""
    network: nx.DiGraph[object] = nx.DiGraph()
    network.add_nodes_from(("source", "sink"))
    for kind, count in kinds.items():
        network.add_edge("source", kind, capacity=count)
        network.add_edges_from((kind, rank) for rank in kind)
    for rank, part in enumerate(parts):
        network.add_edge(rank, "sink", capacity=part.count)
    return int(nx.maximum_flow_value(network, "source", "sink"))
