"""Mutated grammars: whatever an editing hand does to them, the compiler answers in messages.

Lines, words and characters of real grammars are deleted, doubled, exchanged or replaced.
Nothing may be raised, and every message must be renderable.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, check_rendering, diagnose
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sgl.diagnostics import CODES, Diagnostics, SourceFile, SourceMap
from sgl.diagnostics.render import render, render_concise
from sgl.lang.reader import read
from sgl.lang.yaml_files import read_table

ROOT = Path(__file__).parent.parent.parent
FARM = ROOT / "docs" / "examples"
SGET = ROOT / "grammars"
#: What an edit may put into a text.
SCRAPS = st.sampled_from(
    [
        *('"', "(", ")", "[", "]", "{", "}", "#", "$", "~", "|", ";", ",", "=", "->", "-[obj]->"),
        *("\n", "\n  ", " ", "　", "（", "\t", "\0", "\x1b", "猫", "か\u3099", "\u2028", "\ud7ff"),
        *("rule", "word", "forbid", "repeat 40 N..M", "drop", "NP", "gap", "0", "-1", "1e9"),
        *("when", "capital", "syn", "ja", "or", "+", "without", "form=f", "@targets", "99999999"),
    ]
)
LINES = re.compile(r"[^\n]*\n|[^\n]+")
WORDS = re.compile(r"\w+|\s+|.", re.DOTALL)
#: Times as many examples as usual, for a longer search.
EFFORT = int(os.environ.get("SGL_FUZZ", "1"))


@st.composite
def mutations(draw: st.DrawFn, text: str) -> str:
    """The text after a few edits, each on its lines, its words or its characters."""
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["lines", "words", "characters", "name"]))
        if kind == "name":
            text = renamed(draw, text)
        else:
            cut = {"lines": LINES, "words": WORDS, "characters": re.compile("(?s).")}[kind]
            text = "".join(edited(draw, cut.findall(text)))
    return text


def renamed(draw: st.DrawFn, text: str) -> str:
    """One name in the place of another: what stays readable but means something else."""
    names = list(re.finditer(r"\w+", text))
    if not names:
        return text
    place = st.integers(0, len(names) - 1)
    old, new = names[draw(place)], names[draw(place)]
    return text[: old.start()] + new.group() + text[old.end() :]


def edited(draw: st.DrawFn, pieces: list[str]) -> list[str]:
    """Pieces of which one is deleted, doubled, exchanged, replaced, or has a new neighbour."""
    if not pieces:
        return [draw(SCRAPS)]
    place = st.integers(0, len(pieces) - 1)
    first, second = sorted((draw(place), draw(place)))
    before, after = pieces[:first], pieces[first + 1 :]
    exchanged = list(pieces)
    exchanged[first], exchanged[second] = pieces[second], pieces[first]
    return draw(
        st.sampled_from(
            [
                [*before, *after],
                [*before, pieces[second], pieces[first], *after],
                exchanged,
                [*before, *pieces[min(second, first + 40) :]],
            ]
        )
        | SCRAPS.map(lambda scrap: [*before, scrap, *after])
        | SCRAPS.map(lambda scrap: [*before, scrap, *pieces[first:]])
    )


def declarations(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n\n")


#: Some declarations of the real grammars, a few at a time.
PARTS = st.sampled_from(
    [
        "\n\n".join(parts[start : start + 4])
        for path in sorted([*SGET.rglob("*.sgl"), *(ROOT / "stdlib").rglob("*.sgl")])
        for parts in [declarations(path)]
        for start in range(0, len(parts), 2)
    ]
)


def examples(number: int) -> settings:
    """So many examples; compiling one takes as long as it takes."""
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=number * EFFORT, deadline=None, suppress_health_check=slow)


@pytest.mark.slow
@examples(150)
@given(PARTS.flatmap(mutations))
def test_reading_never_fails(text: str) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    file = read(sources.add(SourceFile("f.sgl", text)), diagnostics)
    for found in diagnostics:
        assert found.code in CODES
        assert found.span is not None
        assert 0 <= found.span.start <= found.span.end <= len(text) + 1
        assert render(found, sources)
        assert render_concise(found, sources)
    assert len(file.unread) <= 2 * len(diagnostics)


@examples(100)
@given(st.text(max_size=200) | st.lists(SCRAPS, max_size=80).map("".join))
def test_reading_any_text_never_fails(text: str) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    read(sources.add(SourceFile("f.sgl", text)), diagnostics)
    assert all(render(found, sources) for found in diagnostics)


@examples(150)
@given(mutations((FARM / "verbs.yaml").read_text(encoding="utf-8")) | st.text(max_size=80))
def test_reading_a_table_never_fails(text: str) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    table = read_table(sources.add(SourceFile("t.yaml", text)), diagnostics)
    assert (table is None) == bool(diagnostics.errors)
    assert all(render(found, sources) for found in diagnostics)


@pytest.mark.slow
@examples(120)
@given(mutations(BASE))
def test_compiling_the_base_grammar_never_fails(text: str) -> None:
    check({MAIN: text})


@pytest.mark.slow
@examples(60)
@given(mutations((FARM / "farm.sgl").read_text(encoding="utf-8")))
def test_compiling_the_grammar_of_the_tutorial_never_fails(text: str) -> None:
    tables = {path.name: path.read_text(encoding="utf-8") for path in FARM.glob("*.yaml")}
    check({**tables, MAIN: text}, prove=True)


@pytest.mark.slow
@examples(25)
@given(mutations((FARM / "verbs.yaml").read_text(encoding="utf-8")))
def test_compiling_with_a_changed_table_never_fails(text: str) -> None:
    tables = {path.name: path.read_text(encoding="utf-8") for path in FARM.glob("*.yaml")}
    grammar = (FARM / "farm.sgl").read_text(encoding="utf-8")
    check({**tables, "verbs.yaml": text, MAIN: grammar})


@pytest.mark.slow
@examples(2)
@given(mutations((SGET / "sget.sgl").read_text(encoding="utf-8")))
def test_compiling_sget_never_fails(text: str) -> None:
    others = {
        path.relative_to(SGET).as_posix(): path.read_text(encoding="utf-8")
        for path in SGET.rglob("*")
        if path.is_file()
    }
    check({**others, MAIN: text})


def check(files: dict[str, str], *, prove: bool = False) -> None:
    with tempfile.TemporaryDirectory() as directory:
        outcome = diagnose(files, Path(directory), prove=prove)
    for found in outcome.found:
        assert found.code in CODES
    check_rendering(outcome)
