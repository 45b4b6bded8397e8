"""The registry of diagnostic codes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code with its page."""

    code: str
    title: str
    why: str
    wrong: str = ""
    fixed: str = ""


CODES: dict[str, Code] = {}
