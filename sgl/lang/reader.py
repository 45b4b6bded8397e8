"""Read a file: cut it into declarations, parse each, report what cannot be read.

The grammar is in ``grammar.lark`` (LALR with a contextual lexer).  Its terminal
names never reach an author: what was expected is said in the words of the table
:data:`TERMINALS`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from io import BytesIO
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError
from lark.lexer import PatternRE, TerminalDef

from sgl.cache import cached
from sgl.diagnostics import Diagnostics, SourceFile, suggest, suggested
from sgl.lang.builder import TreeBuilder
from sgl.lang.chunks import Chunk, split_chunks
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.lang.syntax import Declaration, File, Name, Unread

#: What an author calls the things the parser can expect.
TERMINALS: dict[str, str] = {
    "$END": "the end of the declaration",
    "_NL": "the end of the line",
    "NAME": "a name",
    "UPPER": "a name with a capital letter",
    "COLUMN": "a `$name`",
    "SET": "a `@set` of words",
    "NUMBER": "a number",
    "WHOLE": "a whole number",
    "_MINUS": "`-`",
    "STRING": 'a quoted text `"…"`',
    "TILDE": "`~`",
    "NOT": "`not`",
    "REPEATED": "`repeated`",
    "LAST": "`last`",
}

#: After so many mistakes the rest of a file is not read.
MAX_MISTAKES = 100
#: Calls, `+` and `or` may stand in one another this deep.
MAX_NESTING = 64

#: Characters that look like those of the language, and those that are meant.
LOOKALIKES: dict[str, str] = {
    **{chr(code + 0xFEE0): chr(code) for code in range(0x21, 0x7F)},
    **dict.fromkeys("\u00a0\u3000\u2002\u2003\u2009", " "),
    **dict.fromkeys("“”„‟«»「」『』", '"'),
    **dict.fromkeys("‘’", '"'),
    **dict.fromkeys("、،", ","),
    **dict.fromkeys("–—−ー‐", "-"),
    **dict.fromkeys("〜∼", "~"),
    **dict.fromkeys("→⟶", "->"),
    "⇒": "=>",
    "≥": ">=",
    "≤": "<=",
    "≠": "!=",
}

#: Where a keyword and a name may stand, a word that is a keyword is one.
_KEYWORD_PRIORITY = 1
_SHOWN = 5
#: Declarations whose names may begin with a capital letter or not.
_ANY_CASE = ("labels", "words", "word")
_KEYWORD = re.compile(r"\w+|\S+")
_LAST_NAME = re.compile(r"(\w+)\s*$")
_NAMED = re.compile(r"\w+\s+([^\W\d]\w*(?:\.\w+)*)?")


@lru_cache(maxsize=1)
def _parser() -> Lark:
    """The parser of declarations; to load its tables is ten times as quick as to make them."""
    return Lark.load(BytesIO(cached(bytes, "parser", ("grammar.lark",), _tables)))


def _tables() -> bytes:
    tables = BytesIO()
    _made().save(tables)
    return tables.getvalue()


def _made() -> Lark:
    grammar = resources.files("sgl.lang").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        propagate_positions=True,
        maybe_placeholders=True,
        edit_terminals=_whole_words,
    )


def _whole_words(terminal: TerminalDef) -> None:
    """Keywords are whole words: `forbidden` does not begin with the keyword `forbid`."""
    if terminal.pattern.type == "str" and terminal.pattern.value.isalpha():
        terminal.pattern = PatternRE(terminal.pattern.value + r"(?!\w)")
        terminal.priority = _KEYWORD_PRIORITY


def read(source: SourceFile, diagnostics: Diagnostics) -> File:
    """The syntax tree of a file; what cannot be read is reported and left out."""
    before = diagnostics.errors
    declarations: list[Declaration] = []
    comments: list[Name] = []
    unread: list[Unread] = []
    above: Chunk | None = None
    for chunk in split_chunks(source):
        comments.extend(chunk.comments)
        if diagnostics.errors - before >= MAX_MISTAKES:
            unread.append(Unread("", ""))
            _report_many(source, chunk, diagnostics)
            break
        if not chunk.text:
            continue
        declaration = _read_chunk(source, chunk, diagnostics)
        if declaration is not None:
            declarations.append(declaration)
            above = chunk
            continue
        unread.extend(_unread(chunk))
        if above is not None and _keyword(chunk) in CLAUSES:
            # A clause that is not indented: what stands above is not complete without it.
            declarations.pop()
            unread.extend(_unread(above))
            above = None
    return File(source.name, tuple(declarations), tuple(comments), tuple(unread))


def _read_chunk(source: SourceFile, chunk: Chunk, diagnostics: Diagnostics) -> Declaration | None:
    first = _keyword(chunk)
    if first not in DECLARATIONS:
        _report_unknown(source, chunk, first, diagnostics)
        return None
    if chunk.fault is not None:
        diagnostics.add(chunk.fault)
        return None
    try:
        tree = _parser().parse(chunk.text)
    except UnexpectedInput as problem:
        _report_unexpected(source, chunk, problem, diagnostics)
        return None
    if _nesting(tree) > MAX_NESTING:
        diagnostics.error(
            "SGL0105",
            source.span(chunk.start, chunk.start + len(first)),
            f"something in this declaration is nested more than {MAX_NESTING} deep",
            hint="write a part of the expression as a `function` of its own",
        )
        return None
    try:
        declaration: Declaration = TreeBuilder(source, chunk.start).transform(tree)
    except VisitError as problem:
        raise problem.orig_exc from problem
    return declaration


def _keyword(chunk: Chunk) -> str:
    """The word that a declaration starts with, or what stands in its place."""
    match = _KEYWORD.match(chunk.text)
    return match.group() if match is not None else chunk.text[:1]


def _unread(chunk: Chunk) -> list[Unread]:
    """What is known about a declaration that cannot be read."""
    keyword = _keyword(chunk)
    meant = keyword if keyword in DECLARATIONS else suggested(keyword, DECLARATIONS) or ""
    if meant == "use":
        return [Unread("", "")]
    match = _NAMED.match(chunk.text)
    name = (match.group(1) or "") if match is not None else ""
    if keyword in DECLARATIONS:
        misnamed = name[:1].isupper() != (keyword == "category") and keyword not in _ANY_CASE
        return [Unread(keyword, "" if misnamed else name)]
    kinds = dict.fromkeys((meant, "")) if name else dict.fromkeys(filter(None, (meant,)))
    return [Unread(kind, name) for kind in kinds]


def _nesting(tree: Tree[Token]) -> int:
    """How deep a parse tree is; it may be too deep for a recursive function."""
    deepest = 0
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return deepest


def _report_many(source: SourceFile, chunk: Chunk, diagnostics: Diagnostics) -> None:
    diagnostics.error(
        "SGL0106",
        source.span(chunk.start, chunk.start + 1),
        f"this file has more than {MAX_MISTAKES} mistakes; the rest of it is not read",
        hint="correct those above, and check again",
    )


def _report_unknown(source: SourceFile, chunk: Chunk, first: str, diagnostics: Diagnostics) -> None:
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
    place: Any = problem.pos_in_stream
    start = chunk.start + (place or 0)
    found, expected = source.text[start : start + 1], set[str]()
    declaration = f"`{_keyword(chunk)}` declaration"
    message = ""
    if isinstance(problem, UnexpectedToken):
        token: Token = problem.token
        expected = set(problem.accepts or problem.expected)
        found = str(token)
        if token.type == "$END":
            start, found = chunk.start + len(chunk.text), ""
            message = f"this {declaration} stops too early"
        elif token.type == "_NL":
            found = ""
            message = f"this line of a {declaration} stops too early"
    elif isinstance(problem, UnexpectedCharacters):
        expected = set(problem.allowed or ())
    meant = LOOKALIKES.get(found)
    role = _role_without_category(chunk, start - chunk.start, expected)
    if role is not None:
        diagnostics.error(
            "SGL0101",
            source.span(chunk.start + role.start(1), chunk.start + role.end(1)),
            f"`{role[1]}` is neither a category nor a role with its category",
            hint=f"a category has a capital letter: `{role[1][:1].upper()}{role[1][1:]}`",
        )
        return
    diagnostics.error(
        "SGL0101",
        source.span(start, start + max(len(found), 1)),
        message or f"`{_clip(found)}` cannot stand here in a {declaration}",
        hint=f"if you mean `{meant}`, write the plain character (of ASCII)"
        if meant is not None
        else _expectation(expected, found),
    )


def _role_without_category(chunk: Chunk, stop: int, expected: set[str]) -> re.Match[str] | None:
    """The small name before ``stop`` on a right-hand side, where only `:` could follow."""
    name = _LAST_NAME.search(chunk.text, 0, stop)
    return name if expected == {"COLON"} and "->" in chunk.text[:stop] else None


def _expectation(expected: set[str], found: str) -> str:
    """What could stand there, most telling first; a misspelt keyword wins."""
    keywords = {t.lower() for t in expected if t.lower() in (*CLAUSES, *DECLARATIONS)}
    near = suggest(found, keywords)
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
    if terminal.lower() in (*CLAUSES, *DECLARATIONS):
        return f"`{terminal.lower()}`"
    for definition in _parser().terminals:
        if definition.name == terminal:
            value = definition.pattern.value
            return f"`{value}`" if definition.pattern.type == "str" else ""
    return ""


def _clip(text: str, longest: int = 30) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
