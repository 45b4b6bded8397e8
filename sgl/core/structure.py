"""Structures: graph patterns over a graph layer, with names and sets resolved.

A structure matches a graph when its ``body`` has an *injective* match (different variables are
different nodes) that no ``without`` body extends injectively.  Path atoms ``-[ccomp]{2,4}->`` hold
when there is a *walk* whose length lies in the bounds; degree tests ``#amod>=5`` count outgoing
edges.  ``str(structure)`` is the structure in the author's notation, which the manifest carries and
the independent verifier parses with its own reader.  Semantics: ``docs/structures.md``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

Comparison = Literal["=", ">=", "<="]
Sign = Literal["=", ">=", "<=", "!="]


@dataclass(frozen=True, slots=True)
class LabelTest:
    """A set of edge labels, or its complement; ``any_label()`` accepts all.

    >>> test = LabelTest(frozenset({"obj", "iobj"}), negated=True)
    >>> str(test), test.accepts("nsubj"), test.accepts("obj")
    ('^iobj|obj', True, False)
    """

    labels: frozenset[str]
    negated: bool = False

    def accepts(self, label: str) -> bool:
        """Return whether an edge with this label passes."""
        return (label in self.labels) != self.negated

    @property
    def is_any(self) -> bool:
        """Whether every label passes."""
        return self.negated and not self.labels

    def __str__(self) -> str:
        if self.is_any:
            return "*"
        return ("^" if self.negated else "") + "|".join(sorted(self.labels))


def any_label() -> LabelTest:
    """Return the test that every label passes."""
    return LabelTest(frozenset(), negated=True)


@dataclass(frozen=True, slots=True)
class NodeTest:
    """A test on one attribute: ``lemma=dog|cat`` or ``lemma!=dog``; a node without it has the value ``""``."""

    attribute: str
    values: frozenset[str]
    negated: bool = False

    def accepts(self, value: str) -> bool:
        """Return whether a node with this value of the attribute passes."""
        return (value in self.values) != self.negated

    def __str__(self) -> str:
        values = "|".join(_quoted(value) for value in sorted(self.values))
        return f"{self.attribute}{'!=' if self.negated else '='}{values}"


@dataclass(frozen=True, slots=True)
class DegreeTest:
    """A test on the number of outgoing edges with a label: ``#amod>=5``."""

    labels: LabelTest
    comparison: Comparison
    number: int

    def accepts(self, degree: int) -> bool:
        """Return whether a node with this many such edges passes."""
        if self.comparison == "=":
            return degree == self.number
        if self.comparison == ">=":
            return degree >= self.number
        return degree <= self.number

    def __str__(self) -> str:
        return f"#{self.labels}{self.comparison}{self.number}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A node variable with its tests."""

    name: str
    tests: tuple[NodeTest, ...] = ()
    degrees: tuple[DegreeTest, ...] = ()

    def __str__(self) -> str:
        tests = ", ".join(str(test) for test in (*self.tests, *self.degrees))
        return f"{self.name}[{tests}]" if tests else self.name


@dataclass(frozen=True, slots=True)
class EdgeAtom:
    """``source -[labels]-> target``, between variables named by index."""

    source: int
    labels: LabelTest
    target: int


@dataclass(frozen=True, slots=True)
class PathAtom:
    """A walk from source to target of ``low`` to ``high`` edges (None: no bound)."""

    source: int
    labels: LabelTest
    target: int
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class LengthTest:
    """A test on the number of words of a text in a text layer: ``length en>=20``.

    The number is one that is counted from the longest text of a ``part`` of the data, as long
    as nobody has asked the grammar how long that is.
    """

    layer: str
    comparison: Sign
    number: int
    part: str = ""

    @property
    def cap(self) -> int:
        """The length from which on the test gives one answer."""
        return self.number + (self.comparison != ">=")

    def accepts(self, length: int) -> bool:
        """Return whether a text with this many words passes."""
        if self.comparison in ("=", "!="):
            return (length == self.number) == (self.comparison == "=")
        return length >= self.number if self.comparison == ">=" else length <= self.number

    def __str__(self) -> str:
        number = f"longest({self.part}){self.number:+}" if self.part else self.number
        return f"length {self.layer} {self.comparison} {number}"


@dataclass(frozen=True, slots=True)
class Body:
    """Node tests, edges, paths, and tests on length; a ``without`` body shares the variables of the positive one."""

    variables: tuple[Variable, ...]
    edges: tuple[EdgeAtom, ...] = ()
    paths: tuple[PathAtom, ...] = ()
    lengths: tuple[LengthTest, ...] = ()

    @property
    def links(self) -> tuple[EdgeAtom | PathAtom, ...]:
        """The edges and the paths."""
        return (*self.edges, *self.paths)

    def __str__(self) -> str:
        parts: list[str] = []
        mentioned: set[int] = set()

        def mention(index: int) -> str:
            variable = self.variables[index]
            if index in mentioned:
                return variable.name
            mentioned.add(index)
            return str(variable)

        for edge in self.edges:
            source = mention(edge.source)
            parts.append(f"{source} -[{edge.labels}]-> {mention(edge.target)}")
        for path in self.paths:
            source = mention(path.source)
            bounds = _bounds(path.low, path.high)
            parts.append(f"{source} -[{path.labels}]{bounds}-> {mention(path.target)}")
        parts.extend(str(variable) for index, variable in enumerate(self.variables) if index not in mentioned)
        parts.extend(map(str, self.lengths))
        return "{ " + "; ".join(parts) + " }"


@dataclass(frozen=True)
class Structure:
    """A graph pattern over the graph layer ``layer``; ``named`` if that is another than the grammar's first."""

    layer: str
    body: Body
    without: tuple[Body, ...] = ()
    named: bool = False

    def __hash__(self) -> int:
        # Structures are looked up again and again, and are deep.
        return self._hash

    def __reduce__(self) -> "tuple[type[Structure], tuple[str, Body, tuple[Body, ...], bool]]":
        # Without the hash above all, which is another one in every process.
        return Structure, (self.layer, self.body, self.without, self.named)

    @cached_property
    def _hash(self) -> int:
        return hash((self.layer, self.body, self.without))

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        bodies = " without ".join(str(body) for body in (self.body, *self.without))
        return f"{self.layer} {bodies}" if self.named else bodies

    def canonical(self) -> "Structure":
        """Return the structure with variables named in order of mention: one for all that differ in names only."""
        names = {v.name: f"V{i}" for i, v in enumerate(self.body.variables, 1)}
        return replace(
            self, body=_renamed(self.body, names), without=tuple(_renamed(body, names) for body in self.without)
        )


def _renamed(body: Body, shared: Mapping[str, str]) -> Body:
    names = dict(shared)
    for variable in body.variables:
        names.setdefault(variable.name, f"V{len(names) + 1}")
    return replace(body, variables=tuple(replace(v, name=names[v.name]) for v in body.variables))


def _bounds(low: int, high: int | None) -> str:
    if high is None:
        return "+" if low == 1 else f"{{{low},}}"
    return f"{{{low}}}" if low == high else f"{{{low},{high}}}"


def _quoted(value: str) -> str:
    plain = bool(value) and all(c.isalnum() or c in "_-" for c in value)
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
