"""``sglc annotate``: a sheet of items for human judges, and what they say.

A sheet is a CSV file with equally many items of each pattern and, if there is a test split, of its sentences.  Rows
have a code, a hash of the item, and stand in its order, which tells no pattern.  A judge fills in ``natural``, from 1
(nobody would say it) to 5, and ``right``: does the target mean what the source does?  Agreement is Cohen's kappa.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import click

from sgl.cli.files import FILE, out_option
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import json_option
from sgl.dataset import manifest_of
from sgl.diagnostics import UserError
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.predictions import read_said
from sgl.research.evaluate.benchmark import BenchmarkRow, read_benchmark
from sgl.research.evaluate.judgements import code_of, kappa


@click.command("annotate")
@click.argument("dataset", type=FILE)
@click.argument("sheets", type=FILE, nargs=-1, metavar="[SHEETS]...")
@click.option("--items", type=click.IntRange(1), default=10, help="Items of each pattern on the sheet.")
@click.option("--target", metavar="NAME", help="The target that is judged.  [default: the first]")
@click.option("--seed", type=click.IntRange(0), default=1, help="Seed of the choice.")
@out_option
@json_option
@session_options
def command(session: Session, dataset: Path, sheets: tuple[Path, ...], as_json: bool, **options: Any) -> None:  # noqa: ANN401 - click's
    """Draw a sheet of items of DATASET for human judges, or read the SHEETS of one or two judges.

    A sheet is a CSV file with equally many items of every pattern, in an order that does not tell them apart.  Each
    judge fills in a copy: `natural` from 1 to 5, `right` yes or no.  Two sheets also give the agreement.
    """
    if len(sheets) > 2:
        session.refuse("agreement compares two judges: give at most two sheets")
    known = items_of(dataset, options["target"])
    if not sheets:
        session.deliver(draw(known, options["items"], options["seed"]), options["out"])
        session.stop()
    found = summary([read_sheet(path, known) for path in sheets], known)
    if as_json:
        session.json(found)
    else:
        session.present("annotate.j2", "sgl.research.annotate", **found)


COLUMNS = ("code", "source", "target", "natural", "right", "comment")
#: What a judge may say.
_SCALES = {"natural": range(1, 6), "right": range(2)}


class SheetError(UserError):
    """A sheet that cannot be drawn or used."""

    code = "SGL1415"


class Judgement(NamedTuple):
    """What a judge says of an item; None is an empty cell."""

    natural: float | None
    right: float | None


def items_of(dataset: Path, target: str | None = None) -> dict[str, BenchmarkRow]:
    """Return what can be judged, by code: the items of ``gen``, and the sentences of ``test``."""
    splits = manifest_of(dataset)["splits"].members()
    chosen = [name for name in ("gen", "test") if name in splits and splits[name]["items"].of(int)] or [*splits][-1:]
    return {code_of(row): row for split in chosen for row in read_benchmark(dataset, split, target).rows}


def draw(items: Mapping[str, BenchmarkRow], each: int, seed: int) -> str:
    """Return a sheet with ``each`` items of every pattern, or all that it has."""
    # The choice depends on the seed, the order on the item alone.
    by_seed = sorted(items, key=lambda code: sha256(f"{seed}\t{code}".encode()).digest())
    numbers, file = defaultdict[str, Iterator[int]](count), io.StringIO()
    drawn = [code for code in by_seed if next(numbers[items[code].category]) < each]
    sheet = csv.writer(file, lineterminator="\n")
    sheet.writerow(COLUMNS)
    sheet.writerows((code, items[code].source, items[code].target, "", "", "") for code in sorted(drawn))
    return file.getvalue()


def read_sheet(path: Path, items: Mapping[str, BenchmarkRow]) -> dict[str, Judgement]:
    """Return the judgements on a sheet by the codes of items; raises ``SheetError`` for invalid cells."""
    try:
        said = read_said(path, [name for name in COLUMNS if name not in _SCALES], ("code", *_SCALES))
    except PredictionsError as problem:
        raise SheetError(problem.message, problem.hint) from None
    found: dict[str, dict[str, float]] = {}
    for one in said:
        code, place, cell = one.row["code"].strip(), f"`{path}`, line {one.line:,}", one.row[one.scale]
        _check_item(code, one.row, place, items)
        if one.scale in found.setdefault(code, {}):
            raise SheetError(f"{place}: the code `{code}` occurs twice")
        if one.value not in _SCALES.get(one.scale, ()) or cell.strip().isdecimal() != (one.scale == "natural"):
            raise SheetError(f"{place}: `{one.scale}` is `{cell[:20]}`", "`natural` is 1 to 5, `right` is yes or no")
        found[code][one.scale] = one.value
    if not found:
        raise SheetError(f"nobody has filled in `{path}`", "write 1 to 5 into `natural`, yes or no into `right`")
    return {code: Judgement(of.get("natural"), of.get("right")) for code, of in found.items()}


def _check_item(code: str, row: Mapping[Any, Any], place: str, items: Mapping[str, BenchmarkRow]) -> None:
    """Raise ``SheetError`` if a row is not about the item that its code names: judgements would go to another one."""
    if code not in items:
        hint = "was it another dataset, or another `--target`?"
        raise SheetError(f"{place}: no item of the dataset has the code `{code[:20]}`", hint)
    for name in ("source", "target"):
        if row.get(name, text := getattr(items[code], name)) != text:
            raise SheetError(f"{place}: the {name} does not fit the code `{code}`", "sort whole rows, and edit none")


def summary(sheets: Sequence[Mapping[str, Judgement]], items: Mapping[str, BenchmarkRow]) -> dict[str, Any]:
    """Return what judges say: by pattern the mean naturalness and the share of right targets, and how they agree."""
    said = [(items[code].category, own) for sheet in sheets for code, own in sheet.items()]
    names = dict.fromkeys(row.category for code, row in items.items() if any(code in sheet for sheet in sheets))
    found: dict[str, Any] = {"patterns": [{"pattern": name, **_figures(said, name)} for name in names]}
    found["all"] = _figures(said, None)
    if len(sheets) == 2:
        pairs = [(sheets[0][code], sheets[1][code]) for code in sheets[0] if code in sheets[1]]
        found["agreement"] = {
            name: _agreement([(a[at], b[at]) for a, b in pairs if a[at] is not None and b[at] is not None])
            for at, name in enumerate(Judgement._fields)
        }
    return found


def _agreement(pairs: Any) -> dict[str, float | None]:  # noqa: ANN401 - of numbers or of truth values
    # Truth values are numbers, so that the square of their difference is 0 or 1.
    equal = fmean(a == b for a, b in pairs) if pairs else None
    return {"items": len(pairs), "equal": equal, "kappa": kappa(pairs, lambda a, b: (a - b) ** 2)}


def _figures(said: Sequence[tuple[str, Judgement]], pattern: str | None) -> dict[str, Any]:
    own = [judgement for name, judgement in said if pattern in (None, name)]
    columns = ([value for value in column if value is not None] for column in zip(*own, strict=True))
    means = {name: fmean(values) if values else None for name, values in zip(Judgement._fields, columns, strict=True)}
    return {"judgements": sum(judgement != (None, None) for judgement in own), **means}
