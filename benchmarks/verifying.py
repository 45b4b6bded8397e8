"""How long does it take to verify a dataset, and what takes it?

Verifies a written dataset once for each number of workers, each time in a process of its
own, and says for each phase how much processor time and how much time it took::

    python benchmarks/verifying.py out/sget --workers 1 2

A phase is what the verifier says it is doing: reading sentences, searching graphs, and
each of its checks.  The processor time of a phase is that of the process that reads, so
that with two workers ``certificate`` is what the other one was waited for; ``all`` is of
both.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from common import Json, print_table, write_json
from sgl.verify import verify


class Clock:
    """Takes the time of phases; it is called as the progress of a verification."""

    def __init__(self) -> None:
        self.phases: dict[str, list[float]] = {}
        self._phase = "reading sentences"
        self._since = (time.process_time(), time.perf_counter())

    def __call__(self, _done: int, _total: int, what: str) -> None:
        """A phase has begun, or goes on."""
        now = (time.process_time(), time.perf_counter())
        spent = self.phases.setdefault(self._phase, [0.0, 0.0])
        for rank in (0, 1):
            spent[rank] += now[rank] - self._since[rank]
        self._phase, self._since = what, now


def measure(directory: Path, workers: int) -> Json:
    """Verify once, here."""
    clock, started = Clock(), time.perf_counter()
    report = verify(directory, clock, workers)
    wall = time.perf_counter() - started
    own = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = sum(used.ru_utime + used.ru_stime for used in (own, others))
    return {
        "workers": workers,
        "ok": report.ok,
        "items": report.items,
        "cpu": cpu,
        "wall": wall,
        "megabytes": own.ru_maxrss / 1024,
        "phases": clock.phases,
    }


def main() -> int:
    """Measure each number of workers and show a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", type=Path, help="write the result to this file")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.here:
        sys.stdout.write(json.dumps(measure(options.directory, options.workers[0])))
        return 0
    results = [_apart(options.directory, workers) for workers in options.workers]
    show(results)
    write_json(options.json, {"directory": options.directory.name, "runs": results})
    return 0 if all(result["ok"] for result in results) else 1


def _apart(directory: Path, workers: int) -> Json:
    """Verify once in a process of its own."""
    command = [sys.executable, __file__, str(directory), "--here", "--workers", str(workers)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    result: Json = json.loads(done.stdout)
    return result


def show(results: list[Json]) -> None:
    """Print the phases that take a hundredth of a second, and the sums."""
    header = ["seconds"]
    for result in results:
        header += [f"cpu, {result['workers']} workers", f"time, {result['workers']} workers"]
    rows = []
    for phase in results[0]["phases"]:
        spent = [result["phases"].get(phase, [0.0, 0.0]) for result in results]
        if max(map(max, spent)) >= 0.01:
            rows.append(
                [phase.removeprefix("checking "), *(f"{x:.2f}" for pair in spent for x in pair)]
            )
    sums = [f"{result[name]:.2f}" for result in results for name in ("cpu", "wall")]
    print_table(header, [*rows, ["all", *sums]])
    print(f"{results[0]['items']:,} items, at most {results[0]['megabytes']:.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
