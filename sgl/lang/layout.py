"""Format a file in the single style of grammars.

Line breaks are the author's.  A line is cut into *cells*, and the cells of neighbouring lines of a kind are aligned::

    rule vp: VP -> V NP~2    rule vp: VP -> V NP  ~ 2
      ja NP V                  ja  NP V
      syn V -[obj]->NP         syn V -[obj]-> NP

Clauses are indented by two, their parts by two more, continuation lines by four.  No token changes but notation of
earlier versions, and no comment is lost: the result is compared with its source.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from sgl.characters import display_width
from sgl.foreign import lines_of
from sgl.lang.chunks import CONTINUATION, UNFINISHED, chunk_starts
from sgl.values import dataclass

#: Maximum width of lines with aligned cells.
WIDTH = 100
#: Width of the first words of clauses: `gen` and `need` like `forbid`, `seed` like `train`.
_CLAUSES = {"pattern clause": 6, "part clause": 6, "dataset clause": 5, "release clause": 9}

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"?)|(?P<sharp>\#(?=[\w~*^$]))|(?P<comment>\#.*)"""
    r"""|-\[|->|=>|\.\.|>=|<=|!=|[$@]?\w+|\S"""
)
#: An example in the notation of earlier versions, on one line: `gen like "…"`, `gen { … } like "…"`, `train like "…"`.
_EXAMPLE = re.compile(r'^([ \t]+)(gen|train)([ \t](?:[^#"\n]*[ \t}])?)like(?=[ \t]*")', re.MULTILINE)
_BRACKETS = {"-[": "]", "[": "]", "(": ")", "{": "}"}
_COMPARISONS = ("=", "|", "!=", ">=", "<=", "<", ">")
#: Minimum width of layer names: `en` like `syn`.
_LAYER = 3
#: Where the cells of a declaration begin: at its first token of this kind.
_CUTS = {
    "layer": ":", "view": "=", "feature": "=", "param": "=", "labels": "=", "words": "=",
    "quota": "=", "function": "=", "structure": "{", "literal": "(",
}  # fmt: skip
#: Declarations whose continuation lines are indented like clauses.
_WITHOUT_CLAUSES = (*_CUTS, "category", "test", "use")
#: Clauses that belong to no layer.
_OTHERS = ("when", "keep", "variant")


@dataclass(frozen=True)
class _Token:
    """A token; ``joined`` if no space precedes it, ``within`` the last open bracket, ``tight`` inside an edge."""

    text: str
    joined: bool
    within: str
    tight: bool


@dataclass(frozen=True)
class _Line:
    """A line of a file, formatted except for the widths of its cells.

    ``cells`` are texts with their minimum numbers of preceding spaces.  Neighbours of one ``kind`` are aligned.
    ``part`` says that a declaration began above, ``goes_on`` that the line continues a clause.
    """

    indent: int
    cells: tuple[tuple[str, int], ...] = ()
    kind: str = ""
    comment: str = ""
    part: bool = False
    goes_on: bool = False

    @property
    def empty(self) -> bool:
        return not self.cells and not self.comment


def layout(text: str) -> str:
    r"""Format a grammar file; raise ``ValueError`` if a bug would change a token.

    >>> print(layout("feature num=sg|pl\nfeature tense = past |pres   # of verbs"), end="")
    feature num   = sg | pl
    feature tense = past | pres  # of verbs
    """
    text = _today(text)
    lines = _spaced(list(_read(text)))
    laid = (pair for group in _neighbours(lines) for pair in _aligned(group))
    made = "".join(f"{line}\n" for line in _indented(laid))
    if _said(text) != _said(made):
        raise ValueError("the layout would change a token")
    return made


def _said(text: str) -> list[str]:
    return [match.group().rstrip() for match in _TOKEN.finditer(text.expandtabs())]


def _today(text: str) -> str:
    """Return a text with today's word for the examples of patterns, in place of `like`."""
    starts = chunk_starts(text)
    chunks = (text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True))
    return "".join(_EXAMPLE.sub(_example, chunk) if chunk.startswith("pattern") else chunk for chunk in chunks)


def _example(found: re.Match[str]) -> str:
    return found[1] + ("" if found[2] == "gen" and not found[3].strip() else found[2] + found[3]) + "example"


def _read(text: str) -> Iterator[_Line]:
    """Yield the lines, formatted: those with tokens, comments and empty ones."""
    indents, keyword, unfinished = [0], "", False
    brackets: list[str] = []
    for line in lines_of(text.expandtabs()):
        inside = bool(brackets)
        tokens, comment = _tokens(line, brackets)
        indent = len(line) - len(line.lstrip())
        if not tokens:
            yield _Line(2 * (len(indents) - 1) if indent else 0, comment=comment, part=bool(indent))
            continue
        if inside or unfinished or CONTINUATION.match(line.strip()):
            _, cells = _cells(tokens, f"{keyword} goes on")
            if inside:
                cells = ((_joined(tokens), 0),)
            indent = 2 if keyword in _WITHOUT_CLAUSES else 4
            yield _Line(indent, cells, "", comment, part=True, goes_on=True)
        else:
            while len(indents) > 1 and indents[-1] > indent:
                indents.pop()
            if not indent:
                indents, keyword = [0], tokens[0].text
            elif indent > indents[-1]:
                indents.append(indent)
            level = len(indents) - 1
            kind, cells = _cells(tokens, keyword if not level else f"{keyword} clause")
            yield _Line(2 * level, cells, kind, comment, part=bool(level))
        unfinished = tokens[-1].text in UNFINISHED


def _tokens(line: str, brackets: list[str]) -> tuple[tuple[_Token, ...], str]:
    """Return the tokens and the comment of a line, and update ``brackets``, the open ones."""
    tokens: list[_Token] = []
    end, edge = -1, False
    for match in _TOKEN.finditer(line):
        text = match.group()
        degree = match.lastgroup == "sharp" and brackets[-1:] == ["["]
        if text.startswith("#") and not degree:
            return tuple(tokens), line[match.start() :].rstrip()
        within = brackets[-1] if brackets else ""
        tokens.append(_Token(text, match.start() == end, within, edge or within in ("-[", "bounds")))
        end = match.end()
        if text in _BRACKETS:
            brackets.append("bounds" if edge and text == "{" else text)
        elif text in _BRACKETS.values() and brackets:
            # An edge continues from `]` to `->`: `-[nmod]{2,3}->`.
            edge = brackets.pop() in ("-[", "bounds")
        edge = edge and text != "->"
    return tuple(tokens), ""


def _joined(tokens: Sequence[_Token], kind: str = "") -> str:
    """Return tokens as text, with the proper spaces between them; ``kind`` is the kind of their declaration."""
    text, before = "", ""
    for token in tokens:
        if before and (_two_words(before, token) if token.tight else _apart(before, token, token.within or kind)):
            text += " "
        text, before = text + token.text, token.text
    return text


def _two_words(before: str, token: _Token) -> bool:
    """Return whether two tokens would be one without a space, as in ``-[$link or nmod]->``."""
    return not token.joined and before[-1].isalnum() and token.text.lstrip("$@")[:1].isalnum()


def _apart(before: str, token: _Token, within: str) -> bool:
    text = token.text
    if text in (",", ";", ")", "]", ".", "..") or before in ("(", "[", ".", "..", "#", "^"):
        return False
    if within in ("[", "(") and (text in _COMPARISONS or before in _COMPARISONS):
        return False
    if ":" in (text, before) or (text == "(" and within == "layer"):
        return within == "layer"
    if (before, text) == ("without", "("):
        return True
    if text in ("(", "[", "+", "-") or before in ("+", "-") or (before, within) == ("~", "labels"):
        return not token.joined
    return True


def _neighbours(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    """Yield groups of neighbouring lines of one kind; a continuation is in the group of its line."""
    group: list[_Line] = []
    for line in lines:
        if group and not line.goes_on and (line.kind, line.indent) != (group[0].kind, group[0].indent):
            yield group
            group = []
        group.append(line)
    yield from [group] * bool(group)


def _cells(tokens: Sequence[_Token], kind: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return the kind with which a line is aligned, and its cells."""
    texts = [token.text for token in tokens]
    if kind in _CLAUSES:
        return "", _clause(tokens, texts, _CLAUSES[kind])
    cuts = _first_cut(texts, kind)
    if kind.endswith(" clause"):
        end, several = _names(texts)
        if several:
            return kind, ((_joined(tokens[:end]) + "  " + _joined(tokens[end:]), 0),)
        cuts[end] = 2 if kind == "paradigm clause" else 1
        kind = kind if end else ""
    cuts |= _further_cuts(tokens, kind)
    bounds = [0, *sorted(at for at in cuts if 0 < at < len(texts)), len(texts)]
    cells = [(_joined(tokens[start:end], kind), cuts[start] if start else 0) for start, end in pairwise(bounds)]
    if kind.endswith(" clause") and len(cells) > 1:
        cells[0] = (cells[0][0].ljust(_LAYER), 0)
    if kind == "view":
        cells[0] = (cells[0][0].replace("view ", "view  ", 1), 0)
    return kind, tuple(cells)


def _first_cut(texts: Sequence[str], kind: str) -> dict[int, int]:
    """Return where the second cell of a declaration begins, with the spaces before it."""
    if kind in _CUTS and _CUTS[kind] in texts:
        return {texts.index(_CUTS[kind]): 1}
    if kind == "category" and texts[-1].startswith('"'):
        return {len(texts) - 1: 2}
    return {texts.index(":") + 1: 1} if kind in ("rule", "word") and ":" in texts else {}


def _further_cuts(tokens: Sequence[_Token], kind: str) -> dict[int, int]:
    """Return where the weight and the conditions of a rule or word begin, outside all brackets."""
    if kind.split(" ", maxsplit=1)[0] not in ("rule", "word", "lexicon"):
        return {}
    outside = [(at, token.text) for at, token in enumerate(tokens) if not token.within]
    weights = {at: 2 for at, text in outside if text in ("~", "when") and at}
    return weights | {at: 1 for at, text in outside if text == "if" and " clause" in kind}


def _clause(tokens: Sequence[_Token], texts: Sequence[str], width: int) -> tuple[tuple[str, int], ...]:
    """Return the cells of a clause of a pattern: `gen    { … }`."""
    if len(texts) < 2 or texts[0] == "example" or texts[1] in ("example", "never"):
        return ((_joined(tokens), 0),)
    return (texts[0].ljust(width), 0), (_joined(tokens[1:]), 1)


def _names(texts: Sequence[str]) -> tuple[int, bool]:
    """Return the number of tokens that name a clause's layers, 0 if none, and whether there are several layers."""
    first = texts[0]
    if first in _OTHERS or first[0].isupper() or not first[0].isalpha() or texts[1:2] == ["("] or len(texts) < 2:
        return 0, False
    edge = texts.index("-[") if "-[" in texts else 0
    if edge > 2 and all(text.isalnum() and not text[0].isupper() for text in texts[: edge - 1]):
        return edge - 1, True
    return (3 if texts[1] == "." else 1), False


def _aligned(lines: Sequence[_Line]) -> Iterator[tuple[_Line, tuple[str, ...]]]:
    """Yield neighbouring lines of a kind with their aligned cells."""
    widths = [line.indent for line in lines]
    cells: list[list[str]] = [[] for _ in lines]
    for column in range(max(len(line.cells) for line in lines)):
        for at, start in _starts(lines, widths, column).items():
            cell = " " * (start - widths[at]) + lines[at].cells[column][0]
            cells[at].append(cell)
            widths[at] += display_width(cell)
    remarks = [at for at, line in enumerate(lines) if line.cells and line.comment]
    for at in remarks:
        cells[at].append(" " * (max(widths[at] for at in remarks) - widths[at] + 2) + lines[at].comment)
    yield from ((line, tuple(own)) for line, own in zip(lines, cells, strict=True))


def _starts(lines: Sequence[_Line], widths: Sequence[int], column: int) -> dict[int, int]:
    """Return where the cells of a column begin, by line; lines are ``widths`` wide without them."""
    starts = {at: widths[at] + line.cells[column][1] for at, line in enumerate(lines) if column < len(line.cells)}
    together = [at for at in starts if not lines[at].goes_on]
    # A line that would become too long is not aligned with the others.
    for start in sorted((starts[at] for at in together), reverse=True) if lines[0].kind else ():
        below = [at for at in together if starts[at] <= start]
        if all(start + _rest(lines[at], column) <= WIDTH for at in below):
            return starts | dict.fromkeys(below, start)
    return starts


def _rest(line: _Line, column: int) -> int:
    cells = line.cells[column:]
    return sum(display_width(text) for text, _ in cells) + sum(gap for _, gap in cells[1:])


def _indented(laid: Iterable[tuple[_Line, tuple[str, ...]]]) -> Iterator[str]:
    """Yield the texts of lines, with continuations aligned.

    In brackets they are aligned with the text after the bracket, otherwise with the second cell of the clause.
    """
    brackets: list[int] = []
    content = line_above = 0
    for line, cells in laid:
        indent = line.indent
        if line.goes_on:
            indent = brackets[-1] if brackets else content or indent
            if cells[0] in _BRACKETS.values():
                indent = line_above
        elif line.cells:
            second = indent + display_width(cells[0]) + 1 if line.part and len(cells) > 1 else 0
            content, line_above = second and second + _blanks(cells[1]) - 1, indent
        text = " " * indent + "".join(cells)
        code = text.removesuffix(line.comment)
        for match in _TOKEN.finditer(code):
            sign, rest = match.group(), code[match.end() :]
            if sign in _BRACKETS:
                after = display_width(code[: match.end()]) + _blanks(rest)
                brackets.append(after if rest.strip() else line_above + 2)
            elif sign in _BRACKETS.values() and brackets:
                brackets.pop()
        yield text.rstrip() if line.cells else text + line.comment


def _blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _spaced(lines: Sequence[_Line]) -> Iterator[_Line]:
    """Yield lines with empty lines, at most two in a row, around declarations of several lines."""
    blocks: list[list[_Line]] = []
    gaps: list[int] = []
    waiting = 0
    for line in lines:
        if line.empty:
            waiting += 1
        elif blocks and (line.part or not (waiting or blocks[-1][-1].cells)):
            # A part of a declaration, or the line directly below a comment.
            blocks[-1] += [*[_Line(0)] * min(waiting, 1), line]
            waiting = 0
        else:
            blocks.append([line])
            gaps.append(min(waiting, 2))
            waiting = 0
    several = [any(line.part and line.cells and not line.goes_on for line in b) for b in blocks]
    for number, block in enumerate(blocks):
        if number:
            yield from [_Line(0)] * max(gaps[number], several[number] or several[number - 1])
        yield from block
