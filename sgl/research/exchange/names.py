"""Convert names, numbers and texts for other tools: free names, quotes, plain decimals, templates."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal

from sgl.cli.terminal import text_environment

#: The operation of Alto's string algebra; a word that is spelt so would be read as it.
CONCATENATION = "*"

_PLAIN = re.compile(r"[a-zA-Z_*$@+][a-zA-Z0-9_<>*$@+/.-]*")
_KEYWORDS = ("interpretation", "feature")


class FreeNames:
    """A supply of names, each given out once.

    >>> names = FreeNames("vp")
    >>> [names.free(name) for name in ("np", "np", "vp")]
    ['np', 'np_2', 'vp_2']
    """

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def free(self, wanted: str) -> str:
        """Return ``wanted``, with the first number that makes it free if it is taken."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


def number_repeated(names: Sequence[str], numbered: Callable[[str, int], str] = "{}_{}".format) -> list[str]:
    """Return the names, numbering each that occurs more than once.

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


def identifier(text: str, fallback: str) -> str:
    """Turn a text into a name that begins with a small letter."""
    name = re.sub(r"\W+", "_", text).strip("_")
    name = re.sub(r"^[A-Z]+", lambda capitals: capitals[0].lower(), name)
    return name if re.match(r"[^\W\d]", name) else f"{fallback}_{name}".rstrip("_")


def filled(template: str, **given: object) -> str:
    """Fill in a template of this package."""
    return text_environment("sgl.research.exchange").get_template(template).render(given)


def decimal(number: float) -> str:
    """Return the shortest decimal that means this float, without an exponent."""
    return format(Decimal(repr(number)), "f")


def is_quotable(name: str) -> bool:
    """Return whether a name can be put in quotation marks, because it does not contain both kinds."""
    return "'" not in name or '"' not in name


def quoted(name: str) -> str:
    """Return the name as Alto's codec reads it: plain if possible, else in quotes.

    The codec has no escapes: a quoted name ends at the next mark of its kind.  Raises ``ValueError`` if the name has
    quotation marks of both kinds.
    """
    if _PLAIN.fullmatch(name) and name not in _KEYWORDS:
        return name
    if not is_quotable(name):
        raise ValueError(name)
    return f'"{name}"' if "'" in name else f"'{name}'"


def make_quotable(name: str) -> str:
    """Return a generated name with quotation marks of at most one kind."""
    return name.replace('"', "'")
