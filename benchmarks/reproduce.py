"""Is a dataset the same, byte for byte, however it is made?

Compiles a grammar twice, in processes with different PYTHONHASHSEED, and compares the SHA-256 of each file of the two
directories; then runs the standalone sampler, without the package, and compares its rows with those of the dataset::

    python benchmarks/reproduce.py grammars/sget.sgl
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from common import command_line


def main() -> int:
    """Run the comparison; the exit status is 1 if anything differs."""
    parser = command_line(__doc__)
    parser.add_argument("grammar", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        first, second = (
            compile_with(options.grammar, Path(directory) / f"run-{hash_seed}", hash_seed)
            for hash_seed in ("1", "4242")
        )
        different = compare(first, second)
        sampler = [sys.executable, "-I", str(first / "sampler.py"), "--check", str(first / "data")]
        alone = subprocess.run(sampler, check=False).returncode
    print(
        f"{different} files differ between the runs; standalone sampler: {'identical' if alone == 0 else 'DIFFERENT'}"
    )
    return 1 if different or alone else 0


def compile_with(grammar: Path, target: Path, hash_seed: str) -> Path:
    """Compile a dataset with this PYTHONHASHSEED and return its directory."""
    command = [sys.executable, "-m", "sgl", "compile", str(grammar), "--out", str(target)]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return target


def compare(first: Path, second: Path) -> int:
    """Print the hash of each file; count those that differ or are in one run only."""
    different = 0
    names = {p.relative_to(root) for root in (first, second) for p in root.rglob("*") if p.is_file()}
    for name in sorted(names):
        hashes = [digest(root / name) for root in (first, second)]
        different += hashes[0] != hashes[1]
        print(f"{'same     ' if hashes[0] == hashes[1] else 'DIFFERENT'}  {hashes[0][:16]}  {name}")
    return different


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or ``missing``."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "missing"


if __name__ == "__main__":
    sys.exit(main())
