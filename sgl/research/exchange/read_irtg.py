"""Read Alto's codec for IRTGs into its syntax tree.

The grammar is in ``irtg.lark`` (LALR).  Values are made while the text is parsed, so
that no tree has to be walked, however deep its terms are.
"""

from __future__ import annotations

from importlib import resources
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from sgl.diagnostics import Diagnostics, SourceFile, Span
from sgl.lang.syntax import Name
from sgl.research.exchange.irtg_syntax import (
    Interpretation,
    IrtgFile,
    IrtgRule,
    Operation,
    State,
    Term,
    Value,
    Variable,
)

#: What users call the things that the parser can expect.
TERMINALS: dict[str, str] = {
    "$END": "the end of the file",
    "NAME": "a name",
    "SINGLE": "a name",
    "DOUBLE": "a name",
    "VARIABLE": "a variable like `?1`",
    "NUMBER": "a number",
    "FINAL": "`!`",
    "__ANON_0": "`->`",
    "INTERPRETATION": "`interpretation`",
    "FEATURE": "`feature`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
}


def read_irtg(source: SourceFile, diagnostics: Diagnostics) -> IrtgFile | None:
    """The syntax tree of a file; None after a report."""
    grammar = resources.files("sgl.research.exchange").joinpath("irtg.lark").read_text("utf-8")
    parser = Lark(
        grammar,
        start="irtg",
        parser="lalr",
        transformer=_Building(source),
        maybe_placeholders=True,
    )
    try:
        found: Any = parser.parse(source.text)
    except UnexpectedInput as problem:
        _report(source, problem, diagnostics)
        return None
    assert isinstance(found, IrtgFile)
    return found


class _Building(Transformer[Token, Any]):
    """Makes the values of the syntax tree; a method is named after a rule of the grammar."""

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self.source = source

    def _span(self, token: Token) -> Span:
        start = token.start_pos or 0
        return self.source.span(start, start + len(token))

    def plain(self, children: list[Token]) -> Name:
        """A name without quotation marks."""
        return Name(str(children[0]), self._span(children[0]))

    def quoted(self, children: list[Token]) -> Name:
        """A name in quotation marks, which are no part of it."""
        return Name(str(children[0])[1:-1], self._span(children[0]), quoted=True)

    def interpretation(self, children: list[Name]) -> Interpretation:
        """A declaration of an interpretation."""
        return Interpretation(*children)

    def feature(self, children: list[Any]) -> Name:
        """A declaration of a feature, of which the name is kept."""
        name: Name = children[0]
        return name

    def state(self, children: list[Any]) -> State:
        """A state with its mark."""
        return State(children[0], children[1] is not None)

    def operation(self, children: list[Any]) -> Operation:
        """An operation and its arguments, or a constant."""
        arguments: tuple[Term, ...] = tuple(child for child in children[1:] if child is not None)
        return Operation(children[0], arguments)

    def variable(self, children: list[Token]) -> Variable:
        """A variable."""
        return Variable(str(children[0])[1:], self._span(children[0]))

    def value(self, children: list[Any]) -> Value:
        """A line below a rule."""
        return Value(*children)

    def rule(self, children: list[Any]) -> IrtgRule:
        """A rule with its lines."""
        state, label, *rest = children
        weight = next((child for child in rest if isinstance(child, Token)), None)
        return IrtgRule(
            state,
            label,
            tuple(child for child in rest if isinstance(child, State)),
            Name(str(weight), self._span(weight)) if weight is not None else None,
            tuple(child for child in rest if isinstance(child, Value)),
        )

    def irtg(self, children: list[Any]) -> IrtgFile:
        """The whole file."""
        return IrtgFile(
            tuple(child for child in children if isinstance(child, Interpretation)),
            tuple(child for child in children if isinstance(child, Name)),
            tuple(child for child in children if isinstance(child, IrtgRule)),
        )


def _report(source: SourceFile, problem: UnexpectedInput, diagnostics: Diagnostics) -> None:
    place: Any = problem.pos_in_stream
    start = place or 0
    found, expected = source.text[start : start + 1], set[str]()
    if isinstance(problem, UnexpectedToken):
        expected = set(problem.accepts or problem.expected)
        found = "" if problem.token.type == "$END" else str(problem.token)
        start = start if found else len(source.text.rstrip())
    elif isinstance(problem, UnexpectedCharacters):
        expected = set(problem.allowed or ())
    shown = found if len(found) <= _LONGEST else found[: _LONGEST - 1] + "…"
    diagnostics.error(
        "SGL1201",
        source.span(start, start + max(len(found), 1)),
        f"`{shown}` cannot stand here in an IRTG" if found else "this IRTG stops too early",
        hint=_hint(source.text[start:], found, expected),
    )


_LONGEST = 30


def _hint(rest: str, found: str, expected: set[str]) -> str:
    """What is probably meant, or what could stand there."""
    if rest.startswith("/*"):
        return "this comment is never closed; write `*/` where it ends"
    if found in ("'", '"'):
        return "this quotation is never closed"
    if found == "(" and "__ANON_0" in expected:
        return "the state stands first: `S -> r1(NP, VP)`"
    words = sorted({TERMINALS[name] for name in expected if name in TERMINALS})
    if not found.isascii() and "a name" in words:
        return "a name with such characters stands in quotation marks"
    return "expected " + " or ".join(words) if words else ""
