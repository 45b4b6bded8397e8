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

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgl import limits
from sgl.research.analyse.predictions import PredictionsError, open_predictions
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.equivalence import normal

#: Languages that are written without spaces between words.
_SPACELESS = ("ja", "zh", "th")

#: What stands before the first space or sign of a line, without quotes.
_CELL = re.compile(r"""\s*["']?([^\s,;:|"']{1,100})["']?\s*[\s,;:|]""")

#: A name that `sglc compile` could have given to a row.
_ROW_NAME = re.compile(r"[^\W\d]\w*-\d{6,}")

#: How subword-nmt, SentencePiece and WordPiece mark the pieces of words.
_PIECE = re.compile(r"@@(?: |$)|▁|(?:^| )##\w")

#: Lines, and letters of a line, that a message shows.
_NAMED, _SHOWN = 3, 60

#: With so many rows it can be told whether all predictions stand one line off.
_TELLING = 20


@dataclass(frozen=True, slots=True)
class Run:
    """The predictions of one run, one for each row; empty where there is none.

    ``missing`` are the names of rows without one, ``empty`` of those with nothing in it.
    ``shifted`` is by how many lines the file seems to be off.  ``words`` has the words of
    predictions that came as words, None for the others.  ``pieces`` counts predictions with marks
    of the pieces that tokenizers make, where no gold text has them; ``cut`` those that were
    longer than the limit ``letters``.
    """

    file: str
    texts: tuple[str, ...]
    missing: tuple[str, ...]
    empty: tuple[str, ...]
    shifted: int
    words: tuple[tuple[str, ...] | None, ...]
    pieces: int = 0
    cut: int = 0


#: The runs of each system.
Systems = Mapping[str, Sequence[Run]]


def read_run(
    path: Path,
    rows: Sequence[BenchmarkRow],
    language: str = "",
    words: Sequence[tuple[str, ...]] = (),
) -> Run:
    """Read the predictions of a file; ``language`` says whether words have spaces between them.

    ``words`` are those of the rows, if they are known.  A prediction of these words, without a
    text, has the text of the row: nothing says where it would have other spaces.  Raises
    ``PredictionsError``: the file cannot be read, or does not fit the rows.
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
    if aligned.by_id is None:
        _check_names([output.text or "" for output in outputs if output], rows)
    join = "" if language in _SPACELESS else " "
    texts: list[str] = []
    kept: list[tuple[str, ...] | None] = []
    cut = 0
    for row, output, gold in zip(rows, outputs, words or [()] * len(rows), strict=True):
        text, said = output or ("", None)
        if text is None:
            text = row.target if said and said == gold else join.join(said or ())
        most = max(limits.current().letters, 2 * len(row.target))
        cut += len(text) > most
        texts.append(text[:most])
        kept.append(said[:most] if said is not None else None)
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
        tuple(kept),
        _pieces(texts, rows),
        cut,
    )


def _check_names(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> None:
    """Refuse lines of which some begin with what may be meant as the name of a row.

    Without exact names, from the first line on, a line is all text: then all would be wrong.
    Raises ``PredictionsError``: a line begins like ``gen-000001,``, or most begin with names of
    rows but for case and white space.
    """
    names = {row.id.casefold() for row in rows}
    found = [(text, _CELL.match(text)) for text in texts]
    like = [text for text, cell in found if cell and _ROW_NAME.fullmatch(cell[1])]
    # No gold text has a tab, so that what stands before one is meant as something else.
    known = [t for t, cell in found if cell and ("\t" in t or cell[1].casefold() in names)]
    if not like and 2 * len(known) <= len(texts):
        return
    lines = like or known
    raise PredictionsError(
        f"{len(lines):,} of {len(texts):,} lines begin like the name of a row, but not with one",
        tuple(line[:_SHOWN] for line in lines[:_NAMED]),
        f"write all lines as `{rows[0].id}`, a tab and the text; the first line tells that lines "
        "have names, and names are those of the split",
    )


def _pieces(texts: Sequence[str], rows: Sequence[BenchmarkRow]) -> int:
    """Return how many are pieces of words, as no gold text is; most raise ``PredictionsError``."""
    if any(_PIECE.search(row.target) for row in rows):
        return 0
    marked = [text for text in texts if _PIECE.search(text)]
    if 2 * len(marked) > len(texts):
        raise PredictionsError(
            f"{len(marked):,} of {len(texts):,} predictions are the pieces of a tokenizer",
            tuple(text[:_SHOWN] for text in marked[:_NAMED]),
            "join the pieces to words first, as the tokenizer does: remove `@@ ` (subword-nmt); "
            "`▁` begins a word (SentencePiece), `##` goes on with one (WordPiece)",
        )
    return len(marked)


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
