"""What a written dataset has of what its patterns promise: read from its own files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sgl.dataset import Guarantee, StringFigures, string_figures
from sgl.pipeline.string_level import CLAIM as STRING_LEVEL

#: The check of the verifier that counts the parts that patterns need.
_LICENSED = "V012"

_MANIFEST, _VERIFICATION = "manifest.json", "verification.json"


class NotADatasetError(Exception):
    """The directory has no dataset that could be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Drawn:
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


def read_drawn(directory: Path) -> Drawn:
    """The counts of the dataset in a directory.

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
        return Drawn(manifest["grammar"]["sha256"], items, parts, strings, figures)
    except OSError as problem:
        raise NotADatasetError(f"{directory}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise NotADatasetError(f"{directory} is not a dataset of `sglc compile`") from problem
