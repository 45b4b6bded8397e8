"""How long and how deep the items of a dataset are, from their dependency trees.

For an item of the CoNLL-U file of a split::

    length    words of the source sentence, punctuation included
    depth     edges from the root to the deepest word
    nesting   how often one relation occurs at most on the way from the root to a word:
              6 in a sentence whose complement clauses are six deep

The file is read as text, a column at a time, since a split has millions of words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_HEAD, _RELATION, _COLUMNS = 6, 7, 10


class Shape(NamedTuple):
    """Length, depth and nesting of an item."""

    length: int
    depth: int
    nesting: int


class ShapeError(Exception):
    """A file is not the CoNLL-U of the split."""


def shapes(path: Path) -> Iterator[Shape]:
    """The shapes of the sentences of a file, in their order.

    Raises:
        OSError: the file cannot be read.
        ShapeError: a line is no word, or heads are no tree.
    """
    known: dict[tuple[tuple[int, ...], tuple[str, ...]], Shape] = {}
    heads: list[int] = []
    relations: list[str] = []
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if line.startswith("#"):
                continue
            if line != "\n":
                _add(line, number, heads, relations)
            elif heads:
                key = tuple(heads), tuple(relations)
                if key not in known:
                    known[key] = shape(heads, relations)
                yield known[key]
                heads, relations = [], []


def _add(line: str, number: int, heads: list[int], relations: list[str]) -> None:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise ShapeError(f"line {number} has {len(cells)} columns")
    if cells[0].isdigit():
        if not cells[_HEAD].isdigit():
            raise ShapeError(f"line {number} has no head")
        heads.append(int(cells[_HEAD]))
        relations.append(cells[_RELATION])


def shape(heads: Sequence[int], relations: Sequence[str]) -> Shape:
    """The shape of one tree; ``heads`` count from 1, and 0 is above the root."""
    deepest = nested = 0
    for word in range(len(heads)):
        met: dict[str, int] = {}
        at, depth = word, 0
        while heads[at]:
            met[relations[at]] = met.get(relations[at], 0) + 1
            at, depth = heads[at] - 1, depth + 1
            if depth > len(heads) or at >= len(heads):
                raise ShapeError("the heads of a sentence are no tree")
        deepest = max(deepest, depth)
        nested = max(nested, max(met.values(), default=0))
    return Shape(len(heads), deepest, nested)
