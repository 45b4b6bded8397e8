"""The verdict on two logical forms."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two forms are equal; if not, ``reason`` says why, otherwise it is empty.

    A comparison counts as true where the forms are equal, so ``if equivalent(a, b):``
    does what it says.
    """

    equal: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.equal
