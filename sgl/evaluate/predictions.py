r"""Read the predictions of a system, and set each beside its row.

Three forms are read; the first line shows which one it is::

    パンダが眠った。                               one prediction per line, in the order of the rows
    gen-000001\tパンダが眠った。                   the name of the row, a tab, the prediction
    {"id": "gen-000001", "prediction": "…"}       JSON, with or without names

A prediction that is missing or empty counts as wrong, and is counted.  What cannot be set
beside a row (a line too many, a name that no row has, a name twice) is an error: then no
score would mean anything.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgl.evaluate.benchmark import Row
from sgl.evaluate.exact import normal

#: The members of a JSON object that a prediction can be in, and its row's name.
_TEXTS = ("prediction", "hypothesis", "output", "text")
_NAMES = ("id", "sent_id")

_NAMED = 5

#: With so many rows it can be told whether all predictions stand one line off.
_TELLING = 20


class PredictionsError(Exception):
    """Predictions cannot be set beside the rows."""

    def __init__(self, message: str, notes: Sequence[str] = (), hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.notes = tuple(notes)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Predictions:
    """The predictions of one run, one for each row; empty where there is none.

    ``missing`` are the names of rows without one, ``empty`` of those with nothing in it.
    ``shifted`` is by how many lines the file seems to be off.
    """

    file: str
    texts: tuple[str, ...]
    missing: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    shifted: int = 0


#: A prediction as it stands in a file: its line, the name of its row or nothing, its text.
_Entry = tuple[int, str, str]


def read_predictions(path: Path, rows: Sequence[Row]) -> Predictions:
    """The predictions of a file.

    Raises:
        PredictionsError: the file cannot be read, or does not fit the rows.
    """
    lines = _lines(path)
    known = {row.id for row in rows}
    entries = _reader(path, lines, known)(path, lines)
    named = [name for _, name, _ in entries if name]
    if not named:
        return _in_order(path, entries, rows)
    if len(named) != len(entries):
        line = next(line for line, name, _ in entries if not name)
        raise PredictionsError(
            f"`{path}` names some rows and not others", [f"line {line} has no name"]
        )
    return _by_name(path, entries, rows, known)


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise PredictionsError(f"cannot read `{path}`: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise PredictionsError(f"`{path}` is not UTF-8 at byte {problem.start + 1}") from problem
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _reader(
    path: Path, lines: Sequence[str], known: set[str]
) -> Callable[[Path, Sequence[str]], list[_Entry]]:
    first = next((line for line in lines if line.strip()), "")
    if path.suffix in (".jsonl", ".ndjson") or first.startswith("{"):
        return _json_entries
    cell, tab, _ = first.partition("\t")
    if path.suffix == ".tsv" or (tab and (cell in known or cell in _NAMES)):
        return _tsv_entries
    return _plain_entries


def _plain_entries(_: Path, lines: Sequence[str]) -> list[_Entry]:
    return [(number, "", line) for number, line in enumerate(lines, 1)]


def _tsv_entries(path: Path, lines: Sequence[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        if number == 1 and cells[0] in _NAMES:
            continue
        if len(cells) != 2:
            raise PredictionsError(
                f"`{path}`:{number} has {len(cells)} columns instead of 2",
                hint="a line is the name of a row, a tab, and the prediction",
            )
        entries.append((number, cells[0], cells[1]))
    return entries


def _json_entries(path: Path, lines: Sequence[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, line in enumerate(lines, 1):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError) as problem:
            raise PredictionsError(f"`{path}`:{number} is not JSON: {problem}") from problem
        if not isinstance(content, dict):
            raise PredictionsError(f"`{path}`:{number} is not a JSON object")
        text = next((content[name] for name in _TEXTS if name in content), None)
        if not isinstance(text, str):
            raise PredictionsError(
                f"`{path}`:{number} has no prediction",
                hint=f"its text is a member called {', '.join(_TEXTS[:-1])} or {_TEXTS[-1]}",
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise PredictionsError(f"`{path}`:{number} has half a character (a lone surrogate)")
        name = next((str(content[name]) for name in _NAMES if name in content), "")
        entries.append((number, name, text))
    return entries


def _in_order(path: Path, entries: Sequence[_Entry], rows: Sequence[Row]) -> Predictions:
    if len(entries) != len(rows):
        raise PredictionsError(
            f"`{path}` has another number of predictions, {len(entries):,} for {len(rows):,} rows",
            hint="give `--split` if they are for another split; with the names of rows before "
            "them (`gen-000001`, a tab), predictions may be missing",
        )
    texts = tuple(text for _, _, text in entries)
    return Predictions(
        path.name,
        texts,
        empty=tuple(row.id for row, text in zip(rows, texts, strict=True) if not text.strip()),
        shifted=_shift(texts, rows),
    )


def _by_name(
    path: Path, entries: Sequence[_Entry], rows: Sequence[Row], known: set[str]
) -> Predictions:
    foreign = [(line, name) for line, name, _ in entries if name not in known]
    if foreign:
        raise PredictionsError(
            f"`{path}` names rows that the split does not have: {len(foreign):,}",
            [f"line {line}: {name}" for line, name in foreign[:_NAMED]],
            f"its rows are called {rows[0].id} to {rows[-1].id}",
        )
    twice = [name for name, number in Counter(n for _, n, _ in entries).items() if number > 1]
    if twice:
        raise PredictionsError(
            f"`{path}` has several predictions for one row: {len(twice):,}", twice[:_NAMED]
        )
    text_of = {name: text for _, name, text in entries}
    texts = tuple(text_of.get(row.id, "") for row in rows)
    return Predictions(
        path.name,
        texts,
        tuple(row.id for row in rows if row.id not in text_of),
        tuple(row.id for row in rows if not text_of.get(row.id, "-").strip()),
    )


def _shift(texts: Sequence[str], rows: Sequence[Row]) -> int:
    """By how many lines the predictions seem to be off: 0, or 1 up or down."""
    if len(rows) < _TELLING:
        return 0
    gold = [normal(row.target) for row in rows]
    said = [normal(text) for text in texts]
    right = {0: sum(map(str.__eq__, said, gold))}
    right[1] = sum(map(str.__eq__, said[1:], gold))
    right[-1] = sum(map(str.__eq__, said, gold[1:]))
    best = max((1, -1), key=lambda shift: right[shift])
    return best if right[best] > max(2 * right[0], len(rows) // _TELLING) else 0
