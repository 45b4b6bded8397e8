"""Patterns and parts as plain data, for the manifest and for the fingerprint."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.plan import Part, Pattern, Quota
from sgl.core.structure import Structure

Json = dict[str, object]


def pattern_entry(pattern: Pattern) -> Json:
    """Return a pattern with its structures in the author's notation."""
    return {
        "name": pattern.name,
        "title": pattern.title,
        "groups": list(pattern.groups),
        "layer": _layer_of(pattern),
        "targets": list(pattern.targets),
        "forbid": _texts(pattern.forbid),
        "never": _texts(pattern.never),
        "gen": _texts(pattern.gen),
        "exclude": _texts(pattern.exclude),
        "need": [
            {"structure": str(need.structure), "minimum": need.minimum} for need in pattern.need
        ],
        "waive": _texts(pattern.waive),
        "allow": list(pattern.allow),
        "expose": [
            {
                "count": exposure.count,
                "structure": str(exposure.structure),
                "repeated": exposure.repeated,
                "each_target": exposure.each_target,
            }
            for exposure in pattern.expose
        ],
        "reserved": _texts(pattern.reserved),
        "quotas": [quota_entry(quota) for quota in pattern.quotas],
    }


def part_entry(part: Part) -> Json:
    """Return a part of training with its structures in the author's notation."""
    return {
        "name": part.name,
        "title": part.title,
        "only": _texts(part.only),
        "quotas": [quota_entry(quota) for quota in part.quotas],
        "repeated_lemmas": part.repeated_lemmas,
        "allow": list(part.allow),
        "tested": part.tested,
    }


def quota_entry(quota: Quota) -> Json:
    """Return a quota with its structures in the author's notation."""
    return {
        "count": quota.count,
        "each_target": quota.each_target,
        "within": _texts(quota.within),
        "within_one_of": [_texts(group) for group in quota.within_one_of],
        "outside": _texts(quota.outside),
        "split": quota.split,
    }


def _layer_of(pattern: Pattern) -> str:
    """Return the graph layer of the pattern's structures; a pattern speaks of one layer."""
    structures = (*pattern.held_out, *pattern.gen)
    return structures[0].layer if structures else ""


def _texts(structures: Sequence[Structure]) -> list[str]:
    return [str(structure) for structure in structures]
