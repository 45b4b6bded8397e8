"""``sglc watch``: what an author sees at each save."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sgl.cli.main import USAGE, run

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


class Watcher:
    """A watcher of a copy of the tutorial's grammar, and what it has said."""

    def __init__(self, directory: Path) -> None:
        self.grammar = directory / "farm.sgl"
        for path in EXAMPLES.glob("*.*"):
            if path.suffix in (".sgl", ".yaml"):
                (directory / path.name).write_bytes(path.read_bytes())
        command = (sys.executable, "-m", "sgl", "watch", "farm.sgl", "pp_in_subject", "-n", "3", "--no-cache")
        self.process = subprocess.Popen(
            command,
            cwd=directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            # A run in the background may have been told to ignore breaks.
            preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )

    def until(self, end: str) -> str:
        """What it says up to a line that has a text."""
        said = ""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            said += line
            if end in line:
                return said
        raise AssertionError(said)

    def replace(self, old: str, new: str) -> None:
        """Save the grammar with another text in it."""
        text = self.grammar.read_text("utf-8")
        assert old in text
        self.grammar.write_text(text.replace(old, new), "utf-8")


@pytest.fixture
def watcher(tmp_path: Path) -> Iterator[Watcher]:
    watcher = Watcher(tmp_path)
    yield watcher
    watcher.process.kill()
    watcher.process.communicate()


@pytest.mark.slow
def test_each_save_shows_messages_samples_and_claims_that_changed(watcher: Watcher) -> None:
    first = watcher.until("1 of 1 pattern proved")
    assert first.count(" · ") == 3
    assert all(line.startswith("  ") for line in first.splitlines() if " · " in line)

    watcher.replace("NP -> Det N  ~ 3", "NP -> Det N  ~ 30")
    other = watcher.until("1 of 1 pattern proved")
    assert {line[0] for line in other.splitlines() if " · " in line} >= {"+", "-"}

    watcher.replace("NP -> Det N ", "NP -> Dett N ")
    wrong = watcher.until("farm.sgl  ")
    assert "did you mean `Det`?" in wrong
    assert " · " not in wrong
    watcher.replace("NP -> Dett N ", "NP -> Det N ")
    healed = watcher.until("1 of 1 pattern proved")
    assert [line[0] for line in healed.splitlines() if " · " in line] == [" "] * 3

    watcher.replace("  forbid { V -[nsubj]-> N;", "  assert never { V -[obj]-> N }\n  forbid { V -[nsubj]-> N;")
    refuted = watcher.until("0 of 1 pattern proved")
    assert "- pp_in_subject: proved\n+ pp_in_subject: refuted: held out, disjoint\n" in refuted


@pytest.mark.slow
def test_tables_are_watched_and_a_break_ends_it(watcher: Watcher) -> None:
    watcher.until("1 of 1 pattern proved")
    table = watcher.grammar.with_name("verbs.yaml")
    table.write_text(table.read_text("utf-8").replace("en: ", "en: re"), "utf-8")
    assert re.search(r"^\+ .* re\w+ed ", watcher.until("farm.sgl  "), re.MULTILINE)
    watcher.process.send_signal(signal.SIGINT)
    told, _ = watcher.process.communicate(timeout=60)
    assert watcher.process.returncode == 0
    assert "Traceback" not in told


@pytest.mark.slow
def test_a_table_or_a_module_that_was_not_there_is_seen_when_it_comes(watcher: Watcher) -> None:
    watcher.until("1 of 1 pattern proved")
    table, folder = watcher.grammar.with_name("verbs.yaml"), watcher.grammar.with_name("lex")
    watcher.replace('"verbs.yaml"', '"lex/verbs.yaml"')
    assert "`lex/verbs.yaml` does not exist" in watcher.until("farm.sgl  ")
    folder.mkdir()
    # What is moved has the time of its last change.
    table.rename(folder / "verbs.yaml")
    watcher.until("1 of 1 pattern proved")
    (folder / "verbs.yaml").rename(table)
    assert "`lex/verbs.yaml` does not exist" in watcher.until("farm.sgl  ")
    table.rename(folder / "verbs.yaml")
    watcher.until("1 of 1 pattern proved")
    watcher.replace("layer en", "use lex.more\nlayer en")
    assert "`lex/more.sgl` does not exist" in watcher.until("farm.sgl  ")
    (folder / "more.sgl").write_text("feature more = yes\n")
    watcher.until("1 of 1 pattern proved")


def test_messages_for_programs_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["watch", str(EXAMPLES / "farm.sgl"), "--format", "json"]) == USAGE
    assert "use `check`" in capsys.readouterr().err
