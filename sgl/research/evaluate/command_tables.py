"""What ``sglc eval`` says in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.table import Table

from sgl.cli.common import print_table

#: Tables that are shown; `--json` and `--html` have those by length and depth as well.
_SHOWN = ("overall", "groups", "patterns")

#: Metrics whose figures are not shares.
_POINTS = ("bleu", "chrf")

_SIGNIFICANT = 0.05

#: Columns of a terminal that titles have at least.
_TITLE = 12

Json = Mapping[str, Any]


def show_result(data: Json) -> None:
    """The scores of all items, groups and patterns, and what they rest on."""
    dataset = data["dataset"]
    click.echo(f"{dataset['title']}: {dataset['split']}, {dataset['source']} → {dataset['target']}")
    _print(_scores(data))
    for name, text in data["signatures"].items():
        click.echo(f"{data['metrics'][name]}: {text}")
    _show_partial(data["partial_match"])
    if data["mistakes"]["systems"]:
        click.echo()
        _print(_mistakes(data["mistakes"]))
    if data["tests"]["differences"]:
        click.echo()
        _print(_tests(data))
    if "compounds" in data:
        click.echo()
        _print(_compounds(data["compounds"]))


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    return table


def _print(table: Table) -> None:
    """Write a table; in a narrow terminal heads and titles are broken, but no figure."""
    for number, column in enumerate(table.columns):
        longest = max((len(str(cell)) for cell in column.cells), default=0)
        column.min_width = longest if number else min(longest, _TITLE)
    print_table(table)


def _scores(data: Json) -> Table:
    systems = [system["name"] for system in data["systems"]]
    # The raw rate of several systems is in the files; the terminal is narrow.
    metrics = [metric for metric in data["metrics"] if len(systems) == 1 or metric != "exact_raw"]
    columns = [(metric, system) for metric in metrics for system in systems]
    heads = [
        data["metrics"][metric] + (f"\n{system}" if len(systems) > 1 else "")
        for metric, system in columns
    ]
    table = _table("", "items", *heads)
    for name in _SHOWN:
        for row in data["tables"][name]:
            cells = [_cell(row["scores"].get(m, {}).get(s), m) for m, s in columns]
            table.add_row(row["title"], f"{row['items']:,}", *cells)
        table.add_section()
    return table


def _cell(cell: Json | None, metric: str) -> str:
    if cell is None:
        return "–"
    scale = 1 if metric in _POINTS else 100
    text = f"{scale * cell['mean']:.1f}"
    if cell["deviation"] is not None:
        text += f" ± {scale * cell['deviation']:.1f}"
    return text


def _show_partial(partial: Json | None) -> None:
    """What decided about partial matches, and what the gold texts score."""
    if partial is None:
        return
    for system, counts in partial["decided"].items():
        total = sum(counts.values())
        shares = ", ".join(f"{why} {100 * number / total:.1f} %" for why, number in counts.items())
        click.echo(f"Partial Match of {system} decided by: {shares}")
    checked = sum(entry["checked"] for entry in partial["gold"].values())
    right = sum(entry["right"] for entry in partial["gold"].values())
    if checked:
        click.echo(f"Partial Match of gold texts: {100 * right / checked:.1f} % of {checked:,}")


def _mistakes(mistakes: Json) -> Table:
    table = _table("mistakes", *mistakes["kinds"])
    for system, categories in mistakes["systems"].items():
        totals = [
            sum(counts.get(kind, 0) for counts in categories.values()) for kind in mistakes["kinds"]
        ]
        table.add_row(system, *(f"{total:,}" for total in totals))
    return table


def _tests(data: Json) -> Table:
    """All differences as a whole, and how many patterns differ significantly."""
    tests = data["tests"]
    table = _table(
        f"differences ({tests['test']}, Holm)", "metric", "difference", "95 %", "p", "patterns"
    )
    for difference in tests["differences"]:
        if difference["part"] == "all":
            table.add_row(
                f"{difference['first']} → {difference['second']}",
                data["metrics"][difference["metric"]],
                f"{100 * difference['mean']:+.1f}",
                f"{100 * difference['low']:+.1f} to {100 * difference['high']:+.1f}",
                f"{difference['adjusted']:.4f}",
                _patterns(tests["differences"], difference),
            )
    return table


def _patterns(differences: Sequence[Json], whole: Json) -> str:
    """In how many patterns two systems differ: ``12 of 42``."""
    parts = [
        difference
        for difference in differences
        if difference["part"] != "all"
        and all(difference[key] == whole[key] for key in ("first", "second", "metric"))
    ]
    differing = sum(difference["adjusted"] < _SIGNIFICANT for difference in parts)
    return f"{differing} of {len(parts)}"


def _compounds(compounds: Json) -> Table:
    table = _table(
        f"compounds, {compounds['rule']}, cut by {compounds['segmented']}",
        "kind",
        "instances",
        "error rate",
        "compounds",
        "aggregate",
    )
    for entry in compounds["rates"]:
        # Those by pattern are in the files.
        if entry["by"] == "pattern":
            continue
        table.add_row(
            entry["system"] + (f" ({entry['file']})" if entry["file"] else ""),
            entry["kind"],
            f"{entry['instances']:,}",
            f"{100 * entry['instance']:.2f}",
            f"{entry['compounds']:,}",
            f"{100 * entry['aggregate']:.2f}",
        )
    return table
