"""Cut a file into declarations, so that each can be parsed separately.

A declaration starts in the first column, so an error in one does not hide the next.  The text of a chunk keeps its
length, so that places stay valid: comments and line ends inside brackets become spaces, and the remaining line ends
separate clauses.

Every declaration of an edited file gets a place far beyond the end of the file, with room for more before and after it.
An unchanged declaration keeps its place, its tree and everything computed from it, even if the text above it changes.
Spans use these places, which :meth:`EditedFile.real` maps to positions in the text::

    text      category S⏎category NP⏎          # new⏎category S⏎category NP⏎
    places    ^ 2⁴⁰     ^ 2⁴⁰ + 2³⁰            both as before
"""

import re
import unicodedata
from collections.abc import Iterator
from itertools import zip_longest

from sgl.characters import CONFUSABLES, code_of, hidden
from sgl.diagnostics import FIRST_PLACE, Diagnostic, EditedFile, Severity, SourceFile, Span
from sgl.lang import DECLARATIONS
from sgl.memory import Memory, kept
from sgl.values import dataclass

#: Maximum nesting of brackets, far deeper than in any real grammar.
MAX_DEPTH = 40

_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {")": "(", "]": "[", "}": "{"}
#: A line that starts with one of these continues the clause above it.
CONTINUATION = re.compile(r"(?:without|within|outside)\b|=>")
#: A line that ends with one of these continues on the next line.
UNFINISHED = (";", ",", "|", "+", "->", "=>")
#: The blank in place of a line end after a `+`, which may have been meant to end the clause.
PLUS_END = "\f"
#: Empty lines and comments, up to the first character after them.
_NOTHING = re.compile(r"(?:[ \t\f\r]*(?:#[^\n]*)?\n)*[ \t\f\r]*")
#: Beginnings of declarations that were indented by mistake; other keywords may begin a clause.
_NAMED = "|".join(word for word in DECLARATIONS if word not in ("rule", "word", "test", "dataset"))
_INDENTED = re.compile(rf"(?:rule\s+\w+\s*:|word\s+[A-Z]|test\s+(?:\"|reject\b)|dataset\s*$|(?:{_NAMED})\s+[^\W\d])")
FIRST_PLACE_WORD = re.compile(r"\w+|\S+")
#: Characters other than plain text.
_SPECIAL = re.compile(r'["#\n\t\f\r()\[\]{}]')
#: The hint for an invisible character.
REMOVE = "remove it; it comes from a web page or a word processor"
#: Unicode categories of tabs and other control characters, and of line ends.
_UNPRINTED = ("Cc", "Zl", "Zp")
#: Blanks, also of other scripts and systems, which do not start a declaration.
_BLANK = " \t\f\r\n\u00a0\u3000"


def begins_declaration(line: str) -> bool:
    """Return whether an indented line looks like the start of a declaration."""
    return _INDENTED.match(line.lstrip(" \t")) is not None


def first_word(text: str) -> str:
    """Return the first word of a declaration, or the character in its place."""
    match = FIRST_PLACE_WORD.match(text)
    return match.group() if match is not None else text[:1]


@dataclass(frozen=True)
class Chunk:
    """One declaration: its start, prepared text (empty for comments alone), keyword, fault and comments."""

    start: int
    text: str
    keyword: str
    fault: Diagnostic | None
    comments: tuple[tuple[str, Span], ...]


def chunk_starts(text: str) -> list[int]:
    """Return the starts of the declarations in a text: lines whose first column is not blank."""
    line_starts = (match.end() for match in re.finditer("\n", text))
    return [0, *(p for p in line_starts if text[p : p + 1].strip(_BLANK + "#)]}"))]


def split_chunks(source: SourceFile) -> Iterator[Chunk]:
    """Yield the declarations of a file."""
    starts = chunk_starts(source.text)
    for start, end in zip(starts, [*starts[1:], len(source.text)], strict=True):
        written = (source.name, source.place(start), source.text[start:end])
        yield kept("chunk", (), written, _Scanner(source, start, end).run)


class _Scanner:
    """One pass over a chunk: strings, comments, brackets."""

    def __init__(self, source: SourceFile, start: int, end: int) -> None:
        self.source = source
        self.text = source.text
        self.start = start
        self.end = end
        self.out: list[str] = []
        self.comments: list[tuple[str, Span]] = []
        self.brackets: list[int] = []
        self.fault: Diagnostic | None = None
        #: The last two characters before the current one, and the next one that is not in a comment.
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
        text = text[indent:]
        return Chunk(self.source.place(self.start + indent), text, first_word(text), self.fault, tuple(self.comments))

    def _put(self, piece: str) -> None:
        self.out.append(piece)
        self.before = piece.rstrip()[-2:] or self.before

    def _step(self, position: int) -> int:
        """Read from a special character, and return where the token ends."""
        character = self.text[position]
        if character == '"':
            return self._string(position)
        if character == "#":
            # `#amod` inside square brackets is a degree test; any other `#` starts a comment.
            following = self.text[position + 1 : position + 2]
            inside = self.brackets and self.text[self.brackets[-1]] == "["
            if not (inside and (following.isalpha() or following in ("_", "~", "*", "^", "$"))):
                return self._comment(position)
        elif character == "\n":
            continued = self.brackets or self._continues(position)
            self._put("\n" if not continued else " " if self.brackets or self.before[-1:] != "+" else PLUS_END)
            return position + 1
        elif character in _OPEN:
            self.brackets.append(position)
            if len(self.brackets) == MAX_DEPTH + 1:
                self._fail("SGL0105", position, f"brackets are nested more than {MAX_DEPTH} deep")
        elif character in _CLOSE:
            self._close(position)
        self._put(" " if character in "\t\f\r" else character)
        return position + 1

    def _comment(self, position: int) -> int:
        end = self.text.find("\n", position, self.end)
        end = self.end if end < 0 else end
        text = self.text[position:end].rstrip(" \t\f\r")
        self.comments.append((text, self.source.span(position, position + len(text))))
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
            hint = 'write `"` where the quoted text ends'
            if curved:
                hint = f'write `"` (of ASCII) in place of `{curved}`'
            self._fail("SGL0102", position, "this quotation is not closed on its line", hint)
            end = min(end, self.end) - 1
        at = hidden(self.text[position + 1 : end]) + 1
        if at:
            character = self.text[position + at]
            message = f"this quotation has an invisible character, {code_of(character)}"
            self._fail("SGL0107", position + at, message, REMOVE)
        self._put(self.text[position : end + 1])
        return end + 1

    def _check_character(self, position: int) -> None:
        """Check that a quotation is plain text: it contains no line ends or tabs, nor escapes for them."""
        character, following = self.text[position], self.text[position + 1 : position + 2]
        if character == "\\" and following not in ('"', "\\", "\n", ""):
            hint = 'only `\\"` and `\\\\` are written with a backslash'
            self._fail("SGL0107", position, f"`\\{following}` means nothing in a quotation", hint)
        elif character.isspace() and unicodedata.category(character) in _UNPRINTED:
            message = f"U+{ord(character):04X} in a quotation cannot be printed"
            self._fail("SGL0107", position, message, "remove it, or write a space")

    def _close(self, position: int) -> None:
        character = self.text[position]
        opening = self.text[self.brackets[-1]] if self.brackets else ""
        if opening == _CLOSE[character]:
            start = self.brackets.pop()
            if self.text[start - 1] == "]" and "->" in self.text[start:position]:
                self._fail_unclosed(start)  # Bounds of a path, as in `-[nmod]{3}->`, end before the arrow.
            return
        message = f"this `{character}` closes nothing"
        hint = f"remove it, or write `{_CLOSE[character]}` where it should open"
        if opening:
            message = f"`{character}` closes a `{opening}`"
            hint = f"write `{_OPEN[opening]}` before it"
        self._fail("SGL0104", position, message, hint)

    def _fail_unclosed(self, opening: int) -> None:
        """Report an unclosed bracket; its partner may be a similar character from another keyboard."""
        sign = _OPEN[self.text[opening]]
        wide = next((wide for wide, plain in CONFUSABLES.items() if plain == sign), "")
        hint = f"write `{sign}` where it ends"
        if wide and wide in self.text[opening : self.end]:
            hint = f"write `{sign}` (of ASCII) in place of `{wide}`"
        self._fail("SGL0104", opening, f"this `{self.text[opening]}` is never closed", hint)

    def _continues(self, position: int) -> bool:
        if position >= self.following:
            match = _NOTHING.match(self.text, position + 1, self.end)
            self.following = match.end() if match is not None else position + 1
        if self.before.endswith(UNFINISHED):
            return True
        return CONTINUATION.match(self.text, self.following, self.end) is not None

    def _fail(self, code: str, position: int, message: str, hint: str = "") -> None:
        """Keep the first fault of the chunk; later ones may follow from it."""
        if self.fault is None:
            span = self.source.span(position, position + 1)
            self.fault = Diagnostic(code, Severity.ERROR, span, message, hint=hint)


#: Initial distance between places, greater than any declaration.
_APART = 1 << 30


def commented(before: EditedFile, text: str) -> EditedFile | None:
    """Return a file with another text but its old places; None if more than comments and blanks differ.

    The clauses depend only on the remaining lines.
    """
    places, starts = list[int](), list[int]()
    versions = [_written_lines(SourceFile(before.name, version)) for version in (before.text, text)]
    for (place, old), (start, new) in zip_longest(*versions, fillvalue=(0, "")):
        if old != new:
            return None
        places.append(before.place(place))
        starts.append(start)
    return EditedFile(before.name, text, tuple(starts), tuple(places))


def _written_lines(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield the lines that contain more than comments, with the comments removed, each with its position."""
    for chunk in split_chunks(source):
        begun = 0
        for line in source.text[chunk.start : chunk.start + len(chunk.text)].split("\n"):
            if written := chunk.text[begun : begun + len(line)].rstrip():
                yield chunk.start + begun, written
            begun += len(line) + 1


def placed(source: SourceFile, memory: Memory) -> EditedFile:
    """Return a file with the places that its declarations had at the last reading."""
    before = memory.find(("places", source.name))
    known = before if isinstance(before, EditedFile) else EditedFile(source.name, "", (), ())
    if known.text == source.text and known.places:
        return known
    starts = tuple(chunk_starts(source.text))
    places = _places(known, _declarations(source.text, starts))
    found = EditedFile(source.name, source.text, starts, places)
    memory.keep(("places", source.name), found)
    return found


def _declarations(text: str, starts: tuple[int, ...]) -> list[str]:
    return [text[start:end] for start, end in zip(starts, (*starts[1:], len(text)), strict=False)]


def _places(before: EditedFile, new: list[str]) -> tuple[int, ...]:
    """Return the places of declarations; most edits leave the first and last declarations unchanged."""
    old = _declarations(before.text, before.starts)
    most = min(len(old), len(new))
    first = next((i for i in range(most) if old[i] != new[i]), most)
    last = next((i for i in range(most - first) if old[-1 - i] != new[-1 - i]), most - first)
    head, tail, more = before.places[:first], before.places[len(old) - last :], len(new) - first - last
    start = head[-1] + len(new[first - 1]) if head else FIRST_PLACE - 1
    end = tail[0] if tail else start + (more + 1) * _APART
    between = (start + (end - start) // (more + 1) * (i + 1) for i in range(more))
    # If the number is unchanged, these are probably edits of the same declarations.
    places = before.places if len(old) == len(new) else (*head, *between, *tail)
    ends = [place + len(text) for place, text in zip(places, new, strict=True)]
    if all(end < place for end, place in zip(ends, places[1:], strict=False)):
        return places
    return tuple(range(FIRST_PLACE, FIRST_PLACE + len(new) * _APART, _APART))
