"""What does a dataset of another size cost, from the grammar to the table of scores?

    python benchmarks/large_dataset.py                     # SGET as it is, and with ten times the items
    python benchmarks/large_dataset.py --times 10 --workers 2
    python benchmarks/large_dataset.py --times 1 --keep DIR

Multiplies the numbers of sentences that ``grammars/sget.sgl`` and its patterns ask for, compiles the dataset with its
report, and then does what its users do: verifies it, scores predictions (the gold texts, every tenth of them wrong),
and reads it with pandas.  Prints wall seconds, CPU seconds and peak memory of each step, in processes of their own, and
the size on disk.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common import ROOT, Spent, command_line, print_table, spent

#: Lines that say how many sentences are wanted, and the numbers in them.
_ASKS = re.compile(r"^(?: {2}(?:train|dev|test|gen|size) |quota ).*(?:\n {8}.*)*", re.MULTILINE)
_NUMBER = re.compile(r"(?<![-\w{}.])(?:1000|5000|39700)(?![\w}.])")
#: A program that reads a dataset, given its directory, with pandas.
_PANDAS = "import sys, sgl; print(len(sgl.open_dataset(sys.argv[1]).to_pandas()))"


def done(command: Sequence[str], place: Path) -> Spent:
    """Run a command; raise ``RuntimeError`` with its output if it fails."""
    cost = spent(command, place)
    if cost.status:
        raise RuntimeError(f"{' '.join(command)}: {cost.said[-2000:]}")
    return cost


def enlarged(place: Path, times: int) -> Path:
    """Copy the grammar, multiply the sentences that it asks for, and return its main file."""
    shutil.copytree(ROOT / "grammars", place, dirs_exist_ok=True)
    for path in (place / "sget.sgl", place / "sget" / "patterns.sgl"):
        text = path.read_text("utf-8")
        path.write_text(_ASKS.sub(lambda asks: _multiplied(asks[0], times), text), "utf-8")
    return place / "sget.sgl"


def _multiplied(line: str, times: int) -> str:
    return _NUMBER.sub(lambda number: str(int(number[0]) * times), line)


def write_predictions(dataset: Path) -> Path:
    """Write the gold texts of the generalization items, every tenth without its last letter."""
    rows = (dataset / "data" / "gen.tsv").read_text("utf-8").splitlines()
    targets = [row.split("\t")[1] for row in rows]
    predictions = dataset.parent / "predictions.txt"
    said = (text[:-1] if number % 10 == 0 else text for number, text in enumerate(targets))
    predictions.write_text("".join(f"{text}\n" for text in said), "utf-8")
    return predictions


def measured(times: int, workers: int, place: Path) -> list[tuple[str, ...]]:
    """Compile a dataset and use it; return a row for each step."""
    sglc = [sys.executable, "-m", "sgl"]
    grammar, dataset = enlarged(place / "grammar", times), place / "dataset"
    costs = {
        "compile": spent([*sglc, "compile", str(grammar), "--out", str(dataset), "--workers", str(workers)], place)
    }
    costs["verify"] = done([*sglc, "verify", str(dataset)], place)
    predictions = write_predictions(dataset)
    costs["eval"] = done([*sglc, "eval", str(dataset), str(predictions), "--samples", "1000"], place)
    costs["to_pandas"] = done([sys.executable, "-c", _PANDAS, str(dataset)], place)
    items = int(costs["to_pandas"].said)
    size = sum(path.stat().st_size for path in dataset.rglob("*") if path.is_file()) / 2**20
    largest = sum(path.stat().st_size for path in dataset.rglob("report.html")) / 2**20
    print(f"{items:,} items, {size:,.0f} MiB on disk, report.html {largest:.1f} MiB", flush=True)
    return [
        (f"{items:,}", step, f"{cost.wall:.0f}", f"{cost.user + cost.system:.0f}", f"{cost.memory:,.0f}")
        for step, cost in costs.items()
    ]


def main() -> None:
    """Print what each size costs."""
    parser = command_line(__doc__)
    parser.add_argument("--times", type=int, nargs="+", default=[1, 10], help="sizes, as multiples of the grammar's")
    parser.add_argument("--workers", type=int, default=1, help="processes that compile")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the last dataset there")
    chosen = parser.parse_args()
    rows = []
    for times in chosen.times:
        with tempfile.TemporaryDirectory() as folder:
            rows += measured(times, chosen.workers, Path(folder))
            if chosen.keep and times == chosen.times[-1]:
                shutil.move(Path(folder) / "dataset", chosen.keep)
    print_table(("items", "step", "seconds", "CPU", "MiB"), rows)


if __name__ == "__main__":
    main()
