r"""Assign the predictions of systems to the rows of a dataset.

Files are read as ``sglc analyse`` reads them (:mod:`sgl.research.analyse.predictions`)::

    パンダが眠った。                               one prediction per line, in the order of the rows
    gen-000001\tパンダが眠った。                   the name of the row, a tab, the prediction
    {"id": "gen-000001", "prediction": "…"}       JSON, with or without names

and CoNLL-U, whose words are kept.  A prediction that is missing or empty counts as wrong, and
is reported.  A prediction that belongs to no row (a line too many, a name that no row has, a
name twice) is an error, because then no score would mean anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgl.research.analyse.predictions import PredictionsError, open_predictions
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import normal

#: Languages that are written without spaces between words.
_SPACELESS = ("ja", "zh", "th")

#: With so many rows it can be told whether all predictions stand one line off.
_TELLING = 20


@dataclass(frozen=True, slots=True)
class Run:
    """The predictions of one run, one for each row; empty where there is none.

    ``missing`` are the names of rows without one, ``empty`` of those with nothing in it.
    ``shifted`` is by how many lines the file seems to be off.  ``words`` has the words of
    predictions that came as words, None for the others.
    """

    file: str
    texts: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    shifted: int
    words: tuple[tuple[str, ...] | None, ...]


#: The runs of each system.
Systems = Mapping[str, Sequence[Run]]


def read_run(
    path: Path,
    rows: Sequence[BenchmarkRow],
    language: str = "",
    words: Sequence[tuple[str, ...]] = (),
) -> Run:
    """Read the predictions of a file; ``language`` says whether words have spaces between them.

    ``words`` are those of the rows, if they are known.  A prediction of these words, without
    a text, has the text of the row: nothing says where it would have other spaces.

    Raises:
        PredictionsError: the file cannot be read, or does not fit the rows.
    """
    aligned = open_predictions(path, "form", frozenset(row.id for row in rows))
    outputs = [aligned.output(row.id) for row in rows]
    try:
        aligned.finish()
    except PredictionsError as problem:
        problem.hint = (
            "give `--split` if they are for another split; with the names of rows before "
            "them (`gen-000001`, a tab), predictions may be missing"
            if aligned.by_id is None
            else f"rows are called {rows[0].id} to {rows[-1].id}"
        )
        raise
    join = "" if language in _SPACELESS else " "
    texts: list[str] = []
    for row, output, gold in zip(rows, outputs, words or [()] * len(rows), strict=True):
        text, said = output or ("", None)
        if text is None:
            text = row.target if said and said == gold else join.join(said or ())
        texts.append(text)
    return Run(
        path.name,
        tuple(texts),
        tuple(row.id for row, output in zip(rows, outputs, strict=True) if output is None),
        tuple(
            row.id
            for row, text, output in zip(rows, texts, outputs, strict=True)
            if output is not None and not text.strip()
        ),
        _shift(texts, rows) if aligned.by_id is None else 0,
        tuple(output.words if output else None for output in outputs),
    )


def _shift(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> int:
    """Return by how many lines the predictions seem to be off: 0, or 1 up or down."""
    if len(rows) < _TELLING:
        return 0
    gold = [normal(row.target) for row in rows]
    said = [normal(text) for text in texts]
    right = {0: sum(map(str.__eq__, said, gold))}
    right[1] = sum(map(str.__eq__, said[1:], gold))
    right[-1] = sum(map(str.__eq__, said, gold[1:]))
    best = max((1, -1), key=lambda shift: right[shift])
    return best if right[best] > max(2 * right[0], len(rows) // _TELLING) else 0
