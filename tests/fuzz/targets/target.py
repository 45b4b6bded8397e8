"""What a kind of input is: how it is made from a random generator, and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import NamedTuple

from fuzz.case import Case
from sgl.characters import visible
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.render import render


class Target(NamedTuple):
    """A kind of input.

    ``make`` gives a case.  One without command lines is read by ``read``, which returns what
    it has to say and whether the input is good.  ``share`` is how many of 1,000 inputs of all
    kinds are of this one: what is read quickly has more.
    """

    name: str
    what: str
    share: int
    make: Callable[[Random], Case]
    read: Callable[[Case], tuple[str, bool]] | None = None


def said(diagnostics: Diagnostics, sources: SourceMap) -> tuple[str, bool]:
    """What the messages say, and whether none is an error."""
    return "\n".join(render(found, sources) for found in diagnostics), not diagnostics.errors


def lines(texts: Iterable[str]) -> str:
    """Texts, one on a line."""
    return "\n".join(texts)


def shown(texts: Iterable[str]) -> str:
    """What messages say, as a terminal shows it: who prints them escapes them."""
    return visible(lines(texts))
