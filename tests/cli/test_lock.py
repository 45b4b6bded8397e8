"""``sglc lock``: a grammar with a lock takes no other tables and modules."""

from __future__ import annotations

import hashlib

import pytest
from diagnostics import BASE, MAIN
from workplace import ANIMALS, ROWS, Workplace

from sgl.cli.main import FAILED, OK, run


@pytest.fixture
def locked(work: Workplace) -> Workplace:
    work.write(MAIN, "use more.words\nuse stdlib.ud\n" + BASE + ANIMALS % "animals.yaml")
    work.write("more/words.sgl", "words small = dog\n")
    work.write("animals.yaml", ROWS)
    assert run(["check", MAIN, "--fast"]) == OK
    assert run(["lock", MAIN]) == OK
    work.capsys.readouterr()
    return work


def said(work: Workplace, *arguments: str, status: int = OK) -> str:
    assert run([*arguments]) == status
    captured = work.capsys.readouterr()
    return captured.out + captured.err


def test_a_lock_has_every_file_but_the_grammar(locked: Workplace) -> None:
    lines = (locked.directory / "farm.lock").read_text("utf-8").splitlines()
    entries = dict(reversed(line.split("  ")) for line in lines if not line.startswith("#"))
    assert sorted(entries) == ["animals.yaml", "more/words.sgl", "stdlib/ud.sgl"]
    assert entries["animals.yaml"] == hashlib.sha256(ROWS.encode("utf-8")).hexdigest()
    assert said(locked, "check", MAIN, "--fast").startswith("farm: ")


@pytest.mark.parametrize(
    ("name", "content"), [("animals.yaml", ROWS + "# \n"), ("more/words.sgl", "words small = cat\n")]
)
def test_another_file_is_refused_until_it_is_recorded(name: str, content: str, locked: Workplace) -> None:
    locked.write(name, content)
    for command in (["check", MAIN], ["sample", MAIN], ["lock", MAIN]):
        text = said(locked, *command, status=FAILED)
        assert f"error[SGL0007]: `{name}` differs from the lock" in text
        assert " --> farm.lock:" in text
    assert said(locked, "lock", MAIN, "--update").startswith("farm.lock: 3 files\n")
    said(locked, "check", MAIN, "--fast")


def test_a_file_that_the_lock_does_not_know_is_refused(locked: Workplace) -> None:
    locked.write("new.yaml", "- {en: hen, ja: 鶏}\n")
    path = locked.directory / MAIN
    locked.write(MAIN, path.read_text("utf-8") + (ANIMALS % "new.yaml").replace("animals", "birds"))
    assert "`new.yaml` is not in the lock" in said(locked, "check", MAIN, status=FAILED)


def test_the_grammar_itself_may_change(locked: Workplace) -> None:
    path = locked.directory / MAIN
    locked.write(MAIN, path.read_text("utf-8") + "# a comment\n")
    before = (locked.directory / "farm.lock").read_bytes()
    said(locked, "lock", MAIN)
    assert (locked.directory / "farm.lock").read_bytes() == before


def test_a_lock_is_noticed_where_the_grammar_was_read_without_it(locked: Workplace) -> None:
    """The cache keeps what a grammar came to; a lock that appears is a reason to look again."""
    lock = locked.directory / "farm.lock"
    text = lock.read_text("utf-8")
    lock.unlink()
    said(locked, "check", MAIN, "--fast")
    lock.write_text(text.replace(text.splitlines()[1][:8], "0" * 8), "utf-8")
    assert "SGL0007" in said(locked, "check", MAIN, "--fast", status=FAILED)


def test_a_lock_that_is_no_text_is_an_error(locked: Workplace) -> None:
    locked.write("farm.lock", b"\xff")
    assert "SGL0002" in said(locked, "check", MAIN, status=FAILED)
