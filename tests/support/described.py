"""How long a grammar is that somebody reads to learn what it describes."""

from __future__ import annotations

import re
from pathlib import Path


def lines_of(*paths: Path) -> int:
    """The lines of some grammars, without what a release says of authors, licences and papers."""
    texts = (re.sub(r"(?m)\n*^release\b.*\n(?:[ \t].*\n|\n(?=[ \t]))*", "", path.read_text("utf-8")) for path in paths)
    return sum(len(text.splitlines()) for text in texts)
