"""Small things that all writers need: names that are free, weights without exponents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal


class Names:
    """Names that are given out once each: ``np``, ``np_2``, ``np_3``."""

    def __init__(self, *taken: str) -> None:
        self.taken = set(taken)

    def free(self, wanted: str) -> str:
        """``wanted``, or ``wanted`` with the first number that makes it free."""
        name, number = wanted, 1
        while name in self.taken:
            number += 1
            name = f"{wanted}_{number}"
        self.taken.add(name)
        return name


def numbered(names: Sequence[str]) -> list[str]:
    """The names with a number after each that occurs more than once: ``v_1``, ``v_2``."""
    occurrences = Counter(names)
    table = Names(*(name for name, count in occurrences.items() if count == 1))
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        if occurrences[name] == 1:
            result.append(name)
            continue
        seen[name] += 1
        result.append(table.free(f"{name}_{seen[name]}"))
    return result


def decimal(number: float) -> str:
    """The shortest decimal that means this float, without an exponent."""
    return format(Decimal(repr(number)), "f")
