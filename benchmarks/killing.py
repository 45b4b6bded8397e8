"""If drivers and workers are killed at random moments, is the result what it would have been?

    python benchmarks/killing.py                               # 30 kills of each kind, 10 on Dask
    python benchmarks/killing.py --kinds compile --kills 5
    python benchmarks/killing.py --grammar grammars/sget.sgl --number 1000000

Kills the driver of ``sglc compile`` or ``sglc sample``, or one of its workers, with SIGKILL at moments drawn from the
time that a whole run takes; the next run goes on with the work (with ``--resume``, or from the beginning where there is
one process), until one is left alone.  Checks

* whether the result has the bytes of a run that was never killed,
* whether anything else is left: the folder of an interrupted run, a part of a file,
* whether processes of a killed driver are still alive two seconds later.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from shutil import rmtree

from common import ROOT, command_line, print_table, write_json

#: A grammar to compile, and one with hundreds of thousands of sentences to sample.
GRAMMARS = {"compile": ROOT / "docs" / "examples" / "farm.sgl", "sample": ROOT / "grammars" / "sget.sgl"}

#: A run is killed at most this often, then left alone.
_MOST_KILLS = 4

#: Seconds after which the processes of a killed driver must be gone.
_ORPHANED = 2.0

#: How each kind of run is started, and whether it can be resumed.
_WORKERS = ("--workers", "2")
KINDS: Mapping[str, tuple[str, ...]] = {
    "compile": (),
    "compile --workers": _WORKERS,
    "sample --workers": _WORKERS,
    "sample on Dask": (*_WORKERS, "--engine", "dask"),
}


@dataclass(frozen=True)
class Command:
    """A run of ``sglc``: what it writes in ``folder``, how long it takes and what it gives."""

    kind: str
    grammar: str
    number: int
    folder: Path
    seconds: float = 0.0
    digest: str = ""

    def measured(self) -> Command:
        """Run the command without interruption and return it with its time and result."""
        # The first run may have to compile the kernels.
        for _ in range(2):
            started = time.monotonic()
            process = self.start(again=False)
            said = process.communicate()[1]
            if process.returncode != 0:
                raise RuntimeError(f"the run that was left alone failed: {said.decode()}")
            seconds = time.monotonic() - started
            digest = self.taken()
        return replace(self, seconds=seconds, digest=digest)

    @property
    def target(self) -> Path:
        """The file, or the directory of the dataset, that the run makes."""
        return self.folder / ("pairs.parquet" if self.kind.startswith("sample") else "dataset")

    @property
    def partial(self) -> Path:
        """The folder that an interrupted run leaves and that can be resumed."""
        return self.folder / f".{self.target.name}.partial"

    def start(self, *, again: bool) -> subprocess.Popen[bytes]:
        """Start the run, or go on with it."""
        words = [sys.executable, "-m", "sgl", self.kind.partition(" ")[0], self.grammar]
        if words[3] == "sample":
            words += ["train", "--distinct", "-n", str(self.number)]
        words += [*KINDS[self.kind], "--out", str(self.target)]
        if KINDS[self.kind]:
            words.append("--resume" if again else "--force")
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def taken(self) -> str:
        """Hash what was made and delete it; return the empty string if there is nothing."""
        if not self.target.exists():
            return ""
        files = [path for path in [self.target, *sorted(self.target.rglob("*"))] if path.is_file()]
        digest = sha256()
        for path in files:
            digest.update(path.relative_to(self.folder).as_posix().encode())
            digest.update(path.read_bytes())
        self.target.unlink() if self.target.is_file() else rmtree(self.target)
        return digest.hexdigest()

    def left(self) -> list[str]:
        """Return the names of whatever else is in the folder."""
        return sorted(path.name for path in self.folder.iterdir() if path != self.target)


@dataclass
class Outcome:
    """What was killed in a run, and what came of it."""

    killed: list[str] = field(default_factory=list)
    identical: bool = False
    left: list[str] = field(default_factory=list)
    orphans: int = 0
    problem: str = ""

    @property
    def good(self) -> bool:
        """Whether all is as it would have been."""
        return self.identical and not self.left and not self.orphans


def interrupted_run(command: Command, chance: random.Random, most: int) -> Outcome:
    """Kill a run at random moments, and go on with it until it is finished."""
    outcome = Outcome()
    process = command.start(again=False)
    for _ in range(min(most, chance.randint(1, _MOST_KILLS))):
        time.sleep(chance.uniform(0.05, 0.95) * command.seconds)
        if process.poll() is not None:
            break
        workers = [child for child in descendants(process.pid) if is_worker(child)]
        if workers and chance.random() < 0.5:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(workers), signal.SIGKILL)
            outcome.killed.append("worker")
            continue
        own = {child: started_at(child) for child in descendants(process.pid)}
        process.send_signal(signal.SIGKILL)
        process.communicate()
        outcome.killed.append("driver")
        outcome.orphans += len(orphans(own))
        process = command.start(again=True)
    said = process.communicate()[1].decode()
    outcome.left = command.left()
    outcome.identical = command.taken() == command.digest
    outcome.problem = "" if outcome.good and process.returncode == 0 else said
    return outcome


def orphans(processes: Mapping[int, str]) -> list[int]:
    """Return which of the processes are still alive after two seconds."""
    end = time.monotonic() + _ORPHANED
    alive = [number for number, begun in processes.items() if started_at(number) == begun]
    while alive and time.monotonic() < end:
        time.sleep(0.05)
        alive = [number for number in alive if started_at(number) == processes[number]]
    return alive


def descendants(process: int) -> list[int]:
    """Return the processes that a process has started, with theirs."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            children.setdefault(int(_status(int(folder.name))[1]), []).append(int(folder.name))

    def below(parent: int) -> Iterator[int]:
        for child in children.get(parent, ()):
            yield child
            yield from below(child)

    return list(below(process))


def started_at(process: int) -> str:
    """Return when a process was started, by the system's clock; empty if it has ended."""
    with suppress(OSError):
        status = _status(process)
        return "" if status[0] == "Z" else status[19]
    return ""


def is_worker(process: int) -> bool:
    """Return whether a process works for a driver, rather than looking after others."""
    with suppress(OSError):
        words = Path(f"/proc/{process}/cmdline").read_bytes()
        return b"spawn_main" in words and b"resource_tracker" not in words
    return False


def _status(process: int) -> list[str]:
    """Return what the system says of a process, from its state onwards."""
    # The name of the program is in parentheses, and may contain some itself.
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill runs; the exit status tells whether everything was as it would have been."""
    parser = command_line(__doc__)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--kills", type=int, help="of each kind; 30, and 10 on Dask")
    parser.add_argument("--grammar", help="of all kinds; a small one is compiled, SGET is sampled from")
    parser.add_argument("--number", type=int, default=200_000, help="sentences that are sampled")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    rows: list[list[object]] = []
    try:
        for kind in chosen.kinds:
            kills = chosen.kills or (10 if kind.endswith("Dask") else 30)
            with tempfile.TemporaryDirectory() as folder:
                grammar = chosen.grammar or str(GRAMMARS[kind.partition(" ")[0]])
                command = Command(kind, grammar, chosen.number, Path(folder)).measured()
                rows.append(_row(command, killed(command, kills, chosen.seed)))
    finally:
        print_table(["kind", "s alone", "runs", "drivers", "workers", "identical", "left", "orphans"], rows)
    write_json(chosen.json, {str(row[0]): row[1:] for row in rows})
    return 0 if all(row[2] == row[5] and not row[6] and not row[7] for row in rows) else 1


def killed(command: Command, kills: int, seed: int) -> list[Outcome]:
    """Return the outcomes of runs in which ``kills`` processes were killed in all."""
    outcomes: list[Outcome] = []
    done = 0
    while done < kills and len(outcomes) < 3 * kills:
        chance = random.Random(f"{seed}/{len(outcomes)}")  # noqa: S311
        outcomes.append(interrupted_run(command, chance, kills - done))
        done += len(outcomes[-1].killed)
        print(f"{command.kind}: {done}/{kills}", end="\r", file=sys.stderr)
        if not outcomes[-1].good:
            print(f"{command.kind}, run {len(outcomes)}: {outcomes[-1]}", flush=True)
    return outcomes


def _row(command: Command, outcomes: Sequence[Outcome]) -> list[object]:
    kills = Counter(victim for outcome in outcomes for victim in outcome.killed)
    return [
        *(command.kind, command.seconds, len(outcomes), kills["driver"], kills["worker"]),
        sum(outcome.identical for outcome in outcomes),
        sum(len(outcome.left) for outcome in outcomes),
        sum(outcome.orphans for outcome in outcomes),
    ]


if __name__ == "__main__":
    sys.exit(main())
