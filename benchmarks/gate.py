"""May this be released?  Ten minutes of attacks on what SGL writes, keeps open, and lets in.

    python benchmarks/gate.py                    # all parts
    python benchmarks/gate.py links small-disk   # some of them
    python benchmarks/gate.py --seconds 20       # for each fuzzer and random comparison, instead of 30

Each part is a program of its own that anybody can run; its output follows its name, and a table comes at the end.  A
part that cannot run here is reported as such.  The exit status is 1 if a part has failed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from common import ROOT, command_line, print_table

_TESTS = ("-m", "pytest", "-q", "-n", "2", "-m", "slow or not slow", "-p", "no:cacheprovider")
#: The exit status of a part that cannot run on this machine.
_IMPOSSIBLE = 3


class Part(NamedTuple):
    """A part of the gate: its question and its command, with places for ``{seconds}``, ``{seed}`` and ``{folder}``."""

    question: str
    command: tuple[str, ...]


PARTS = {
    "links": Part("is anything followed, cleared or lost that is not ours?", (*_TESTS, "tests/disk", "tests/house")),
    "arguments": Part(
        "does a process show a secret, or leave a thread, a connection or a file behind?",
        (*_TESTS, "tests/play/test_private.py", "tests/play/test_bound.py", "tests/cli/test_children.py"),
    ),
    "optional-parts": Part(
        "does every pair of optional parts compile?",
        # All rows of the table are for acceptance runs: they take some minutes.
        ("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "tests/pipeline/test_optional_parts.py"),
    ),
    "sharing": Part(
        "do runs share a cache and a place, whatever the clock says?",
        (*_TESTS, "tests/cli/test_cache_directory.py", "tests/cli/test_sharing.py"),
    ),
    "kills": Part("is a killed run resumed to the same bytes?", ("benchmarks/killing.py", "--kills", "3")),
    "small-disk": Part("what happens on a full, fixed or vanishing disk?", ("benchmarks/small_disk.py",)),
    "cut-files": Part("is a file that ends too early noticed?", ("benchmarks/cutting.py", "--places", "4")),
    "injection": Part("is any field obeyed by a page?", (*_TESTS, "tests/report/test_injection.py")),
    "inputs": Part(
        "does every input end in an answer?",
        ("benchmarks/fuzzing.py", "all", "100000", "{seed}", "--seconds", "{seconds}", "--out", "{folder}"),
    ),
    "messages": Part(
        "does every message to the page end in an answer?",
        ("benchmarks/fuzzing.py", "play", "100000", "{seed}", "--seconds", "{seconds}", "--out", "{folder}"),
    ),
    "requests": Part(
        "and to the language server?",
        ("benchmarks/fuzzing.py", "lsp", "100000", "{seed}", "--seconds", "{seconds}", "--out", "{folder}"),
    ),
}


def main() -> int:
    """Run the parts that are asked for; the exit status is 1 if one has failed."""
    parser = command_line(__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--seconds", type=int, default=30, help="how long each fuzzer tries")
    parser.add_argument("--seed", type=int, default=1, help="the seed of what they try")
    chosen = parser.parse_args()
    rows, failed = [], False
    for name in chosen.parts or PARTS:
        part = PARTS[name]
        print(f"== {name}: {part.question}", flush=True)
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            words = [word.format(seconds=chosen.seconds, seed=chosen.seed, folder=folder) for word in part.command]
            code = subprocess.run([sys.executable, *words], cwd=ROOT, check=False).returncode
        impossible = code == _IMPOSSIBLE and part.command[0].startswith("benchmarks")
        verdict = "passed" if not code else "impossible here" if impossible else "failed"
        failed |= verdict == "failed"
        rows.append((name, verdict, f"{time.monotonic() - started:.0f}"))
    print_table(("part", "", "seconds"), rows)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
