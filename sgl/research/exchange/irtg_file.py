"""Read Alto's codec for IRTGs into its syntax tree: what stands where, not yet what it means.

The grammar is in ``irtg.lark`` (LALR).  Values are made while the text is parsed, so
that no tree has to be walked, however deep its terms are.
"""

from __future__ import annotations

from importlib import resources
from typing import Any, NamedTuple

from lark import Lark, Token, Transformer, v_args
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.parser import clip
from sgl.lang.syntax import Name


class Operation(NamedTuple):
    """``*(?1, ?2)``, or a constant; an argument that is a name is the variable ``?name``."""

    symbol: Name
    arguments: tuple[Operation | Name, ...]


IrtgTerm = Operation | Name


class Interpretation(NamedTuple):
    """``interpretation english: de.up.ling.irtg.algebra.StringAlgebra``."""

    name: Name
    algebra: Name


class TreeState(NamedTuple):
    """A state of the tree automaton; ``final`` where it is marked so."""

    name: Name
    final: bool


class TermOf(NamedTuple):
    """``[english] *(?1, ?2)``: what the label of the rule means in an interpretation."""

    interpretation: Name
    term: IrtgTerm


class IrtgRule(NamedTuple):
    """``S! -> r1(NP, VP) [0.5]`` with the lines below it; ``weight`` as it is written."""

    state: TreeState
    label: Name
    children: tuple[TreeState, ...]
    weight: Name | None
    terms: tuple[TermOf, ...]


class IrtgFile(NamedTuple):
    """An IRTG as it was read; ``features`` are the names of its feature declarations."""

    interpretations: tuple[Interpretation, ...]
    features: tuple[Name, ...]
    rules: tuple[IrtgRule, ...]


def read_irtg(source: SourceFile, diagnostics: Diagnostics) -> IrtgFile | None:
    """Return the syntax tree of a file; None after a report."""
    grammar = resources.files("sgl.research.exchange").joinpath("irtg.lark").read_text("utf-8")
    builder = _SyntaxBuilder(source)
    parser = Lark(
        grammar, start="irtg", parser="lalr", transformer=builder, maybe_placeholders=True
    )
    try:
        found: Any = parser.parse(source.text)
    except UnexpectedInput as problem:
        _report(source, problem, parser, diagnostics)
        return None
    assert isinstance(found, IrtgFile)
    return found


def _only(kind: type[Any], children: tuple[object, ...]) -> tuple[Any, ...]:
    return tuple(child for child in children if isinstance(child, kind))


@v_args(inline=True)
class _SyntaxBuilder(Transformer[Token, Any]):
    """Makes the values of the syntax tree; a member is named after a rule of the grammar."""

    interpretation, value = Interpretation, TermOf

    def __init__(self, source: SourceFile) -> None:
        super().__init__()
        self._source = source

    def plain(self, token: Token, marks: int = 0) -> Name:
        start, text = token.start_pos or 0, str(token)
        return Name(text[marks:], self._source.span(start, start + len(text)))

    def quoted(self, token: Token) -> Name:
        # The marks are no part of the name.
        return Name(str(token)[1:-1], self.plain(token).span, quoted=True)

    def variable(self, token: Token) -> Name:
        return self.plain(token, 1)

    def feature(self, name: Name, *_: object) -> Name:
        return name

    def state(self, name: Name, final: Token | None) -> TreeState:
        return TreeState(name, final is not None)

    def operation(self, symbol: Name, *arguments: IrtgTerm | None) -> Operation:
        return Operation(symbol, tuple(child for child in arguments if child is not None))

    def rule(self, state: TreeState, label: Name, *rest: object) -> IrtgRule:
        weight = next((self.plain(token) for token in _only(Token, rest)), None)
        return IrtgRule(state, label, _only(TreeState, rest), weight, _only(TermOf, rest))

    def irtg(self, *children: object) -> IrtgFile:
        return IrtgFile(*(_only(kind, children) for kind in (Interpretation, Name, IrtgRule)))


# ---- what does not fit


#: What users call the terminals that are no words of the notation.
_TERMINALS: dict[str, str] = {
    "$END": "the end of the file",
    **dict.fromkeys(("NAME", "SINGLE", "DOUBLE"), "a name"),
    "VARIABLE": "a variable like `?1`",
    "NUMBER": "a number",
    "FINAL": "`!`",
}


def _report(
    source: SourceFile, problem: UnexpectedInput, parser: Lark, diagnostics: Diagnostics
) -> None:
    place: Any = problem.pos_in_stream
    start = place or 0
    found, expected = source.text[start : start + 1], set[str]()
    if isinstance(problem, UnexpectedToken):
        expected = set(problem.accepts or problem.expected)
        found = "" if problem.token.type == "$END" else str(problem.token)
        start = start if found else len(source.text.rstrip())
    elif isinstance(problem, UnexpectedCharacters):
        expected = set(problem.allowed or ())
    literal = {t.name: f"`{t.pattern.value}`" for t in parser.terminals if t.pattern.type == "str"}
    known = literal | _TERMINALS
    diagnostics.error(
        "SGL1201",
        source.span(start, start + max(len(found), 1)),
        f"`{clip(found)}` cannot stand here in an IRTG" if found else "this IRTG stops too early",
        hint=_hint(source.text[start:], found, {known[name] for name in expected & set(known)}),
    )


def _hint(rest: str, found: str, expected: set[str]) -> str:
    """Return what is probably meant, or what could stand there."""
    if rest.startswith("/*"):
        return "this comment is never closed; write `*/` where it ends"
    if found in ("'", '"'):
        return "this quotation is never closed"
    if found == "(" and "`->`" in expected:
        return "the state stands first: `S -> r1(NP, VP)`"
    if not found.isascii() and "a name" in expected:
        return "a name with such characters stands in quotation marks"
    return "expected " + " or ".join(sorted(expected)) if expected else ""
