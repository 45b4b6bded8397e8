"""``sglc check``: several files, and texts that are in no file."""

from __future__ import annotations

import io
import json

import pytest
from diagnostics import BASE, MAIN, PIECES
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run

#: A grammar in two files.
RULES = "\n".join(text for name, text in PIECES.items() if name != "dataset")
PARTS = {"rules.sgl": RULES, MAIN: "use rules\n" + PIECES["dataset"]}


def type_in(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), "utf-8"))


def test_several_grammars_are_checked(work: Workplace) -> None:
    work.write("a.sgl", BASE)
    work.write("b.sgl", BASE.replace("module farm", "module other") + "rule r: NP -> Mouse\n")
    assert run(["check", "a.sgl", "b.sgl", "--format", "concise"]) == FAILED
    said = work.capsys.readouterr().err
    assert "b.sgl:70:15: error[SGL0201]" in said
    assert "a.sgl" not in said
    assert run(["check", "a.sgl", "b.sgl"]) == FAILED
    assert work.capsys.readouterr().out.startswith("farm: ")


def test_parts_of_one_grammar_are_checked_once(work: Workplace) -> None:
    for name, text in PARTS.items():
        work.write(name, text)
    assert run(["check", "rules.sgl", MAIN]) == OK
    captured = work.capsys.readouterr()
    assert captured.out.count("\n") == 1
    assert captured.err == "note: `rules.sgl` is checked as part of `farm.sgl`\n"


def test_standard_input_is_checked(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(BASE, monkeypatch)
    assert run(["check", "-"]) == OK
    assert work.capsys.readouterr().out.startswith("farm: ")
    type_in(BASE + "rule r: NP -> Mouse\n", monkeypatch)
    assert run(["check", "-", "--format", "concise"]) == FAILED
    assert work.capsys.readouterr().err.startswith("-:70:15: error[SGL0201]")


def test_standard_input_may_use_files_here(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    work.write("rules.sgl", RULES)
    type_in(PARTS[MAIN], monkeypatch)
    assert run(["check", "-"]) == OK
    assert work.capsys.readouterr().err == ""


def test_standard_input_stands_for_a_file_that_is_being_edited(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor checks a part of a grammar that is not saved; nothing of it is kept."""
    for name, text in PARTS.items():
        work.write(name, text)
    assert run(["check", "rules.sgl"]) == OK
    type_in(RULES + "rule r: NP -> Mouse\n", monkeypatch)
    work.capsys.readouterr()
    assert run(["check", "-", "--stdin-name", "rules.sgl", "--format", "json"]) == FAILED
    (found,) = json.loads(work.capsys.readouterr().out)
    assert (found["code"], found["place"]["file"]) == ("SGL0201", "rules.sgl")
    assert run(["check", "rules.sgl"]) == OK


@pytest.mark.parametrize(("text", "code"), [("\0", "SGL0002"), ("#" * 20_000_000, "SGL0003")])
def test_what_is_no_grammar_is_refused(text: str, code: str, work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(text, monkeypatch)
    assert run(["check", "-", "--format", "concise"]) == FAILED
    assert code in work.capsys.readouterr().err
