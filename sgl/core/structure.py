"""Define structures: graph patterns over a graph layer, with names and sets resolved.

A structure matches a graph if its ``body`` has an *injective* match (different variables are different nodes) that no
``without`` body extends injectively.  A path atom ``-[ccomp]{2,4}->`` holds if there is a *walk* whose length is within
the bounds; a degree test ``#amod>=5`` counts outgoing edges.  ``str(structure)`` is the author's notation, which the
manifest contains and the independent verifier parses with its own reader.  Semantics: ``docs/structures.md``.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Literal

from sgl.values import dataclass, field, replace

Comparison = Literal["=", ">=", "<="]
Sign = Literal["=", ">=", "<=", "!="]

#: The meanings of comparison signs.
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class LabelTest:
    """A set of edge labels, or its complement; the complement of no labels accepts all.

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


@dataclass(frozen=True)
class NodeTest:
    """A test of one attribute: ``lemma=dog|cat`` or ``lemma!=dog``; a missing attribute has the value ``""``."""

    attribute: str
    values: frozenset[str]
    negated: bool = False

    def accepts(self, value: str) -> bool:
        """Return whether a node with this value of the attribute passes."""
        return (value in self.values) != self.negated

    def __str__(self) -> str:
        values = "|".join(_quoted(value) for value in sorted(self.values))
        return f"{self.attribute}{'!=' if self.negated else '='}{values}"


@dataclass(frozen=True)
class DegreeTest:
    """A test of the number of outgoing edges with a label: ``#amod>=5``."""

    labels: LabelTest
    comparison: Comparison
    number: int

    def accepts(self, degree: int) -> bool:
        """Return whether a node with this many such edges passes."""
        return COMPARISONS[self.comparison](degree, self.number)

    def __str__(self) -> str:
        return f"#{self.labels}{self.comparison}{self.number}"


@dataclass(frozen=True)
class Variable:
    """A node variable with its tests."""

    name: str
    tests: tuple[NodeTest, ...] = ()
    degrees: tuple[DegreeTest, ...] = ()

    def __str__(self) -> str:
        tests = ", ".join(str(test) for test in (*self.tests, *self.degrees))
        return f"{self.name}[{tests}]" if tests else self.name


@dataclass(frozen=True)
class Link:
    """A walk between variables, given by index, of ``low`` to ``high`` edges (None: no bound); by default, one edge.

    >>> str(LabelTest(frozenset({"obj"}))), Link(0, LabelTest(frozenset({"obj"})), 1).is_edge
    ('obj', True)
    """

    source: int
    labels: LabelTest
    target: int
    low: int = 1
    high: int | None = 1

    @property
    def is_edge(self) -> bool:
        """Whether the walk is a single edge."""
        return self.low == 1 == self.high

    def between(self, number: Mapping[int, int] | Sequence[int]) -> "Link":
        """Return the same link with its variables renumbered."""
        return replace(self, source=number[self.source], target=number[self.target])


@dataclass(frozen=True)
class LengthTest:
    """A test of the number of words of a text in a text layer: ``length en>=20``.

    With ``part``, the number is relative to the length of the longest text of that part of the data, until the grammar
    is asked for it.
    """

    layer: str
    comparison: Sign
    number: int
    part: str = ""

    @property
    def cap(self) -> int:
        """The length from which the test always gives the same answer."""
        return self.number + (self.comparison != ">=")

    def accepts(self, length: int) -> bool:
        """Return whether a text with this many words passes."""
        return COMPARISONS[self.comparison](length, self.number)

    def __str__(self) -> str:
        number = f"longest({self.part}){self.number:+}" if self.part else self.number
        return f"length {self.layer} {self.comparison} {number}"


@dataclass(frozen=True)
class Body:
    """Node tests, links (edges before longer walks), and length tests.

    A ``without`` body shares the variables of the positive one.
    """

    variables: tuple[Variable, ...]
    links: tuple[Link, ...] = ()
    lengths: tuple[LengthTest, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", (*self.edges, *self.paths))

    @property
    def edges(self) -> tuple[Link, ...]:
        """The links that are single edges."""
        return tuple(link for link in self.links if link.is_edge)

    @property
    def paths(self) -> tuple[Link, ...]:
        """The other links."""
        return tuple(link for link in self.links if not link.is_edge)

    def __str__(self) -> str:
        parts: list[str] = []
        mentioned: set[int] = set()

        def mention(index: int) -> str:
            variable = self.variables[index]
            if index in mentioned:
                return variable.name
            mentioned.add(index)
            return str(variable)

        for link in self.links:
            source = mention(link.source)
            parts.append(f"{source} -[{link.labels}]{_bounds(link.low, link.high)}-> {mention(link.target)}")
        parts.extend(str(variable) for index, variable in enumerate(self.variables) if index not in mentioned)
        parts.extend(map(str, self.lengths))
        return "{ " + "; ".join(parts) + " }"


@dataclass(frozen=True)
class Structure:
    """A graph pattern over the graph layer ``layer``; ``named`` if that is not the grammar's first.

    All variables are different nodes; ``apart`` has the pairs of which the author says so explicitly.
    """

    layer: str
    body: Body
    without: tuple[Body, ...] = ()
    named: bool = False
    apart: frozenset[frozenset[str]] = field(default=frozenset(), compare=False)

    def __hash__(self) -> int:
        # Structures are looked up often and are deep, so the hash is cached.
        return self._hash

    def __reduce__(self) -> tuple[Callable[..., "Structure"], tuple[object, ...]]:
        # Leave out cached values, above all the hash, which differs in every process.
        return _known_structure, (self.layer, self.body, self.without, self.named, self.apart)

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
        """Return the structure with variables numbered in order of mention: equal for all that differ only in names."""
        names = {v.name: f"V{i}" for i, v in enumerate(self.body.variables, 1)}
        return replace(
            self, body=_renamed(self.body, names), without=tuple(_renamed(body, names) for body in self.without)
        )


@lru_cache(4096)
def _known_structure(*parts: Any) -> Structure:  # noqa: ANN401 - the fields
    """Return the structure with these fields: one object, however many files have it, as that is quick to compare."""
    return Structure(*parts)


def _renamed(body: Body, shared: Mapping[str, str]) -> Body:
    names = dict(shared)
    for variable in body.variables:
        names.setdefault(variable.name, f"V{len(names) + 1}")
    return replace(body, variables=tuple(replace(v, name=names[v.name]) for v in body.variables))


def _bounds(low: int, high: int | None) -> str:
    if high is None:
        return "+" if low == 1 else f"{{{low},}}"
    exactly = f"{{{low}}}" if low > 1 else "" if low else "{0}"
    return exactly if low == high else f"{{{low},{high}}}"


def _quoted(value: str) -> str:
    plain = bool(value) and all(c.isalnum() or c in "_-" for c in value)
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
