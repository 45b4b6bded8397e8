"""Which pairs of words and which phrases of test rows does training never show?

    python benchmarks/findings.py train.tsv test.tsv --phrases " and | after "

Each line of the files begins with a source.  No grammar is used: only texts are counted.  With ``--phrases``, sources
are cut where the expression matches, and whole phrases are compared too.  What two sets share, and the words that
training lacks, ``sglc audit`` tells.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from common import command_line


def sources_of(path: Path) -> list[str]:
    """Read the sources of a file."""
    return [line.partition("\t")[0] for line in path.read_text("utf-8").splitlines()]


def new(train: Iterable[str], test: Iterable[str], parts: Callable[[str], Iterable[object]]) -> int:
    """Count the sources of ``test`` with a part that no source of ``train`` has."""
    known = {part for source in train for part in parts(source)}
    return sum(any(part not in known for part in parts(source)) for source in test)


def pairs(source: str) -> Iterable[object]:
    """Return the pairs of neighbouring words in a text."""
    return pairwise(source.split())


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what the second of two files has that the first lacks."""
    parser = command_line(__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--phrases", default="", help="a regular expression that separates phrases")
    given = parser.parse_args(arguments)
    train, test = sources_of(given.train), sources_of(given.test)
    print(f"{new(train, test, pairs):>8,}  rows of test with two neighbours that training lacks")
    if given.phrases:
        cut = re.compile(given.phrases).split
        print(f"{new(train, test, cut):>8,}  rows of test with a phrase that training lacks")


if __name__ == "__main__":
    main()
