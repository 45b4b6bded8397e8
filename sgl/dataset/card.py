"""The dataset card: ``README.md`` for people and for dataset hubs; it says what the manifest says.

Its YAML block is read by hubs (Hugging Face *dataset cards*): every split has its Parquet file.

A release has more, so that programs and people can load, cite and judge it.  All of it is said in templates, from the
manifest alone: ``croissant.json`` (Croissant 1.1, which search engines and loaders read), ``CITATION.cff``,
``LICENSE``, ``DATASHEET.md`` and, for whoever looks for the data in what models were trained on, ``CANARY.txt``.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from sgl.core.release import known
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


#: What loaders call the splits that they know; Croissant has a class for each of these.
LOADED = {"train": "train", "dev": "validation", "test": "test"}


def descriptions(manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of what describes a dataset: the card, and more if it is released."""
    values = _values(manifest) if "release" in manifest else {}
    yield "README.md", card(manifest, values)
    for name in ("croissant.json", "CITATION.cff", "LICENSE", "DATASHEET.md", "CANARY.txt") if values else ():
        text = templates().get_template(f"{name}.j2").render(values)
        if name == "croissant.json":
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
        if text.strip():
            yield name, text


def _values(manifest: Mapping[str, Any]) -> dict[str, Any]:
    release = manifest["release"]
    name = release["licence"]
    licence = known()["licences"].get(name, {"name": name, "url": release["homepage"], "hub": "other"})
    title = manifest["title"] or manifest["name"]
    authors = [author.partition(", ")[::2] for author in release["authors"]]
    names = [" ".join(filter(None, (given, family))) for family, given in authors]
    year = release["date"][:4]
    cite = f"{' and '.join(names)}{f' ({year})' if year else ''}. {title}, version {release['version']}."
    return {
        **values_of(manifest),
        "release": release,
        "licence": licence,
        "title": title,
        "authors": authors,
        "names": names,
        "cite": release["cite"] or cite,
        "columns": known()["columns"] | {f"target_{x}": f"The target `{x}`." for x in manifest["layers"]["further"]},
        "loaded": {split: LOADED.get(split, split) for split in manifest["splits"]},
    }
