"""What ``sglc import cfg`` says about files: where the mistake is, why, and what helps."""

from __future__ import annotations

import pytest
from diagnostics import INTERNAL
from exchanging import said_of
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace import Workplace

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.diagnostics.render import render, render_concise
from sgl.research.exchange.productions import Notation

RIGHT = """\
# A comment
S -> NP 'runs' & VP NP
NP -> 'John' & 'Hans' [0.25]
NP -> D N & D N [0.75]
VP -> 'läuft'
D -> 'the' & 'der' | 'a' & 'ein'
N -> 'hunter' & 'Jäger'
"""
NOTATION = Notation(("source", "target"))
#: A right file whose sides have the same children.
RIGHT = RIGHT.replace("NP 'runs'", "NP VP").replace("VP -> 'läuft'", "VP -> 'runs' & 'läuft'")

FEATURES = """\
S -> NP[NUM=?n] VP[NUM=?n, +FIN]
NP[NUM=sg] -> 'Kim'
NP[NUM=pl] -> 'dogs'
VP[NUM=sg, +FIN] -> 'runs'
VP[NUM=pl, FIN=?f] -> 'run'
"""


def told(text: str, notation: Notation = NOTATION) -> list[tuple[str, str, str]]:
    """The code, the marked text and the hint of everything that is said."""
    _, diagnostics, sources = said_of(text, notation)
    for diagnostic in diagnostics:
        shown = render(diagnostic, sources)
        assert not [word for word in INTERNAL if word in shown]
        assert render_concise(diagnostic, sources).startswith("test.cfg:")
    return [(d.code, text[d.span.start : d.span.end] if d.span else "", d.hint or "") for d in diagnostics]


@pytest.mark.parametrize(("text", "notation"), [(RIGHT, NOTATION), (FEATURES, Notation())])
def test_the_right_file_gives_nothing(text: str, notation: Notation) -> None:
    assert told(text, notation) == []


@pytest.mark.parametrize(
    ("right", "wrong", "code", "marked"),
    [
        ("S -> NP VP", "S NP VP", "SGL1218", "S NP VP & VP NP"),
        ("S -> NP VP", "S NP -> NP VP", "SGL1218", "S NP -> NP VP & VP NP"),
        ("S -> NP", "'S' -> NP", "SGL1218", "'S' -> NP VP & VP NP"),
        ("& VP NP", "& VP", "SGL1218", "NP"),
        ("& VP NP", "& VP NP NP & NP", "SGL1218", "NP"),
        ("S -> NP VP &", "S -> NP NP VP VP & NP NP NP", "SGL1218", "NP"),
        ("D -> 'the' & 'der' |", "D -> 'the' |", "SGL1218", "'the'"),
        ("'hunter'", "'hunter", "SGL1218", "'hunter"),
        ("'hunter'", "hunter", "SGL1218", "hunter"),
        ("'hunter'", "'hun\x07ter'", "SGL1218", "'hun\x07ter'"),
        ("VP NP\n", "VP NX\n", "SGL1218", "NX"),
        ("VP NP\n", "NP_1 VP\n", "SGL1218", "NP"),
        ("# A comment", "%stop S", "SGL1218", "%stop S"),
        ("# A comment", "%start T", "SGL1218", "T"),
        ("[0.25]", "[2.5.0]", "SGL1203", "[2.5.0]"),
        ("[0.75]", "[1e300]", "SGL1203", "[1e300]"),
        ("[0.75]", "[0.5]", "SGL1206", "'John'"),
        ("N -> 'h", "X -> 'x' & 'x'\nN -> 'h", "SGL1205", "'x'"),
        ("S -> NP VP", "S -> ?x VP[+INV]/NP", "SGL1219", "VP[+INV]/NP"),
        ("[0.25]", "[0.25] ### 'x'", "SGL1220", "&"),
    ],
)
def test_a_mistake_is_shown_where_it_is(right: str, wrong: str, code: str, marked: str) -> None:
    assert right in RIGHT
    assert (code, marked) in [found[:2] for found in told(RIGHT.replace(right, wrong, 1))]


@pytest.mark.parametrize(
    ("wrong", "marked"),
    [
        ("NP[AGR=[NUM=sg, PER=3]]", "NP[AGR=[NUM=sg, PER=3]]"),
        ("NP[SEM=<walk>]", "NP[SEM=<walk>]"),
        ("NP[SEM=(?n + ?m)]", "NP[SEM=(?n + ?m)]"),
        ("NP[NUM]", "NP[NUM]"),
        ("NP[NUM=?f, FIN=?f]", "NP[NUM=?f, FIN=?f]"),
    ],
)
def test_features_that_are_no_words_are_refused(wrong: str, marked: str) -> None:
    found = told(FEATURES.replace("NP[NUM=sg]", wrong, 1), Notation())
    assert ("SGL1219", marked) in [each[:2] for each in found]
    assert [hint for code, _, hint in found if code == "SGL1219"] != [""]


def test_a_gap_beside_features_is_refused_and_alone_is_a_name() -> None:
    gap = "S -> 'who' S/NP\nS/NP -> 'ran'\n"
    assert told(gap, Notation()) == []
    codes = [code for code, *_ in told(gap + FEATURES.replace("S ->", "T ->", 1), Notation())]
    assert set(codes) == {"SGL1219"}


def test_too_many_values_are_refused_before_they_are_made() -> None:
    values = "".join(f"A[{f}=v{v}] -> 'x'\n" for f in "abcdef" for v in range(9))
    assert [code for code, *_ in told("S -> A\n" + values, Notation())][-1] == "SGL1219"


@pytest.mark.parametrize(
    ("notation", "hint"),
    [
        (Notation(), "`--layers program,source`"),
        (Notation(("en", "de")), "`--source de`"),
        (Notation(("en", "de"), "fr"), "`--source` is one of en, de"),
        (Notation(("en", "de"), "en", "@"), "`--separator"),
    ],
)
def test_what_cannot_be_found_is_asked_for(notation: Notation, hint: str) -> None:
    [(code, _, said)] = told(RIGHT, notation)
    assert code == "SGL1220"
    assert hint in said


def test_several_mistakes_are_told_at_once_and_not_without_end() -> None:
    assert len(told(RIGHT + "X\nY\nZ -> 'z\n")) == 2
    assert len(told(RIGHT + "Z -> z\nY -> 'y\n")) >= 2
    assert len(told("no arrow\n" * 10_000)) == 20


def test_long_lines_take_no_longer_than_they_are() -> None:
    told("S -> " + "a[" * 50_000, Notation())
    told("S -> " + "'" * 50_000, Notation())
    alternatives = " | ".join(["'a' S"] * 20_000)
    assert [code for code, *_ in told(f"S -> {alternatives} | 'b'", Notation())] == ["SGL1209"]


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_file_breaks_the_reader(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from((RIGHT, FEATURES)))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 8, len(text))))
        pieces = st.sampled_from(
            ("", "[", "]", "'", '"', "|", "|||", "&", "?", "->", "_1", "[0.5]", "%", "\\\n", "/", "名")
        )
        text = text[:start] + data.draw(pieces) + text[end:]
    told(text, data.draw(st.sampled_from((NOTATION, Notation(), Notation(("a",))))))


@pytest.mark.parametrize(
    "arguments",
    [
        ("--layers", "A,b"),
        ("--layers", "target,source"),
        ("--layers", "a,a"),
        ("--layers", "a b"),
        ("--layers", ","),
        ("--separator",),
        (),
    ],
)
def test_a_wrong_command_line(arguments: tuple[str, ...], work: Workplace) -> None:
    work.write("g.cfg", RIGHT)
    assert run(["import", "cfg", *(["g.cfg"] if arguments else []), *arguments]) == USAGE


@pytest.mark.parametrize(("content", "code"), [(None, "SGL0001"), (b"\xff\xfe", "SGL0002"), (b"", "SGL1204")])
def test_a_file_that_is_none(content: bytes | None, code: str, work: Workplace) -> None:
    if content is not None:
        work.write("g.cfg", content)
    before = work.files()
    assert run(["import", "cfg", "g.cfg", "--out", "g.sgl"]) == FAILED
    assert code in work.capsys.readouterr().err
    assert work.files() == before


def test_a_source_with_an_empty_side_gives_its_place_to_another(work: Workplace) -> None:
    work.write("g.cfg", RIGHT.replace("'a' &", "'' &"))
    assert run(["import", "cfg", "g.cfg", "--layers", "source,goal", "--out", "g.sgl"]) == OK
    assert "SGL1208" in work.capsys.readouterr().err
