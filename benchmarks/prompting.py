"""Measure prompts: seconds to make and to check them, and how many shots show all parts.

    python benchmarks/prompting.py OUT/sget OUT/slog --items 100 --shots 4 8 16

For each dataset and number of shots a line of Markdown: prompts, CPU seconds for making and for checking, and the
share of prompts whose parts are all shown, of those that training has.  Then, for each pattern, the smallest of the
numbers with which this is so for all of its prompts.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.command import prompts


def measured(dataset: Path, target: str | None, shots: int, items: int, select: str) -> tuple[list[dict], float, float]:
    """Return the rows of the table for the patterns of a dataset, and the seconds for making and checking prompts."""
    with tempfile.TemporaryDirectory() as folder:
        out, start = Path(folder) / "prompts", time.process_time()
        options = {"out": out, "shots": shots, "items": items, "select": select, "target": target}
        rows = prompts(dataset, options)["summary"]
        made = time.process_time()
        checked = check_prompts(out, dataset, lambda *_: None)
        if checked.faults or checked.number != sum(row["prompts"] for row in rows):
            sys.exit(f"{dataset}: {checked.faults[:3]}")
        return rows, made - start, time.process_time() - made


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", nargs="+", metavar="DATASET", help="a directory, or DIRECTORY=TARGET")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--shots", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--select", default="covering")
    given = parser.parse_args()
    least: dict[tuple[str, str], int] = {}
    print("| dataset | shots | prompts | made, CPU s | checked, CPU s | all shown |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in given.datasets:
        path, _, target = name.partition("=")
        for shots in sorted(given.shots):
            rows, made, checked = measured(Path(path), target or None, shots, given.items, given.select)
            number = sum(row["prompts"] for row in rows)
            shown = sum(row["complete_but_untrained"] * row["prompts"] for row in rows) / number
            label = f"{Path(path).name} {target}".strip()
            print(f"| {label} | {shots} | {number:,} | {made:.1f} | {checked:.1f} | {100 * shown:.1f} % |", flush=True)
            for row in rows:
                if row["complete_but_untrained"] == 1:
                    least.setdefault((label, row["pattern"]), shots)
                else:
                    least.pop((label, row["pattern"]), None)
    for dataset in dict.fromkeys(dataset for dataset, _ in least):
        numbers = [f"{pattern} {number}" for (of, pattern), number in least.items() if of == dataset]
        print(f"\n{dataset}, fewest of these shots that show all parts: {', '.join(numbers)}")


if __name__ == "__main__":
    main()
