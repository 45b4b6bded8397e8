"""Cut a file into declarations, so that each can be parsed by itself.

A declaration starts in the first column.  That one rule of layout makes the
reader tolerant: whatever is wrong in a declaration, the next one is found.

The text of a chunk keeps its length, so that places stay right: comments and
the line ends inside brackets become spaces, and what remains of the line ends
separates clauses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from sgl.diagnostics import Diagnostic, Severity, SourceFile
from sgl.lang.confusables import CONFUSABLES
from sgl.lang.syntax import Name

#: Brackets may nest this deep; nothing an author writes comes near it.
MAX_DEPTH = 40

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {")": "(", "]": "[", "}": "{"}
#: A line that starts with one of these goes on with the clause above it.
_CONTINUATION = re.compile(r"(?:without|within|outside)\b|=>")
#: A line that ends with one of these goes on in the next one.
_UNFINISHED = (";", ",", "|", "+", "->", "=>")
#: Empty lines and comments, up to the first character after them.
_NOTHING = re.compile(r"(?:[ \t\f\r]*(?:#[^\n]*)?\n)*[ \t\f\r]*")
#: Where something other than plain text may begin.
_SPECIAL = re.compile(r'["#\n\t\f\r()\[\]{}]')
#: Unicode categories of tabs and other control characters, and of line ends.
_UNPRINTED = ("Cc", "Zl", "Zp")
#: Blanks of other scripts, and of other systems, do not start a declaration either.
_BLANK = " \t\f\r\n\u00a0\u3000"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One declaration: its place in the file, its prepared text and its comments.

    ``text`` is as long as what it stands for; it is empty where there are only comments.
    ``fault`` says what is wrong with its quotations or brackets, if anything is.
    """

    start: int
    text: str
    fault: Diagnostic | None
    comments: tuple[Name, ...]


def split_chunks(source: SourceFile) -> Iterator[Chunk]:
    """Yield the declarations of a file, one after the other."""
    for start, end in _extents(source.text):
        yield _Scanner(source, start, end).run()


def _extents(text: str) -> list[tuple[int, int]]:
    """Return where chunks begin and end: at each line whose first column is not blank."""
    line_starts = (match.end() for match in re.finditer("\n", text))
    starts = [0, *(p for p in line_starts if text[p : p + 1].strip(_BLANK + "#)]}"))]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


class _Scanner:
    """One pass over a chunk: strings, comments, brackets."""

    def __init__(self, source: SourceFile, start: int, end: int) -> None:
        self.source = source
        self.text = source.text
        self.start = start
        self.end = end
        self.out: list[str] = []
        self.comments: list[Name] = []
        self.brackets: list[int] = []
        self.fault: Diagnostic | None = None
        self.before = ""
        self.following = start

    def run(self) -> Chunk:
        position = self.start
        while position < self.end:
            match = _SPECIAL.search(self.text, position, self.end)
            special = match.start() if match is not None else self.end
            if special > position:
                self._put(self.text[position:special])
            position = self._step(special) if special < self.end else special
        if self.brackets:
            self._fail_unclosed(self.brackets[-1])
        text = "".join(self.out).rstrip(_BLANK)
        indent = len(text) - len(text.lstrip(_BLANK))
        return Chunk(self.start + indent, text[indent:], self.fault, tuple(self.comments))

    def _put(self, piece: str) -> None:
        self.out.append(piece)
        self.before = piece.rstrip()[-2:] or self.before

    def _step(self, position: int) -> int:
        character = self.text[position]
        if character == '"':
            return self._string(position)
        if character == "#" and self._starts_comment(position):
            return self._comment(position)
        if character == "\n":
            self._put(" " if self.brackets or self._continues(position) else "\n")
            return position + 1
        if character in _OPEN:
            self._open(position)
        elif character in _CLOSE:
            self._close(position)
        self._put(" " if character in "\t\f\r" else character)
        return position + 1

    def _fail_unclosed(self, opening: int) -> None:
        """Report an open bracket; most likely its partner is one of another keyboard."""
        sign = _OPEN[self.text[opening]]
        wide = next((wide for wide, plain in CONFUSABLES.items() if plain == sign), "")
        hint = f"write `{sign}` where it ends"
        if wide and wide in self.text[opening : self.end]:
            hint = f"write `{sign}` (of ASCII) in place of `{wide}`"
        self._fail("SGL0104", opening, f"this `{self.text[opening]}` is never closed", hint=hint)

    def _starts_comment(self, position: int) -> bool:
        """``#amod`` inside brackets is a degree test, everything else a comment."""
        following = self.text[position + 1 : position + 2]
        degree = following.isalpha() or following in ("_", "~", "*", "^", "$")
        return not (self.brackets and self.text[self.brackets[-1]] == "[" and degree)

    def _comment(self, position: int) -> int:
        end = self.text.find("\n", position, self.end)
        end = self.end if end < 0 else end
        text = self.text[position:end].rstrip(" \t\f\r")
        self.comments.append(Name(text, self.source.span(position, position + len(text))))
        self._put(" " * (end - position))
        return end

    def _string(self, position: int) -> int:
        end = position + 1
        while end < self.end and self.text[end] not in '"\n':
            self._check_character(end)
            escaped = self.text[end] == "\\" and self.text[end + 1 : end + 2] != "\n"
            end += 2 if escaped else 1
        if end >= self.end or self.text[end] != '"':
            curved = next((c for c in self.text[position:end] if CONFUSABLES.get(c) == '"'), "")
            self._fail(
                "SGL0102",
                position,
                "this quotation is not closed on its line",
                hint=f'write `"` (of ASCII) in place of `{curved}`'
                if curved
                else 'write `"` where the quoted text ends',
            )
            end = min(end, self.end) - 1
        self._put(self.text[position : end + 1])
        return end + 1

    def _check_character(self, position: int) -> None:
        """Words are plain text: no line ends, no tabs, and no way to write them."""
        character, following = self.text[position], self.text[position + 1 : position + 2]
        if character == "\\" and following not in ('"', "\\", "\n", ""):
            self._fail(
                "SGL0107",
                position,
                f"`\\{following}` means nothing in a quotation",
                hint='only `\\"` and `\\\\` are written with a backslash',
            )
        elif unicodedata.category(character) in _UNPRINTED:
            self._fail(
                "SGL0107",
                position,
                f"U+{ord(character):04X} in a quotation cannot be printed",
                hint="remove it, or write a space",
            )

    def _open(self, position: int) -> None:
        self.brackets.append(position)
        if len(self.brackets) == MAX_DEPTH + 1:
            self._fail("SGL0105", position, f"brackets are nested more than {MAX_DEPTH} deep")

    def _close(self, position: int) -> None:
        character = self.text[position]
        if self.brackets and self.text[self.brackets[-1]] == _CLOSE[character]:
            self.brackets.pop()
            return
        if self.brackets:
            opening = self.text[self.brackets[-1]]
            message = f"`{character}` closes a `{opening}`"
            hint = f"write `{_OPEN[opening]}` before it"
        else:
            message = f"this `{character}` closes nothing"
            hint = f"remove it, or write `{_CLOSE[character]}` where it should open"
        self._fail("SGL0104", position, message, hint=hint)

    def _continues(self, position: int) -> bool:
        """Return whether the clause goes on in the next line."""
        if position >= self.following:
            self.following = self._skip(position + 1)
        if self.before.endswith(_UNFINISHED):
            return True
        return _CONTINUATION.match(self.text, self.following, self.end) is not None

    def _skip(self, position: int) -> int:
        """Return where the next thing stands that is neither blank nor a comment."""
        match = _NOTHING.match(self.text, position, self.end)
        return match.end() if match is not None else position

    def _fail(self, code: str, position: int, message: str, hint: str = "") -> None:
        """Keep the first thing that is wrong with the chunk; the rest may follow from it."""
        if self.fault is None:
            span = self.source.span(position, position + 1)
            self.fault = Diagnostic(code, Severity.ERROR, span, message, hint=hint)
