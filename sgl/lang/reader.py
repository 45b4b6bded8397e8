"""Read a file: cut it into declarations, parse each, and report the unreadable ones.

An unreadable declaration is reported once, by :mod:`sgl.lang.typos` if it can guess the intention, otherwise by
:mod:`sgl.lang.parser` with what was expected.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from sgl.diagnostics import Diagnostics, SourceFile, suggest, suggested
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.lang.builder import TreeBuilder
from sgl.lang.chunks import PLUS_END, Chunk, begins_declaration, first_word, split_chunks
from sgl.lang.parser import Finding, clip, declared_in, old_notation, parse_failure, parser
from sgl.lang.syntax import Declaration, File, Unread
from sgl.memory import kept

#: After this number of mistakes the rest of a file is skipped.
MAX_MISTAKES = 100
#: Maximum nesting of calls, `+` and `or`.
MAX_NESTING = 64

#: Declarations whose names may begin with a capital or a small letter.
_ANY_CASE = ("labels", "words", "word")
_INDENTED_LINE = re.compile(r"^[ \t]+(\w+)[ \t].*$", re.MULTILINE)
#: Numbers with commas, weights last, and similar texts to skip: quotations and bounds.
_COMMAS = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|\{[0-9]+,[0-9]*\}|(?<![\w.])([0-9]{1,3}(?:,[0-9]{3})+)(?![\w.])'
    r"|~[ \t]*(0,[0-9]+|[0-9]+,(?![0-9]{3}\b)[0-9]+)(?![\w.,]|[ \t]*if\b)"
)
#: A line that ends with `+`, with its indentation, and the indentation and first word of the next.
_PLUS = re.compile(rf"^([ \t]*)[^\n]*?(\+)[ \t]*{PLUS_END}(?:[ \t]*{PLUS_END})*([ \t]*)(\w+)[ \t]", re.MULTILINE)
#: Signs that begin a comment in other languages, for lines that start no declaration.
_COMMENTS = ("//", "/*", "--", "%", ";", "<!--", "(*")
_NAMED = re.compile(r"\w+\s+([^\W\d]\w*(?:\.\w+)*)?")


def read(source: SourceFile, diagnostics: Diagnostics) -> File:
    """Return the syntax tree of a file; report unreadable declarations and leave them out."""
    before = diagnostics.errors
    declarations: list[Declaration] = []
    unread: list[Unread] = []
    above: Chunk | None = None
    chunks, layers = list(split_chunks(source)), tuple(declared_in(source, "layer"))
    if _is_foreign(source, chunks, diagnostics):
        return File(source.name, (), (Unread("", ""),))
    for chunk in chunks:
        if diagnostics.errors - before >= MAX_MISTAKES:
            unread.append(Unread("", ""))
            message = f"this file has more than {MAX_MISTAKES} mistakes; the rest of it is not read"
            span = source.span(chunk.start, chunk.start + 1)
            diagnostics.error("SGL0106", span, message, "correct those above, and check again")
            break
        if not chunk.text:
            continue
        written = (source.name, chunk.start, chunk.text, layers)
        tree = partial(_read_chunk, source, chunk, diagnostics)
        declaration = kept("declaration", (), written, tree)
        if declaration is not None:
            declarations.append(declaration)
            above = chunk
            continue
        unread.extend(_unread(chunk))
        if above is not None and _is_clause(source, chunk):
            # A clause that is not indented: without it, the declaration above is incomplete.
            declarations.pop()
            unread.extend(_unread(above))
            above = None
    return File(source.name, tuple(declarations), tuple(unread))


def _read_chunk(source: SourceFile, chunk: Chunk, diagnostics: Diagnostics) -> Declaration | None:
    if chunk.keyword not in DECLARATIONS:
        _report_unknown(source, chunk, diagnostics)
        return None
    if chunk.fault is not None:
        diagnostics.add(chunk.fault)
        return None
    try:
        tree = parser().parse(chunk.text)
        finding = old_notation(chunk.text, tree) or next(_doubts(source, chunk, tree), None)
    except UnexpectedInput as problem:
        from sgl.lang.typos import probable_typo

        failure = parse_failure(source, chunk, problem)
        finding = probable_typo(failure) or failure.here(failure.expectation())
    finding = _lone_plus(source, chunk) or finding
    if finding is not None:
        span = source.span(chunk.start + finding.start, chunk.start + finding.end)
        diagnostics.error(finding.code, span, finding.message, finding.hint)
        return None
    try:
        declaration: Declaration = TreeBuilder(source, chunk.start).transform(tree)
    except VisitError as problem:
        raise problem.orig_exc from problem
    return declaration


def _lone_plus(source: SourceFile, chunk: Chunk) -> Finding | None:
    """Return an objection to a `+` at the end, or before a line that is no further indented and begins with a layer."""
    message, hint = "nothing follows this `+`", "remove it, or write what it glues"
    for line in _PLUS.finditer(chunk.text):
        if line[4] in declared_in(source, "layer") and (len(line[3]) <= len(line[1]) or not line[1]):
            hint = f"{hint}: after a `+` the clause goes on with `{line[4]}`, below"
            return Finding(*line.span(2), hint, message)
    end = len(chunk.text)
    return Finding(end - 1, end, hint, message) if chunk.text.endswith("+") else None


def _doubts(source: SourceFile, chunk: Chunk, tree: Tree[Token]) -> Iterator[Finding]:
    """Yield objections to a declaration that can be parsed."""
    for line in _INDENTED_LINE.finditer(chunk.text):
        # An indented declaration parses as a clause, as `  category NP` does.
        if begins_declaration(line[0]) and line[1] not in declared_in(source, "layer"):
            hint = f"remove the spaces before `{line[1]}`"
            yield Finding(*line.span(1), hint, "a declaration starts in the first column")
    for number in _COMMAS.finditer(chunk.text):
        if number[1]:
            # `size 1,000` also parses as the sizes 1 and 000.
            one, several = clip(number[1].replace(",", "")), clip(number[1].replace(",", ", "))
            message = f"is `{clip(number[1])}` one number or several?"
            yield Finding(*number.span(1), f"write `{one}`, or `{several}`", message)
        if number[2]:
            hint = f"write `{clip(number[2].replace(',', '.'))}`"
            yield Finding(*number.span(2), hint, f"`{clip(number[2])}` is not one number")
    # The tree may be too deep for recursion.
    stack = [(tree, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_NESTING:
            message = f"something in this declaration is nested more than {MAX_NESTING} deep"
            hint = "write a part of the expression as a `function` of its own"
            yield Finding(0, len(chunk.keyword), hint, message, "SGL0105")
        stack.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))


def _is_clause(source: SourceFile, chunk: Chunk) -> bool:
    """Return whether a line in the first column is a clause, without a keyword of a declaration."""
    layers, categories = declared_in(source, "layer"), declared_in(source, "category")
    word = chunk.keyword
    return word not in DECLARATIONS and word in (*CLAUSES, *layers, *categories)


def _unread(chunk: Chunk) -> list[Unread]:
    """Return what an unreadable declaration, and any inside it, would have declared."""
    inside = [line.strip() for line in chunk.text.split("\n")[1:] if begins_declaration(line)]
    return [entry for text in (chunk.text, *inside) for entry in _announced(text)]


def _announced(text: str) -> list[Unread]:
    """Return what an unreadable declaration announces in its beginning."""
    keyword = first_word(text)
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


def _is_foreign(source: SourceFile, chunks: Sequence[Chunk], diagnostics: Diagnostics) -> bool:
    """Report a file that is not an SGL file: it has several parts, but no declaration."""
    written = [chunk for chunk in chunks if chunk.text]
    words = {chunk.keyword for chunk in written}
    known = (word in (*DECLARATIONS, *CLAUSES) or suggested(word, DECLARATIONS) for word in words)
    if len(written) < 2 or any(known):
        return False
    hint = f"a declaration starts with one of: {', '.join(DECLARATIONS)}"
    if source.name.endswith((".yaml", ".yml")):
        hint = f'a table is read by a grammar: `lexicon words from "{source.name}"`'
    span = source.span(written[0].start, written[0].start + 1)
    diagnostics.error("SGL0103", span, "nothing in this file starts a declaration of SGL", hint)
    return True


def _report_unknown(source: SourceFile, chunk: Chunk, diagnostics: Diagnostics) -> None:
    word = chunk.keyword
    span = source.span(chunk.start, chunk.start + len(word))
    if source.position(chunk.start)[1] != 1:
        message = "this line does not belong to a declaration"
        diagnostics.error("SGL0103", span, message, "a declaration starts in the first column")
        return
    hint = suggest(word, DECLARATIONS)
    if chunk.text.startswith(_COMMENTS):
        hint = "a comment starts with `#`"
    elif _is_clause(source, chunk) and (not hint or word not in CLAUSES):
        hint = f"indent it: `{word}` is a clause of a declaration"
    hint = hint or f"a declaration starts with one of: {', '.join(DECLARATIONS)}"
    diagnostics.error("SGL0103", span, f"`{clip(word)}` does not start a declaration", hint)
