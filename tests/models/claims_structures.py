"""Structures of the model: graph patterns over one layer or several, as their authors write them.

They know nothing of the compiler; ``claims_matches.py`` says which sentences contain them.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple


class Labels(NamedTuple):
    """A test of a label."""

    negated: bool
    names: tuple[str, ...]

    def passes(self, label: str) -> bool:
        """Whether a label passes."""
        return (label in self.names) != self.negated

    def __str__(self) -> str:
        return ("^" if self.negated else "") + "|".join(self.names) if self.names else "*"


class Link(NamedTuple):
    """A walk of ``low`` to ``high`` edges between two variables; an edge is a walk of one."""

    source: str
    labels: Labels
    low: int
    high: int | None
    target: str

    def __str__(self) -> str:
        bounds = {(1, 1): "", (1, None): "+"}.get((self.low, self.high))
        if bounds is None:
            bounds = f"{{{self.low},{self.high}}}"
        return f"{self.source} -[{self.labels}]{bounds}-> {self.target}"


@dataclass(frozen=True, eq=False)
class Body:
    """Variables with their tests, and the links between them.

    ``tests`` are (attribute, negated, values), ``degrees`` (labels, comparison, number).
    """

    variables: tuple[str, ...]
    tests: Mapping[str, tuple[str, bool, tuple[str, ...]]]
    degrees: Mapping[str, tuple[Labels, str, int]]
    links: tuple[Link, ...]

    def __str__(self) -> str:
        said = dict.fromkeys(self.variables, False)
        parts = []

        def node(name: str) -> str:
            tests = []
            if not said[name]:
                if name in self.tests:
                    attribute, negated, values = self.tests[name]
                    tests.append(f"{attribute}{'!=' if negated else '='}{'|'.join(values)}")
                if name in self.degrees:
                    labels, comparison, number = self.degrees[name]
                    tests.append(f"#{labels}{comparison}{number}")
            said[name] = True
            return name + (f"[{', '.join(tests)}]" if tests else "")

        for link in self.links:
            source = node(link.source)
            text = str(link).removeprefix(link.source).removesuffix(link.target)
            parts.append(source + text + node(link.target))
        parts += [node(name) for name in self.variables if not said[name]]
        return "{ " + "; ".join(parts) + " }"


#: A body that every sentence has.
NOTHING = Body((), {}, {}, ())

COMPARE = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, eq=False)
class Structure:
    """A body, and bodies by which no match may be extended, in a layer; perhaps ``more`` of them.

    In these a variable of the same name is the same word.  ``lengths`` are the layers of texts,
    comparisons and numbers that are asked of the sentence; ``depth`` are labels, a comparison and
    a number, in place of a body.  A layer that is the only one need not be ``named``.
    """

    body: Body
    without: tuple[Body, ...] = ()
    lengths: tuple[tuple[str, str, int], ...] = ()
    depth: tuple[Labels, str, int] | None = None
    layer: str = "syn"
    more: tuple[Structure, ...] = ()
    named: bool = True

    @property
    def parts(self) -> tuple[Structure, ...]:
        """What is said of each layer."""
        return replace(self, more=()), *self.more

    @property
    def own_names(self) -> frozenset[str]:
        """The variables that have a test on rule or category: what their names would mean is left out."""
        bodies = (body for part in self.parts for body in (part.body, *part.without))
        told = (pair for body in bodies for pair in body.tests.items())
        return frozenset(name for name, (attribute, _, _) in told if attribute in ("rule", "category"))

    @property
    def names(self) -> frozenset[str]:
        """The variables of a match."""
        return frozenset(name for part in self.parts for name in part.body.variables)

    @property
    def all_names(self) -> frozenset[str]:
        """Its variables, and those of its ``without`` bodies."""
        return self.names.union(*(body.variables for part in self.parts for body in part.without))

    def said(self) -> str:
        """What it says of its own layer."""
        said = [f"length {layer} {sign} {number}" for layer, sign, number in self.lengths]
        if self.depth is not None:
            said.append("depth {} {} {}".format(*self.depth))
            return f"{{ {'; '.join(said)} }}"
        main = str(self.body) if self.body.variables else "{ }"
        own = [part for part in [main[2:-2], *said] if part]
        return " without ".join([f"{{ {'; '.join(own)} }}", *map(str, self.without)])

    def __str__(self) -> str:
        if (self.layer == "syn" or not self.named) and not self.more:
            return self.said()
        return " ".join(f"{own.layer} {own.said()}" for own in self.parts)
