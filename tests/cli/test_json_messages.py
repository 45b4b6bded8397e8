"""With ``--format json`` standard output is one JSON document, whatever a command does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace

from sgl.cli.main import FAILED, INTERNAL, OK, OUTPUT, USAGE, run
from sgl.verify.dataset import Report, Result, Violation

#: A grammar that is sound, but for a category that nothing uses.
UNUSED = BASE + PATTERN + "category Unused\n"


def messages(work: Workplace, *arguments: str, status: int) -> list[dict[str, Any]]:
    """The messages of a command, which are all of its standard output."""
    assert run([*arguments, "--format", "json"]) == status
    found: list[dict[str, Any]] = json.loads(work.capsys.readouterr().out)
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", MAIN),
        ("prove", MAIN),
        ("prove", MAIN, "--pattern", "p"),
        ("compile", MAIN, "--out", "data"),
        ("prove", "--between", MAIN, MAIN),
        ("sample", MAIN, "-n", "2"),
        ("sample", MAIN, "p", "--pairs"),
        ("sample", MAIN, "-n", "2", "--out", "drawn.tsv"),
        ("parse", MAIN, "The dog saw the cat."),
        ("translate", MAIN, "The dog saw the cat."),
        ("audit", MAIN, "corpus.tsv"),
        ("fit", MAIN, "corpus.tsv"),
        ("export", "conllu", MAIN),
    ],
    ids=" ".join,
)
def test_warnings_of_a_grammar_are_said_by_what_checks_it(arguments: tuple[str, ...], work: Workplace) -> None:
    """They go to standard error, and commands that ask something else of the grammar say nothing of them."""
    work.write(MAIN, UNUSED)
    work.write("corpus.tsv", "The dog saw the cat.\t犬が猫を見た。\n")
    checked = arguments[0] in ("check", "compile") or arguments[:2] == ("prove", MAIN)
    assert [found["code"] for found in messages(work, *arguments, status=OK)] == ["SGL0204"] * checked


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (("sample", MAIN, "N", "-n", "5", "--out", "drawn.tsv", "--distinct"), FAILED, "SGL0809"),
        (("sample", MAIN, "--out", "folder.tsv"), OUTPUT, "SGL1103"),
        (("prove", MAIN, "--data", "folder.tsv"), OUTPUT, "SGL1102"),
        (("prove", MAIN, "--certificate", "folder.tsv"), OUTPUT, "SGL1103"),
        (("audit", MAIN, "nowhere.tsv"), OUTPUT, "SGL1102"),
        (("fit", MAIN, "nowhere.tsv"), OUTPUT, "SGL1102"),
        (("compile", MAIN, "--set", "x=1"), FAILED, "SGL0903"),
        (("eval", "nowhere", "nowhere.txt"), OUTPUT, "SGL1102"),
        (("analyse", "nowhere.conllu"), OUTPUT, "SGL1102"),
        (("split", "nowhere", "--report"), OUTPUT, "SGL1102"),
        (("baseline", "nowhere"), OUTPUT, "SGL1102"),
    ],
    ids=str,
)
def test_what_fails_has_a_code(arguments: tuple[str, ...], status: int, code: str, work: Workplace) -> None:
    work.write(MAIN, BASE)
    (work.directory / "folder.tsv").mkdir()
    assert [found["code"] for found in messages(work, *arguments, status=status)] == [code]


def test_a_command_without_messages_writes_an_empty_list(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert messages(work, "sample", MAIN, "-n", "1", status=OK) == []


def test_what_is_said_twice_is_listed_once(work: Workplace) -> None:
    """The grammar of a variant has the warnings of the grammar."""
    work.write(MAIN, f"param few = off\n{UNUSED}")
    found = messages(work, "compile", MAIN, "--out", "data", "--variants", "few=on", status=OK)
    assert [entry["code"] for entry in found] == ["SGL0204"]


def test_the_proofs_as_json_and_messages_as_json_are_not_one_document(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["prove", MAIN, "--json", "--format", "json"]) == USAGE
    assert "choose" in work.capsys.readouterr().err
    assert run(["split", MAIN, "--report", "--json", "--format", "json"]) == USAGE
    assert "choose" in work.capsys.readouterr().err


# ---- what fails without a grammar being at fault


@pytest.mark.parametrize(
    ("grammar", "arguments", "code"),
    [
        (BASE + PATTERN.replace("size 10", "size 10\n  exclude { P -[case]-> Q }"), ("p",), "SGL0812"),
        (BASE.replace("train 20", "test 20") + PATTERN, ("p", "--pairs"), "SGL0821"),
        (BASE, ("N", "-n", "5", "--out", "drawn.tsv", "--distinct"), "SGL0809"),
    ],
    ids=("nothing qualifies", "no training to hold items against", "too few sentences"),
)
def test_sample_says_with_a_code_why_it_cannot_draw(
    grammar: str, arguments: tuple[str, ...], code: str, work: Workplace
) -> None:
    work.write(MAIN, grammar)
    said = work.refuses(FAILED, f"error[{code}]", command=("sample", *arguments))
    assert said.count("error[") == 1


def test_a_file_that_is_there_is_replaced_by_force_only(work: Workplace) -> None:
    work.write(MAIN, BASE)
    work.write("drawn.tsv", "important\n")
    draw = ("sample", "-n", "1", "--out", "drawn.tsv")
    said = work.refuses(OUTPUT, "error[SGL1103]", "already exists", command=draw)
    assert "hint: `--force` overwrites it" in said
    assert run(["sample", MAIN, *draw[1:], "--force"]) == OK


def test_a_mistake_of_our_own_is_in_the_list(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("sgl.lang.project.read", fail)
    work.write(MAIN, BASE)
    (found,) = messages(work, "check", MAIN, status=INTERNAL)
    assert (found["code"], found["message"]) == ("SGL0999", "ZeroDivisionError: division by zero")


def test_a_slip_of_the_command_line_has_no_message(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert messages(work, "prove", MAIN, "--pattern", "nobody", status=USAGE) == []


def test_a_dataset_that_the_verifier_refuses_is_not_put_in_place(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Result("V009", "held out", "", "failed", 1, 1, (Violation("a subject has a modifier"),))

    def verify(*_: object, **_omitted: object) -> Report:
        return Report("farm", "", "", 1, 1, (refused,))

    monkeypatch.setattr("sgl.pipeline.production.verify", verify)
    work.write(MAIN, BASE)
    (found,) = messages(work, "compile", MAIN, status=FAILED)
    assert found["code"] == "SGL0905"
    assert not (work.directory / "out" / "farm").exists()
