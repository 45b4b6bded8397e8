"""How a diagnostic is shown: as text on a terminal, in one line, as JSON; suggestions."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from diagnostics import render_json

from sgl.characters import display_width, visible
from sgl.diagnostics import Diagnostic, Diagnostics, Label, Severity, SourceFile, SourceMap, Span, suggest
from sgl.diagnostics.render import render, render_concise

PAGES = "https://github.com/sgl-benchmarks/sgl/blob/main/sgl/diagnostics/pages"
ROOT = Path(__file__).parent.parent.parent


# ---- the one type of diagnostic


def test_a_diagnostic_has_exactly_the_documented_fields() -> None:
    names = [field.name for field in dataclasses.fields(Diagnostic)]
    expected = ["code", "severity", "span", "message", "label", "labels", "notes", "hint"]
    assert names == expected
    documented = re.findall(r"``([a-z]+)``", Diagnostic.__doc__ or "")
    assert set(documented) <= set(expected)


def test_json_has_the_fields_that_the_page_of_commands_lists() -> None:
    sources, diagnostic = example()
    (found,) = json.loads(render_json([diagnostic], sources))
    assert found == {
        "code": "SGL0201",
        "severity": "error",
        "message": "there is no category `M`",
        "place": {"file": "f", "line": 2, "column": 5, "end_line": 2, "end_column": 6},
        "label": "here",
        "labels": [{"place": {"file": "g"}, "text": "there"}],
        "notes": ["because"],
        "hint": "did you mean `N`?",
        "documentation_url": f"{PAGES}/SGL0201.md",
    }
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in (*found, *found["place"]) if f"`{name}`" not in text] == []


def example() -> tuple[SourceMap, Diagnostic]:
    sources = SourceMap()
    sources.add(SourceFile("f", 'rule "が"\n  ja M\n'))
    diagnostic = Diagnostic(
        "SGL0201",
        Severity.ERROR,
        Span("f", 13, 14),
        "there is no category `M`",
        "here",
        (Label(Span("g", 0, 1), "there"),),
        ("because",),
        "did you mean `N`?",
    )
    return sources, diagnostic


def test_concise_is_one_line_with_the_place() -> None:
    sources, diagnostic = example()
    shown = render_concise(diagnostic, sources)
    assert shown == "f:2:5: error[SGL0201]: there is no category `M`"


def test_colours_change_nothing_but_the_colours() -> None:
    sources, diagnostic = example()
    colored = render(diagnostic, sources, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == render(diagnostic, sources)


def test_the_same_finding_is_kept_once_and_findings_are_listed_in_the_order_of_the_file() -> None:
    found = Diagnostics()
    for start in (5, 2, 5):
        found.error("SGL0201", Span("f", start, start + 1), "there is no layer")
    found.warning("SGL0204", Span("f", 3, 4), "never used")
    found.error("SGL0804", None, "no dataset")
    assert [d.span.start if d.span else None for d in found] == [2, 3, 5, None]
    assert (found.errors, found.warnings, len(found)) == (3, 1, 4)


# ---- what a terminal shows


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("cat", 3),
        ("猫", 2),
        ("が", 2),
        ("か\u3099", 2),  # a base letter and a combining mark
        ("e\u0301", 1),
        ("ｶﾞ", 2),  # half-width letters
        ("Ａ", 2),  # a full-width letter
        ("\u200b", 0),
        ("", 0),
    ],
)
def test_width_on_the_terminal(text: str, width: int) -> None:
    assert display_width(text) == width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a    b"),
        ("\x1b[31mred", "␛[31mred"),
        ("\x00", "␀"),
        ("\u202ecba", "\ufffdcba"),  # would turn the line round
        ("\u2028", "\ufffd"),
        ("\udcff", "\ufffd"),  # a byte of a file name that is no character
        ("猫が", "猫が"),
    ],
)
def test_nothing_that_a_terminal_obeys_reaches_it(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("where", ["message", "label", "hint", "note", "line", "file"])
def test_control_characters_are_shown_wherever_they_stand(where: str) -> None:
    evil = "\x1b[2J\udcff"
    texts = dict.fromkeys(("message", "label", "hint", "note", "line", "file"), "x") | {where: evil}
    sources = SourceMap()
    sources.add(SourceFile(texts["file"], f"rule {texts['line']}\n"))
    diagnostic = Diagnostic(
        "SGL0201",
        Severity.ERROR,
        Span(texts["file"], 0, 4),
        texts["message"],
        texts["label"],
        (),
        (texts["note"],),
        texts["hint"],
    )
    shown = render(diagnostic, sources)
    for text in (shown, render_concise(diagnostic, sources), render_json([diagnostic], sources)):
        assert "\x1b" not in text
        assert text.encode("utf-8")


@pytest.mark.parametrize("column", [0, 1, 80, 500, 999])
def test_a_long_line_is_shown_around_its_mark(column: int) -> None:
    line = "x" * column + "HERE" + "x" * (1000 - column)
    sources = SourceMap()
    sources.add(SourceFile("f", line))
    diagnostic = Diagnostic("SGL0101", Severity.ERROR, Span("f", column, column + 4), "wrong")
    shown = render(diagnostic, sources).splitlines()
    excerpt, carets = shown[3], shown[4]
    assert len(excerpt) < 200
    assert excerpt[carets.index("^") : carets.rindex("^") + 1] == "HERE"


# ---- suggestions


@pytest.mark.parametrize(
    ("name", "known", "suggested"),
    [
        ("Nuon", ["Noun", "Verb"], "Noun"),  # two letters exchanged
        ("transitve", ["transitive", "intransitive"], "transitive"),
        ("NP", ["N", "VP"], None),  # two are equally near
        ("intrans", ["intransitive", "transitive"], "intransitive"),  # the beginning
        ("Np", ["NP"], "NP"),
        ("X", ["Noun"], None),
        ("ab", ["abcdef", "abcxyz"], None),  # the beginning of two
        ("verb", ["VERB", "NOUN"], "VERB"),  # capital letters alone
        ("犬", ["N"], None),  # no letter in common
        ("", ["N"], None),
        ("Noun", [], None),
    ],
)
def test_did_you_mean(name: str, known: Iterable[str], suggested: str | None) -> None:
    hint = f"did you mean `{suggested}`?" if suggested else ""
    assert suggest(name, known) == hint
