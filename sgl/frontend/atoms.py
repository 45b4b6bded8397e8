"""The nodes of a rule by name, before bindings unite some of them.

In ``RC -> "that" NP V`` with a port ``gap`` these are the heads of ``NP`` and ``V``, their
other ports, the word *that* where an edge mentions it, and the ``gap`` of ``RC``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChildPort:
    """A port of a child."""

    child: int
    port: int


@dataclass(frozen=True, slots=True)
class WordAtom:
    """A word written in the rule, by the index of its item in the source template."""

    item: int


@dataclass(frozen=True, slots=True)
class OwnPort:
    """A port of the left-hand side that the rule introduces."""

    port: int


Atom = ChildPort | WordAtom | OwnPort
