"""A package index shows README.md without the files beside it, so there its links lead to the repository."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

#: What comes before a target that is a path: neither an address nor a heading.
_PATH = re.compile(r"(?<=\]\()(?![a-z]+:|#)")


class Readme(MetadataHookInterface):
    """Add the text of README.md to the metadata of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set ``readme``."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        text = _PATH.sub(f"{metadata['urls']['Homepage']}/blob/main/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
