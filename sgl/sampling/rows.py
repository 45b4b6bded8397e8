"""Rows of the data files: source, target and category, divided by tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sgl.core.gluing import glue
from sgl.rendering.registry import VIEWS
from sgl.sampling.acceptance import sample
from sgl.sampling.engine import PackedText, PackedView, Tables, joined, words_of


def row_of(source: str, target: str, category: str) -> str:
    """Return a row with its line end; raises ``ValueError`` if a field has a tab or line end.

    The format has no quoting: such a text could not be read back.
    """
    row = f"{source}\t{target}\t{category}"
    if row.count("\t") != 2 or len(row.splitlines()) != 1:
        raise ValueError(f"a row of three fields cannot hold {row!r}")
    return row + "\n"


def text_of(tables: Tables, output: PackedText | PackedView, derivation: Sequence[int]) -> str:
    """Return the text of a derivation in a text layer or a view."""
    if isinstance(output, PackedView):
        return VIEWS[output.kind].render(glue(output.rules, tables.arity, derivation, written=True))
    return joined(output, words_of(output, tables.arity, derivation))


def reseeded(tables: Tables, seed: int) -> Tables:
    """Return the tables with another seed.

    Which candidates are ambiguous is not known of another seed: none is rejected as such.
    """
    if seed == tables.seed:
        return tables
    strata = [stratum._replace(ambiguous=frozenset()) for stratum in tables.strata]
    return tables._replace(seed=seed, strata=strata)


def file_name(tables: Tables, target: int, split: str) -> str:
    """Return the file, within the folder of data, of a split with one of its targets.

    The first target has the files ``train.tsv`` and so on, each other a folder of its name.
    """
    return f"{tables.targets[target].name}/{split}.tsv" if target else f"{split}.tsv"


def rows(tables: Tables) -> Iterator[tuple[str, list[str]]]:
    """Yield all items in the order of sampling: the split, and a row for each target."""
    for part in sample(tables):
        stratum = part.stratum
        for item in part.items:
            source = text_of(tables, tables.source, item.derivation)
            texts = [text_of(tables, target, item.derivation) for target in tables.targets]
            yield stratum.split, [row_of(source, text, stratum.category) for text in texts]
