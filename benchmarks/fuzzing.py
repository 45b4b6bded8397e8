"""Does whatever comes in end in an answer?  Random inputs of all kinds, thousands of each.

Makes inputs of the seventeen kinds that come from outside, reads them in process as ``sglc`` does, and counts what must
never come of them: a traceback, a meaningless exit code, a hang, too much memory, a message in Python's words or with
raw control characters::

    python benchmarks/fuzzing.py --list                    # the kinds
    python benchmarks/fuzzing.py tables 2000 1             # 2,000 tables with seed 1
    python benchmarks/fuzzing.py all 200000 1 --workers 16 --out failures
    python benchmarks/fuzzing.py --replay failures/tables-17.json
    python benchmarks/fuzzing.py --worst                   # the largest inputs that are accepted

Input ``n`` of a kind depends only on the seed and ``n``.  Each failure is written to a file in the folder ``--out`` and
can be replayed from it.  The exit status is 1 if there are failures.  A run that is stopped, or whose ``--seconds`` are
over, prints a table of its work so far.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FrameType

from common import command_line, print_table, write_json
from fuzz import seeds
from fuzz.case import read_case
from fuzz.fleet import COLUMNS, Fleet, Tally
from fuzz.guard import PYTHON, finish, settle_process
from fuzz.heavy import heavy_targets
from fuzz.targets import TARGETS

ALL = "all"


def main(arguments: Sequence[str] | None = None) -> int:
    """Try inputs, or replay one; the exit status is 1 if something is wrong."""
    options = _options(arguments)
    settle_process()
    signal.signal(signal.SIGTERM, _interrupt)
    if options.list:
        print_table(("kind", "of 1,000", "what"), ((t.name, t.share, t.what) for t in TARGETS.values()))
        return 0
    if options.replay:
        return _replay(options.replay)
    if options.worst:
        return _worst(options.workers)
    # Once, before there are other processes, so that no input in them pays for it.
    seeds.dataset()
    _import_all()
    fleet = Fleet(TARGETS, options.seed, options.workers, options.out)
    with suppress(KeyboardInterrupt):
        fleet.run(_numbers(options.target, options.number), options.seconds)
    report(fleet.tallies)
    for failure in fleet.failures:
        print(f"{failure.target} {failure.number}: {failure.problem}: {_brief(failure.said)}")
    write_json(options.json, {name: vars(tally) for name, tally in fleet.tallies.items()})
    return 1 if any(tally.problems for tally in fleet.tallies.values()) else 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = command_line(__doc__)
    parser.add_argument("target", nargs="?", default=ALL, choices=[ALL, *TARGETS], metavar="KIND")
    parser.add_argument("number", nargs="?", type=int, default=1000, help="how many inputs")
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--out", type=Path, help="the folder for failures")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="run a failure again")
    parser.add_argument("--worst", action="store_true", help="the largest that are accepted")
    parser.add_argument("--list", action="store_true", help="show the kinds")
    return parser.parse_args(arguments)


def _numbers(target: str, number: int) -> dict[str, int]:
    """Return the number of inputs of each kind, by their shares if all are asked for."""
    if target != ALL:
        return {target: number}
    total = sum(target.share for target in TARGETS.values())
    return {t.name: max(1, round(number * t.share / total)) for t in TARGETS.values()}


def report(tallies: Mapping[str, Tally]) -> None:
    """Print the table."""
    whole = Tally()
    for tally in tallies.values():
        whole.join(tally)
    rows = [(name, *tally.row()) for name, tally in tallies.items()]
    print_table(("kind", *COLUMNS), [*rows, (ALL, *whole.row())])


def _worst(workers: int) -> int:
    """Run the largest inputs of each kind, and print what they take."""
    seeds.dataset()
    _import_all()
    targets = {target.name: target for target in heavy_targets()}
    fleet = Fleet(targets, 1, workers, patience=60.0)
    with suppress(KeyboardInterrupt):
        fleet.run(dict.fromkeys(targets, 1))
    rows = [
        (name, "yes" if tally.accepted else "no", tally.longest[0], tally.most[0])
        for name, tally in fleet.tallies.items()
    ]
    print_table(("input", "accepted", "CPU s", "MiB"), rows)
    for failure in fleet.failures:
        print(f"{failure.target}: {failure.problem}: {_brief(failure.said)}")
    return 1 if fleet.failures else 0


def _replay(path: Path) -> int:
    """Run a case again and print how it ends."""
    target, case = read_case(path)
    finished = finish(case, TARGETS[target].read)
    print(finished.said)
    print(f"{finished.problem or 'nothing is wrong'}; {finished.seconds:.2f} s")
    return 1 if finished.problem else 0


def _import_all() -> None:
    """Import the modules that commands import only when they are called."""
    import sgl

    for module in walk_packages(sgl.__path__, "sgl."):
        if not module.name.startswith(("sgl.accel.", "sgl.research.baselines", "sgl.__main__")):
            import_module(module.name)
    for name in ("scipy.stats", "sacrebleu", "pyarrow.parquet", "rich.table"):
        import_module(name)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _brief(said: str) -> str:
    lines = said.strip().splitlines() or [""]
    telling = next((line for line in lines if PYTHON.search(line)), "")
    return ascii(" / ".join((lines[0][:100], telling[:200], *lines[-2:])))[:400]


if __name__ == "__main__":
    sys.exit(main())
