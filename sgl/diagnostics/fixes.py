"""Turn hints into edits: the change of the text that a message suggests.

A hint is prose, but uses one of the few phrasings in ``fixes.yaml``, each of which says what to write where.  The tests
apply every edit for the example messages, and check that the message disappears.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import yaml

from sgl.diagnostics.model import Diagnostic, Severity, SourceFile, Span
from sgl.values import dataclass


@dataclass(frozen=True)
class Edit:
    """A change of a file: ``text`` replaces ``span``."""

    span: Span
    text: str

    def applied(self, text: str) -> str:
        """Return the text of the file after the change."""
        return text[: self.span.start] + self.text + text[self.span.end :]


@cache
def _ways() -> list[tuple[re.Pattern[str], str]]:
    ways = yaml.safe_load(files("sgl.diagnostics").joinpath("fixes.yaml").read_text("utf-8"))
    return [(re.compile(way), where) for way, where in ways]


def fixes_of(diagnostic: Diagnostic, file: SourceFile) -> Iterator[tuple[str, Edit]]:
    """Yield the edit that a message's hint describes, and for a warning a comment that allows it."""
    tried = ((way.fullmatch(diagnostic.hint), where) for way, where in _ways())
    offered = [(diagnostic.hint, where, found.groupdict()) for found, where in tried if found is not None][:1]
    if diagnostic.severity is Severity.WARNING:
        offered.append((f"allow {diagnostic.code} here", "above", {"text": f"# allow {diagnostic.code}"}))
    for title, where, words in offered:
        place = _place(where, words, diagnostic.span, file.text) if diagnostic.span is not None else None
        if place is not None:
            yield title, Edit(Span(file.name, *place[:2]), place[2])


def _place(where: str, words: dict[str, str], span: Span, text: str) -> tuple[int, int, str] | None:
    """Return the start and end of the text to replace, and the replacement; None if they cannot be found."""
    start, end, new = span.start, span.end, words.get("text", "")
    match where:
        case "instead":
            new = f'"{new}"' if text[start : start + 1] == '"' != new[:1] and new else new
            return start, end, new.removesuffix(":") if text[end : end + 1] == ":" else new
        case "quoted":
            bare = next((one for sign in ("", "'", "`") if text.startswith(one := new.replace('"', sign), start)), None)
            return (start, start + len(bare), new) if bare is not None else None
        case "plain":
            start = text.index(words["wide"], start)
            return start, start + 1, new
        case "unindented":
            return text.rfind("\n", 0, start) + 1, start, ""
        case "indented":
            return start, start, "  "
        case "below":
            of = re.search(rf"^pattern {words['of']}\b", text, re.MULTILINE) if "of" in words else None
            end = (text + "\n").index("\n", end if of is None else of.end())
            return end, end, f"\n  {new}"
    lines = (line.start() for line in re.finditer(r"^\S", text[: start + 1], re.MULTILINE))
    start = 0 if where == "top" else max(lines, default=0)
    return start, start, f"{new}\n"
