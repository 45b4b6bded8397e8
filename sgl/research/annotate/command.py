"""``sglc annotate``: a sheet of items for human judges, and what they say."""

from pathlib import Path
from typing import Any

import click

from sgl.cli.files import FILE, out_option
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import json_option
from sgl.research.annotate.sheet import draw, items_of, read_sheet, summary


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
