"""Read structures in the notation of manifests.

The grammar::

    structure := body ("without" body)*
    body      := "{" statement (";" statement)* "}"
    statement := variable ("-[" labels "]" bounds? "->" variable)?
               | "length" LAYER ("=" | ">=" | "<=" | "!=") INT
    variable  := NAME ("[" test ("," test)* "]")?
    test      := "#" labels ("=" | ">=" | "<=") INT | NAME ("=" | "!=") values
    values    := (value ("|" value)*)?
    labels    := "*" | "^"? (label ("|" label)*)?
    bounds    := "+" | "{" INT "}" | "{" INT "," INT? "}"

An edge is a walk of exactly one edge, so edges and paths are one kind of *link*.  Nothing passes a test with an empty
list of values or labels.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from operator import eq, ge, le, ne
from typing import NamedTuple

from sgl.verify.schema_grammar import DERIVATION, Flaw

#: The meaning of comparison signs.
SIGNS: dict[str, Callable[[int, int], bool]] = {"=": eq, ">=": ge, "<=": le, "!=": ne}


class StructureError(Flaw):
    """A structure that cannot be read: the reason and the column (1-based)."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(f"{reason} at column {column}")


@dataclass(frozen=True, slots=True)
class Labels:
    """A set of edge labels or, negated, its complement."""

    labels: frozenset[str]
    negated: bool = False

    def passes(self, label: str) -> bool:
        """Return whether an edge with this label passes."""
        return (label in self.labels) != self.negated


@dataclass(frozen=True, slots=True)
class ValueTest:
    """A test whether the value of ``attribute``, "" if missing, is one of ``values``, or if negated is not."""

    attribute: str
    values: frozenset[str]
    negated: bool = False

    def passes(self, value: str) -> bool:
        """Return whether a value passes."""
        return (value in self.values) != self.negated


@dataclass(frozen=True, slots=True)
class DegreeComparison:
    """A comparison of the number of outgoing edges that pass ``labels`` with ``number``."""

    labels: Labels
    comparison: str
    number: int

    def __post_init__(self) -> None:
        if self.comparison not in SIGNS:
            raise Flaw(f"{self.comparison!r} does not compare numbers")


@dataclass(frozen=True, slots=True)
class LengthComparison:
    """A comparison of the number of words in a text layer with ``number``."""

    layer: str
    comparison: str
    number: int

    def __post_init__(self) -> None:
        if self.comparison not in SIGNS:
            raise Flaw(f"{self.comparison!r} does not compare numbers")


def passes(number: int, test: DegreeComparison | LengthComparison) -> bool:
    """Return whether a number of edges, or words, passes a test."""
    return SIGNS[test.comparison](number, test.number)


@dataclass(frozen=True, slots=True)
class NodeVariable:
    """A node variable: its name and all tests on it from the whole body."""

    name: str
    tests: tuple[ValueTest, ...] = ()
    degrees: tuple[DegreeComparison, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A walk between two variables, by number, of ``low`` to ``high`` edges (None: unbounded) with ``labels``."""

    source: int
    labels: Labels
    target: int
    low: int = 1
    high: int | None = 1


@dataclass(frozen=True, slots=True)
class StructureBody:
    """A conjunction of tests and links on different nodes, and of tests on lengths."""

    variables: tuple[NodeVariable, ...]
    links: tuple[Link, ...] = ()
    lengths: tuple[LengthComparison, ...] = ()

    def __post_init__(self) -> None:
        names = self.names
        if any(end >= len(names) for link in self.links for end in (link.source, link.target)):
            raise Flaw("a link has an end that is not a variable of the body")
        if len({*names}) < len(names):
            raise Flaw("two variables of a body have one name")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    @property
    def said(self) -> tuple[object, ...]:
        """The content of the body, independent of the order of its variables."""
        names = self.names
        links = [(names[link.source], names[link.target], replace(link, source=0, target=0)) for link in self.links]
        return {variable.name: variable for variable in self.variables}, links, self.lengths


class GraphPattern(NamedTuple):
    """A body, and bodies that must not extend its match, in the first layer or another."""

    body: StructureBody
    without: tuple[StructureBody, ...] = ()
    layer: str = ""

    @property
    def bodies(self) -> tuple[StructureBody, ...]:
        """All bodies, the positive one first."""
        return (self.body, *self.without)


def headed(structures: Iterable[GraphPattern]) -> list[str]:
    """Return the graph layers that structures join with the derivation."""
    joined = [one.layer.split("+") for one in structures if DERIVATION in one.layer.split("+")]
    return sorted({layer for layers in joined for layer in layers if layer != DERIVATION})


#: Nodes, and links between them, that a body may have: networkx goes as deep as there are nodes; bodies and tests.
MOST, MOST_TESTS = 100, 1_000

_GRAPH = r"\w+(\+\w+)*(?=\s*\{)"
_NAME = r"\w[^\s\[\]{};,\"]*"
_LAYER = r"[^\W\d]\w*"
_ATTRIBUTE = r"\w[\w.:-]*(\[\w+\])?"
_LABEL = r"[^\s|\[\]<>=^*;,{}\"]+"
_VALUE = r"[\w-]+|\"(?:[^\"\\]|\\.)*\""
_INTEGER = r"[0-9]{1,3}(?![0-9])"


def read_structure(text: str) -> GraphPattern:
    """Return the structure that ``text`` denotes; raises ``StructureError``."""
    reader = _Reader(text)
    layer = reader.match(_GRAPH) or ""
    bodies = [reader.body()]
    while reader.accept("without"):
        bodies.append(reader.body())
    reader.take("$", "the end of the structure")
    return GraphPattern(bodies[0], tuple(bodies[1:]), layer)


class _Reader:
    """A text with a position; white space before each symbol is skipped."""

    def __init__(self, text: str) -> None:
        self.text, self.position, self.tests = text, 0, 0

    def match(self, expression: str) -> str | None:
        while self.text[self.position : self.position + 1].isspace():
            self.position += 1
        found = re.compile(expression).match(self.text, self.position)
        self.position = found.end() if found else self.position
        return found and found.group()

    def take(self, expression: str, what: str) -> str:
        found = self.match(expression)
        if found is None:
            raise StructureError(f"{what} expected", self.position + 1)
        return found

    def accept(self, symbol: str) -> bool:
        return self.match(re.escape(symbol)) is not None

    def expect(self, symbol: str) -> None:
        self.take(re.escape(symbol), repr(symbol))

    def integer(self) -> int:
        return int(self.take(_INTEGER, "a whole number below 1,000"))

    def several(self, expression: str, what: str) -> Iterator[str]:
        found = self.match(expression)
        while found is not None:
            yield found
            found = self.take(expression, what) if self.accept("|") else None

    def body(self) -> StructureBody:
        variables: dict[str, NodeVariable] = {}
        links: list[Link] = []
        lengths: list[LengthComparison] = []
        self.expect("{")
        self.tests += 1
        while True:
            if self.match(r"length\s+(?=\w)"):
                layer = self.take(_LAYER, "the name of a text layer")
                comparison = self.take(">=|<=|!=|=", "'=', '!=', '>=' or '<='")
                lengths.append(LengthComparison(layer, comparison, self.integer()))
            elif (source := self.variable(variables)) >= 0 and self.accept("-["):
                labels = self.labels()
                self.expect("]")
                bounds = self.bounds()
                self.expect("->")
                links.append(Link(source, labels, self.variable(variables), *bounds))
            if max(len(variables), len(links)) > MOST or self.tests > MOST_TESTS:
                raise StructureError(f"more than {MOST} nodes or links, or {MOST_TESTS:,} tests", self.position + 1)
            if not self.accept(";"):
                self.expect("}")
                return StructureBody(tuple(variables.values()), tuple(links), tuple(lengths))

    def variable(self, variables: dict[str, NodeVariable]) -> int:
        """Add tests to a variable, which may be known already; return its number."""
        name = self.take(_NAME, "the name of a variable")
        known = variables.get(name, NodeVariable(name))
        tests, degrees = [*known.tests], [*known.degrees]
        following = self.accept("[")
        while following:
            self.tests += 1
            if self.accept("#"):
                labels = self.labels()
                comparison = self.take(">=|<=|=", "'=', '>=' or '<='")
                degrees.append(DegreeComparison(labels, comparison, self.integer()))
            else:
                attribute = self.take(_ATTRIBUTE, "the name of an attribute")
                negated = self.take("!=|=", "'=' or '!='") == "!="
                written = self.several(_VALUE, "a value")
                escaped = re.compile(r"\\(.)", re.DOTALL)
                values = (escaped.sub(r"\1", value[1:-1]) if value[0] == '"' else value for value in written)
                tests.append(ValueTest(attribute, frozenset(values), negated))
            following = self.accept(",")
            if not following:
                self.expect("]")
        variables[name] = NodeVariable(name, tuple(tests), tuple(degrees))
        return list(variables).index(name)

    def labels(self) -> Labels:
        if self.accept("*"):
            return Labels(frozenset(), negated=True)
        negated = self.accept("^")
        return Labels(frozenset(self.several(_LABEL, "a label")), negated)

    def bounds(self) -> tuple[int, int | None]:
        if self.accept("+"):
            return 1, None
        if not self.accept("{"):
            return 1, 1
        low = self.integer()
        high: int | None = low
        if self.accept(","):
            bound = self.match(_INTEGER)
            high = int(bound) if bound else None
            if high is not None and high < low:
                raise StructureError(f"an upper bound of at least {low} expected", self.position + 1)
        self.expect("}")
        return low, high
