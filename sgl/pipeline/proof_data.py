"""Proofs as plain data, for ``sglc prove --json``, and the counts of a dataset beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from sgl.automata import PatternProofs, Proofs
from sgl.automata.proofs.findings import StratumStatistics
from sgl.core.interpret import interpret
from sgl.dataset import Guarantee, StringFigures, plain, string_figures
from sgl.foreign import MANIFEST, VERIFICATION, read_document
from sgl.frontend import Compiled
from sgl.pipeline.guarantees import CLAIM as STRING_LEVEL
from sgl.pipeline.guarantees import pattern_guarantees

#: The check of the verifier that counts the parts that patterns need.
_LICENSED = "V012"

_MANIFEST, _VERIFICATION = "manifest.json", "verification.json"


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
        ForeignFileError: its manifest or the verifier's report cannot be read.
    """
    path = directory / _MANIFEST
    manifest = read_document(path, MANIFEST, inside=directory)
    verification = read_document(directory / _VERIFICATION, VERIFICATION, inside=directory)
    items: Counter[str] = Counter()
    for split in manifest["splits"].members().values():
        for stratum in split["strata"].elements():
            items[stratum["category"].of(str)] += stratum["count"].of(int)
    counted = {
        figure["label"].of(str): figure["value"].of(int)
        for result in verification["results"].elements()
        if result["code"].of(str) == _LICENSED
        for figure in result["figures"].elements()
    }
    parts = {}
    for pattern in manifest["patterns"].elements():
        name = pattern["name"].of(str)
        for need in pattern["need"].elements():
            structure = need["structure"].of(str)
            label = f"{name} needs {structure}"
            if label not in counted:
                raise verification.fault(f"has no count of what `{label}`")
            parts[name, structure] = counted[label]
    stated = [
        Guarantee(*(entry[field.name].of(str) for field in fields(Guarantee)))
        for entry in manifest["guarantees"].elements()
    ]
    strings = {entry.pattern: entry for entry in stated if entry.claim == STRING_LEVEL}
    found = string_figures(manifest.of(dict), path)
    return DatasetCounts(manifest["grammar"]["sha256"].of(str), items, parts, strings, found)


#: Fields that have another name in the JSON.
_RENAMED = {"whole": "of", "by_length": "derivations_by_tokens"}

#: The fields of a structure that is held out, of a part that is needed, and of a piece.
_HELD_OUT = ("structure", "asserted", "verdict", "mass", "train_mass", "witness")
_NEED = ("structure", "verdict", "minimum", "mass", "expected", "example")
_PIECE = ("structure", "whole", "verdict", "stream", "example")


def proof_data(
    compiled: Compiled,
    proofs: Proofs,
    statistics: Sequence[StratumStatistics],
    counts: DatasetCounts | None = None,
) -> dict[str, Any]:
    """Return everything proved and computed about a plan, with the counts of a dataset of it."""
    nesting = ("inner_pattern", "inner", "outer_pattern", "outer")
    return {
        "grammar": compiled.project.name,
        "proved": proofs.proved,
        **({} if counts is None else {"strings": plain(counts.figures)}),
        "patterns": [_pattern(compiled, pattern, counts) for pattern in proofs.patterns],
        "distributions": [
            {_RENAMED.get(name, name): value for name, value in plain(entry).items()}
            for entry in statistics
        ],
        "unsatisfiable": [entry.stream for entry in proofs.unsatisfiable],
        "overlaps": [
            _fields(compiled, pair, "first", "second", "witness") for pair in proofs.overlaps
        ],
        "nestings": [_fields(compiled, pair, *nesting) for pair in proofs.nestings],
    }


def _pattern(
    compiled: Compiled, pattern: PatternProofs, counts: DatasetCounts | None
) -> dict[str, Any]:
    """Return the claims about one pattern."""
    fields = partial(_fields, compiled)
    name = pattern.name
    stated = pattern_guarantees(pattern, None if counts is None else counts.strings.get(name))
    disjoint = ("stream", "verdict", "train_stream", "witness")
    data: dict[str, Any] = {
        "name": name,
        "title": next(p.title for p in compiled.plan.patterns if p.name == name),
        "proved": pattern.proved,
        "guarantees": {guarantee.claim: guarantee.result for guarantee in stated},
        "held_out": [fields(claim, *_HELD_OUT) for claim in pattern.held_out],
        "instances": [
            {
                **fields(claim, "stream", "verdict", "mass"),
                "candidates_by_rejection": 1 / claim.mass if claim.mass else None,
                **fields(claim, "example", "witness"),
            }
            for claim in pattern.instances
        ],
        "needs": [fields(claim, *_NEED) for claim in pattern.licences],
        "pieces": [fields(claim, *_PIECE) for claim in pattern.pieces],
        "exposed": {
            "verdict": pattern.exposed.verdict.value,
            "used": {kind.value: number for kind, number in pattern.exposed.counts},
            "unseen": [fields(thing, "kind", "name", "reason") for thing in pattern.exposed.unseen],
        },
        "disjoint": [fields(claim, *disjoint) for claim in pattern.disjoint],
    }
    if counts is not None:
        for need in data["needs"]:
            need["drawn"] = counts.parts.get((name, need["structure"]))
        data["items_drawn"] = counts.items.get(name, 0)
    return data


def _fields(compiled: Compiled, claim: object, *names: str) -> dict[str, Any]:
    """Return these fields of a claim as plain data, derivations as their texts."""
    data = {}
    for name in names:
        value = getattr(claim, name)
        if name in ("witness", "example") and value is not None:
            value = interpret(compiled.grammar, value).texts
        data[_RENAMED.get(name, name)] = plain(value)
    return data
