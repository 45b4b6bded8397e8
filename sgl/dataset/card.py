"""The dataset card: ``README.md`` for people and for dataset hubs; it says what the manifest says.

Its YAML block is read by hubs (Hugging Face *dataset cards*): every split has its Parquet file.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from sgl.dataset.manifest import string_figures

#: Size classes of dataset hubs, by the first number of items beyond the class.
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LARGEST = "n>10M"


@cache
def templates() -> Environment:
    """Return the templates of the texts that a dataset has."""
    environment = Environment(
        loader=PackageLoader("sgl.dataset"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the results are Markdown, JSON and YAML, not HTML
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["yaml"] = lambda text: json.dumps(text, ensure_ascii=False)
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|")
    return environment


def card(manifest: Mapping[str, Any], more: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the card of the dataset that has this manifest; of a release it says ``more``."""
    return templates().get_template("README.md.j2").render({"release": None, **values_of(manifest), **more})


def values_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what templates speak of: the manifest, and figures that follow from it."""
    items = sum(split["items"] for split in manifest["splits"].values())
    strata = [stratum for split in manifest["splits"].values() for stratum in split["strata"]]
    layers = manifest["layers"]
    tests: Counter[str] = Counter()
    shares: dict[str, Counter[str]] = defaultdict(Counter)
    for stratum in strata:
        tests[stratum["category"]] += stratum["count"]
        shares[stratum["category"]].update(stratum["shares"])
    return {
        "manifest": manifest,
        "items": items,
        "targets": " and ".join(f"`{name}`" for name in (layers["target"], *layers["further"])),
        "strings": string_figures(manifest).sentence,
        "size": next((name for limit, name in _SIZES if items < limit), _LARGEST),
        "repeated": [stratum["category"] for stratum in strata if stratum["repeated"]],
        "shares": shares,
        "tests": tests,
    }
