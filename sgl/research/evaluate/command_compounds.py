"""What ``sglc eval`` knows of compounds and of cutting texts into words.

A dataset of ``sglc compile`` has the compounds of its items in a file of its own; for other
data ``--compounds`` and ``--lexicon`` name two files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sgl.cli.common import count
from sgl.diagnostics import Diagnostics
from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.evaluate.compound_files import read_compounds, read_lexicon
from sgl.research.evaluate.compound_rates import compound_data
from sgl.research.evaluate.compound_table import FILE, DatasetCompounds, read_table
from sgl.research.evaluate.compounds import CompoundError, CompoundLexicon, Occurrence
from sgl.research.evaluate.result import Json
from sgl.research.evaluate.scoring import System
from sgl.research.evaluate.segment import Segmenter, segmenter, signature


@dataclass(frozen=True)
class Words:
    """How texts are cut into words, and by what name that goes."""

    segment: Segmenter
    name: str


@dataclass(frozen=True)
class Compounds:
    """The compounds of the rows, and how texts are cut to find them.

    ``surface`` is how BLEU is to cut texts; None leaves that to sacreBLEU.
    """

    lexicon: CompoundLexicon | None
    occurrences: tuple[Occurrence, ...]
    words: Words
    surface: Words | None

    def rates(
        self, benchmark: Benchmark, systems: Sequence[System], *, published: bool
    ) -> Json | None:
        """The error rates of compounds; None if there are none."""
        if self.lexicon is None:
            return None
        return compound_data(
            benchmark,
            systems,
            self.lexicon,
            self.occurrences,
            published=published,
            segment=self.words.segment,
            segmented=self.words.name,
        )


def compounds_of(
    benchmark: Benchmark,
    files: tuple[Path | None, Path | None],
    segment: str | None,
    diagnostics: Diagnostics,
) -> Compounds | None:
    """The compounds of the rows, from the files that are named or from the dataset.

    None after errors.
    """
    lexicon: CompoundLexicon | None = None
    occurrences: tuple[Occurrence, ...] = ()
    own = files[0]
    try:
        table = _table(benchmark)
        if own is not None and files[1] is not None:
            lexicon = read_lexicon(files[1])
            occurrences = read_compounds(own, benchmark.rows, lexicon)
        elif table is not None and table.occurrences:
            lexicon, occurrences = table.lexicon, table.occurrences
    except CompoundError as problem:
        diagnostics.error("SGL1406", None, str(problem))
        return None
    if table is not None and table.left_out and own is None:
        diagnostics.warning(
            "SGL1405",
            None,
            f"not computed: the error rate of {count(table.left_out, 'compound')}",
            notes=["they have parts without a role; the others are counted"],
        )
    if segment == "words" and table is None:
        diagnostics.error(
            "SGL1406",
            None,
            "the dataset has no list of words for `--segment words`",
            notes=[f"it is in `{FILE}`, which datasets with compounds have"],
        )
        return None
    chosen = None if segment is None else _cut(segment, table)
    if table is not None and own is None:
        # Its compounds are words of it, which another segmenter would cut in other places.
        words = _cut("spaces" if table.spaces else "words", table)
    else:
        words = chosen or _cut("spaces", table)
    return Compounds(lexicon, occurrences, words, chosen)


def _table(benchmark: Benchmark) -> DatasetCompounds | None:
    if benchmark.directory is None:
        return None
    return read_table(benchmark.directory, benchmark.target, benchmark.rows)


def _cut(how: str, table: DatasetCompounds | None) -> Words:
    return Words(segmenter(how, () if table is None else table.words), signature(how))
