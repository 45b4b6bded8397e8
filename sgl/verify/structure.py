"""Read structures in the notation in which a manifest writes them.

::

    { V -[nsubj|nsubj:pass]-> N[lemma=dog|cat]; N -[nmod]{2,4}-> M }
        without { X -[acl:relcl]-> V }

The grammar, one function each::

    structure := body ("without" body)*
    body      := "{" statement (";" statement)* "}"
    statement := variable ("-[" labels "]" bounds? "->" variable)?
    variable  := NAME ("[" test ("," test)* "]")?
    test      := "#" labels ("=" | ">=" | "<=") INT | NAME ("=" | "!=") values
    values    := (value ("|" value)*)?
    labels    := "*" | "^"? (label ("|" label)*)?
    bounds    := "+" | "{" INT "}" | "{" INT "," INT? "}"

An edge is a walk of exactly one edge, so that edges and paths are one kind of
*link*.  An empty list of values or labels is a test that nothing passes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


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
        if self.comparison == "=":
            return degree == self.number
        return degree >= self.number if self.comparison == ">=" else degree <= self.number


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
class StructureBody:
    """A conjunction of tests and links over different nodes."""

    variables: tuple[NodeVariable, ...]
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """A body and the bodies that must not extend a match of it."""

    body: StructureBody
    without: tuple[StructureBody, ...] = ()

    @property
    def bodies(self) -> tuple[StructureBody, ...]:
        """All bodies, the positive one first."""
        return (self.body, *self.without)


_SPACE = re.compile(r"\s*")
_VARIABLE = re.compile(r"\w[^\s\[\]{};,\"]*")
_ATTRIBUTE = re.compile(r"\w[\w.:-]*(\[\w+\])?")
_LABEL = re.compile(r"[^\s|\[\]<>=^*;,{}\"]+")
_PLAIN = re.compile(r"[\w-]+")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_INTEGER = re.compile(r"[0-9]{1,3}(?![0-9])")
_COMPARISON = re.compile(r">=|<=|=")
_EQUALITY = re.compile(r"!=|=")


def read_structure(text: str) -> GraphPattern:
    """Return the structure that ``text`` denotes; raises ``StructureError``."""
    scanner = _Scanner(text)
    body = _read_body(scanner)
    without = []
    while scanner.accept("without"):
        without.append(_read_body(scanner))
    scanner.expect_end()
    return GraphPattern(body, tuple(without))


class _Scanner:
    """The text with a position; white space is skipped before every symbol."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def accept(self, symbol: str) -> bool:
        """Go past ``symbol`` if it comes next."""
        self._skip_space()
        found = self.text.startswith(symbol, self.position)
        self.position += len(symbol) * found
        return found

    def expect(self, symbol: str) -> None:
        """Go past ``symbol``, which must come next."""
        if not self.accept(symbol):
            raise self.error(f"{symbol!r} expected")

    def match(self, expression: re.Pattern[str]) -> re.Match[str] | None:
        """Go past what ``expression`` matches next, if it does."""
        self._skip_space()
        found = expression.match(self.text, self.position)
        if found:
            self.position = found.end()
        return found

    def take(self, expression: re.Pattern[str], what: str) -> str:
        """Return the text that ``expression`` matches next; ``what`` names it in errors."""
        found = self.match(expression)
        if not found:
            raise self.error(f"{what} expected")
        return found.group()

    def expect_end(self) -> None:
        """Nothing but white space may follow."""
        self._skip_space()
        if self.position < len(self.text):
            raise self.error("the end of the structure expected")

    def error(self, reason: str) -> StructureError:
        """Return the error that ``reason`` holds here."""
        return StructureError(reason, self.position + 1)

    def _skip_space(self) -> None:
        space = _SPACE.match(self.text, self.position)
        self.position = space.end() if space else self.position


class _Variables:
    """The variables of a body in order of mention, collecting their tests."""

    def __init__(self) -> None:
        self.tests: dict[str, tuple[list[ValueTest], list[DegreeComparison]]] = {}

    def mention(self, name: str, tests: list[ValueTest | DegreeComparison]) -> int:
        values, degrees = self.tests.setdefault(name, ([], []))
        values.extend(test for test in tests if isinstance(test, ValueTest))
        degrees.extend(test for test in tests if isinstance(test, DegreeComparison))
        return list(self.tests).index(name)

    def freeze(self) -> tuple[NodeVariable, ...]:
        return tuple(
            NodeVariable(name, tuple(values), tuple(degrees))
            for name, (values, degrees) in self.tests.items()
        )


def _read_body(scanner: _Scanner) -> StructureBody:
    """``body := "{" statement (";" statement)* "}"``."""
    variables = _Variables()
    links: list[Link] = []
    scanner.expect("{")
    _read_statement(scanner, variables, links)
    while scanner.accept(";"):
        _read_statement(scanner, variables, links)
    scanner.expect("}")
    return StructureBody(variables.freeze(), tuple(links))


def _read_statement(scanner: _Scanner, variables: _Variables, links: list[Link]) -> None:
    """``statement := variable ("-[" labels "]" bounds? "->" variable)?``."""
    source = _read_variable(scanner, variables)
    if not scanner.accept("-["):
        return
    labels = _read_labels(scanner)
    scanner.expect("]")
    low, high = _read_bounds(scanner)
    scanner.expect("->")
    links.append(Link(source, Walk(labels, low, high), _read_variable(scanner, variables)))


def _read_variable(scanner: _Scanner, variables: _Variables) -> int:
    """``variable := NAME ("[" test ("," test)* "]")?``."""
    name = scanner.take(_VARIABLE, "the name of a variable")
    tests: list[ValueTest | DegreeComparison] = []
    if scanner.accept("["):
        tests.append(_read_test(scanner))
        while scanner.accept(","):
            tests.append(_read_test(scanner))
        scanner.expect("]")
    return variables.mention(name, tests)


def _read_test(scanner: _Scanner) -> ValueTest | DegreeComparison:
    """``test := "#" labels comparison INT | NAME ("=" | "!=") values``."""
    if scanner.accept("#"):
        labels = _read_labels(scanner)
        comparison = scanner.take(_COMPARISON, "'=', '>=' or '<='")
        return DegreeComparison(labels, comparison, _read_integer(scanner))
    attribute = scanner.take(_ATTRIBUTE, "the name of an attribute")
    negated = scanner.take(_EQUALITY, "'=' or '!='") == "!="
    return ValueTest(attribute, _read_values(scanner), negated)


def _read_values(scanner: _Scanner) -> frozenset[str]:
    """``values := (value ("|" value)*)?``."""
    values: list[str] = []
    while True:
        if quoted := scanner.match(_QUOTED):
            values.append(re.sub(r"\\(.)", r"\1", quoted.group(1), flags=re.DOTALL))
        elif plain := scanner.match(_PLAIN):
            values.append(plain.group())
        elif values:
            raise scanner.error("a value expected")
        if not (values and scanner.accept("|")):
            return frozenset(values)


def _read_labels(scanner: _Scanner) -> Labels:
    """``labels := "*" | "^"? (label ("|" label)*)?``."""
    if scanner.accept("*"):
        return Labels(frozenset(), negated=True)
    negated = scanner.accept("^")
    names: list[str] = []
    if label := scanner.match(_LABEL):
        names.append(label.group())
        while scanner.accept("|"):
            names.append(scanner.take(_LABEL, "a label"))
    return Labels(frozenset(names), negated)


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
        high = int(bound.group()) if bound else None
        if high is not None and high < low:
            raise scanner.error(f"an upper bound of at least {low} expected")
    scanner.expect("}")
    return low, high


def _read_integer(scanner: _Scanner) -> int:
    return int(scanner.take(_INTEGER, "a whole number below 1,000"))
