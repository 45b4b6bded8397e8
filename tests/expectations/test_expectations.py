"""The 22 expectations of authors: the table beside this file names tests, and all of them exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN
from workplace import Workplace

from sgl import EDITION, __version__
from sgl.cache import build
from sgl.cli.main import FAILED, OK, run

TESTS = Path(__file__).parents[1]
TABLE = (Path(__file__).parent / "README.md").read_text("utf-8")
ROWS = [line.split(" | ") for line in TABLE.splitlines() if re.match(r"\| \d", line)]
NAMED = re.findall(r"`(\w+/\w+\.py)(?:::(\w+))?`", TABLE)


def test_each_expectation_has_a_row_with_a_test() -> None:
    assert [int(row[0].strip("| ")) for row in ROWS] == list(range(1, 23))
    assert all(".py" in row[3] for row in ROWS)


@pytest.mark.parametrize(("file", "name"), dict.fromkeys(NAMED), ids=lambda part: part or "all")
def test_a_test_that_is_named_exists(file: str, name: str) -> None:
    text = (TESTS / file).read_text("utf-8")
    assert re.search(rf"^def {name}\(" if name else "^def test_", text, re.MULTILINE)


def test_a_refuted_claim_shows_a_sentence_and_the_rule(work: Workplace) -> None:
    work.write(MAIN, BASE + "\npattern p\n  assert never { V -[nsubj]-> N; N -[nmod]-> M }\n  size 10\n")
    assert run(["check", MAIN]) == FAILED
    said = work.capsys.readouterr().err
    assert re.search("= .*The (dog|cat) near the", said)
    assert "rule np_pp" in said


@pytest.mark.slow
def test_what_is_known_is_said_again_without_the_compiler(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second look at a grammar reads files and compares hashes, and nothing else."""
    work.write(MAIN, BASE)
    monkeypatch.setenv("SGL_CACHE_DIR", str(work.directory / "cache"))
    (work.directory / "cache").mkdir(mode=0o700)
    program = f"import sys; from sgl.cli.main import run; run(['check', {MAIN!r}]); print(*sys.modules)"
    loaded = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert "sgl.frontend" in loaded[0]
    assert not {"sgl.frontend", "sgl.automata", "numpy", "lark"} & set(loaded[1])


def test_the_version_names_edition_and_build(work: Workplace) -> None:
    assert run(["--version"]) == OK
    said = work.capsys.readouterr().out
    assert said.startswith(f"sglc {__version__} (language edition {EDITION}, build {build()}, Python ")
    assert re.fullmatch("[0-9a-f]{12}", build())


@pytest.mark.parametrize(
    ("options", "coloured"), [((), False), (("--color", "always"), True), (("--color", "never"), False)]
)
def test_colours_are_switched_off(
    options: tuple[str, ...], coloured: bool, work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    work.write(MAIN, BASE + 'word N: "猫" ~ 2\nrule np: NP -> Mouse\n')
    assert run(["check", MAIN, *options]) == FAILED
    assert ("\x1b[" in work.capsys.readouterr().err) == coloured
