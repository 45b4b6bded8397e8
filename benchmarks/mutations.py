"""Would the tests notice a slip in the program?  Makes slips by seed, and sees which tests die of them.

    python benchmarks/mutations.py                              # 10 slips in each of six packages
    python benchmarks/mutations.py core parsing --number 20 --seed 7
    python benchmarks/mutations.py --known                      # the slips of tests/slips/known.toml
    python benchmarks/mutations.py core --list                  # list them, try none

A slip is killed if a quick test *of its own package* fails: whoever edits ``sgl/core`` runs ``tests/core``.  Slips that
change nothing are listed with a reason in ``tests/slips/known.toml``.  A run takes about half a minute for each slip;
with ``--json``, an interrupted run goes on where it stopped.  The exit status is 1 if a slip survives.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from common import ROOT, command_line, print_table, write_json
from slips.draw import Slip, drawn, package_slips
from slips.known import equivalents, fixed
from slips.trial import KILLED, SURVIVED, Bench

PACKAGES = ("automata", "verify", "core", "sampling", "parsing", "dataset")
EQUIVALENT = "equivalent"


def main() -> int:
    """Try slips; the exit status is 1 if one survives."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("packages", nargs="*", default=PACKAGES, help=", ".join(PACKAGES))
    parser.add_argument("--number", type=int, default=10, help="of each package")
    parser.add_argument("--seed", type=int, default=20261124)
    parser.add_argument("--only", help="the slips that have this in their name")
    parser.add_argument("--known", action="store_true", help="the slips that once survived, instead of a draw")
    parser.add_argument("--list", action="store_true", help="name the slips")
    options = parser.parse_args()
    known, gone = fixed(ROOT)
    chosen = known if options.known else _drawn(options)
    slips = [slip for slip in chosen if not options.only or options.only in slip.name]
    if options.list:
        print("\n".join(slip.name for slip in slips))
        return 0
    for name in gone if options.known else ():
        print(f"no longer there: {name}")
    verdicts = tried(slips, options.json)
    report(verdicts)
    return 1 if any(verdict == SURVIVED for verdict, _ in verdicts.values()) else 0


def _drawn(options: argparse.Namespace) -> list[Slip]:
    return [slip for p in options.packages for slip in drawn(package_slips(ROOT, p), options.number, options.seed)]


def tried(slips: list[Slip], memory: Path | None) -> dict[str, list[str]]:
    """Return verdict and killer of each slip, without trying again those in ``memory``."""
    verdicts = json.loads(memory.read_text("utf-8")) if memory and memory.is_file() else {}
    reasons = equivalents()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(ROOT, Path(folder))
        for number, slip in enumerate(slips, 1):
            if slip.name not in verdicts:
                trial = bench.trial(slip)
                equivalent = trial.verdict == SURVIVED and slip.name in reasons
                verdicts[slip.name] = [EQUIVALENT, reasons[slip.name]] if equivalent else [trial.verdict, trial.test]
            write_json(memory, verdicts)
            print(f"{number}/{len(slips)} {verdicts[slip.name][0]} {slip.name} {verdicts[slip.name][1]}", flush=True)
    return {slip.name: verdicts[slip.name] for slip in slips}


def report(verdicts: dict[str, list[str]]) -> None:
    """Print how many slips of each package were killed, and which survived."""
    found = Counter((name.split("/")[1], verdict) for name, (verdict, _) in verdicts.items())
    packages = dict.fromkeys(package for package, _ in found)
    columns = (KILLED, SURVIVED, EQUIVALENT)
    print_table(("package", *columns), [(p, *(found[p, column] for column in columns)) for p in packages])
    for name, (verdict, _) in verdicts.items():
        if verdict == SURVIVED:
            print(f"survived: {name}")


if __name__ == "__main__":
    sys.exit(main())
