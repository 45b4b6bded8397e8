"""Know what tables combine: the splits of a grid, the test sets of all seeds, and the results of several datasets."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sgl.dataset.rows import json_line
from sgl.disk import write
from sgl.foreign import CERTIFICATE as CERTIFICATES
from sgl.foreign import ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.predictions import read_predictions
from sgl.research.analyse.scoring import Json
from sgl.research.divergence.search import CERTIFICATE, FORMAT
from sgl.research.evaluate.benchmark import BenchmarkRow, read_benchmark

#: The outputs for each evaluation: systems with their files.
Outputs = dict[str, list[tuple[str, Path]]]


def beside(first: Json, second: Json) -> Json:
    """Return results with the scores of systems on another dataset, in the rows of the same names.

    Tests compare systems on the same items, so the items of the first dataset remain.
    """
    if not first:
        return second
    found = dict(first)
    for name, own in second.items():
        if name not in first or "tables" not in own:
            found.setdefault(name, own)
            continue
        tables = {of: _rows_beside(rows, own["tables"].get(of, ())) for of, rows in first[name]["tables"].items()}
        curves = [*first[name].get("curves", ()), *own.get("curves", ())]
        found[name] = {**first[name], "tables": tables, "curves": curves}
    return found


def _rows_beside(rows: Sequence[Json], others: Sequence[Json]) -> list[Json]:
    known = {row["name"]: row for row in others}
    made = [
        {
            **row,
            "scores": {m: {**cells, **_of(known, row, "scores").get(m, {})} for m, cells in row["scores"].items()},
            "mistakes": {**row.get("mistakes", {}), **_of(known, row, "mistakes")},
        }
        for row in rows
    ]
    return [*made, *(row for row in others if row["name"] not in {own["name"] for own in rows})]


def _of(rows: Mapping[str, Json], row: Json, key: str) -> Json:
    found: Json = rows.get(row["name"], {}).get(key, {})
    return found


def split_divergences(evaluations: Mapping[str, Path]) -> Json:
    """Return the compound divergence of each test set of ``sglc split``, and the first one that has the same items."""
    found: Json = {}
    first: dict[str, str] = {}
    for name, path in evaluations.items():
        with suppress(ForeignFileError):
            document = read_document(path.parent / CERTIFICATE, CERTIFICATES, inside=path.parent)
            if document["format"].of(str) == FORMAT:
                same = first.setdefault(document["assignment"].of(str), name)
                found[name] = {"value": document["divergence"]["compounds"].of(float), "same": same}
    return found


def join(joined: Mapping[str, str], folder: Path, evaluations: dict[str, Path], outputs: Outputs) -> None:
    """Add the test sets and outputs that are those of several evaluations one after another, as files of ``folder``.

    Names that match ``each`` belong to the name that ``all`` gives; a system takes part with one output for each.
    """
    groups: dict[str, list[str]] = {}
    for name in evaluations:
        if found := re.fullmatch(joined["each"], name):
            groups.setdefault(found.expand(joined["all"]), []).append(name)
    for whole, names in groups.items():
        systems = [dict(outputs[name]) for name in names]
        complete = [name for name in systems[0] if all(name in own for own in systems)]
        if whole in evaluations or len(names) < 2 or not complete:
            continue
        with suppress(PredictionsError, ForeignFileError):  # Reported where these outputs are scored alone.
            rows = [read_benchmark(evaluations[name], None, None).rows for name in names]
            texts = [[*_predictions(systems, system, rows)] for system in complete]
            evaluations[whole] = folder / f"{whole}.tsv"
            write(evaluations[whole], "".join(f"{row.source}\t{row.target}\n" for of in rows for row in of))
            outputs[whole] = [(system, folder / f"{whole}.{number}.jsonl") for number, system in enumerate(complete)]
            for (_, path), own in zip(outputs[whole], texts, strict=True):
                write(path, "".join(json_line({"prediction": text}) for text in own))


def _predictions(
    outputs: Iterable[Mapping[str, Path]], system: str, rows: Iterable[Sequence[BenchmarkRow]]
) -> Iterator[str]:
    """Yield the predictions of a system for several sets of rows, in their order."""
    for files, own in zip(outputs, rows, strict=True):
        names = [row.id for row in own]
        said = read_predictions(files[system], "form", frozenset(names)).of(names)
        yield from ((each and each.text) or "" for each in said)
