"""How long does it take to get from a grammar to a verified dataset?

Runs ``sglc compile`` in processes of its own: *cold*, with an empty cache (everything is computed, and the kernels are
compiled to machine code), *unchanged*, when the dataset is in place already, and *forced*, when all rows are drawn,
written and verified again with the cache that the first run has filled::

    python benchmarks/compiling.py grammars/sget.sgl
    python benchmarks/compiling.py grammars/sget.sgl --rounds 3 --json compiling.json

Wall time is how long the user waits.  CPU time is that of all processors, for the command and the processes it starts;
if it is close to the wall time on a machine with free processors, the work was not shared.  Phases are the messages of
the progress line, with wall times from the second of two runs inside this process.  The lowest value of all rounds is
shown, since other work on the machine only adds to it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from common import command_line, print_table, write_json
from sgl.automata import StructureCompiler
from sgl.cache import open_cache, using
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parallel.executor import Parallelism
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish


class Run(NamedTuple):
    """The seconds that a run took."""

    wall: float
    cpu: float


#: The runs, in order, with their options.
KINDS = {"cold": (), "unchanged": (), "forced": ("--force",)}


def run(grammar: Path, cache: Path, out: Path, options: tuple[str, ...]) -> Run:
    """Compile in a process of its own."""
    before = _of_children()
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "sgl", "compile", str(grammar), "--out", str(out), *options],
        env={**os.environ, "SGL_CACHE_DIR": str(cache)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return Run(time.monotonic() - started, _of_children() - before)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Clock:
    """The wall time of each phase, in the order in which phases begin."""

    def __init__(self) -> None:
        self.phases: dict[str, float] = {}
        self._now = ("", time.monotonic())

    def __call__(self, what: str, _done: int = 0, _total: int = 0) -> None:
        """Begin another phase, or go on with the same one."""
        phase, since = self._now
        kind = what.partition(" ")[0] if what.startswith(("proving", "checking")) else what
        if kind != phase:
            if phase:
                self.phases[phase] = self.phases.get(phase, 0.0) + time.monotonic() - since
            self._now = (kind, time.monotonic())


def phases(grammar: Path, out: Path) -> dict[str, float]:
    """Return the phases of a run in this process, with the cache of the environment."""
    clock = Clock()
    diagnostics = Diagnostics()
    with using(open_cache()):
        clock("reading")
        compiled = open_grammar(grammar, {}, SourceMap(), diagnostics)
        if compiled is None:
            sys.exit(f"{grammar} has errors")
        structures = StructureCompiler(compiled.grammar)
        proofs = establish(compiled, structures, diagnostics, lambda name: clock(f"proving {name}"))
        if proofs is None:
            sys.exit(f"{grammar} has errors")
        produce(compiled, structures, proofs, out, clock, Parallelism(force=True))
        clock("")
    return clock.phases


def main() -> None:
    """Run the benchmark and print the results."""
    parser = command_line(__doc__)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, list[Run]] = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for number in range(options.rounds):
            for kind, runs in found.items():
                runs.append(run(options.grammar, home / f"cache{number}", home / f"out{number}", KINDS[kind]))
        os.environ["SGL_CACHE_DIR"] = str(home / "cache0")
        phases(options.grammar, home / "out0")
        by_phase = phases(options.grammar, home / "out0")
    load = os.getloadavg()[0]
    rows = [
        [kind, f"{min(r.wall for r in runs):.1f}", f"{min(r.cpu for r in runs):.1f}"] for kind, runs in found.items()
    ]
    print_table(["run", "wall s", "CPU s"], rows)
    print_table(["phase (forced)", "wall s"], [[n, f"{s:.2f}"] for n, s in by_phase.items()])
    sys.stdout.write(f"{os.cpu_count()} processors, load {load:.1f}\n")
    if options.json:
        write_json(
            options.json,
            {
                "grammar": options.grammar.name,
                "processors": os.cpu_count(),
                "load": load,
                "runs": {kind: [run._asdict() for run in runs] for kind, runs in found.items()},
                "phases": by_phase,
            },
        )


if __name__ == "__main__":
    main()
