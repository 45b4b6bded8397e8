"""Can the results section of a paper be made by commands only?

    python benchmarks/section.py out/section --percent 20

compiles SGET, SLOG and CoGnition at a fifth of their size, makes the outputs of three systems that are wrong in
known ways, and lets ``sglc recipe`` make the tables and figures.  They become one PDF if there is a ``pdflatex`` (with
booktabs and pgfplots).  Prints the time of each command, what LaTeX says of boxes that are too wide, and the scores of
each system beside the share of outputs that were left alone; the status is 1 if they differ, or if something is too
wide.

Systems spoil an output by leaving out words at its end (*forgetful*), by giving the output of another item of its
pattern (*confused*), or by doing neither unless the source is longer than most (*shortsighted*).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import quantiles

from common import ROOT, Json, command_line, print_table, spent, write_json

PAPERS = ("sget", "slog", "cognition")

#: Splits that systems are asked for; not every benchmark has both.
SPLITS = ("gen", "test")

Rows = list[list[str]]


def forgetful(rows: Rows, at: int, draw: Random) -> str:
    """Leave out a part at the end of every fourth output."""
    target = rows[at][1]
    return target[: max(1, len(target) * 2 // 3)] if draw.random() < 0.25 else target


def confused(rows: Rows, at: int, draw: Random) -> str:
    """Give the output of another item of the pattern for every tenth item."""
    pattern = [row[1] for row in rows if row[2] == rows[at][2]] if draw.random() < 0.1 else [rows[at][1]]
    return draw.choice(pattern)


def shortsighted(rows: Rows, at: int, _: Random) -> str:
    """Leave out the end of the outputs for the longest tenth of the sources."""
    longest = quantiles((len(source) for source, *_ in rows), n=10)[-1]
    source, target = rows[at][:2]
    return target[: max(1, len(target) // 2)] if len(source) > longest else target


SYSTEMS: tuple[Callable[[Rows, int, Random], str], ...] = (forgetful, confused, shortsighted)

DOCUMENT = r"""\documentclass[11pt]{article}
\usepackage[a4paper,margin=2.5cm]{geometry}
\usepackage{booktabs}
\usepackage{pgfplots}
\pgfplotsset{compat=1.18}
\begin{document}
\section{Results}
%s
\end{document}
"""


def main() -> int:
    """Make everything; return 1 if a score or a width is not as it must be."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("out", type=Path, help="a directory for everything that is made")
    parser.add_argument("--percent", type=int, default=20, help="of the size of each benchmark")
    parser.add_argument("--papers", nargs="+", choices=PAPERS, default=PAPERS)
    options = parser.parse_args()
    options.out = options.out.resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    found: Json = {"seconds": {}, "scores": []}
    for paper in options.papers:
        made(paper, options.out, options.percent, found)
    print_table(("command", "seconds"), [(name, f"{seconds:.1f}") for name, seconds in found["seconds"].items()])
    print_table(
        ("benchmark", "split", "system", "exact, %", "left alone, %"),
        [(*row[:3], *(f"{value:.2f}" for value in row[3:])) for row in found["scores"]],
    )
    found["too_wide"] = document(options.out, options.papers)
    print("\n".join(found["too_wide"] or ["nothing is too wide, or there is no LaTeX"]))
    write_json(options.json, found)
    wrong = [row for row in found["scores"] if abs(row[3] - row[4]) > 1e-6]
    return int(bool(wrong or found["too_wide"]))


def made(paper: str, out: Path, percent: int, found: Json) -> None:
    """Make a benchmark, its outputs, and its tables and figures."""
    grammar, data = out / f"{paper}_small.sgl", out / paper
    grammar.write_text(f"module {paper}_small\n\nuse stdlib.grammars.{paper}\n\ndataset\n  percent {percent}\n")
    if not data.exists():
        found["seconds"][f"compile {paper}"] = timed("compile", grammar, "--out", data, "-q")
    alone = outputs(data, out / "outputs" / paper)
    systems = [out / "outputs" / paper / system.__name__ for system in SYSTEMS]
    results = (
        "--latex",
        out / f"{paper}.tex",
        "--figures",
        out / f"{paper}_figures.tex",
        "--html",
        out / f"{paper}.html",
    )
    recipe = ("recipe", paper, data, *systems, "--compare", "none", *results, "--force", "-q")
    found["seconds"][f"recipe {paper}"] = timed(*recipe)
    for split in {split for split, _ in alone}:
        scores = out / f"{paper}_{split}.json"
        files = [f"{folder.name}={folder / split}.txt" for folder in systems]
        seconds = timed("eval", data, *files, "--split", split, "--samples", 100, "--json", scores, "--force", "-q")
        found["seconds"][f"eval {paper} {split}"] = seconds
        found["scores"] += exact_scores(paper, split, scores, alone)


def outputs(data: Path, out: Path) -> dict[tuple[str, str], float]:
    """Write the outputs of all systems; return the percentage of right ones by split and system."""
    alone = {}
    for split in SPLITS:
        path = data / "data" / f"{split}.tsv"
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines()] if path.exists() else []
        for system in SYSTEMS if rows else ():
            draw = Random(f"{split} {system.__name__}")  # noqa: S311 - nothing is secret here
            texts = [system(rows, at, draw) for at in range(len(rows))]
            folder = out / system.__name__
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{split}.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")
            right = sum(text == row[1] for text, row in zip(texts, rows, strict=True))
            alone[split, system.__name__] = 100 * right / len(rows)
    return alone


def exact_scores(paper: str, split: str, path: Path, alone: dict[tuple[str, str], float]) -> Iterator[list[object]]:
    """Yield Exact Match of each system beside the share of right outputs."""
    (overall,) = json.loads(path.read_text("utf-8"))["tables"]["overall"]
    for system in SYSTEMS:
        name = system.__name__
        yield [paper, split, name, 100 * overall["scores"]["exact"][name]["mean"], alone[split, name]]


def timed(*arguments: object) -> float:
    """Run ``sglc``; return its seconds on the clock."""
    run = spent([sys.executable, "-m", "sgl", *map(str, arguments)], ROOT)
    if run.status:
        raise SystemExit(run.said)
    return run.wall


def document(out: Path, papers: tuple[str, ...]) -> list[str]:
    """Make the PDF; return what LaTeX says of boxes that are too wide."""
    names = [f"{paper}{part}" for paper in papers for part in ("", "_figures")]
    parts = [rf"\input{{{name}}}\clearpage" for name in names if (out / f"{name}.tex").exists()]
    (out / "section.tex").write_text(DOCUMENT % "\n".join(parts), "utf-8")
    if shutil.which("pdflatex") is None:
        return []
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "section.tex"]
    for _ in range(2):
        subprocess.run(command, cwd=out, check=True, stdout=subprocess.DEVNULL)
    return re.findall(r"Overfull \\hbox.*", (out / "section.log").read_text("latin-1"))


if __name__ == "__main__":
    sys.exit(main())
