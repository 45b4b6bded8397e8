"""What ``sglc audit`` says in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.table import Table

from sgl.audit import Audit, Declared, Listed, Tally
from sgl.cli.common import count, print_table

#: Differences, and rows of each sort, that are shown; the files of `--json` and `--html` have more.
_DIFFERENCES = 15
_ROWS = 5
_LONGEST = 60


def show_audit(audit: Audit, declared: Sequence[Declared], seconds: float) -> None:
    """Coverage, duplicates, structures, differences, and the first rows of each sort."""
    print_table(_coverage(audit))
    _show_duplicates(audit)
    if declared:
        click.echo()
        _show_structures(audit, declared)
    if audit.causes:
        click.echo()
        print_table(_differences(audit))
    total = audit.total
    unparsed = total.rows - total.parsed - total.unreadable
    _show_rows("not derived", unparsed, audit.unparsed)
    _show_rows("ambiguous", total.ambiguous, audit.ambiguous)
    _show_rows("unreadable", total.unreadable, audit.unreadable)
    click.echo(f"\n{count(total.rows, 'row')} in {seconds:.1f} s")


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _coverage(audit: Audit) -> Table:
    exact = [f"exact {layer}" for layer in audit.targets]
    numbers = ["rows", "parsed", *exact, "ambiguous", "unreadable", "distinct"]
    table = _table("corpus", *numbers, right=numbers)
    for file in audit.files:
        table.add_row(file.name, *_counts(file.total, audit), f"{file.distinct:,}")
        if len(file.kinds) > 1:
            for kind, tally in sorted(file.kinds.items()):
                table.add_row(f"  {kind or '–'}", *_counts(tally, audit), "", style="dim")
    if len(audit.files) > 1:
        table.add_row("all", *_counts(audit.total, audit), "")
    return table


def _counts(tally: Tally, audit: Audit) -> list[str]:
    return [
        f"{tally.rows:,}",
        _share(tally.parsed, tally.rows),
        *(_share(tally.exact[layer], tally.rows) for layer in audit.targets),
        f"{tally.ambiguous:,}",
        f"{tally.unreadable:,}",
    ]


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"


def _show_duplicates(audit: Audit) -> None:
    for pair in audit.shared:
        first, second = audit.files[pair.first], audit.files[pair.second]
        click.echo(
            f"{_share(pair.rows, second.total.rows)} rows of {second.name} are in {first.name} too "
            f"({count(pair.distinct, 'sentence')})"
        )


def _show_structures(audit: Audit, declared: Sequence[Declared]) -> None:
    """The structures that occur; those that do not are counted."""
    files = [file.name for file in audit.files]
    tallies = [file.total for file in audit.files]
    table = _table("structure", "claim", *files, right=files)
    absent = 0
    for entry in declared:
        counts = [tally.some[entry.name] for tally in tallies]
        absent += not any(counts)
        if any(counts):
            claim = "held out" if entry.held_out else entry.role
            style = "bold red" if entry.held_out else ""
            table.add_row(entry.name, claim, *(f"{number:,}" for number in counts), style=style)
    print_table(table)
    held = sum(entry.held_out for entry in declared)
    found = sum(any(tally.some[e.name] for tally in tallies) for e in declared if e.held_out)
    click.echo(
        f"{found} of {count(held, 'held-out structure')} found; "
        f"{absent} of {count(len(declared), 'structure')} nowhere"
    )


def _differences(audit: Audit) -> Table:
    table = _table("rows", "explained by", "kind", "given → published", "line", right=["rows"])
    causes = audit.ranked_causes()
    for cause in causes[:_DIFFERENCES]:
        ((given, published), _), *others = cause.pairs.most_common()
        more = f" (+{len(others)})" if others else ""
        table.add_row(
            f"{cause.rows:,}",
            _cut(cause.name),
            cause.kind,
            _cut(f"{given or '∅'} → {published or '∅'}{more}"),
            f"{cause.example.file}:{cause.example.line}",
        )
    if len(causes) > _DIFFERENCES:
        rest = sum(cause.rows for cause in causes[_DIFFERENCES:])
        table.add_row(f"{rest:,}", f"{len(causes) - _DIFFERENCES} others", "", "", "")
    return table


def _show_rows(what: str, number: int, rows: Sequence[Listed]) -> None:
    """The first rows of one sort."""
    if not number:
        return
    click.echo(f"\n{count(number, 'row')} {what}")
    for row in rows[:_ROWS]:
        sentence = f"{_cut(row.sentence)}\n      " if row.sentence else ""
        click.echo(f"  {row.file}:{row.line}: {sentence}{row.detail}")
    if number > _ROWS:
        click.echo(f"  … and {number - _ROWS:,} more")


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
