"""Numbers with their nouns."""

from __future__ import annotations


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 error``, ``2 errors``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
