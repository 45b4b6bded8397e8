"""Help benchmarks with their options, with running many tasks on a few processes, and with printing tables.

A benchmark is a list of named tasks and a function that works on one of them.  Each task runs in a process of its own,
forked from one that has everything ready, so its memory is freed when it is done::

    parent: grammar, automata ──fork──> task 1 ──> result
                              ──fork──> task 2 ──> result

Given a file to remember them in, results are written as they come; an interrupted run goes on where it stopped, if its
``key`` says that nothing has changed.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO

Json = dict[str, Any]

ROOT = Path(__file__).parent.parent
# Models, forgers and whatever makes wrong things are parts of the tests; benchmarks run them on larger numbers.
sys.path += [str(ROOT / "tests" / folder) for folder in ("", "models", "support")]

#: The function that a worker process applies; set once in each worker.
_work: list[Callable[[str], Json]] = []


def command_line(doc: str | None, *, results: bool = False) -> argparse.ArgumentParser:
    """Return a parser for the options of a script; with ``results``, the script can write these as JSON."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    if results:
        parser.add_argument("--json", type=Path, help="write the results to this file")
    return parser


@dataclass(frozen=True, slots=True)
class Workers:
    """How tasks are run: at most ``jobs`` at a time, with their results remembered in ``memory``."""

    jobs: int = 1
    memory: Path | None = None


def run_tasks(names: Sequence[str], work: Callable[[str], Json], workers: Workers, key: str) -> dict[str, Json]:
    """Return the results of all tasks by name, in the order of ``names``."""
    done = _remembered(workers.memory, key)
    left = [name for name in names if name not in done]
    with ExitStack() as stack:
        stream = stack.enter_context(_memory(workers.memory, key, done)) if left else None
        for name, result in _results(left, work, workers.jobs):
            done[name] = result
            if stream is not None:
                stream.write(json.dumps([name, result], ensure_ascii=False) + "\n")
                stream.flush()
            _show(f"{len(done)}/{len(names)} {name}")
    _show("")
    return {name: done[name] for name in names}


class Spent(NamedTuple):
    """What a process took (wall, user and system seconds, peak memory in MiB), how it ended, and what it said.

    ``first`` and ``last`` are the seconds until its first and its last words.
    """

    wall: float
    user: float
    system: float
    memory: float
    status: int
    said: str
    first: float
    last: float


def spent(command: Sequence[str], place: Path, environment: Mapping[str, str] | None = None) -> Spent:
    """Run a command in a directory, with some environment variables changed."""
    started, times, said = time.monotonic(), [0.0], bytearray()
    changed = {**os.environ, **(environment or {})}
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=changed) as process:
        assert process.stdout is not None
        while words := os.read(process.stdout.fileno(), 1 << 16):
            times.append(time.monotonic() - started)
            said += words
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    taken = time.monotonic() - started, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024
    text = said.decode("utf-8", "replace")
    return Spent(*taken, process.returncode, text, times[min(1, len(times) - 1)], times[-1])


def forget(workers: Workers) -> None:
    """Remove the remembered results when the run is complete."""
    if workers.memory is not None:
        workers.memory.unlink(missing_ok=True)


def write_json(path: Path | None, content: Json) -> None:
    """Write the results of a benchmark if a file was asked for."""
    if path is not None:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        path.write_text(text + "\n", encoding="utf-8")


def print_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under a header, the first column aligned left, the others right."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        first = row[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join([first, *rest]).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _results(names: Sequence[str], work: Callable[[str], Json], jobs: int) -> Iterator[tuple[str, Json]]:
    if not names:
        return
    context = multiprocessing.get_context("fork")
    with context.Pool(jobs, _prepare, (work,), maxtasksperchild=1) as pool:
        yield from pool.imap_unordered(_apply, names, chunksize=1)


def _prepare(work: Callable[[str], Json]) -> None:
    _work[:] = [work]


def _apply(name: str) -> tuple[str, Json]:
    return name, _work[0](name)


def _remembered(memory: Path | None, key: str) -> dict[str, Json]:
    """Return the results of an earlier run with the same key; its last line may be cut off."""
    if memory is None or not memory.is_file():
        return {}
    first, *lines = memory.read_text(encoding="utf-8").split("\n")
    if first != key:
        return {}
    return dict(json.loads(line) for line in lines[:-1])


def _memory(memory: Path | None, key: str, done: Mapping[str, Json]) -> TextIO:
    """Open the file of results, written anew so that it ends with a whole line."""
    if memory is None:
        return open("/dev/null", "w", encoding="utf-8")  # noqa: PTH123
    stream = memory.open("w", encoding="utf-8")
    stream.write(key + "\n")
    for entry in done.items():
        stream.write(json.dumps(entry, ensure_ascii=False) + "\n")
    return stream


def _show(text: str) -> None:
    """Show a line of progress on a terminal; elsewhere do nothing."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text[:100]}")
        sys.stderr.flush()
