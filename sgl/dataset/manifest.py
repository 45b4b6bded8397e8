"""The manifest: what a dataset is, where it comes from, and what is claimed of it.

``manifest.json`` is the one file that the independent verifier starts from.  It
has no time stamps and no paths of the machine it was written on, so that equal
inputs give equal bytes.  All structures are in the author's notation.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sgl import EDITION, __version__
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.fingerprint import signature
from sgl.dataset.patterns import Json, part_entry, pattern_entry
from sgl.dataset.readings import Readings
from sgl.dataset.staged import FORMAT, MANIFEST
from sgl.sampling.random import SCHEME
from sgl.sampling.strata import StratumSample


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file of the author: its path inside the project and its SHA-256."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class DataFile:
    """A written file: its path inside the dataset, its SHA-256 and its rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class StratumCount:
    """What was drawn for a stratum; ``rejected`` counts candidates by reason.

    The sentences of a ``repeated`` stratum may be equal to one another; ``shares``
    counts the items of each target, where targets have equal shares; ``ambiguous`` are
    the candidates that were rejected as such.
    """

    split: str
    category: str
    stream: str
    count: int
    candidates: int
    rejected: dict[str, int]
    repeated: bool
    shares: dict[str, int] = field(default_factory=dict)
    ambiguous: tuple[int, ...] = ()

    @classmethod
    def of(cls, draw: StratumSample) -> StratumCount:
        """Return the counts of a finished draw."""
        stratum = draw.stratum
        return cls(
            stratum.split,
            stratum.category,
            stratum.stream,
            len(draw.numbers),
            draw.candidates,
            dict(draw.rejected),
            stratum.repeated,
            dict(draw.shares),
            draw.ambiguous,
        )


@dataclass(frozen=True, slots=True)
class Guarantee:
    """A claim about a pattern, how it was established, and the verdict.

    ``claim`` is a phrase such as ``held out``, ``method`` is ``static``,
    ``parsing`` or ``searched``, ``result`` a verdict such as ``proved``, ``detail`` a sentence
    with the figures.
    """

    pattern: str
    claim: str
    method: str
    result: str
    detail: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a dataset comes from.

    ``fingerprint`` is the SHA-256 of the grammar and plan in canonical form;
    ``parameters`` are those that the author's files declare, with their values.
    """

    name: str
    title: str
    fingerprint: str
    files: tuple[SourceFile, ...]
    parameters: Mapping[str, str | int | float]


def manifest(
    grammar: CoreGrammar,
    plan: Plan,
    provenance: Provenance,
    strata: Sequence[StratumCount],
    guarantees: Sequence[Guarantee],
    files: Sequence[DataFile],
    readings: Mapping[str, Readings] | None = None,
) -> Json:
    """Return the manifest as plain data, its members in the order in which they are written.

    ``readings`` are those of the strata that were parsed, by stream.
    """
    items = sum(stratum.count for stratum in strata)
    return {
        "format": FORMAT,
        "name": provenance.name,
        "title": provenance.title,
        "signature": signature(provenance.fingerprint, plan.seed, items),
        "compiler": {"version": __version__, "edition": EDITION},
        "grammar": {
            "sha256": provenance.fingerprint,
            "files": [asdict(file) for file in provenance.files],
        },
        "parameters": dict(sorted(provenance.parameters.items())),
        "seed": plan.seed,
        "random": SCHEME,
        "layers": _layers(grammar, plan),
        "distinct": {
            "sentences": plan.distinct_sentences,
            "lemmas": list(plan.distinct_lemmas),
            "layer": plan.lemma_layer,
        },
        "ambiguous": {"policy": plan.ambiguous.value, "layer": plan.source},
        "splits": _splits(strata, readings or {}),
        "patterns": [pattern_entry(pattern) for pattern in plan.patterns],
        "parts": [part_entry(part) for part in plan.parts],
        "nowhere": [str(structure) for structure in plan.nowhere],
        "guarantees": [asdict(guarantee) for guarantee in guarantees],
        "files": [asdict(file) for file in files],
    }


def _layers(grammar: CoreGrammar, plan: Plan) -> Json:
    return {
        "source": plan.source,
        "target": plan.target,
        "further": list(plan.further),
        "text": [layer.name for layer in grammar.text_layers],
        "graph": [asdict(layer) for layer in grammar.graph_layers],
        "views": [asdict(view) for view in grammar.views],
    }


def write_manifest(directory: Path, content: Json) -> None:
    """Write ``manifest.json`` into ``directory``."""
    text = json.dumps(content, ensure_ascii=False, indent=2)
    (directory / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")


def _splits(strata: Sequence[StratumCount], readings: Mapping[str, Readings]) -> Json:
    splits: dict[str, list[StratumCount]] = {}
    for stratum in strata:
        splits.setdefault(stratum.split, []).append(stratum)
    return {
        split: {
            "items": sum(part.count for part in parts),
            "strata": [
                {
                    "category": part.category,
                    "stream": part.stream,
                    "count": part.count,
                    "candidates": part.candidates,
                    "rejected": dict(sorted(part.rejected.items())),
                    "repeated": part.repeated,
                    "shares": part.shares,
                    "readings": asdict(readings[part.stream]) if part.stream in readings else None,
                }
                for part in parts
            ],
        }
        for split, parts in splits.items()
    }
