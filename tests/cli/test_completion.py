"""What a shell is told: commands, options, names of the grammar; and nothing heavy is loaded."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import completions
import pytest
from diagnostics import BASE, MAIN
from workplace import PATTERN, Workplace


def completed(work: Workplace, line: str) -> list[str]:
    """What bash is told when Tab is pressed at the end of a line."""
    words = line.split(" ")
    asked = {"_SGLC_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    program = (
        "import sys, atexit; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from sgl.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=work.directory,
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = {name for name in done.stderr.split() if name.startswith("sgl.cli.")}
    assert loaded <= {"sgl.cli.main", "sgl.cli.registry", "sgl.cli.completion"}
    assert not {"numpy", "lark", "yaml", "rich"} & set(done.stderr.split())
    return [told.split(",", 1)[1] for told in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sglc ch", ["check"]),
        ("sglc check --al", ["--allow"]),
        ("sglc check --allow SGL000", [f"SGL000{n}" for n in range(1, 8)]),
        ("sglc explain SGL0834", ["SGL0834"]),
        ("sglc compile slog_r", ["slog_r", "slog_roles"]),
        ("sglc check x.sgl --format s", ["sarif"]),
        ("sglc new d --from g", ["german"]),
        ("sglc export i", ["irtg"]),
        ("sglc sample farm.sgl p", ["p"]),
        ("sglc sample farm.sgl t", ["train", "test"]),
        ("sglc sample farm.sgl N", ["NP", "N"]),
        ("sglc sample farm.sgl --show ja,", ["ja,en", "ja,ja", "ja,syn", "ja,tree", "ja,graph"]),
        ("sglc prove farm.sgl --pattern ", ["p"]),
        ("sglc parse farm.sgl x --layer j", ["ja"]),
        ("sglc check farm.sgl --set ", ["depth="]),
        ("sglc check farm.sgl --limit w", ["words="]),
        ("sglc sample slog pp_modif_s", ["pp_modif_subj"]),
    ],
)
def test_names_are_completed(line: str, expected: list[str], work: Workplace) -> None:
    work.write("more.sgl", PATTERN)
    work.write(MAIN, "use more\nuse nothing\nparam depth = 2\n" + BASE)
    assert completed(work, line) == expected


def test_the_table_of_parameters_is_up_to_date() -> None:
    written = json.loads(completions.TABLE.read_text("utf-8"))
    assert written == json.loads(completions.table()), "python tests/support/completions.py"
