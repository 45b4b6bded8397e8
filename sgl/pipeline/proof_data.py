"""Proofs as plain data, for ``sglc prove --json``, and the counts of a dataset beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sgl.automata import (
    Disjoint,
    Exposed,
    HeldOut,
    Instance,
    Licence,
    PatternProofs,
    Piece,
    Proofs,
)
from sgl.automata.proofs.findings import StratumStatistics
from sgl.core.interpret import Derivation, interpret
from sgl.dataset import Guarantee, StringFigures, string_figures
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import CLAIM as STRING_LEVEL
from sgl.pipeline.comparison import Comparison, Departure
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
    """Everything proved and computed about a plan."""
    writer = _ClaimWriter(compiled, drawn)
    return {
        "grammar": compiled.project.name,
        "proved": proofs.proved,
        **({} if drawn is None else {"strings": _strings(drawn)}),
        "patterns": [writer.pattern(pattern) for pattern in proofs.patterns],
        "distributions": [_figures(figure) for figure in figures],
        "unsatisfiable": [entry.stream for entry in proofs.unsatisfiable],
        "overlaps": [
            {"first": pair.first, "second": pair.second, "witness": writer.texts(pair.witness)}
            for pair in proofs.overlaps
        ],
        "nestings": [
            {
                "inner_pattern": pair.inner_pattern,
                "inner": str(pair.inner),
                "outer_pattern": pair.outer_pattern,
                "outer": str(pair.outer),
            }
            for pair in proofs.nestings
        ],
    }


def comparison_data(
    first: Compiled,
    second: Compiled,
    comparisons: Sequence[Comparison],
    departures: Sequence[Departure],
) -> Json:
    """Return what the data of one grammar show of what another tests, or keeps apart."""
    return {
        "training": first.project.name,
        "tests": second.project.name,
        "structures": [
            {
                "pattern": row.pattern,
                "role": row.role,
                "structure": str(row.structure),
                "found": row.found.name.lower(),
                "reason": row.reason,
                "stream": row.stream,
                "witness": list(row.sentence),
            }
            for row in comparisons
        ],
        "departures": [
            {
                "stream": departure.stream,
                "lacking": departure.lacking,
                "structures": [str(structure) for structure in departure.structures],
                "witness": list(departure.sentence),
            }
            for departure in departures
        ],
    }


def _strings(drawn: DatasetCounts) -> Json:
    return {**asdict(drawn.figures), "policy": drawn.figures.policy.value}


def _figures(figures: StratumStatistics) -> Json:
    return {
        "stream": figures.stream,
        "mass": figures.mass,
        "spectral_radius": figures.spectral_radius,
        "expected_tokens": figures.expected_tokens,
        "derivations": figures.derivations,
        "derivations_by_tokens": figures.by_length,
        "heights": figures.heights,
    }


class _ClaimWriter:
    """Writes claims as plain data, derivations as their texts."""

    def __init__(self, compiled: Compiled, drawn: DatasetCounts | None) -> None:
        self._grammar = compiled.grammar
        self._titles = {pattern.name: pattern.title for pattern in compiled.plan.patterns}
        self._drawn = drawn

    def pattern(self, pattern: PatternProofs) -> Json:
        """Return the claims about one pattern."""
        data: Json = {
            "name": pattern.name,
            "title": self._titles[pattern.name],
            "proved": pattern.proved,
            "guarantees": {
                guarantee.claim: guarantee.result
                for guarantee in pattern_guarantees(pattern, self._strings(pattern.name))
            },
            "held_out": [self._held_out(claim) for claim in pattern.held_out],
            "instances": [self._instance(claim) for claim in pattern.instances],
            "needs": [self._licence(pattern.name, claim) for claim in pattern.licences],
            "pieces": [self._piece(claim) for claim in pattern.pieces],
            "exposed": _exposed(pattern.exposed),
            "disjoint": [self._disjoint(claim) for claim in pattern.disjoint],
        }
        if self._drawn is not None:
            data["items_drawn"] = self._drawn.items.get(pattern.name, 0)
        return data

    def _strings(self, pattern: str) -> Guarantee | None:
        """Return what the dataset, if there is one, says of the strings of a pattern."""
        return None if self._drawn is None else self._drawn.strings.get(pattern)

    def texts(self, derivation: Derivation | None) -> list[str] | None:
        """Return the texts of a derivation in all text layers."""
        if derivation is None:
            return None
        return list(interpret(self._grammar, derivation).texts)

    def _held_out(self, claim: HeldOut) -> Json:
        return {
            "structure": str(claim.structure),
            "asserted": claim.asserted,
            "verdict": claim.verdict.value,
            "mass": claim.mass,
            "train_mass": claim.train_mass,
            "witness": self.texts(claim.witness),
        }

    def _instance(self, claim: Instance) -> Json:
        return {
            "stream": claim.stream,
            "verdict": claim.verdict.value,
            "mass": claim.mass,
            "candidates_by_rejection": 1 / claim.mass if claim.mass else None,
            "example": self.texts(claim.example),
            "witness": self.texts(claim.witness),
        }

    def _licence(self, pattern: str, claim: Licence) -> Json:
        data: Json = {
            "structure": str(claim.structure),
            "verdict": claim.verdict.value,
            "minimum": claim.minimum,
            "mass": claim.mass,
            "expected": claim.expected,
            "example": self.texts(claim.example),
        }
        if self._drawn is not None:
            data["drawn"] = self._drawn.parts.get((pattern, str(claim.structure)))
        return data

    def _piece(self, claim: Piece) -> Json:
        return {
            "structure": str(claim.structure),
            "of": str(claim.whole),
            "verdict": claim.verdict.value,
            "stream": claim.stream,
            "example": self.texts(claim.example),
        }

    def _disjoint(self, claim: Disjoint) -> Json:
        return {
            "stream": claim.stream,
            "verdict": claim.verdict.value,
            "train_stream": claim.train_stream,
            "witness": self.texts(claim.witness),
        }


def _exposed(claim: Exposed) -> Json:
    return {
        "verdict": claim.verdict.value,
        "used": {kind.value: number for kind, number in claim.counts},
        "unseen": [
            {"kind": thing.kind.value, "name": thing.name, "reason": thing.reason.value}
            for thing in claim.unseen
        ],
    }
