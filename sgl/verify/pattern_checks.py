"""Checks on what the patterns claim, by searching every sentence's graph."""

from __future__ import annotations

from functools import partial

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
from sgl.verify.manifest import Clause
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
