"""What do two sets of benchmark rows share, and what in the second never occurs in the first?

    python benchmarks/findings.py train.tsv test.tsv --phrases " and | after "

Each line of the files has a source and an output with a tab between them, as in the shared data and in the ``data/`` of
a dataset.  No grammar is used: only texts are counted.  With ``--phrases``, sources are cut where the expression
matches, and whole phrases are compared too.  Prints one figure per line, and ends with 1 if a source has two outputs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from common import command_line

Row = tuple[str, ...]


def rows_of(path: Path) -> list[Row]:
    """Read the sources and outputs of a file."""
    lines = path.read_text("utf-8").splitlines()
    return [tuple(line.split("\t")[:2]) for line in lines]


def disagreeing(rows: Iterable[Row]) -> int:
    """Count the sources that have several outputs."""
    outputs = defaultdict[str, set[str]](set)
    for source, output in rows:
        outputs[source].add(output)
    return sum(len(own) > 1 for own in outputs.values())


def new(train: Iterable[Row], test: Iterable[Row], parts: Callable[[str], Iterable[object]]) -> int:
    """Count the rows of ``test`` with a part of the source that no row of ``train`` has."""
    known = {part for source, _ in train for part in parts(source)}
    return sum(any(part not in known for part in parts(source)) for source, _ in test)


def pairs(source: str) -> Iterable[object]:
    """Return the pairs of neighbouring words in a text."""
    return pairwise(source.split())


def findings(train: Sequence[Row], test: Sequence[Row], phrases: str = "") -> dict[str, int]:
    """Count what the two sets share and what is new in the second, by name."""
    sources, outputs = {source for source, _ in train}, {output for _, output in train}
    found = {
        "rows of training": len(train),
        "rows of training that repeat another": len(train) - len(set(train)),
        "rows of test": len(test),
        "rows of test that repeat another": len(test) - len(set(test)),
        "sources with several outputs": disagreeing([*train, *test]),
        "rows of test whose source training has": sum(source in sources for source, _ in test),
        "rows of test whose output training has": sum(output in outputs for _, output in test),
        "rows of test with a word that training lacks": new(train, test, str.split),
        "rows of test with two neighbours that training lacks": new(train, test, pairs),
    }
    if phrases:
        cut = re.compile(phrases).split
        found["rows of test with a phrase that training lacks"] = new(train, test, cut)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings of two files."""
    parser = command_line(__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--phrases", default="", help="a regular expression that separates phrases")
    given = parser.parse_args(arguments)
    found = findings(rows_of(given.train), rows_of(given.test), given.phrases)
    for name, number in found.items():
        print(f"{number:>8,}  {name}")
    return int(found["sources with several outputs"] > 0)


if __name__ == "__main__":
    raise SystemExit(main())
