"""Programs that models write: they are run with limits, only if asked for, and what they print is scored."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

import sgl
from sgl.cli.main import OK, run
from sgl.research.evaluate import programs
from sgl.research.evaluate.programs import run_program

pytestmark = pytest.mark.skipif(os.name != "posix", reason="limits of processes")

READS = "import sys\nfor line in sys.stdin: print(line.strip()[::-1])"


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "SECONDS", 10)


def test_a_program_maps_lines_to_lines() -> None:
    assert run_program(READS, ["ab", "犬が"]) == (["ba", "が犬"], "")


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("print(1)", "it prints 1 line for 2 inputs"),
        ("syntax error(", "SyntaxError: '(' was never closed"),
        ("raise SystemExit(3)", "it ends with status 3"),
        ("x = [0] * 10**10", "MemoryError"),
        ("print('a' * 10**8)", "OSError: [Errno 27] File too large"),
        ("import os; print(os.environ['HOME'])", "KeyError: 'HOME'"),
        ("import sgl_that_nobody_has", "ModuleNotFoundError: No module named 'sgl_that_nobody_has'"),
        ("\ud800", "SyntaxError: invalid syntax"),
    ],
)
def test_why_a_program_has_no_outputs(program: str, why: str) -> None:
    assert run_program(program, ["a", "b"]) == ([], why)


def test_a_program_ends_with_all_that_it_has_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "SECONDS", 2)
    pid = tmp_path / "pid"
    program = f"import os, time\nif not os.fork():\n  open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
    assert run_program(program, ["a"]) == ([], "it takes more than 2 seconds")
    state = Path(f"/proc/{pid.read_text()}/stat")

    def ended() -> bool:
        try:
            return state.read_text().split()[2] in "ZX"
        except OSError:
            return True

    # A process that was killed takes a moment to end.
    assert any(ended() or time.sleep(0.1) for _ in range(100))


def test_only_if_asked_for_they_are_run_and_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("ab\tba\tshort\nabc\tcba\tlong\nabcd\tdcba\tlong\n", "utf-8")
    said = tmp_path / "said.jsonl"
    texts = {"short": f"Here it is:\n```python\n{READS}\n```\nIt works.", "long": "print('never')"}
    said.write_text("".join(f"{json.dumps({'id': n, 'prediction': t})}\n" for n, t in texts.items()), "utf-8")
    assert run(["eval", str(rows), str(said), "--programs", "--samples", "100"]) == OK
    told = capsys.readouterr()
    assert "long: it prints 1 line for 2 inputs" in told.err
    assert "warning[SGL1419]" in told.err
    scores = sgl.evaluate(rows, {"m": texts}, programs=True, samples=100)
    assert {row["name"]: row["scores"]["exact"]["m"]["mean"] for row in scores.data["tables"]["patterns"]} == {
        "short": 1,
        "long": 0,
    }
    with pytest.raises(sgl.GrammarError, match="SGL1402"):
        sgl.evaluate(rows, {"m": texts}, samples=100)


def test_a_function_writes_a_program_for_each_pattern(tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("ab\tba\tshort\nabc\tcba\tlong\nabcd\tdcba\tlong\n", "utf-8")
    asked: list[str] = []

    def model(pattern: str) -> str:
        asked.append(pattern)
        return READS if pattern == "long" else "print('nothing')"

    scores = sgl.evaluate(rows, {"m": model}, programs=True, samples=100)
    assert asked == ["short", "long"]
    assert {row["name"]: row["scores"]["exact"]["m"]["mean"] for row in scores.data["tables"]["patterns"]} == {
        "short": 0,
        "long": 1,
    }


def test_several_programs_for_a_pattern_are_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three programs for each pattern: for `short` two are right, for `long` one; another one fails."""
    rows = tmp_path / "rows.tsv"
    rows.write_text("ab\tba\tshort\nabc\tcba\tlong\nabcd\tdcba\tlong\n", "utf-8")
    echo = "import sys\nprint(sys.stdin.read(), end='')"
    texts = {"short": [READS, READS, echo], "long": [echo, READS, "raise SystemExit(1)"]}
    said = tmp_path / "said.jsonl"
    said.write_text("".join(f"{json.dumps({'id': n, 'samples': t})}\n" for n, t in texts.items()), "utf-8")
    assert run(["eval", str(rows), str(said), "--programs", "--samples", "100"]) == OK
    assert "long, sample 3: it ends with status 1" in capsys.readouterr().err
    for given in (texts, str(said), lambda pattern: texts[pattern]):
        data = sgl.evaluate(rows, {"m": given}, programs=True, samples=100).data
        means = {row["name"]: row["scores"]["exact"]["m"]["mean"] for row in data["tables"]["patterns"]}
        assert means == {"short": pytest.approx(2 / 3), "long": pytest.approx(1 / 3)}
        (answers,) = data["answers"]
        parts = {part["name"]: (part["best"], part["agreement"]) for part in answers["parts"]}
        assert answers["samples"] == 3
        assert parts == {"all": (1, pytest.approx(1 / 9)), "short": (1, pytest.approx(1 / 3)), "long": (1, 0)}


def test_a_pattern_without_a_program_lacks_its_predictions(tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("ab\tba\tshort\nabc\tcba\tlong\n", "utf-8")
    wrong = sgl.evaluate(rows, {"m": {"short": READS}}, programs=True, samples=100)
    assert wrong.flat("m")["exact"] == 0.5
    left = sgl.evaluate(rows, {"m": {"short": READS}}, programs=True, missing="left-out", samples=100)
    assert (left.flat("m")["exact"], left.data["dataset"]["left_out"]) == (1, 1)


def test_samples_of_answers_can_be_given_in_python(tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("ab\tba\tshort\nabc\tcba\tlong\n", "utf-8")
    by_name = {"rows-000001": ["ba", "ab"], "rows-000002": ["cba", "cba"]}
    of = {"ab": ["ba", "ab"], "abc": ("cba", "cba")}
    for given in (by_name, list(by_name.values()), lambda source: of[source]):
        data = sgl.evaluate(rows, {"m": given}, samples=100).data
        (answers,) = data["answers"]
        assert (answers["samples"], answers["parts"][0]["best"], answers["parts"][0]["agreement"]) == (2, 1, 0.5)
        assert data["tables"]["overall"][0]["scores"]["exact"]["m"]["mean"] == 0.75
    for strange in ([[]], [["ba", 1], ["cba"]]):
        with pytest.raises(sgl.GrammarError, match="is not text"):
            sgl.evaluate(rows, {"m": strange}, samples=100)
