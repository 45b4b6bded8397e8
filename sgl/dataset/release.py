"""What a release adds to a dataset, so that programs and people can load, cite and judge it.

All of it is said in templates, from the manifest alone: ``croissant.json`` (Croissant 1.1, which
search engines and loaders read), ``CITATION.cff``, ``LICENSE``, ``DATASHEET.md`` and, for whoever
looks for the data in what models were trained on, ``CANARY.txt``.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sgl.core.release import known
from sgl.dataset.card import card, templates, values_of

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
