"""What can go wrong when a dataset is written."""

from __future__ import annotations

from pathlib import Path


class OutputError(Exception):
    """A dataset cannot be written to ``path``; ``reason`` is a clause for the author."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"cannot write {path}: {reason}")
        self.path = path
        self.reason = reason


class TextTooLongError(ValueError):
    """A text is longer than the formats can hold; the message says what they can."""


class FormatError(ValueError):
    """A text that the format of a file cannot hold, or that there is not."""
