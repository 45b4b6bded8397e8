"""Diagnostics for programs: lines for GitHub, and whole documents as JSON, SARIF 2.1.0 or JUnit.

All are made of the objects that :func:`~sgl.diagnostics.render.as_object` returns.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

from sgl import __version__
from sgl.diagnostics.registry import CODES
from sgl.diagnostics.render import json_text

#: A diagnostic as plain data.
_Object = Mapping[str, Any]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_HOME = "https://github.com/sgl-benchmarks/sgl"

#: What XML cannot hold.
_NO_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def said(found: _Object) -> str:
    """Return the message of a diagnostic, its notes and its hint, one on a line."""
    hint = [f"hint: {found['hint']}"] if found["hint"] else []
    return "\n".join([found["message"], *found["notes"], *hint])


def github(found: _Object) -> str:
    """Return a diagnostic as a command of GitHub Actions, which annotates the line."""
    place = found["place"] or {}
    named = {"file": place.get("file"), "line": place.get("line"), "endLine": place.get("end_line")}
    if place.get("line") == place.get("end_line"):
        # GitHub takes columns of one line only.
        named |= {"col": place.get("column"), "endColumn": place.get("end_column")}
    named["title"] = found["code"]
    values = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in named.items() if value is not None)
    return f"::{found['severity']} {values}::{_escaped(said(found))}"


def _escaped(text: str, more: str = "") -> str:
    return re.sub(f"[%\r\n{more}]", lambda sign: f"%{ord(sign[0]):02X}", text)


def sarif(objects: Sequence[_Object]) -> str:
    """Return a log of SARIF 2.1.0, which code scanning reads."""
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
    """A case of a JUnit report; ``failure`` says why it fails, ``skipped`` why it does not count."""

    name: str
    file: str
    line: int | None = None
    seconds: float = 0.0
    failure: str = ""
    code: str = ""
    skipped: str = ""


def junit(objects: Sequence[_Object]) -> str:
    """Return diagnostics as a JUnit report: an error is a case that fails, a warning one that is skipped."""
    cases = []
    for found in objects:
        place, text, fails = found["place"] or {}, said(found), found["severity"] == "error"
        case = Case(f"{found['code']}: {found['message']}", place.get("file", "sglc"), place.get("line"))
        texts = (text, "") if fails else ("", text)
        cases.append(case._replace(code=found["code"], failure=texts[0], skipped=texts[1]))
    return junit_report(cases or [Case("check", "sglc")])


def junit_report(cases: Sequence[Case]) -> str:
    """Return a JUnit report of some cases, those of a file as one suite."""
    # What writes pages takes longer to load than most commands need.
    from jinja2 import Environment

    template = files(__package__).joinpath("junit.xml.j2").read_text("utf-8")
    text = Environment(autoescape=True, keep_trailing_newline=True).from_string(template).render(cases=cases)
    return _NO_XML.sub("\ufffd", text)


#: The forms that are one document, and what makes them.
DOCUMENTS: dict[str, Callable[[Sequence[_Object]], str]] = {"json": json_text, "sarif": sarif, "junit": junit}
