"""Read a file: cut it into declarations, parse each, report what cannot be read.

The grammar is in ``grammar.lark`` (LALR with a contextual lexer).  Its terminal
names never reach an author: what was expected is said in the words of the table
:data:`TERMINALS`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from sgl.diagnostics import Diagnostics, SourceFile, suggest
from sgl.lang.builder import TreeBuilder
from sgl.lang.chunks import Chunk, split_chunks
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.lang.syntax import Declaration, File

#: What an author calls the things the parser can expect.
TERMINALS: dict[str, str] = {
    "$END": "the end of the declaration",
    "_NL": "the end of the line",
    "NAME": "a name",
    "UPPER": "a name with a capital letter",
    "COLUMN": "a `$name`",
    "SET": "a `@set` of words",
    "NUMBER": "a number",
    "STRING": 'a quoted text `"…"`',
    "TILDE": "`~`",
    "NOT": "`not`",
    "REPEATED": "`repeated`",
    "LIKE_SPLIT": "`train` or `gen`",
}

_SHOWN = 5


@lru_cache(maxsize=1)
def _parser() -> Lark:
    grammar = resources.files("sgl.lang").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
    )


def read(source: SourceFile, diagnostics: Diagnostics) -> File:
    """The syntax tree of a file; what cannot be read is reported and left out."""
    chunks, comments = split_chunks(source, diagnostics)
    declarations = []
    for chunk in chunks:
        declaration = _read_chunk(source, chunk, diagnostics)
        if declaration is not None:
            declarations.append(declaration)
    return File(source.name, tuple(declarations), comments)


def _read_chunk(
    source: SourceFile, chunk: Chunk, diagnostics: Diagnostics
) -> Declaration | None:
    first = chunk.text.split(None, 1)[0]
    if first not in DECLARATIONS:
        _report_unknown(source, chunk, first, diagnostics)
        return None
    if not chunk.sound:
        return None
    try:
        tree = _parser().parse(chunk.text)
        declaration: Declaration = TreeBuilder(source, chunk.start).transform(tree)
    except UnexpectedInput as problem:
        _report_unexpected(source, chunk, problem, diagnostics)
        return None
    except VisitError as problem:
        raise problem.orig_exc from problem
    return declaration


def _report_unknown(
    source: SourceFile, chunk: Chunk, first: str, diagnostics: Diagnostics
) -> None:
    span = source.span(chunk.start, chunk.start + len(first))
    in_first_column = source.position(chunk.start)[1] == 1
    if not in_first_column:
        diagnostics.error(
            "SGL0103",
            span,
            "this line belongs to no declaration",
            hint="a declaration starts in the first column",
        )
        return
    hint = suggest(first, DECLARATIONS)
    if not hint and first in CLAUSES:
        hint = f"indent it: `{first}` is a clause of a declaration"
    diagnostics.error(
        "SGL0103",
        span,
        f"`{_clip(first)}` does not start a declaration",
        hint=hint or f"a declaration starts with one of: {', '.join(DECLARATIONS)}",
    )


def _report_unexpected(
    source: SourceFile, chunk: Chunk, problem: UnexpectedInput, diagnostics: Diagnostics
) -> None:
    position = problem.pos_in_stream
    length = 1
    found = "this"
    expected: set[str] = set()
    if isinstance(problem, UnexpectedToken):
        token: Token = problem.token
        expected = set(problem.accepts or problem.expected)
        if token.type == "$END":
            position, found = len(chunk.text), "the end of the declaration"
        elif token.type == "_NL":
            found = "the end of the line"
        else:
            length = len(token)
            found = f"`{_clip(str(token))}`"
    elif isinstance(problem, UnexpectedCharacters):
        expected = set(problem.allowed or ())
        found = f"`{problem.char}`"
    start = chunk.start + (position or 0)
    keyword = chunk.text.split(None, 1)[0]
    diagnostics.error(
        "SGL0101",
        source.span(start, start + length),
        f"{found} cannot stand here in a `{keyword}` declaration",
        hint=_expectation(expected, found),
    )


def _expectation(expected: set[str], found: str) -> str:
    """What could stand there, most telling first; a misspelt keyword wins."""
    keywords = {t.lower() for t in expected if t.lower() in (*CLAUSES, *DECLARATIONS)}
    near = suggest(found.strip("`"), keywords)
    if near:
        return near
    words = sorted(TERMINALS.get(name, "") or _literal(name) for name in expected)
    words = [word for word in dict.fromkeys(words) if word]
    if not words:
        return ""
    if len(words) > _SHOWN:
        words = [word for word in words if not word.strip("`").isalpha()][:_SHOWN] or words[:_SHOWN]
    return "expected " + (" or ".join(words))


def _literal(terminal: str) -> str:
    """The text of a keyword or a punctuation terminal, quoted."""
    for definition in _parser().terminals:
        if definition.name == terminal:
            value = definition.pattern.value
            return f"`{value}`" if definition.pattern.type == "str" else ""
    return ""


def _clip(text: str, longest: int = 30) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
