"""How long does an author wait for the language server, and how much memory does it take?

Each edit changes one rule and goes through the protocol, over pipes, to a server of its own; then come the questions.
Shown are medians after the first edits, in seconds of the server's processor time, which other programs on the machine
do not affect::

    python benchmarks/serving.py                      # the tutorial, SLOG, SGET; 20 edits each
    python benchmarks/serving.py --edits 1000 farm    # memory after many edits
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types

from common import ROOT, command_line
from editor import Editor

#: The folder of each grammar, the file to edit, and a pattern.
GRAMMARS = {
    "farm": (ROOT / "docs" / "examples", "farm.sgl", "pp_in_subject"),
    "slog": (ROOT / "grammars", "slog/english.sgl", "pp_modif_subj"),
    "sget": (ROOT / "grammars", "sget.sgl", "pp_in_subject"),
}
_WEIGHT = re.compile(r"^(rule \w+: [^\n~]*~ )[0-9.]+", re.MULTILINE)
EVERYTHING = types.Range(types.Position(0, 0), types.Position(10**6, 0))
NOTHING = types.CodeActionContext([])
_TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server with a grammar open, and its use of time and memory."""

    def __init__(self, name: str, directory: Path) -> None:
        folder, self.main, pattern = GRAMMARS[name]
        shutil.copytree(folder, directory / name)
        self.editor = Editor(directory / name)
        self.text = self.editor.open(self.main)
        patterns = [path.read_text("utf-8") for path in sorted((directory / name).rglob("*.sgl"))]
        declared = re.findall(r"^pattern (\w+)", self.text, re.MULTILINE) or re.findall(
            r"^pattern (\w+)", "\n".join(patterns), re.MULTILINE
        )
        self.pattern = pattern if pattern in declared else declared[0]
        process = self.editor.client._server  # noqa: SLF001 - no other way to its number
        assert process is not None
        self.process = Path(f"/proc/{process.pid}")

    def used(self) -> float:
        """Return the seconds of processor time used so far."""
        fields = (self.process / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def memory(self) -> float:
        """Return the resident memory in MB."""
        found = re.search(r"VmRSS:\s+(\d+)", (self.process / "status").read_text())
        return int(found[1]) / 1024 if found is not None else 0.0

    def edit(self, number: int) -> None:
        """Give a rule another weight."""
        changed, times = _WEIGHT.subn(rf"\g<1>{3 + number / 1000:.3f}", self.text, count=1)
        assert times == 1
        self.editor.write(self.main, changed)

    def ask(self, question: str) -> None:
        """Wait for the answer to one of the questions."""
        uri, editor = self.editor.uri(self.main), self.editor
        answers: dict[str, Callable[[], object]] = {
            # Fixes are asked for all messages.
            "messages": lambda: editor.ask_of(types.CodeActionParams, self.main, range=EVERYTHING, context=NOTHING),
            "5 samples": lambda: editor.run("sgl.samples", uri, self.pattern),
            "claims": lambda: editor.run("sgl.counterexample", uri),
        }
        answers[question]()


def measure(name: str, edits: int) -> None:
    """Print a row for a grammar."""
    with tempfile.TemporaryDirectory() as directory:
        server = Server(name, Path(directory))
        found: dict[str, list[tuple[float, float]]] = {}
        for question in ("messages", "5 samples", "claims"):
            for number in range(edits + 2):
                server.edit(number)
                before, started = server.used(), time.perf_counter()
                server.ask(question)
                found.setdefault(question, []).append((server.used() - before, time.perf_counter() - started))
        cells = [f"{name:6}"]
        for question, times in found.items():
            processor, wall = (statistics.median(column) for column in zip(*times[2:], strict=True))
            cells.append(f"{question} {processor:5.2f} s ({wall:.2f} s)")
        print("  ".join([*cells, f"{server.memory():,.0f} MB"]), flush=True)
        server.editor.close()


def main() -> None:
    """Measure the grammars that are named, or all of them."""
    parser = command_line(__doc__)
    parser.add_argument("grammars", nargs="*", choices=[*GRAMMARS, []])
    parser.add_argument("--edits", type=int, default=20)
    arguments = parser.parse_args()
    for name in arguments.grammars or GRAMMARS:
        measure(name, arguments.edits)


if __name__ == "__main__":
    main()
