"""Kill workers and drivers at random moments; is the dataset what it would have been?

    python benchmarks/killing.py --runs 50
    python benchmarks/killing.py --runs 10 --compile
    python benchmarks/killing.py --runs 10 --engine dask

Each run starts ``sglc sample`` (or ``compile``) on two workers, kills the driver or one of
the workers with SIGKILL once or several times, at moments drawn over the time that a whole
run takes, and lets ``--resume`` finish.  The result is compared with that of a run that was
left alone.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from os import kill
from pathlib import Path
from shutil import rmtree

from common import print_table, write_json

GRAMMAR = Path(__file__).parent.parent / "grammars" / "sget.sgl"

#: A run is killed at most so often; then it is left alone.
_MOST_KILLS = 4


@dataclass(frozen=True)
class Command:
    """A run of ``sglc``: what is written in ``folder``, how long it takes and what it gives.

    It samples so many sentences, or compiles the grammar if the number is 0.
    """

    grammar: str
    number: int
    folder: Path
    seconds: float = 0.0
    digest: str = ""
    engine: str = "local"

    @classmethod
    def measured(cls, grammar: str, number: int, folder: Path, engine: str = "local") -> Command:
        """The command, run once without interruption."""
        command = cls(grammar, number, folder, engine=engine)
        # The first run may have to compile the kernels.
        for _ in range(2):
            started = time.monotonic()
            process = command.start(resume=False)
            _, said = process.communicate()
            if process.returncode != 0:
                raise RuntimeError(f"the run that was left alone failed: {said.decode()}")
            seconds = time.monotonic() - started
            digest = command.taken()
        return replace(command, seconds=seconds, digest=digest)

    @property
    def target(self) -> Path:
        """The file, or the directory of the dataset."""
        return self.folder / ("pairs.parquet" if self.number else "dataset")

    @property
    def partial(self) -> Path:
        """What an interrupted run leaves."""
        return self.folder / f".{self.target.name}.partial"

    def start(self, *, resume: bool) -> subprocess.Popen[bytes]:
        """Start the run, or go on with it."""
        words = [sys.executable, "-m", "sgl"]
        if self.number:
            words += ["sample", self.grammar, "train", "--distinct", "-n", str(self.number)]
        else:
            words += ["compile", self.grammar]
        words += ["--workers", "2", "--engine", self.engine, "--out", str(self.target)]
        words += ["--resume"] if resume else ["--force"]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def taken(self) -> str:
        """The hash of what was made, which is deleted; empty if there is nothing."""
        if not self.target.exists():
            return ""
        files = [path for path in [self.target, *sorted(self.target.rglob("*"))] if path.is_file()]
        digest = sha256()
        for path in files:
            digest.update(path.relative_to(self.folder).as_posix().encode())
            digest.update(path.read_bytes())
        self.target.unlink() if self.number else rmtree(self.target)
        return digest.hexdigest()


@dataclass(frozen=True)
class Outcome:
    """What was killed in a run, and whether the file is what it should be."""

    killed: tuple[str, ...]
    identical: bool
    problem: str = ""


def interrupted_run(command: Command, chance: random.Random) -> Outcome:
    """A run that is killed at random moments and resumed until it is finished."""
    killed: list[str] = []
    process = command.start(resume=False)
    for _ in range(chance.randint(1, _MOST_KILLS)):
        time.sleep(chance.uniform(0.1, 1.1) * command.seconds)
        if process.poll() is not None:
            break
        workers = workers_of(process.pid)
        if workers and chance.random() < 0.5:
            with suppress(ProcessLookupError):
                kill(chance.choice(workers), signal.SIGKILL)
            killed.append("worker")
            continue
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed.append("driver")
        if command.target.exists() and not command.partial.exists():
            break
        process = command.start(resume=True)
    # One that was killed as it ended has been read already.
    said = b"" if process.stderr is None or process.stderr.closed else process.communicate()[1]
    finished = process.returncode in (0, -signal.SIGKILL)
    identical = finished and command.taken() == command.digest and not command.partial.exists()
    return Outcome(tuple(killed), identical, "" if identical else said.decode())


def workers_of(process: int) -> list[int]:
    """The worker processes of a driver, from what the system says of all processes."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            # The name of the program is in parentheses, and may have some itself.
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == process and b"spawn_main" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill so many runs; the exit code says whether all files were the same."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--number", type=int, default=1_000_000, help="sentences of a run")
    parser.add_argument("--compile", action="store_true", help="compile a dataset instead")
    parser.add_argument("--engine", default="local", choices=["local", "dask"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        command = Command.measured(
            str(GRAMMAR), 0 if chosen.compile else chosen.number, Path(folder), chosen.engine
        )
        outcomes = []
        for number in range(chosen.runs):
            chance = random.Random(f"{chosen.seed}/{number}")  # noqa: S311
            outcomes.append(interrupted_run(command, chance))
            print(f"{number + 1}/{chosen.runs}", end="\r", file=sys.stderr)
            if not outcomes[-1].identical:
                print(f"run {number}: {outcomes[-1]}", flush=True)
    kills = Counter(victim for outcome in outcomes for victim in outcome.killed)
    identical = sum(outcome.identical for outcome in outcomes)
    print_table(
        ["runs", "seconds alone", "workers killed", "drivers killed", "identical"],
        [[len(outcomes), command.seconds, kills["worker"], kills["driver"], identical]],
    )
    write_json(
        chosen.json,
        {"seconds": command.seconds, "killed": dict(kills), "identical": identical},
    )
    return 0 if identical == len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
