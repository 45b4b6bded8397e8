"""What happens on a disk that is full, read-only, or gone while a command writes?

    python benchmarks/small_disk.py             # Linux: mounts small file systems in a name space of its own

Each command that writes runs on file systems of several sizes, from too small for anything to large enough, then on a
read-only one, and last in a folder that is removed while the command runs.  Checks

* whether the command ends with an answer: the result, or an error with a code, and never a traceback;
* whether its message names what is left next to the result;
* whether a file that was there is unchanged;
* whether the command does its work when there is room again.

The exit status is 1 if anything is wrong, and 3 where no file system can be mounted.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from common import ROOT, print_table

_FARM = ROOT / "docs" / "examples"
_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
#: A command of each kind, without the place it writes to.
COMMANDS = {
    "compile": ("compile", "farm.sgl", "--out", "{}/ds"),
    "compile --workers": ("compile", "farm.sgl", "--out", "{}/ds", "--workers", "2"),
    "sample": ("sample", "farm.sgl", "-n", "9000", "--out", "{}/a.tsv"),
    "sample --workers": ("sample", "farm.sgl", "-n", "9000", "--out", "{}/a.tsv", "--workers", "2"),
    "release": ("release", "ds", "--out", "{}/farm.zip"),
    "new": ("new", "{}/project"),
    "prove": ("prove", "farm.sgl", "--certificate", "{}/c.json"),
}
#: KiB of the file systems: some of them are too small for each command.
SIZES = (16, 256, 65_536)
#: KiB of the file systems; some are too small for each command.
REMOVALS = 3
_RELEASE = '\nrelease "1.0.0"\n  licence "CC-BY-4.0"\n  authors "Farm Lab"\n'
_MOUNT, _UNMOUNT = (shutil.which(name) or name for name in ("mount", "umount"))
_NAMESPACE, _NO_MOUNT = "SGL_SMALL_DISK", 3


class Outcome(NamedTuple):
    """The output of a command, and how it ended."""

    code: int
    said: str

    def faults(self, left: Sequence[str]) -> Iterator[str]:
        """Yield the faults of a command, where ``left`` are the names that it left next to its result."""
        if self.code not in (0, 1, 3):
            yield f"exit code {self.code}"
        if "Traceback" in self.said or "SGL0999" in self.said:
            yield "a traceback"
        if self.code and not re.search(r"error\[SGL\d{4}\]", self.said):
            yield "no code"
        yield from (f"`{name}` stays and is not named" for name in left if name not in self.said)


def main() -> int:
    """Run all commands in a name space of their own, where file systems can be mounted."""
    if _NAMESPACE not in os.environ:
        entered = ["unshare", "--map-root-user", "--mount", sys.executable, *sys.argv]
        if shutil.which("unshare") is None:
            print("no file system can be mounted here: there is no `unshare`")
            return _NO_MOUNT
        return subprocess.run(entered, env={**os.environ, _NAMESPACE: "1"}, check=False).returncode
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder, _project(Path(folder)) as place:
        try:
            _mount(place / "probe", "size=64k")
            _unmount(place / "probe")
        except (OSError, subprocess.CalledProcessError) as problem:
            print(f"no file system can be mounted here: {problem}")
            return _NO_MOUNT
        for name, command in COMMANDS.items():
            small = [*_on_small_disks(place, command)]
            others = [*_on_a_read_only_disk(place, command), *_in_a_vanishing_folder(place, command)]
            for fault in (faults := [*small, *others]):
                print(f"{name}: {fault}")
            bad += len(faults)
            rows.append((name, f"{len(SIZES)}", "1", f"{REMOVALS}", f"{len(faults)}"))
    print_table(("command", "sizes", "read-only", "removed", "wrong"), rows)
    return 1 if bad else 0


@contextmanager
def _project(place: Path) -> Iterator[Path]:
    """Copy the farm grammar to a directory and compile its dataset there."""
    for path in _FARM.glob("*"):
        if path.suffix in (".sgl", ".yaml"):
            shutil.copy(path, place)
    grammar = place / "farm.sgl"
    grammar.write_text(grammar.read_text("utf-8").replace("train 1000", "train 200") + _RELEASE, "utf-8")
    _ENVIRONMENT["SGL_CACHE_DIR"] = str(place / "cache")
    if (made := _run(place, ("compile", "farm.sgl", "--out", "ds"), place)).code:
        raise RuntimeError(made.said)
    yield place


def _run(place: Path, command: Sequence[str], there: Path) -> Outcome:
    words = [sys.executable, "-m", "sgl", *(word.format(there) for word in command)]
    done = subprocess.run(words, cwd=place, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    return Outcome(done.returncode, done.stdout + done.stderr)


def _mount(there: Path, options: str) -> None:
    there.mkdir(exist_ok=True)
    subprocess.run([_MOUNT, "-t", "tmpfs", "-o", options, "tmpfs", str(there)], check=True, capture_output=True)


def _unmount(there: Path) -> None:
    subprocess.run([_UNMOUNT, "-l", str(there)], check=True)


def _on_small_disks(place: Path, command: Sequence[str]) -> Iterator[str]:
    there = place / "small"
    for size in SIZES:
        _mount(there, f"size={size}k")
        (there / "mine.txt").write_text("mine", "utf-8")
        found = _run(place, command, there)
        result = Path(command[command.index("--out") + 1] if "--out" in command else command[-1]).name
        left = [
            path.name for path in there.iterdir() if path.name not in ("mine.txt", *([] if found.code else [result]))
        ]
        yield from (f"on {size} KiB: {fault}" for fault in found.faults(left))
        if (there / "mine.txt").read_text("utf-8") != "mine":
            yield f"on {size} KiB: a file of the user's is lost"
        if found.code:
            subprocess.run([_MOUNT, "-o", f"remount,size={SIZES[-1]}k", str(there)], check=True)
            again = _run(place, (*command, *(["--resume"] * bool(left))), there)
            if again.code:
                yield f"with room after {size} KiB: {again.said}"
        elif size == SIZES[0] and command[0] == "compile":
            yield "the smallest disk is not too small"
        _unmount(there)
    if found.code:
        yield f"on the largest disk: {found.said}"


def _on_a_read_only_disk(place: Path, command: Sequence[str]) -> Iterator[str]:
    there = place / "fixed"
    _mount(there, "ro,size=64k")
    found = _run(place, command, there)
    yield from (f"read-only: {fault}" for fault in found.faults([]))
    if not found.code:
        yield "read-only: it says that it has written"
    _unmount(there)


def _in_a_vanishing_folder(place: Path, command: Sequence[str]) -> Iterator[str]:
    chance, there = random.Random(1), place / "vanishing"  # noqa: S311 - for a test
    for _ in range(REMOVALS):
        there.mkdir()
        words = [sys.executable, "-m", "sgl", *(word.format(there) for word in command)]
        with subprocess.Popen(
            words, cwd=place, env=_ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as running:
            time.sleep(chance.uniform(0.2, 1.5))
            shutil.rmtree(there, ignore_errors=True)
            said = running.communicate()[0]
        yield from (f"removed: {fault}" for fault in Outcome(running.returncode, said).faults([]))
        shutil.rmtree(there, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
