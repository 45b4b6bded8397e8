"""The dataset card: ``README.md`` for people and for dataset hubs.

It says what the manifest says and nothing else.  The YAML block on top is read
by dataset hubs (Hugging Face *dataset cards*): it points every split at its
Parquet file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from sgl.dataset.readings import string_figures

CARD = "README.md"

#: Size classes of dataset hubs, by the first number of items beyond the class.
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "n>10M"


def card(manifest: Mapping[str, Any]) -> str:
    """Return the card of the dataset that has this manifest."""
    environment = Environment(
        loader=PackageLoader("sgl.dataset"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the result is Markdown, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["yaml"] = lambda text: json.dumps(text, ensure_ascii=False)
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    items = sum(split["items"] for split in manifest["splits"].values())
    return environment.get_template("README.md.j2").render(
        manifest=manifest,
        items=items,
        targets=" and ".join(f"`{name}`" for name in _targets(manifest)),
        strings=string_figures(manifest).sentence,
        size=next((name for limit, name in _SIZES if items < limit), _LARGEST),
        repeated=_repeated(manifest),
        shares={pattern["name"]: _shares(manifest, pattern) for pattern in manifest["patterns"]},
        tests={pattern["name"]: _items_of(manifest, pattern) for pattern in manifest["patterns"]},
    )


def _targets(manifest: Mapping[str, Any]) -> list[str]:
    """Return what the data have beside the source."""
    layers = manifest["layers"]
    return [layers["target"], *layers.get("further", ())]


def write_card(directory: Path, manifest: Mapping[str, Any]) -> None:
    """Write ``README.md`` into ``directory``."""
    (directory / CARD).write_text(card(manifest), encoding="utf-8", newline="\n")


def _repeated(manifest: Mapping[str, Any]) -> list[str]:
    """Return the categories whose sentences may be equal to one another."""
    return [
        stratum["category"]
        for split in manifest["splits"].values()
        for stratum in split["strata"]
        if stratum["repeated"]
    ]


def _items_of(manifest: Mapping[str, Any], pattern: Mapping[str, Any]) -> int:
    """Return the number of items whose category is the pattern."""
    return sum(
        stratum["count"]
        for split in manifest["splits"].values()
        for stratum in split["strata"]
        if stratum["category"] == pattern["name"]
    )


def _shares(manifest: Mapping[str, Any], pattern: Mapping[str, Any]) -> dict[str, int]:
    """Return the items of each target, where the targets of the pattern have equal shares."""
    items: Counter[str] = Counter()
    for split in manifest["splits"].values():
        for stratum in split["strata"]:
            if stratum["category"] == pattern["name"]:
                items.update(stratum["shares"])
    return dict(items)
