"""Read structures in the notation in which a manifest writes them.

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

An edge is a walk of exactly one edge, so that edges and paths are one kind of *link*.  An empty
list of values or labels is a test that nothing passes.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import eq, ge, le, ne

#: What the signs of comparisons mean.
SIGNS: dict[str, Callable[[int, int], bool]] = {"=": eq, ">=": ge, "<=": le, "!=": ne}


class StructureError(ValueError):
    """A structure that cannot be read: the reason and the column (1-based)."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(f"{reason} at column {column}")
        self.reason = reason
        self.column = column


@dataclass(frozen=True, slots=True)
class Labels:
    """A set of edge labels or, negated, its complement."""

    names: frozenset[str]
    negated: bool = False

    def accept(self, label: str) -> bool:
        """Return whether an edge with this label passes."""
        return (label in self.names) != self.negated


@dataclass(frozen=True, slots=True)
class ValueTest:
    """The value of ``attribute`` is, or negated is not, one of ``values``."""

    attribute: str
    values: frozenset[str]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class DegreeComparison:
    """The number of outgoing edges that pass ``labels``, compared with ``number``."""

    labels: Labels
    comparison: str
    number: int

    def accept(self, degree: int) -> bool:
        """Return whether a node with so many edges passes."""
        return SIGNS[self.comparison](degree, self.number)


@dataclass(frozen=True, slots=True)
class NodeVariable:
    """A node variable: its name and all tests on it, wherever they were written."""

    name: str
    tests: tuple[ValueTest, ...]
    degrees: tuple[DegreeComparison, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk over edges that pass ``labels``, of ``low`` to ``high`` edges (None: any)."""

    labels: Labels
    low: int = 1
    high: int | None = 1

    @property
    def is_edge(self) -> bool:
        """Whether the walk is a single edge."""
        return self.low == 1 == self.high


@dataclass(frozen=True, slots=True)
class Link:
    """A walk between two variables of a body, named by index."""

    source: int
    walk: Walk
    target: int


@dataclass(frozen=True, slots=True)
class LengthComparison:
    """The number of words of the text in a layer, compared with ``number``."""

    layer: str
    comparison: str
    number: int

    def accept(self, length: int) -> bool:
        """Return whether a text of so many words passes."""
        return SIGNS[self.comparison](length, self.number)


@dataclass(frozen=True, slots=True)
class StructureBody:
    """A conjunction of tests and links over different nodes, and of tests on lengths."""

    variables: tuple[NodeVariable, ...]
    links: tuple[Link, ...]
    lengths: tuple[LengthComparison, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """A body and the bodies that must not extend a match of it, in the first layer or another."""

    body: StructureBody
    without: tuple[StructureBody, ...] = ()
    layer: str = ""

    @property
    def bodies(self) -> tuple[StructureBody, ...]:
        """All bodies, the positive one first."""
        return (self.body, *self.without)


#: Nodes, and links between them, that a body may have: networkx goes as deep as there are nodes.
MOST = 100

_GRAPH = r"\w+(\+\w+)*(?=\s*\{)"
_NAME = r"\w[^\s\[\]{};,\"]*"
_LAYER = r"[^\W\d]\w*"
_ATTRIBUTE = r"\w[\w.:-]*(\[\w+\])?"
_LABEL = r"[^\s|\[\]<>=^*;,{}\"]+"
_VALUE = r"[\w-]+|\"(?:[^\"\\]|\\.)*\""
_INTEGER = r"[0-9]{1,3}(?![0-9])"


def read_structure(text: str) -> GraphPattern:
    """Return the structure that ``text`` denotes; raises ``StructureError``."""
    scanner = _Scanner(text)
    layer = scanner.match(_GRAPH) or ""
    bodies = [_read_body(scanner)]
    while scanner.accept("without"):
        bodies.append(_read_body(scanner))
    scanner.take("$", "the end of the structure")
    return GraphPattern(bodies[0], tuple(bodies[1:]), layer)


@dataclass(slots=True)
class _Scanner:
    """The text with a position; white space is skipped before every symbol."""

    text: str
    position: int = 0

    def match(self, expression: str) -> str | None:
        while self.text[self.position : self.position + 1].isspace():
            self.position += 1
        found = re.compile(expression).match(self.text, self.position)
        if found is None:
            return None
        self.position = found.end()
        return found.group()

    def take(self, expression: str, what: str) -> str:
        found = self.match(expression)
        if found is None:
            raise StructureError(f"{what} expected", self.position + 1)
        return found

    def accept(self, symbol: str) -> bool:
        return self.match(re.escape(symbol)) is not None

    def several(self, expression: str, what: str) -> Iterator[str]:
        found = self.match(expression)
        while found is not None:
            yield found
            found = self.take(expression, what) if self.accept("|") else None

    def expect(self, symbol: str) -> None:
        self.take(re.escape(symbol), repr(symbol))


def _read_body(scanner: _Scanner) -> StructureBody:
    variables: dict[str, NodeVariable] = {}
    links: list[Link] = []
    lengths: list[LengthComparison] = []
    scanner.expect("{")
    while True:
        if scanner.match(r"length\s+(?=\w)"):
            layer = scanner.take(_LAYER, "the name of a text layer")
            comparison = scanner.take(">=|<=|!=|=", "'=', '!=', '>=' or '<='")
            lengths.append(LengthComparison(layer, comparison, _read_integer(scanner)))
        elif (source := _read_variable(scanner, variables)) >= 0 and scanner.accept("-["):
            labels = _read_labels(scanner)
            scanner.expect("]")
            low, high = _read_bounds(scanner)
            scanner.expect("->")
            walk = Walk(labels, low, high)
            links.append(Link(source, walk, _read_variable(scanner, variables)))
        if max(len(variables), len(links)) > MOST:
            raise StructureError(f"more than {MOST} nodes or links", scanner.position + 1)
        if not scanner.accept(";"):
            scanner.expect("}")
            return StructureBody(tuple(variables.values()), tuple(links), tuple(lengths))


def _read_variable(scanner: _Scanner, variables: dict[str, NodeVariable]) -> int:
    """``variable := NAME ("[" test ("," test)* "]")?``; add its tests, return its number."""
    name = scanner.take(_NAME, "the name of a variable")
    known = variables.get(name, NodeVariable(name, (), ()))
    tests, degrees = [*known.tests], [*known.degrees]
    following = scanner.accept("[")
    while following:
        if scanner.accept("#"):
            labels = _read_labels(scanner)
            comparison = scanner.take(">=|<=|=", "'=', '>=' or '<='")
            degrees.append(DegreeComparison(labels, comparison, _read_integer(scanner)))
        else:
            attribute = scanner.take(_ATTRIBUTE, "the name of an attribute")
            negated = scanner.take("!=|=", "'=' or '!='") == "!="
            tests.append(ValueTest(attribute, _read_values(scanner), negated))
        following = scanner.accept(",")
        if not following:
            scanner.expect("]")
    variables[name] = NodeVariable(name, tuple(tests), tuple(degrees))
    return list(variables).index(name)


def _read_values(scanner: _Scanner) -> frozenset[str]:
    """``values := (value ("|" value)*)?``; a value in quotes has its escapes undone."""
    return frozenset(
        re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL) if value[0] == '"' else value
        for value in scanner.several(_VALUE, "a value")
    )


def _read_labels(scanner: _Scanner) -> Labels:
    """``labels := "*" | "^"? (label ("|" label)*)?``."""
    if scanner.accept("*"):
        return Labels(frozenset(), negated=True)
    negated = scanner.accept("^")
    return Labels(frozenset(scanner.several(_LABEL, "a label")), negated)


def _read_bounds(scanner: _Scanner) -> tuple[int, int | None]:
    """``bounds := "+" | "{" INT "}" | "{" INT "," INT? "}"``; none: one edge."""
    if scanner.accept("+"):
        return 1, None
    if not scanner.accept("{"):
        return 1, 1
    low = _read_integer(scanner)
    high: int | None = low
    if scanner.accept(","):
        bound = scanner.match(_INTEGER)
        high = int(bound) if bound else None
        if high is not None and high < low:
            raise StructureError(f"an upper bound of at least {low} expected", scanner.position + 1)
    scanner.expect("}")
    return low, high


def _read_integer(scanner: _Scanner) -> int:
    return int(scanner.take(_INTEGER, "a whole number below 1,000"))
