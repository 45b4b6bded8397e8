"""How long does one wait for a command after an edit?

Edits a copy of a grammar and runs commands on it, each in a process of its own, with a cache that the commands before
have filled.  With another ``sglc``, the two take turns, each with a cache and a copy of its own::

    python benchmarks/waiting.py                            # the tutorial and SGET
    python benchmarks/waiting.py --only SGET --edits 3
    python benchmarks/waiting.py --only SGET --edits 2 --command compile
    python benchmarks/waiting.py --against old/bin/sglc     # of another environment

Shown are medians in seconds: user CPU / wall, and when the first and the last words appeared.  The kinds of edits are
those of ``editing.py``.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from common import ROOT, Spent, command_line, print_table, spent
from editing import CASES, KINDS, Case

#: The commands, with the kinds of edits that each runs after; the last kind edits nothing.
COMMANDS = {
    "check": (*KINDS, ""),
    "prove": ("weight", ""),
    "sample -n 5": ("weight", "text", ""),
    "compile": ("comment", ""),
}


@dataclass(frozen=True)
class Place:
    """A copy of a grammar for one ``sglc``, with its cache."""

    program: str
    folder: Path

    def run(self, command: str, case: Case) -> Spent:
        """Run a command on the copy."""
        name, *options = command.split()
        cache = {"SGL_CACHE_DIR": str(self.folder / "cache")}
        return spent([self.program, name, Path(case.root).name, *options], self.home(case), cache)

    def home(self, case: Case) -> Path:
        """Return the folder of the main file."""
        return self.folder / Path(case.root).parent

    def edit(self, case: Case, kind: str, number: int) -> None:
        """Write a grammar that differs from the shipped one by an edit."""
        for own in KINDS:
            name = case.table if own == "row" else case.rules
            text = (ROOT / name).read_text("utf-8")
            if own == kind:
                (self.folder / name).write_text(KINDS[kind](text, number), "utf-8")
                return


def main() -> None:
    """Print a table for each grammar."""
    parser = command_line(__doc__)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--command", choices=COMMANDS, action="append")
    parser.add_argument("--against", metavar="SGLC", help="another program to take turns with")
    chosen = parser.parse_args()
    own = str(Path(sys.executable).with_name("sglc"))
    programs = [own, *([chosen.against] if chosen.against else [])]
    for name in chosen.only or ("tutorial", "SGET"):
        print(f"\n{name}: user CPU / wall  (first and last words), medians of {chosen.edits}")
        print_table(
            ("command", "after", *programs), rows(CASES[name], programs, chosen.edits, chosen.command or COMMANDS)
        )


def rows(case: Case, programs: list[str], edits: int, commands: Iterable[str]) -> list[tuple[str, ...]]:
    """Return each command's cost after each kind of edit, one column for each program."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Place(program, Path(folder) / str(number)) for number, program in enumerate(programs)]
        for place in places:
            for part in ("grammars", "docs/examples"):
                shutil.copytree(ROOT / part, place.folder / part)
        return [
            (command, kind or "nothing", *measured(command, kind, case, places, edits))
            for command in commands
            for kind in COMMANDS[command]
        ]


def measured(command: str, kind: str, case: Case, places: list[Place], edits: int) -> list[str]:
    """Return the medians of one command after one kind of edit."""
    found: list[list[Spent]] = [[] for _ in places]
    for number in range(edits + 1):
        for place, times in zip(places, found, strict=True):
            place.edit(case, kind, number)
            times.append(place.run(command, case))
    # The first run finds files that another kind of edit has left.
    return [shown(times[1:]) for times in found]


def shown(times: list[Spent]) -> str:
    """Return the medians of some runs."""
    user, wall, first, last = (
        f"{statistics.median(getattr(one, name) for one in times):.2f}" for name in ("user", "wall", "first", "last")
    )
    return f"{user} / {wall}  ({first}, {last})"


if __name__ == "__main__":
    main()
