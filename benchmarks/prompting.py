"""Measure prompts: seconds to make and to check them, and how many shots show all parts.

    python benchmarks/prompting.py OUT/sget OUT/slog OUT/slog=varfree --items 100 --shots 4 8 16
    python benchmarks/prompting.py OUT/sget OUT/slog OUT/slog=varfree --tasks

For each dataset and number of shots a line of Markdown: prompts, user CPU seconds for making and for checking, and the
share of prompts whose parts are all shown, of those that training has.  Then, for each pattern, the smallest of the
numbers with which this is so for all of its prompts.

With ``--tasks``, a line for each further way of asking, with the first number of shots: items (or programs), questions,
seconds, the median length of a prompt, and the share of items that have what is asked about beside them (a string that
is not in the language, or a matched item).  For judgements, the line also says how many of the strings have the length
of their items, and as many pairs of neighbouring words that training lacks; for matched items, how many have rules that
the shots show.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any, NamedTuple

from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.command import prompts

Json = dict[str, Any]

#: The further ways of asking, as options of the command.
TASKS: dict[str, Json] = {
    "--task judge": {"task": "judge"},
    "--matched": {"matched": True},
    "--context needed": {"context": "needed"},
    "--context grammar": {"context": "grammar"},
    "--task judge --context needed": {"task": "judge", "context": "needed"},
    "--task program": {"task": "program"},
}


class Measured(NamedTuple):
    """What the command says, the lines of ``prompts.jsonl``, and user CPU seconds for making and checking."""

    said: Json
    rows: Sequence[Json]
    made: float
    checked: float

    @property
    def number(self) -> int:
        """How many prompts were made."""
        return sum(row["prompts"] for row in self.said["summary"])


def measured(dataset: Path, target: str | None, options: Json) -> Measured:
    """Make prompts and check them; ends the program if the check finds anything."""
    with tempfile.TemporaryDirectory() as folder:
        out, start = Path(folder) / "prompts", os.times().user
        said = prompts(dataset, {"out": out, "target": target, **options})
        made = os.times().user
        checked = check_prompts(out, dataset, lambda *_: None)
        seconds = made - start, os.times().user - made
        rows = [json.loads(line) for line in (out / "prompts.jsonl").read_text("utf-8").splitlines()]
        found = Measured(said, rows, *seconds)
        if checked.faults or checked.number != found.number:
            sys.exit(f"{dataset}: {checked.faults[:3]}")
        return found


def by_shots(datasets: Sequence[tuple[str, Path, str]], shots: Sequence[int], options: Json) -> None:
    """Print the table by numbers of shots, and the smallest that shows all parts of each pattern."""
    least: dict[tuple[str, str], int] = {}
    head("shots", "prompts", "made, s", "checked, s", "all shown")
    for label, path, target in datasets:
        for number in sorted(shots):
            found = measured(path, target or None, {"shots": number, **options})
            rows = found.said["summary"]
            shown = sum(row["complete_but_untrained"] * row["prompts"] for row in rows) / found.number
            line(label, number, found.number, found.made, found.checked, share(shown))
            for row in rows:
                if row["complete_but_untrained"] == 1:
                    least.setdefault((label, row["pattern"]), number)
                else:
                    least.pop((label, row["pattern"]), None)
    for dataset in dict.fromkeys(dataset for dataset, _ in least):
        numbers = [f"{pattern} {number}" for (of, pattern), number in least.items() if of == dataset]
        print(f"\n{dataset}, fewest of these shots that show all parts: {', '.join(numbers)}")


def by_task(datasets: Sequence[tuple[str, Path, str]], options: Json) -> None:
    """Print the table of further ways of asking."""
    head("options", "items", "questions", "made, s", "checked, s", "letters", "beside", "details")
    for label, path, target in datasets:
        for name, own in TASKS.items():
            found = measured(path, target or None, options | own)
            asks = "matched" in own or own.get("task") == "judge"
            beside = share(found.said["beside"] / found.number) if asks else "–"
            letters = int(median(len(row["text"]) for row in found.rows)) if found.rows else 0
            numbers = found.number, len(found.rows), found.made, found.checked, letters
            line(label, f"`{name}`", *numbers, beside, details(found.rows))


def details(rows: Sequence[Json]) -> str:
    """Return how far strings are from their items, or which rules of matched items are shown; empty for other tasks."""
    if rows and "unshown" in rows[0]:
        return f"{share(fmean(not row['unshown'] for row in rows))} with all rules shown"
    if not rows or "strange" not in rows[0]:
        return ""
    of: dict[str, list[Json]] = {}
    for row in rows:
        of.setdefault(row["item"], []).append(row)
    lengths, pairs = ([abs(one[name] - other[name]) for one, other in of.values()] for name in ("words", "strange"))
    return (
        f"length equal {share(fmean(not far for far in lengths))}; unknown pairs equal "
        f"{share(fmean(not far for far in pairs))}, at most one apart {share(fmean(far <= 1 for far in pairs))}"
    )


def share(value: float) -> str:
    """Return a share as a percentage."""
    return f"{100 * value:.1f} %"


def head(*columns: str) -> None:
    """Print the head of a table."""
    print(f"| dataset | {' | '.join(columns)} |\n| --- |{' --- |' * len(columns)}")


def line(*cells: str | int | float) -> None:
    """Print a line of a table as soon as it is known."""
    shown = (
        f"{cell:.1f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell for cell in cells
    )
    print(f"| {' | '.join(shown)} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("datasets", nargs="+", metavar="DATASET", help="a directory, or DIRECTORY=TARGET")
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--shots", type=int, nargs="+", default=[4, 8, 16])
    parser.add_argument("--select", default="covering")
    parser.add_argument("--tasks", action="store_true", help="measure the further ways of asking instead")
    given = parser.parse_args()
    split = [(name, *name.partition("=")[::2]) for name in given.datasets]
    datasets = [(f"{Path(path).name} {target}".strip(), Path(path), target) for _, path, target in split]
    options = {"items": given.items, "select": given.select}
    if given.tasks:
        by_task(datasets, options | {"shots": given.shots[0]})
    else:
        by_shots(datasets, given.shots, options)


if __name__ == "__main__":
    main()
