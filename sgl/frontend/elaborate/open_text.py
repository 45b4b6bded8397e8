"""Texts that are open until the values of feature variables are known.

A rule is lowered once, and stands for a rule for each of the values that its feature variables can have.  Where it has
a variable in a word, a label or an attribute, it has a mark that no author can write, and :func:`filled` puts the value
there.  Nothing else knows of variables: to all others a mark is a part of a text.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import product

_MARK = "\0"
_OPEN = re.compile(f"{_MARK}(.*?){_MARK}")


def mark(variable: str) -> str:
    """Return what stands for the value of a variable."""
    return f"{_MARK}{variable}{_MARK}"


def filled(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of its variables."""
    return _OPEN.sub(lambda found: values[found[1]], text) if _MARK in text else text


def shown(text: str) -> str:
    """Return a text as its author writes it, ``nmod:$p``."""
    return _OPEN.sub(r"$\1", text) if _MARK in text else text


def possible(text: str, domains: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Yield what a text can be for values of its variables."""
    names = tuple(dict.fromkeys(_OPEN.findall(text)))
    for values in product(*(sorted(domains[name]) for name in names)):
        yield filled(text, dict(zip(names, values, strict=True)))
