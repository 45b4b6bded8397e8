"""Read a file: cut it into declarations, parse each, report what cannot be read.

A declaration that cannot be parsed is reported once, by :mod:`sgl.lang.typos` if what
was meant can be guessed, else by :mod:`sgl.lang.parser` with what could have stood there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from sgl.diagnostics import Diagnostics, SourceFile, suggest, suggested
from sgl.lang.builder import TreeBuilder
from sgl.lang.chunks import Chunk, split_chunks
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.lang.parser import (
    categories_in,
    clip,
    expectation,
    layers_in,
    message_of,
    parse_failure,
    parser,
)
from sgl.lang.syntax import Declaration, File, Name, Unread
from sgl.lang.typos import COMMENTS, begins_declaration, probable_typo

#: After so many mistakes the rest of a file is not read.
MAX_MISTAKES = 100
#: Calls, `+` and `or` may stand in one another this deep.
MAX_NESTING = 64

#: Declarations whose names may begin with a capital letter or not.
_ANY_CASE = ("labels", "words", "word")
_KEYWORD = re.compile(r"\w+|\S+")
_INDENTED_LINE = re.compile(r"^[ \t]+(\w+)[ \t].*$", re.MULTILINE)
#: Numbers with commas, and what may contain something like them: quotations and bounds.
_COMMAS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\{[0-9]+,[0-9]*\}|(?<![\w.])([0-9]{1,3}(?:,[0-9]{3})+)(?![\w.])'
)
_NAMED = re.compile(r"\w+\s+([^\W\d]\w*(?:\.\w+)*)?")


def read(source: SourceFile, diagnostics: Diagnostics) -> File:
    """Return the syntax tree of a file; what cannot be read is reported and left out."""
    before = diagnostics.errors
    declarations: list[Declaration] = []
    comments: list[Name] = []
    unread: list[Unread] = []
    above: Chunk | None = None
    chunks = list(split_chunks(source))
    if _is_foreign(chunks):
        _report_foreign(source, chunks, diagnostics)
        return File(source.name, (), (), (Unread("", ""),))
    for chunk in chunks:
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
        if above is not None and _is_clause(source, chunk):
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
        tree = parser().parse(chunk.text)
    except UnexpectedInput as problem:
        _report_unexpected(source, chunk, problem, diagnostics)
        return None
    swallowed = _swallowed(source, chunk)
    if swallowed is not None:
        start = chunk.start + swallowed.start(1)
        message = "a declaration starts in the first column"
        hint = f"remove the spaces before `{swallowed[1]}`"
        diagnostics.error("SGL0101", source.span(start, start + len(swallowed[1])), message, hint)
        return None
    thousands = _thousands(chunk)
    if thousands is not None:
        number = thousands[1]
        diagnostics.error(
            "SGL0101",
            source.span(chunk.start + thousands.start(1), chunk.start + thousands.end(1)),
            f"is `{clip(number)}` one number or several?",
            hint=f"write `{clip(number.replace(',', ''))}`, or `{clip(number.replace(',', ', '))}`",
        )
        return None
    if _nesting(tree) > MAX_NESTING:
        message = f"something in this declaration is nested more than {MAX_NESTING} deep"
        hint = "write a part of the expression as a `function` of its own"
        diagnostics.error(
            "SGL0105", source.span(chunk.start, chunk.start + len(first)), message, hint
        )
        return None
    try:
        declaration: Declaration = TreeBuilder(source, chunk.start).transform(tree)
    except VisitError as problem:
        raise problem.orig_exc from problem
    return declaration


def _swallowed(source: SourceFile, chunk: Chunk) -> re.Match[str] | None:
    """Return an indented declaration that reads as a clause, as ``  category NP`` does."""
    for match in _INDENTED_LINE.finditer(chunk.text):
        if begins_declaration(match[0]) and match[1] not in layers_in(source):
            return match
    return None


def _thousands(chunk: Chunk) -> re.Match[str] | None:
    """Return a number with commas, ``size 1,000``, which reads as the sizes 1 and 000 as well."""
    return next((match for match in _COMMAS.finditer(chunk.text) if match[1]), None)


def _keyword(chunk: Chunk) -> str:
    """Return the word that a declaration starts with, or what stands in its place."""
    return _first_word(chunk.text)


def _first_word(text: str) -> str:
    match = _KEYWORD.match(text)
    return match.group() if match is not None else text[:1]


def _is_clause(source: SourceFile, chunk: Chunk) -> bool:
    """Return whether what stands in the first column is a clause: it has no keyword of its own."""
    first = _keyword(chunk)
    if first in DECLARATIONS:
        return False
    return first in (*CLAUSES, *layers_in(source), *categories_in(source))


def _unread(chunk: Chunk) -> list[Unread]:
    """Return what is known about a declaration that cannot be read, and any it has swallowed."""
    inside = [line.strip() for line in chunk.text.split("\n")[1:] if begins_declaration(line)]
    return [entry for text in (chunk.text, *inside) for entry in _announced(text)]


def _announced(text: str) -> list[Unread]:
    """Return what an unreadable declaration says in its beginning that it declares."""
    keyword = _first_word(text)
    meant = keyword if keyword in DECLARATIONS else suggested(keyword, DECLARATIONS) or ""
    if meant == "use":
        return [Unread("", "")]
    match = _NAMED.match(text)
    name = (match.group(1) or "") if match is not None else ""
    if keyword in DECLARATIONS:
        misnamed = name[:1].isupper() != (keyword == "category") and keyword not in _ANY_CASE
        return [Unread(keyword, "" if misnamed else name)]
    kinds = dict.fromkeys((meant, "")) if name else dict.fromkeys(filter(None, (meant,)))
    return [Unread(kind, name) for kind in kinds]


def _nesting(tree: Tree[Token]) -> int:
    """Return how deep a parse tree is; it may be too deep for a recursive function."""
    deepest = 0
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return deepest


def _is_foreign(chunks: Sequence[Chunk]) -> bool:
    """Return whether a file is none of SGL: it has several parts, and no declaration."""
    first = [_keyword(chunk) for chunk in chunks if chunk.text]
    return len(first) > 1 and not any(
        word in (*DECLARATIONS, *CLAUSES) or suggested(word, DECLARATIONS) for word in set(first)
    )


def _report_foreign(source: SourceFile, chunks: Sequence[Chunk], diagnostics: Diagnostics) -> None:
    start = next(chunk.start for chunk in chunks if chunk.text)
    is_table = source.name.endswith((".yaml", ".yml"))
    diagnostics.error(
        "SGL0103",
        source.span(start, start + 1),
        "nothing in this file starts a declaration of SGL",
        hint=f'a table is read by a grammar: `lexicon words from "{source.name}"`'
        if is_table
        else f"a declaration starts with one of: {', '.join(DECLARATIONS)}",
    )


def _report_many(source: SourceFile, chunk: Chunk, diagnostics: Diagnostics) -> None:
    message = f"this file has more than {MAX_MISTAKES} mistakes; the rest of it is not read"
    hint = "correct those above, and check again"
    diagnostics.error("SGL0106", source.span(chunk.start, chunk.start + 1), message, hint)


def _report_unknown(source: SourceFile, chunk: Chunk, first: str, diagnostics: Diagnostics) -> None:
    span = source.span(chunk.start, chunk.start + len(first))
    in_first_column = source.position(chunk.start)[1] == 1
    if not in_first_column:
        message = "this line does not belong to a declaration"
        diagnostics.error("SGL0103", span, message, "a declaration starts in the first column")
        return
    hint = suggest(first, DECLARATIONS)
    if chunk.text.startswith(COMMENTS):
        hint = "a comment starts with `#`"
    elif _is_clause(source, chunk) and (not hint or first not in CLAUSES):
        hint = f"indent it: `{first}` is a clause of a declaration"
    diagnostics.error(
        "SGL0103",
        span,
        f"`{clip(first)}` does not start a declaration",
        hint=hint or f"a declaration starts with one of: {', '.join(DECLARATIONS)}",
    )


def _report_unexpected(
    source: SourceFile, chunk: Chunk, problem: UnexpectedInput, diagnostics: Diagnostics
) -> None:
    failure = parse_failure(source, chunk, problem)
    finding = probable_typo(failure) or failure.here(expectation(failure))
    diagnostics.error(
        "SGL0101",
        source.span(chunk.start + finding.start, chunk.start + finding.end),
        finding.message or message_of(failure),
        hint=finding.hint,
    )
