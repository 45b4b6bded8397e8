"""The stories of docs/examples, with fewer sentences and some names."""

from __future__ import annotations

import re
from pathlib import Path
from shutil import copy

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def stories(directory: Path, names: int = 20) -> Path:
    """Write the grammar into a directory, with this many names, and return its path."""
    for name in ("family_compose.yaml", "stories_relations.yaml"):
        copy(EXAMPLES / name, directory)
    rows = (EXAMPLES / "stories_names.yaml").read_text("utf-8").splitlines(keepends=True)
    more = [f"- {{name: {'Xy'[n % 2]}{n}, sex: {'fm'[n % 2]}}}\n" for n in range(20, names)]
    (directory / "stories_names.yaml").write_text("".join([*rows, *more][:names]), "utf-8")
    text = (EXAMPLES / "stories.sgl").read_text("utf-8")
    text = re.sub(r"train +500", "train 60", re.sub(r"size +100", "size 6", text))
    (directory / "stories.sgl").write_text(text, "utf-8")
    return directory / "stories.sgl"
