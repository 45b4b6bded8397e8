"""Render diagnostics with an excerpt and a caret, on one line, or for programs.

For programs there are lines for GitHub, and whole documents in JSON, SARIF 2.1.0 or JUnit.  All use the objects that
:func:`as_object` returns.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from sgl import __version__
from sgl.characters import display_width, visible
from sgl.diagnostics.model import Diagnostic, Severity, SourceFile, SourceMap, Span
from sgl.diagnostics.registry import CODES, documentation_url

_BOLD, _RED, _YELLOW, _BLUE, _RESET = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[34m", "\x1b[0m"
_LONGEST_LINE = 160
#: Number of characters of a line that are read on both sides of a place; fewer are shown.
_NEAR = 1_000

#: Characters that JSON does not escape, but a terminal interprets or hides.
_ESCAPED = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

#: Wraps a text in a terminal style, or returns it unchanged.
_Paint = Callable[[str, str], str]


def render(diagnostic: Diagnostic, sources: SourceMap, *, color: bool = False) -> str:
    """Return the diagnostic with excerpts, as shown on a terminal."""

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
    """Return plain data, such as diagnostics as objects, as JSON that is safe to show on a terminal."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # A terminal interprets some characters; a file name may even be invalid Unicode.
    text = _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode("utf-8", "replace").decode("utf-8") + "\n"


def as_object(diagnostic: Diagnostic, sources: SourceMap) -> dict[str, object]:
    """Return a diagnostic as an object of the JSON output (``docs/commands.md`` explains the fields)."""
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
    """Return a text of several lines, the others aligned with the first."""
    return ("\n" + " " * (margin + 3)).join(visible(line) for line in text.split("\n"))


#: A diagnostic as plain data.
_Object = Mapping[str, Any]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/sgl-benchmarks/sgl"

#: Characters that XML cannot represent.
_NO_XML = "[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"


def said(found: _Object) -> str:
    """Return the message of a diagnostic, its notes and its hint, one per line."""
    hint = [f"hint: {found['hint']}"] if found["hint"] else []
    return "\n".join([found["message"], *found["notes"], *hint])


def github(found: _Object) -> str:
    """Return a diagnostic as a GitHub Actions command, which annotates the line."""
    place = found["place"] or {}
    named = {"file": place.get("file"), "line": place.get("line"), "endLine": place.get("end_line")}
    if place.get("line") == place.get("end_line"):
        # GitHub accepts columns only within one line.
        named |= {"col": place.get("column"), "endColumn": place.get("end_column")}
    named["title"] = found["code"]
    values = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in named.items() if value is not None)
    return f"::{found['severity']} {values}::{_escaped(said(found))}"


def _escaped(text: str, more: str = "") -> str:
    return re.sub(f"[%\r\n{more}]", lambda sign: f"%{ord(sign[0]):02X}", text)


def sarif(objects: Sequence[_Object]) -> str:
    """Return a SARIF 2.1.0 log, which code scanning reads."""
    rules: dict[str, dict[str, Any]] = {}
    for code, url in {found["code"]: found["documentation_url"] for found in objects}.items():
        page = CODES.get(code)
        texts = {"shortDescription": page.title, "fullDescription": page.why} if page is not None else {}
        rules[code] = {"id": code} | {key: {"text": text} for key, text in texts.items() if text}
        rules[code] |= {"helpUri": url} if url else {}
    results = [
        {
            "ruleId": found["code"],
            "ruleIndex": list(rules).index(found["code"]),
            "level": found["severity"],
            "message": {"text": said(found)},
            "locations": _locations([(found["place"], found["label"])]),
            "relatedLocations": _locations([(label["place"], label["text"]) for label in found["labels"]]),
        }
        for found in objects
    ]
    driver = {"name": "sglc", "version": __version__, "informationUri": _HOME, "rules": list(rules.values())}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _locations(places: Iterable[tuple[_Object | None, str]]) -> list[dict[str, Any]]:
    names = {"line": "startLine", "column": "startColumn", "end_line": "endLine", "end_column": "endColumn"}
    found = []
    for place, text in [(place, text) for place, text in places if place is not None]:
        region = {theirs: place[ours] for ours, theirs in names.items() if ours in place}
        where = {"artifactLocation": {"uri": quote(place["file"], errors="replace")}} | (
            {"region": region} if region else {}
        )
        found.append({"physicalLocation": where} | ({"message": {"text": text}} if text else {}))
    return found


class Case(NamedTuple):
    """A case of a JUnit report; ``failure`` says why it failed, ``skipped`` why it was skipped."""

    name: str
    file: str
    line: int | None = None
    seconds: float = 0.0
    failure: str = ""
    code: str = ""
    skipped: str = ""


def junit(objects: Sequence[_Object]) -> str:
    """Return diagnostics as a JUnit report: an error is a failed case, a warning a skipped one."""
    cases = []
    for found in objects:
        place, text, fails = found["place"] or {}, said(found), found["severity"] == "error"
        case = Case(f"{found['code']}: {found['message']}", place.get("file", "sglc"), place.get("line"))
        texts = (text, "") if fails else ("", text)
        cases.append(case._replace(code=found["code"], failure=texts[0], skipped=texts[1]))
    return junit_report(cases or [Case("check", "sglc")])


def junit_report(cases: Sequence[Case]) -> str:
    """Return a JUnit report of these cases, with a suite for each file."""
    # Jinja takes longer to load than most commands need.
    from jinja2 import Environment

    template = files(__package__).joinpath("junit.xml.j2").read_text("utf-8")
    text = Environment(autoescape=True, keep_trailing_newline=True).from_string(template).render(cases=cases)
    return re.sub(_NO_XML, "\ufffd", text)


#: The formats that are one document, with their writers.
DOCUMENTS: dict[str, Callable[[Sequence[_Object]], str]] = {"json": json_text, "sarif": sarif, "junit": junit}
