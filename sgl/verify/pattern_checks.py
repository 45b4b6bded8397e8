"""Checks on what the patterns claim, by searching every sentence's graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import networkx as nx

from sgl.verify.dataset import EXPOSURE, GENERALIZATION, TRAIN, TRAINING_LIKE, Dataset, Item
from sgl.verify.manifest import Clause, Quota
from sgl.verify.report import Tally, Violation


def held_out(data: Dataset, tally: Tally) -> None:
    """No sentence of train, dev or test contains a held-out structure of any pattern."""
    for pattern in data.manifest.patterns:
        message = f"{pattern.name} is held out"
        groups = data.groups(*TRAINING_LIKE)
        _expect_none(data, tally, groups, pattern.held_out, message)


def reserved(data: Dataset, tally: Tally) -> None:
    """What a pattern reserves occurs in train, dev and test in its exposures only."""
    for pattern in data.manifest.patterns:
        category = EXPOSURE + pattern.name
        groups = (g for g in data.groups(*TRAINING_LIKE) if g[0].category != category)
        message = f"{pattern.name} reserves this for its exposures"
        _expect_none(data, tally, groups, pattern.reserved, message)


def exposures(data: Dataset, tally: Tally) -> None:
    """Train has the declared number of exposures of every kind, each with its structure."""
    for pattern in data.manifest.patterns:
        category = EXPOSURE + pattern.name
        parts = [
            _Part(f"{category}: {part.clause.text}", part.count, _contains(data, part.clause))
            for part in pattern.expose
        ]
        items = (item for item in data.items(TRAIN) if item.category == category)
        _deal(data, tally, category, items, parts)


def needs_licensed(data: Dataset, tally: Tally) -> None:
    """Every part that a pattern needs occurs in enough sentences of train."""
    train = list(data.groups(TRAIN))
    size = sum(len(group) for group in train)
    for pattern in data.manifest.patterns:
        for need in pattern.need:
            tally.checked += size
            found = sum(len(group) for group in train if data.contains(group[0], need.clause))
            label = f"{pattern.name} needs {need.clause.text}"
            tally.figure(label, found, f"at least {need.count:,}")
            if found < need.count:
                message = f"{label} in {need.count:,} sentences of train, {found:,} have it"
                tally.add(Violation(message, need.clause.place))


def instances(data: Dataset, tally: Tally) -> None:
    """Every generalization item contains a structure that its pattern generalizes to."""
    found = {pattern.name: data.first_of(pattern.instances) for pattern in data.manifest.patterns}
    for item in data.items(GENERALIZATION):
        tally.checked += 1
        if item.category not in found:
            tally.add(data.violation(f"there is no pattern {item.category!r}", item))
        elif found[item.category](item) is None:
            tally.add(data.violation(f"no structure of {item.category} occurs", item))


def exclusions(data: Dataset, tally: Tally) -> None:
    """No generalization item contains what its pattern excludes."""
    for pattern in data.manifest.patterns:
        groups = (g for g in data.groups(GENERALIZATION) if g[0].category == pattern.name)
        _expect_none(data, tally, groups, pattern.exclude, f"{pattern.name} excludes this")


def foreign_structures(data: Dataset, tally: Tally) -> None:
    """No generalization item contains what another pattern holds out, unless it is allowed."""
    allowed = {pattern.name: pattern.allow for pattern in data.manifest.patterns}
    for pattern in data.manifest.patterns:
        groups = (
            group
            for group in data.groups(GENERALIZATION)
            if group[0].category != pattern.name
            and pattern.name not in allowed.get(group[0].category, ())
        )
        message = f"{pattern.name} is held out, and the item's pattern does not allow it"
        _expect_none(data, tally, groups, pattern.held_out, message)


def quotas(data: Dataset, tally: Tally) -> None:
    """The generalization items of every pattern fill its quotas."""
    for pattern in data.manifest.patterns:
        parts = [
            _Part(f"{pattern.name}, part {rank}", quota.count, _within(data, quota))
            for rank, quota in enumerate(pattern.quotas, 1)
        ]
        items = (item for item in data.items(GENERALIZATION) if item.category == pattern.name)
        _deal(data, tally, pattern.name, items, parts)


def _expect_none(
    data: Dataset,
    tally: Tally,
    groups: Iterable[tuple[Item, ...]],
    clauses: tuple[Clause, ...],
    message: str,
) -> None:
    """Report every item that contains one of some structures, with the first of them."""
    if not clauses:
        return
    first = data.first_of(clauses)
    for group in groups:
        tally.checked += len(group)
        clause = first(group[0])
        if clause:
            for item in group:
                tally.add(data.violation(f"{message}: {clause.text}", item, clause))


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the items of a category: how many, and which may belong to it."""

    label: str
    count: int
    fits: Callable[[Item], bool]


def _contains(data: Dataset, clause: Clause) -> Callable[[Item], bool]:
    return lambda item: data.contains(item, clause)


def _within(data: Dataset, quota: Quota) -> Callable[[Item], bool]:
    """Whether an item contains one of each group that the quota is within, and none of the rest."""

    def fits(item: Item) -> bool:
        inside = all(any(data.contains(item, clause) for clause in group) for group in quota.within)
        return inside and not any(data.contains(item, clause) for clause in quota.outside)

    return fits


def _deal(
    data: Dataset, tally: Tally, label: str, items: Iterable[Item], parts: list[_Part]
) -> None:
    """Whether the items can be dealt out so that every part gets its number.

    Parts may overlap, so that counting the items that fit each is not enough.
    """
    kinds: Counter[tuple[int, ...]] = Counter()
    for item in items:
        tally.checked += 1
        kind = tuple(rank for rank, part in enumerate(parts) if part.fits(item))
        kinds[kind] += 1
        if not kind:
            tally.add(data.violation(f"{label}: the item belongs to none of the parts", item))
    for rank, part in enumerate(parts):
        fitting = sum(count for kind, count in kinds.items() if rank in kind)
        tally.figure(part.label, fitting, f"{part.count:,} declared")
    wanted = sum(part.count for part in parts)
    if kinds.total() != wanted:
        tally.add(Violation(f"{label}: {kinds.total():,} items instead of {wanted:,}"))
    elif (dealt := _most_dealt(kinds, parts)) < wanted:
        tally.add(Violation(f"{label}: only {dealt:,} of {wanted:,} items fit the parts' numbers"))


def _most_dealt(kinds: Counter[tuple[int, ...]], parts: list[_Part]) -> int:
    """How many items can be dealt out at most: a maximum flow from kinds to parts."""
    network: nx.DiGraph[object] = nx.DiGraph()
    network.add_nodes_from(("source", "sink"))
    for kind, count in kinds.items():
        network.add_edge("source", kind, capacity=count)
        network.add_edges_from((kind, rank) for rank in kind)
    for rank, part in enumerate(parts):
        network.add_edge(rank, "sink", capacity=part.count)
    return int(nx.maximum_flow_value(network, "source", "sink"))
