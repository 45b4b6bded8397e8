"""Names, numbers and texts as other tools write them: names that are free, quotes, plain decimals, templates."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from sgl.cli.terminal import text_environment

#: The operation of Alto's string algebra; a word that is spelt so would be read as it.
CONCATENATION = "*"

#: Names that Alto's codec reads without quotation marks, and those that mean something else.
_PLAIN = re.compile(r"[a-zA-Z_*$@+][a-zA-Z0-9_<>*$@+/.-]*")
_KEYWORDS = ("interpretation", "feature")


class FreeNames:
    """Names that are given out once each.

    >>> names = FreeNames("vp")
    >>> [names.free(name) for name in ("np", "np", "vp")]
    ['np', 'np_2', 'vp_2']
    """

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def free(self, wanted: str) -> str:
        """Return ``wanted``, or ``wanted`` with the first number that makes it free."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def number_repeated(names: Sequence[str], numbered: Callable[[str, int], str] = "{}_{}".format) -> list[str]:
    """Return the names with a number in each that occurs more than once.

    >>> number_repeated(["v", "n", "v"])
    ['v_1', 'n', 'v_2']
    """
    occurrences = Counter(names)
    free = FreeNames(*(name for name, times in occurrences.items() if times == 1))
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        several = occurrences[name] > 1
        result.append(free.free(numbered(name, seen[name])) if several else name)
    return result


def filled(template: str, **given: object) -> str:
    """Return what a template of this package makes."""
    return text_environment("sgl.research.exchange").get_template(template).render(given)


def decimal(number: float) -> str:
    """Return the shortest decimal that means this float, without an exponent."""
    return format(Decimal(repr(number)), "f")


def is_quotable(name: str) -> bool:
    """Return whether a name can stand in quotation marks: it has not both kinds itself."""
    return "'" not in name or '"' not in name


def quoted(name: str) -> str:
    """Return the name as Alto's codec reads it: plain where possible, else in quotes.

    The codec has no escapes: a quoted name ends at the next mark of its kind.  Raises
    ``ValueError``: the name has quotation marks of both kinds.
    """
    if _PLAIN.fullmatch(name) and name not in _KEYWORDS:
        return name
    if not is_quotable(name):
        raise ValueError(name)
    return f'"{name}"' if "'" in name else f"'{name}'"


def make_quotable(name: str) -> str:
    """Return a name of our own with quotation marks of one kind at most."""
    return name.replace('"', "'")
