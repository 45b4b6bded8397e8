"""How long until `sglc` answers: help, and checks and proofs with a cold and a warm cache.

Each command runs in a process of its own, as it does for an author, several times; shown
is the quickest run, the one that other work on the machine has disturbed least::

    python benchmarks/startup.py grammars/sget.sgl grammars/slog.sgl
    python benchmarks/startup.py grammars/sget.sgl --repeat 5 --json startup.json

*Cold* runs find an empty cache and fill it, *off* runs have `--no-cache`, *warm* runs find
what a run before them has kept.  The cache is a temporary one; yours is left alone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

COMMANDS = ("check", "prove")
STATES = ("off", "cold", "warm")


@dataclass(frozen=True, slots=True)
class Timing:
    """The quickest run of a command: seconds on the clock, and of the processor."""

    command: str
    cache: str
    wall: float
    cpu: float


def main() -> int:
    """Run the measurements; the result is the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("grammars", type=Path, nargs="+")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each command")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sgl-startup-") as directory:
        cache = Path(directory) / "cache"
        found = [measured(("--help",), "off", cache, options.repeat)]
        for grammar in options.grammars:
            for command in COMMANDS:
                found += [
                    measured((command, str(grammar)), state, cache, options.repeat)
                    for state in STATES
                ]
    print(f"{'command':<32}{'cache':<6}{'wall s':>8}{'CPU s':>8}")
    for timing in found:
        print(f"{timing.command:<32}{timing.cache:<6}{timing.wall:>8.2f}{timing.cpu:>8.2f}")
    if options.json is not None:
        text = json.dumps([asdict(timing) for timing in found], indent=1)
        options.json.write_text(text + "\n", "utf-8")
    return 0


def measured(arguments: tuple[str, ...], state: str, cache: Path, repeat: int) -> Timing:
    """The quickest of several runs; a warm cache is what the last cold run has left."""
    runs = []
    off = ("--no-cache",) if state == "off" and arguments[0] in COMMANDS else ()
    for _ in range(repeat):
        if state == "cold":
            shutil.rmtree(cache, ignore_errors=True)
        runs.append(_run((*arguments, *off), cache))
    wall, cpu = min(runs)
    return Timing(" ".join(("sglc", *arguments)), state, wall, cpu)


def _run(arguments: tuple[str, ...], cache: Path) -> tuple[float, float]:
    """Seconds on the clock and of the processor for one run."""
    where = {**os.environ, "SGL_CACHE_DIR": str(cache)}
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "sgl", *arguments], env=where, check=True, capture_output=True
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu


if __name__ == "__main__":
    sys.exit(main())
