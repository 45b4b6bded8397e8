"""A dataset for baselines, small enough to learn in seconds, and a configuration as small.

Sentences are of a determiner, one of six animals and one of four verbs; `gen` has animals
with verbs that training does not combine.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import product
from pathlib import Path

from sgl.research.baselines.config import Config

ANIMALS = {"cow": "牛", "dog": "犬", "hen": "鶏", "cat": "猫", "goat": "ヤギ", "horse": "馬"}
VERBS = {"ran": "走った", "slept": "眠った", "sang": "歌った", "left": "去った"}

Pair = tuple[str, str]


def sentences() -> list[Pair]:
    return [
        (f"{article} {animal} {verb}.", f"{ANIMALS[animal]}が{VERBS[verb]}。")
        for article, animal, verb in product(("A", "The"), ANIMALS, VERBS)
    ]


def small_dataset(directory: Path, *, dev: bool = True, target: str = "ja") -> Path:
    """Write the dataset as `sglc compile` would: a manifest, and rows of each split."""
    rows = sentences()
    # Rows go by verb, then by animal: no animal has all verbs in training.
    new = [row for place, row in enumerate(rows) if (place + place // 4) % 4 == 3]
    seen = [row for row in rows if row not in new]
    splits = {"train": seen, "test": seen[::3], "gen": new}
    if dev:
        splits["dev"] = seen[::3]
    (directory / "data").mkdir(parents=True)
    for name, pairs in splits.items():
        kind = "new_pair" if name == "gen" else "in_distribution"
        lines = [f"{source}\t{said}\t{kind}\n" for source, said in pairs]
        (directory / "data" / f"{name}.tsv").write_text("".join(lines), "utf-8")
    manifest = {
        "format": "sgl-dataset/3",
        "name": "animals",
        "title": "Animals",
        "identity": "sgl:0|grammar:animals",
        "layers": {"source": "en", "target": target, "further": [], "views": []},
        "splits": {name: {} for name in splits},
        "patterns": [{"name": "new_pair", "title": "New pair", "groups": ["lexical"]}],
        "grammar": {"sha256": "0"},
        "parameters": {},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    list_files(directory)
    return directory


def list_files(directory: Path) -> None:
    """Write the hashes of the data files into the manifest."""
    path = directory / "manifest.json"
    files = [
        {"path": f"data/{file.name}", "sha256": sha256(file.read_bytes()).hexdigest()}
        for file in sorted((directory / "data").glob("*.tsv"))
    ]
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), "files": files}), "utf-8")


#: A model that learns the dataset by heart in two hundred steps.
SETTINGS = {
    "width": 32,
    "layers": 1,
    "heads": 2,
    "inner": 64,
    "reach": 4,
    "pieces": 100,
    "batch": 8,
    "rate": 0.01,
    "warmup": 10,
    "dropout": 0.1,
    "steps": 12,
    "check": 4,
}


def small_config(**settings: object) -> Config:
    """The small configuration with other settings."""
    return Config(**(SETTINGS | settings))  # type: ignore[arg-type]


def config_file(path: Path, **settings: object) -> str:
    """The small configuration as a file."""
    path.write_text(json.dumps(SETTINGS | settings), "utf-8")
    return str(path)
