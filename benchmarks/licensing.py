"""Does what a dataset says about its patterns predict which of them fail?

    python benchmarks/licensing.py out/sget transformer=table.tsv llama=other.tsv

Each line of a table has the name of a pattern, a tab and a score, of a published system or of one of your own.  Prints
for each pattern its scores and these figures, and Spearman's rank correlations between the two:

licensed       the smallest number of training sentences that the certificate expects to show a needed part
mass           the probability of an item in the whole grammar
exposed words  the mean length of the exposures of target words in training; some show a word alone
words, depth   the mean length of the items, and the mean depth of their graphs
new pairs      the share of items whose sources have two neighbours that training lacks
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from scipy.stats import spearmanr

from baselines import read_published
from common import Json, command_line, print_table, write_json
from findings import new, pairs

Scores = Mapping[str, Mapping[str, float]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and return the exit status 0."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("dataset", type=Path, help="a directory of `sglc compile`")
    parser.add_argument("scores", nargs="+", metavar="NAME=TABLE.tsv")
    options = parser.parse_args(arguments)
    tables = {name: Path(path) for name, _, path in (text.partition("=") for text in options.scores)}
    result = compared(options.dataset, {name: read_published(path) for name, path in tables.items()})
    report(result)
    write_json(options.json, result)
    return 0


def compared(dataset: Path, scores: Scores) -> Json:
    """Return the scores of each pattern, what its dataset says about it, and the rank correlations between them."""
    found = features_of(dataset)
    if not found:
        raise SystemExit(f"{dataset}: no pattern has items")
    rows = {pattern: {system: own.get(pattern) for system, own in scores.items()} | found[pattern] for pattern in found}
    columns = [*scores, *next(iter(found.values()))]
    ranks = [
        {"system": system, "with": other, **_rank(rows, system, other)}
        for place, system in enumerate(scores)
        for other in columns[place + 1 :]
    ]
    return {"rows": rows, "ranks": ranks}


def _rank(rows: Mapping[str, Json], first: str, second: str) -> Json:
    """Return Spearman's rank correlation of two columns, over the patterns that have both."""
    both = [(row[first], row[second]) for row in rows.values() if None not in (row[first], row[second])]
    found = None
    # Fewer points, and columns with one value, have no correlation.
    if len(both) > 3 and all(len(set(column)) > 1 for column in zip(*both, strict=True)):
        found = spearmanr(*zip(*both, strict=True))
    rho, p = (None, None) if found is None else (float(found.statistic), float(found.pvalue))
    return {"patterns": len(both), "rho": rho, "p": p}


def features_of(dataset: Path) -> dict[str, Json]:
    """Return the figures of each pattern, by the names in the docstring of this script."""
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    claims = {(each["pattern"], each["claim"]): each["detail"] for each in manifest["guarantees"]}
    train, gen = (_rows(dataset / "data" / f"{split}.tsv") for split in ("train", "gen"))
    sources = [row[0] for row in train]
    depths = _depths(dataset / "conllu" / "gen.conllu")
    found = {}
    for pattern, targets in ((each["name"], each["targets"]) for each in manifest["patterns"]):
        items = [(row[0], depth) for row, depth in zip(gen, depths, strict=True) if row[2] == pattern]
        if not items:
            continue
        texts = [text for text, _ in items]
        needed = _numbers(r"([\d,]+) training sentences expected", claims[pattern, "licensed"])
        exposed = [row[0] for row in train if targets and row[2] == f"exposure:{pattern}"]
        found[pattern] = {
            "licensed": min(needed, default=None),
            "mass": sum(_numbers(r"(\d\.\d+e[+-]\d+)", claims[pattern, "instance"])),
            "exposed words": fmean(map(_words, exposed)) if exposed else None,
            "words": fmean(map(_words, texts)),
            "depth": fmean(depth for _, depth in items),
            "new pairs": new(sources, texts, pairs) / len(items),
        }
    return found


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


def _words(text: str) -> int:
    return len(text.split())


def _numbers(expression: str, text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(expression, text)]


def _depths(path: Path) -> list[int]:
    """Return for each sentence of a CoNLL-U file the number of edges between its root and its deepest word."""
    depths = []
    for sentence in path.read_text("utf-8").strip().split("\n\n"):
        words = [line.split("\t") for line in sentence.splitlines() if line[0] != "#"]
        heads = {word[0]: word[6] for word in words if word[0].isdigit()}
        depths.append(max(_below(word, heads) for word in heads))
    return depths


def _below(word: str, heads: Mapping[str, str]) -> int:
    return 0 if heads[word] == "0" else 1 + _below(heads[word], heads)


def report(result: Json) -> None:
    """Print the patterns, those of the highest first scores before others, and the rank correlations."""
    rows = result["rows"]
    columns = list(next(iter(rows.values())))
    ranked = sorted(rows.items(), key=lambda pair: -(pair[1][columns[0]] or 0))
    print_table(("pattern", *columns), [(name, *(_cell(row[column]) for column in columns)) for name, row in ranked])
    print()
    header = ("system", "with", "patterns", "rho", "p")
    cells = [
        (each["system"], each["with"], each["patterns"], *map(_cell, (each["rho"], each["p"])))
        for each in result["ranks"]
    ]
    print_table(header, cells)


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


if __name__ == "__main__":
    raise SystemExit(main())
