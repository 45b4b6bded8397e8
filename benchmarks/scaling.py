"""Distinct sentence pairs to Parquet: time, processor time and memory, by items and workers.

    python benchmarks/scaling.py --items 10000 100000 1000000 10000000 --workers 1 2 4
    python benchmarks/scaling.py --items 1000000 --engine dask
    python benchmarks/scaling.py --items 1000000 --workers 3 6 8 --json runs.json --add

The pairs are those of the training distribution of SGET in English and Japanese.  Memory is
that of the driver with all its workers, pages they share divided among them (PSS), looked up
ten times a second in ``/proc``; so this runs on Linux.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path

from common import print_table, write_json

GRAMMAR = Path(__file__).parent.parent / "grammars" / "sget.sgl"

_INTERVAL = 0.1


@dataclass(frozen=True)
class Measured:
    """One run: who did it, what it took, and the hash of the file."""

    items: int
    engine: str
    workers: int
    seconds: float
    processor: float
    memory_mib: int
    file_mib: int
    digest: str


def measured(items: int, engine: str, workers: int, folder: Path) -> Measured:
    """Run the command and watch it."""
    target = folder / "pairs.parquet"
    words = [sys.executable, "-m", "sgl", "sample", str(GRAMMAR), "train", "--distinct"]
    words += ["-n", str(items), "--out", str(target), "--force"]
    words += ["--workers", str(workers), "--engine", engine]
    before, started = _processor(), time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        peak = max(peak, _memory(process.pid))
        time.sleep(_INTERVAL)
    seconds = time.monotonic() - started
    if process.returncode:
        raise SystemExit(process.returncode)
    with target.open("rb") as stream:
        digest = file_digest(stream, "sha256").hexdigest()
    size = target.stat().st_size >> 20
    took = _processor() - before
    return Measured(items, engine, workers, seconds, took, peak >> 10, size, digest)


def together(before: Sequence[Measured], now: Sequence[Measured]) -> list[Measured]:
    """The runs of both, in order; of two of the same kind the later one."""
    kinds = {(run.items, run.engine != "local", run.workers): run for run in (*before, *now)}
    return [kinds[kind] for kind in sorted(kinds)]


def _processor() -> float:
    """Seconds of processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _memory(process: int) -> int:
    """The memory of a process and all below it, in KiB."""
    total = 0
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1])
        for task in Path(f"/proc/{process}/task").iterdir():
            total += sum(_memory(int(child)) for child in (task / "children").read_text().split())
    return total


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; the exit code says whether equal numbers gave equal files."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--engine", nargs="+", default=["local"])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--add", action="store_true", help="keep the other runs of that file")
    chosen = parser.parse_args(arguments)
    if chosen.add and chosen.json is None:
        parser.error("--add goes with --json")
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for items in chosen.items:
            for engine in chosen.engine:
                for workers in chosen.workers:
                    runs.append(measured(items, engine, workers, Path(folder)))
                    print(asdict(runs[-1]), file=sys.stderr)
    header = ["items", "engine", "workers", "s", "CPU s", "MiB", "file MiB", "SHA-256"]
    rows = [[*list(asdict(run).values())[:-1], run.digest[:12]] for run in runs]
    print_table(header, rows)
    if chosen.add and chosen.json.is_file():
        runs = together(
            [Measured(**run) for run in json.loads(chosen.json.read_text())["runs"]], runs
        )
    write_json(chosen.json, {"runs": [asdict(run) for run in runs]})
    files = {(run.items, run.digest) for run in runs}
    return 0 if len(files) == len({run.items for run in runs}) else 1


if __name__ == "__main__":
    sys.exit(main())
