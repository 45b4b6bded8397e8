"""Rows of the data files: source, target and category, divided by tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sgl.sample.distinct import Judge, draw_stratum
from sgl.sample.engine import Tables, joined, words_of


def row_of(source: str, target: str, category: str) -> str:
    """A row with its line end; raises ``ValueError`` if a field has a tab or line end.

    The format has no quoting: such a text could not be read back.
    """
    row = f"{source}\t{target}\t{category}"
    if row.count("\t") != 2 or len(row.splitlines()) != 1:
        raise ValueError(f"a row of three fields cannot hold {row!r}")
    return row + "\n"


def texts_of(tables: Tables, derivation: Sequence[int]) -> tuple[str, str]:
    """The source and the target text of a derivation."""
    source = joined(tables.source, words_of(tables.source, tables.arity, derivation))
    target = joined(tables.target, words_of(tables.target, tables.arity, derivation))
    return source, target


def reseeded(tables: Tables, seed: int) -> Tables:
    """The tables with another seed.

    Which candidates are ambiguous is not known of another seed: none is rejected as such.
    """
    if seed == tables.seed:
        return tables
    strata = [stratum._replace(ambiguous=frozenset()) for stratum in tables.strata]
    return tables._replace(seed=seed, strata=strata)


def rows(tables: Tables) -> Iterator[tuple[str, str]]:
    """All items in the order in which they are drawn: the split, and the row."""
    judge = Judge(tables)
    for stratum in tables.strata:
        for found in draw_stratum(tables, stratum, judge).items:
            source, target = texts_of(tables, found.derivation)
            yield stratum.split, row_of(source, target, stratum.category)
