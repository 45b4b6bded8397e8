"""How long do the studies of papers take, and how much memory?

Makes systems with faults from gold texts and gives them to the command: five systems for a split of
a dataset (76,000 items of SGET), or thirty runs for a treebank.  It prints CPU time and memory::

    python benchmarks/papers.py eval out/sget --systems 5
    python benchmarks/papers.py sr ../shared/data/ud/en_ewt-r2.3-dev.conllu --systems 30
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

#: The share of outputs that have a fault.
WRONG = 0.34


def main() -> int:
    """Run the command on systems with faults, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("study", choices=("eval", "sr"))
    parser.add_argument("data", type=Path, help="a dataset of `sglc compile`, or a treebank")
    parser.add_argument("--systems", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=2077)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.study == "eval":
            lines = (options.data / "data" / "gen.tsv").read_text("utf-8").splitlines()
            texts, stem = [line.split("\t")[1] for line in lines], "gen"
            command = ["eval", str(options.data)]
        else:
            blocks = options.data.read_text("utf-8").strip().split("\n\n")
            blocks = (blocks * 2)[: options.sentences]
            texts, stem = [_text(block) for block in blocks], "bank"
            (folder / "data").mkdir()
            (folder / "data" / "bank.conllu").write_text("\n\n".join(blocks) + "\n\n", "utf-8")
            command = ["recipe", "sr", str(folder / "data")]
        for number in range(options.systems):
            out = folder / f"system{number}"
            out.mkdir()
            faulty = _faulty(texts, Random(number))  # noqa: S311 - no secret
            (out / f"{stem}.txt").write_text("\n".join(faulty) + "\n", "utf-8")
            command.append(f"system{number}={out / f'{stem}.txt' if options.study == 'eval' else out}")
        sglc = shutil.which("sglc", path=str(Path(sys.executable).parent)) or "sglc"
        done = subprocess.run([sglc, *command, "--json", str(folder / "r.json")], check=False, capture_output=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{options.study}: {len(texts):,} items, {options.systems} systems, exit code {done.returncode}")
    print(f"CPU {used.ru_utime + used.ru_stime:.1f} s, memory {used.ru_maxrss / 1e6:.2f} GB")
    return done.returncode


def _text(block: str) -> str:
    return next((line[9:] for line in block.splitlines() if line.startswith("# text = ")), "")


def _faulty(texts: list[str], random: Random) -> list[str]:
    """Some texts are exchanged for another one, lose their middle, or go on as another one."""
    made = []
    for text in texts:
        if random.random() < WRONG:
            other = texts[random.randrange(len(texts))]
            half = len(text) // 2
            text = random.choice([other, text[: half - 1] + text[half + 1 :], text[:half] + other[len(other) // 2 :]])  # noqa: PLW2901
        made.append(text)
    return made


if __name__ == "__main__":
    sys.exit(main())
