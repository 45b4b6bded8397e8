"""``sglc fmt``: files are formatted in place, or a message says that they would be."""

from __future__ import annotations

import io

import pytest
from diagnostics import BASE
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.lang.layout import layout

UGLY = "feature num=sg|pl\nfeature tense  = past\n"
NEAT = "feature num   = sg | pl\nfeature tense = past\n"


def test_a_file_is_laid_out_in_place(work: Workplace) -> None:
    path = work.write("g.sgl", UGLY)
    path.chmod(0o640)
    assert run(["fmt", "g.sgl"]) == OK
    assert work.capsys.readouterr().out == "formatted: g.sgl\n"
    assert path.read_text("utf-8") == NEAT
    assert path.stat().st_mode & 0o777 == 0o640
    assert run(["fmt", "g.sgl"]) == OK
    assert work.capsys.readouterr().out == ""


def test_all_grammars_of_a_directory_are_checked(work: Workplace) -> None:
    work.write("a/neat.sgl", NEAT)
    work.write("a/b/ugly.sgl", UGLY)
    work.write("a/table.yaml", "-   {en: x}\n")
    assert run(["fmt", "--check", "a"]) == FAILED
    said = work.capsys.readouterr().out
    assert said == "would change: a/b/ugly.sgl\n1 file would change\n"
    assert run(["fmt", "a"]) == OK
    assert run(["fmt", "--check", "a"]) == OK
    assert (work.directory / "a/table.yaml").read_text("utf-8") == "-   {en: x}\n"


def test_the_difference_is_shown(work: Workplace) -> None:
    path = work.write("g.sgl", UGLY)
    assert run(["fmt", "--diff", "g.sgl"]) == OK
    said = work.capsys.readouterr().out
    assert "-feature num=sg|pl\n" in said
    assert "+feature num   = sg | pl\n" in said
    assert path.read_text("utf-8") == UGLY


def test_standard_input_is_laid_out(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(BASE.encode("utf-8")), "utf-8")
    monkeypatch.setattr("sys.stdin", stream)
    assert run(["fmt", "-"]) == OK
    assert work.capsys.readouterr().out == layout(BASE)


@pytest.mark.parametrize(
    ("content", "code"), [(b"rule x\n", "SGL0101"), (b'layer en : text (join "\n', "SGL0102"), (b"\xff\xfe", "SGL0002")]
)
def test_what_is_no_grammar_stays_as_it_is(content: bytes, code: str, work: Workplace) -> None:
    path = work.write("g.sgl", content)
    neat = work.write("other.sgl", UGLY)
    assert run(["fmt", "g.sgl", "other.sgl"]) == FAILED
    assert code in work.capsys.readouterr().err
    assert path.read_bytes() == content
    assert neat.read_text("utf-8") == NEAT


def test_line_ends_become_plain(work: Workplace) -> None:
    path = work.write("g.sgl", NEAT.replace("\n", "\r\n"))
    assert run(["fmt", "--check", "g.sgl"]) == FAILED
    assert run(["fmt", "g.sgl"]) == OK
    assert path.read_bytes() == NEAT.encode("utf-8")
