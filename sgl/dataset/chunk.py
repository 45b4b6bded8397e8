"""Chunks: consecutive rows of a split in the form of every file that has them.

A chunk is cut from the candidates that were accepted for the strata of its split, in their order::

    train   in_distribution 39,700   exposure:… 100   exposure:… 100   …
            |- 10,000 -|- 10,000 -|- 10,000 -|-   9,700 + 100 + …   -|
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.engine import PackedStratum
from sgl.sampling.strata import StratumSample

#: Rows of a chunk, and in a row group of a Parquet file.
ROWS = 10_000


class TextTooLongError(ValueError):
    """A text is longer than the formats can hold; the message says what they can."""


class FormatError(ValueError):
    """A text that the format of a file cannot hold, or that there is not."""


class Selection(NamedTuple):
    """Candidates of one stratum, by their numbers."""

    stratum: PackedStratum
    numbers: NDArray[np.int64]


@dataclass(frozen=True)
class Chunk:
    """Rows of a split.

    ``first`` is the number of the first row, from 1.  ``rows`` are those of the file of each target, ``conllu`` the
    sentences with each graph layer, ``derivations`` a line for each row, ``table`` the rows of the Parquet file as a
    table of Arrow.  ``words`` counts the words of each row in the first text layer.
    """

    split: str
    first: int
    rows: tuple[bytes, ...]
    conllu: tuple[bytes, ...]
    derivations: bytes
    table: Any
    words: NDArray[np.int32]
    selections: tuple[Selection, ...]


def chunks_of(samples: Sequence[StratumSample]) -> Iterator[tuple[str, int, list[Selection]]]:
    """Yield the chunks of a dataset: split, number of the first row from 1, candidates."""
    splits: dict[str, list[Selection]] = {}
    for sample in samples:
        selection = Selection(sample.stratum, sample.numbers)
        splits.setdefault(sample.stratum.split, []).append(selection)
    for split, selections in splits.items():
        ends = np.cumsum([0, *(len(selection.numbers) for selection in selections)]).tolist()
        for first in range(0, ends[-1], ROWS):
            last = first + ROWS
            cut = [
                Selection(selection.stratum, selection.numbers[max(first - start, 0) : last - start])
                for selection, (start, end) in zip(selections, pairwise(ends), strict=True)
                if start < min(last, end) and first < end
            ]
            yield split, first + 1, cut
