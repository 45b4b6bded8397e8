"""Names in Alto's grammar files: which need quotation marks, and which cannot be written.

The codec has no escapes: a quoted name ends at the next mark of its kind.
"""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[a-zA-Z_*$@+][a-zA-Z0-9_<>*$@+/.-]*")
_KEYWORDS = ("interpretation", "feature")

#: The operation of the string algebra; a word that is spelt so would be read as it.
CONCATENATION = "*"


def quoted(name: str) -> str:
    """The name as the codec reads it: plain where that is possible, else in quotes.

    Raises:
        ValueError: if the name has quotation marks of both kinds.
    """
    if _PLAIN.fullmatch(name) and name not in _KEYWORDS:
        return name
    if "'" not in name:
        return f"'{name}'"
    if '"' not in name:
        return f'"{name}"'
    raise ValueError(name)


def quotable(name: str) -> str:
    """A name of our own as one that can be quoted: with marks of one kind at most."""
    return name.replace('"', "'")
