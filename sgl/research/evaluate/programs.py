"""Run programs that models wrote, one or several for each pattern, and read their output as predictions.

Programs are untrusted.  Each runs in a process of its own, isolated from the environment and installed packages'
settings (``python -I``), in an empty directory that is removed, with limits on time, memory, files and processes.  That
stops mistakes, not malice: a program may read the user's files and use the network.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec

from sgl.cli.terminal import count
from sgl.disk import temporary, write
from sgl.foreign import TABLE, ForeignFileError, lines_of, read_bytes
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.evaluate.answers import answer_in
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.runs import Given, predictions_for

#: Seconds that a program may take, bytes of memory, and bytes that it may print.
SECONDS, MEMORY, PRINTED = 20, 1 << 30, 1 << 24

#: Sets limits in the new process, where no other thread is disturbed, and runs the program with files for its streams.
_START = f"""
import os, resource, runpy
for stream, (name, mode) in enumerate((("inputs", os.O_RDONLY), ("out", os.O_RDWR), ("err", os.O_RDWR))):
    os.dup2(os.open(name, mode), stream)
most = dict(CPU={SECONDS}, AS={MEMORY}, FSIZE={PRINTED}, NOFILE=64, NPROC=64, CORE=0)
for name in most:
    kind = getattr(resource, "RLIMIT_" + name)
    hard = resource.getrlimit(kind)[1]
    least = most[name] if hard == resource.RLIM_INFINITY else min(most[name], hard)
    resource.setrlimit(kind, (least, least))
runpy.run_path("program.py", run_name="__main__")
"""


def outputs_of(
    given: Given, rows: Sequence[BenchmarkRow], readers: Sequence[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return what programs print for the sources of rows, by their names, and which have no outputs, and why.

    ``given`` has a program for each pattern by its name, or several samples.  Raises ``PredictionsError``.
    """
    if find_spec("resource") is None:
        raise PredictionsError("programs are run only where processes can be limited, which this system cannot do")
    names = dict.fromkeys(row.category for row in rows)
    found, faults = dict[str, list[str]](), list[str]()
    for name, said in zip(names, predictions_for(given, names).of(list(names)), strict=True):
        own = [row for row in rows if row.category == name]
        found |= {row.id: [] for row in own}
        for number, output in enumerate((said, *said.samples) if said else (), 1):
            text = output.text or ""
            program = answer_in(text, readers or ("fence",), PRINTED) or text
            printed, fault = run_program(program, [row.source for row in own])
            for row, line in zip(own, printed or [""] * len(own), strict=True):
                found[row.id].append(line)
            faults += [f"{name}{f', sample {number}' if said and said.samples else ''}: {fault}"] * bool(fault)
        faults += [f"{name}: there is none"] * (said is None)
    return {name: texts for name, texts in found.items() if texts}, faults


def run_program(program: str, inputs: Sequence[str]) -> tuple[list[str], str]:
    """Return the lines that a program prints for lines of inputs, or the reason why there are none."""
    # Surrogates, which no file can have, become question marks.
    files = {"program.py": program.encode(errors="replace").decode(), "inputs": "".join(f"{line}\n" for line in inputs)}
    with temporary() as folder:
        for name, text in (files | {"out": "", "err": ""}).items():
            write(folder / name, text)
        null, command = subprocess.DEVNULL, (sys.executable, "-I", "-B", "-X", "utf8", "-c", _START)
        process = subprocess.Popen(  # noqa: S603 - the user has asked for it
            command, stdin=null, stdout=null, stderr=null, cwd=folder, env={}, start_new_session=True
        )
        try:
            code = process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            return [], f"it takes more than {SECONDS} seconds"
        finally:
            # What the program has started ends with it.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        try:
            streams = (read_bytes(folder / name, TABLE, inside=folder) for name in ("err", "out"))
            said, lines = (lines_of(stream.decode(errors="replace")) for stream in streams)
        except ForeignFileError:
            return [], "it has removed or replaced its output"
    if code:
        return [], said[-1][:200] if said and said[-1].strip() else f"it ends with status {code}"
    if len(lines) != len(inputs):
        return [], f"it prints {count(len(lines), 'line')} for {count(len(inputs), 'input')}"
    return lines, ""
