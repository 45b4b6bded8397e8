"""What a written dataset has of what its patterns promise: read from its own files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    ``grammar`` is the fingerprint of the grammar and plan that it was drawn from.
    """

    grammar: str
    items: Mapping[str, int]
    parts: Mapping[tuple[str, str], int]


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
        return Drawn(manifest["grammar"]["sha256"], items, parts)
    except OSError as problem:
        raise NotADatasetError(f"{directory}: {problem.strerror}") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise NotADatasetError(f"{directory} is not a dataset of `sglc compile`") from problem
