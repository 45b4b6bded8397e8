"""Render diagnostics: with an excerpt and a caret, on one line, or as JSON."""

import json
import re
from collections.abc import Callable

from sgl.characters import visible
from sgl.diagnostics.model import Diagnostic, Severity, SourceFile, SourceMap, Span, display_width
from sgl.diagnostics.registry import documentation_url

_BOLD, _RED, _YELLOW, _BLUE, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[34m", "\x1b[0m"
_LONGEST_LINE = 160
#: So much of a line is looked at on both sides of a place; what is shown is less.
_NEAR = 1_000

#: What JSON leaves as it is, and a terminal obeys or does not show.
_ESCAPED = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

#: Wraps a text in a style of the terminal, or leaves it alone.
_Paint = Callable[[str, str], str]


def render(diagnostic: Diagnostic, sources: SourceMap, *, color: bool = False) -> str:
    """Return the diagnostic with excerpts, as a terminal shows it."""

    def paint(style: str, text: str) -> str:
        return f"{style}{text}{_RESET}" if color and text else text

    tone = _RED if diagnostic.severity is Severity.ERROR else _YELLOW
    head = paint(tone + _BOLD, f"{diagnostic.severity.value}[{diagnostic.code}]")
    lines = [f"{head}{paint(_BOLD, ': ' + visible(diagnostic.message))}"]
    written: list[tuple[Span | None, str, str]] = [(diagnostic.span, diagnostic.label, tone)]
    written += [(label.span, label.text, _BLUE) for label in diagnostic.labels]
    places = [
        (file, span, text, style)
        for span, text, style in written
        if span is not None and (file := sources.get(span.file)) is not None
    ]
    margin = max((len(str(file.position(span.start)[0])) for file, span, _, _ in places), default=1)
    for index, (file, span, text, style) in enumerate(places):
        lines.extend(_excerpt(file, span, text, margin, paint, style, index == 0))
    if diagnostic.span is not None and not places:
        lines.append(f"  --> {visible(diagnostic.span.file)}")
    bar = paint(_BLUE, " " * (margin + 1) + "=")
    lines.extend(f"{bar} {_indent(note, margin)}" for note in diagnostic.notes)
    if diagnostic.hint:
        lines.append(f"{bar} hint: {_indent(diagnostic.hint, margin)}")
    lines.append(f"{bar} explain: sglc explain {diagnostic.code}")
    return "\n".join(lines)


def render_concise(diagnostic: Diagnostic, sources: SourceMap) -> str:
    """Return the diagnostic on one line: ``file:line:column: error[code]: message``."""
    place = ""
    if diagnostic.span is not None:
        file = sources.get(diagnostic.span.file)
        place = f"{diagnostic.span.file}: "
        if file is not None:
            line, column = file.position(diagnostic.span.start)
            place = f"{diagnostic.span.file}:{line}:{column}: "
    severity = diagnostic.severity.value
    return visible(f"{place}{severity}[{diagnostic.code}]: {diagnostic.message}")


def json_text(data: object) -> str:
    """Return plain data, such as the objects of diagnostics, as JSON that a terminal can show."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # A terminal would obey some characters; the name of a file need not even be valid Unicode.
    text = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def as_object(diagnostic: Diagnostic, sources: SourceMap) -> dict[str, object]:
    """Return a diagnostic as JSON writes it (see ``docs/commands.md`` for the fields)."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": _place_object(diagnostic.span, sources),
        "label": diagnostic.label,
        "labels": [{"place": _place_object(label.span, sources), "text": label.text} for label in diagnostic.labels],
        "notes": list(diagnostic.notes),
        "hint": diagnostic.hint,
        "documentation_url": documentation_url(diagnostic.code),
    }


def _place_object(span: Span | None, sources: SourceMap) -> dict[str, object] | None:
    if span is None:
        return None
    file = sources.get(span.file)
    if file is None:
        return {"file": span.file}
    line, column = file.position(span.start)
    end_line, end_column = file.position(span.end)
    return {"file": span.file, "line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _excerpt(file: SourceFile, span: Span, text: str, margin: int, paint: _Paint, tone: str, first: bool) -> list[str]:
    start = min(file.real(span.start), len(file.text))
    number, column = file.position(start)
    line, before_it = file.around(start, _NEAR)
    before = visible(line[:before_it])
    marked = visible(line[before_it : before_it + max(span.end - span.start, 1)])
    shown = visible(line)
    if len(shown) > _LONGEST_LINE:
        shown, before, marked = _shorten(shown, before, marked)
    carets = "^" * max(display_width(marked), 1)
    pointer = " " * display_width(before) + paint(tone, f"{carets} {visible(text)}".rstrip())
    bar = paint(_BLUE, "|")
    gutter = " " * margin
    arrow = "-->" if first else ":::"
    return [
        f"{gutter}{paint(_BLUE, arrow)} {visible(file.name)}:{number}:{column}",
        f"{gutter} {bar}",
        f"{paint(_BLUE, str(number).rjust(margin))} {bar} {shown}",
        f"{gutter} {bar} {pointer}",
        f"{gutter} {bar}",
    ]


def _shorten(shown: str, before: str, marked: str) -> tuple[str, str, str]:
    """Cut a very long line to a window around the caret."""
    start = max(len(before) - _LONGEST_LINE // 2, 0)
    window = shown[start : start + _LONGEST_LINE]
    left = "…" if start else ""
    right = "…" if start + _LONGEST_LINE < len(shown) else ""
    return left + window + right, left + before[start:], marked[: _LONGEST_LINE // 2]


def _indent(text: str, margin: int) -> str:
    """Return a text of several lines, with all but the first below the beginning of the first."""
    return ("\n" + " " * (margin + 3)).join(visible(line) for line in text.split("\n"))
