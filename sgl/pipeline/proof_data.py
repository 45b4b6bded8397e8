"""Proofs as plain data, for ``sglc prove --json``, and the counts of a dataset beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from sgl.automata import PatternProofs, Proofs
from sgl.automata.proofs.findings import StratumStatistics
from sgl.core.interpret import interpret
from sgl.core.structure import Structure
from sgl.dataset import Guarantee, StringFigures, string_figures
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import CLAIM as STRING_LEVEL
from sgl.pipeline.guarantees import pattern_guarantees

#: The check of the verifier that counts the parts that patterns need.
_LICENSED = "V012"

_MANIFEST, _VERIFICATION = "manifest.json", "verification.json"


class NotADatasetError(Exception):
    """The directory has no dataset that could be read; the message says why."""


@dataclass(frozen=True, slots=True)
class DatasetCounts:
    """The counts of a dataset.

    ``items`` are the sentences of each category, ``parts`` the training sentences
    with each part that a pattern needs, by pattern and structure.
    ``grammar`` is the fingerprint of the grammar and plan that it was drawn from,
    ``strings`` what is known of the strings of each pattern, ``figures`` of all.
    """

    grammar: str
    items: Mapping[str, int]
    parts: Mapping[tuple[str, str], int]
    strings: Mapping[str, Guarantee]
    figures: StringFigures


def read_counts(directory: Path) -> DatasetCounts:
    """Return the counts of the dataset in a directory.

    Raises:
        NotADatasetError: its manifest or the verifier's report cannot be read.
    """
    try:
        manifest = json.loads((directory / _MANIFEST).read_text("utf-8"))
        verification = json.loads((directory / _VERIFICATION).read_text("utf-8"))
        items: dict[str, int] = {}
        for split in manifest["splits"].values():
            for stratum in split["strata"]:
                category = stratum["category"]
                items[category] = items.get(category, 0) + stratum["count"]
        results = {result["code"]: result for result in verification["results"]}
        figures = results[_LICENSED]["figures"]
        counted = {figure["label"]: figure["value"] for figure in figures}
        needs = [
            (pattern["name"], need["structure"])
            for pattern in manifest["patterns"]
            for need in pattern["need"]
        ]
        parts = {
            (name, structure): counted[f"{name} needs {structure}"] for name, structure in needs
        }
        stated = [Guarantee(**guarantee) for guarantee in manifest["guarantees"]]
        strings = {entry.pattern: entry for entry in stated if entry.claim == STRING_LEVEL}
        figures = string_figures(manifest)
        return DatasetCounts(manifest["grammar"]["sha256"], items, parts, strings, figures)
    except OSError as problem:
        raise NotADatasetError(f"{directory}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise NotADatasetError(f"{directory} is not a dataset of `sglc compile`") from problem


Json = dict[str, Any]


def proof_data(
    compiled: Compiled,
    proofs: Proofs,
    figures: Sequence[StratumStatistics],
    drawn: DatasetCounts | None = None,
) -> Json:
    """Return everything proved and computed about a plan."""
    writer = _ClaimWriter(compiled, drawn)
    strings = {}
    if drawn is not None:
        strings = {"strings": {**asdict(drawn.figures), "policy": drawn.figures.policy.value}}
    return {
        "grammar": compiled.project.name,
        "proved": proofs.proved,
        **strings,
        "patterns": [writer.pattern(pattern) for pattern in proofs.patterns],
        "distributions": [
            {_RENAMED.get(name, name): value for name, value in asdict(entry).items()}
            for entry in figures
        ],
        "unsatisfiable": [entry.stream for entry in proofs.unsatisfiable],
        "overlaps": [writer.fields(pair, "first", "second", "witness") for pair in proofs.overlaps],
        "nestings": [
            writer.fields(pair, "inner_pattern", "inner", "outer_pattern", "outer")
            for pair in proofs.nestings
        ],
    }


#: Fields that have another name in the JSON.
_RENAMED = {"whole": "of", "by_length": "derivations_by_tokens"}


class _ClaimWriter:
    """Writes claims as plain data: structures as they are written, derivations as their texts."""

    def __init__(self, compiled: Compiled, drawn: DatasetCounts | None) -> None:
        self._grammar = compiled.grammar
        self._titles = {pattern.name: pattern.title for pattern in compiled.plan.patterns}
        self._drawn = drawn

    def pattern(self, pattern: PatternProofs) -> Json:
        """Return the claims about one pattern, with the counts of the dataset if there is one."""
        name, drawn, fields = pattern.name, self._drawn, self.fields
        strings = None if drawn is None else drawn.strings.get(name)
        data: Json = {
            "name": name,
            "title": self._titles[name],
            "proved": pattern.proved,
            "guarantees": {
                guarantee.claim: guarantee.result
                for guarantee in pattern_guarantees(pattern, strings)
            },
            "held_out": [
                fields(c, "structure", "asserted", "verdict", "mass", "train_mass", "witness")
                for c in pattern.held_out
            ],
            "instances": [
                {
                    **fields(claim, "stream", "verdict", "mass"),
                    "candidates_by_rejection": 1 / claim.mass if claim.mass else None,
                    **fields(claim, "example", "witness"),
                }
                for claim in pattern.instances
            ],
            "needs": [
                fields(c, "structure", "verdict", "minimum", "mass", "expected", "example")
                for c in pattern.licences
            ],
            "pieces": [
                fields(claim, "structure", "whole", "verdict", "stream", "example")
                for claim in pattern.pieces
            ],
            "exposed": {
                **fields(pattern.exposed, "verdict"),
                "used": {kind.value: number for kind, number in pattern.exposed.counts},
                "unseen": [
                    fields(thing, "kind", "name", "reason") for thing in pattern.exposed.unseen
                ],
            },
            "disjoint": [
                fields(claim, "stream", "verdict", "train_stream", "witness")
                for claim in pattern.disjoint
            ],
        }
        if drawn is not None:
            for need in data["needs"]:
                need["drawn"] = drawn.parts.get((name, need["structure"]))
            data["items_drawn"] = drawn.items.get(name, 0)
        return data

    def fields(self, claim: object, *names: str) -> Json:
        """Return these fields of a claim as plain data."""
        data: Json = {}
        for name in names:
            value = getattr(claim, name)
            if isinstance(value, Structure):
                value = str(value)
            elif isinstance(value, Enum):
                value = value.value
            elif name in ("witness", "example") and value is not None:
                value = list(interpret(self._grammar, value).texts)
            data[_RENAMED.get(name, name)] = value
        return data
