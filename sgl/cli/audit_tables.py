"""What ``sglc audit`` says in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from sgl.cli.session import Session
from sgl.cli.terminal import count
from sgl.corpus.audit import Audit, DeclaredStructure
from sgl.corpus.audit.result import OTHER_PAIRS, Tally
from sgl.corpus.rows import ListedRow
from sgl.diagnostics.source import visible

#: Differences, and rows of each sort, that are shown; `--json` and `--html` have more.
_DIFFERENCES = 15
_ROWS = 5
_WORDS = 8
_LONGEST = 48


def show_audit(
    session: Session, audit: Audit, declared: Sequence[DeclaredStructure], seconds: float
) -> None:
    """Show coverage, duplicates, structures, differences, and the first rows of each sort."""
    _Summary(session, audit).show(declared)
    session.echo(f"\n{count(audit.total.rows, 'row')} in {seconds:.1f} s")


class _Summary:
    """An audit with short names for its files, if these tell them apart."""

    def __init__(self, session: Session, audit: Audit) -> None:
        self._session = session
        self._audit = audit
        names = [file.name for file in audit.files]
        short = [Path(name).name for name in names]
        distinct = len(set(short)) == len(short)
        self._short = dict(zip(names, short if distinct else names, strict=True))

    def show(self, declared: Sequence[DeclaredStructure]) -> None:
        audit, total = self._audit, self._audit.total
        self._session.table(self._coverage())
        self._show_duplicates()
        if declared:
            self._session.echo()
            self._session.table(self._structures(declared))
            self._show_leaks(declared)
        if audit.causes:
            self._session.echo()
            self._session.table(self._differences())
        unparsed = total.rows - total.parsed - total.unreadable
        self._show_rows("without a reading", unparsed, audit.unparsed)
        self._show_failing()
        self._show_rows("ambiguous", total.ambiguous, audit.ambiguous)
        if audit.choices:
            self._session.echo()
            self._session.table(self._choices())

    def _coverage(self) -> Table:
        audit = self._audit
        exact = [f"exact {layer}" for layer in audit.targets]
        numbers = ["rows", "parsed", *exact, "ambiguous", "unreadable", "distinct"]
        table = _table("corpus", *numbers, right=numbers)
        for file in audit.files:
            name = self._short[file.name]
            table.add_row(_cell(name), *self._counts(file.total), f"{file.distinct:,}")
            if len(file.kinds) > 1:
                for kind, tally in sorted(file.kinds.items()):
                    table.add_row(_cell(f"  {kind or '–'}"), *self._counts(tally), style="dim")
        if len(audit.files) > 1:
            table.add_row("all", *self._counts(audit.total))
        return table

    def _counts(self, tally: Tally) -> list[str]:
        return [
            f"{tally.rows:,}",
            _share(tally.parsed, tally.rows),
            *(_share(tally.exact[layer], tally.rows) for layer in self._audit.targets),
            f"{tally.ambiguous:,}",
            f"{tally.unreadable:,}",
        ]

    def _show_duplicates(self) -> None:
        for pair in self._audit.shared:
            first, second = self._audit.files[pair.first], self._audit.files[pair.second]
            self._session.echo(
                visible(
                    f"{_share(pair.rows, second.total.rows)} rows of {self._short[second.name]} "
                    f"are in {self._short[first.name]} too ({count(pair.distinct, 'sentence')})"
                )
            )

    def _structures(self, declared: Sequence[DeclaredStructure]) -> Table:
        """Return the structures that occur, in the order of their declaration."""
        tallies = [file.total for file in self._audit.files]
        names = list(self._short.values())
        table = _table("structure", "claim", *names, right=names)
        for entry in declared:
            counts = [tally.some[entry.name] for tally in tallies]
            if any(counts):
                claim = "held out" if entry.held_out else entry.role
                style = "bold red" if entry.held_out else ""
                table.add_row(entry.name, claim, *(f"{n:,}" for n in counts), style=style)
        return table

    def _show_leaks(self, declared: Sequence[DeclaredStructure]) -> None:
        """Show which of the structures that patterns hold out occur in the corpora."""
        total = self._audit.total
        held = [entry for entry in declared if entry.held_out]
        absent = sum(not total.some[entry.name] for entry in declared)
        found = [f"{e.name} ({total.some[e.name]:,})" for e in held if total.some[e.name]]
        self._session.echo(
            f"held out: {len(found)} of {count(len(held), 'structure')} found"
            + (f": {', '.join(found)}" if found else "")
        )
        self._session.echo(f"nowhere: {absent} of {count(len(declared), 'declared structure')}")

    def _differences(self) -> Table:
        table = _table("rows", "explained by", "kind", "given → published", "line", right=["rows"])
        causes = self._audit.ranked_causes()
        for cause in causes[:_DIFFERENCES]:
            pairs = [pair for pair, _ in cause.pairs.most_common() if pair != OTHER_PAIRS]
            given, published = pairs[0]
            pair = _cell(f"{given or '∅'} → {published or '∅'}")
            if len(pairs) > 1:
                pair.append(f" (+{len(pairs) - 1})")
            table.add_row(
                f"{cause.rows:,}",
                _cell(cause.name),
                cause.kind,
                pair,
                _cell(f"{self._short[cause.example.file]}:{cause.example.line}"),
            )
        if len(causes) > _DIFFERENCES:
            rest = sum(cause.rows for cause in causes[_DIFFERENCES:])
            table.add_row(f"{rest:,}", f"{len(causes) - _DIFFERENCES} others")
        return table

    def _choices(self) -> Table:
        """Return where the readings of ambiguous rows part."""
        table = _table("rows", "readings part at", "kind", "between", "line", right=["rows"])
        found = self._audit.ranked_choices()
        for entry in found[:_DIFFERENCES]:
            table.add_row(
                f"{entry.rows:,}",
                _cell(entry.choice.category),
                entry.choice.kind,
                _cell(str(entry.choice)),
                _cell(f"{self._short[entry.example.file]}:{entry.example.line}"),
            )
        if len(found) > _DIFFERENCES:
            table.add_row("", f"{len(found) - _DIFFERENCES} others")
        return table

    def _show_rows(self, what: str, number: int, rows: Sequence[ListedRow]) -> None:
        """Show the first rows of one sort."""
        if not number:
            return
        self._session.echo(f"\n{count(number, 'row')} {what}")
        for row in rows[:_ROWS]:
            place = f"  {self._short[row.file]}:{row.line}: "
            self._session.echo(visible(place + row.sentence))
            self._session.echo(visible(" " * len(place) + row.detail))
        if number > _ROWS:
            self._session.echo(f"  … and {number - _ROWS:,} more")

    def _show_failing(self) -> None:
        """Show the words at which most sentences fail."""
        failing = self._audit.failing.most_common()
        if failing:
            shown = ", ".join(f"{word or 'the end'} ({rows:,})" for word, rows in failing[:_WORDS])
            self._session.echo(
                visible(f"they fail at: {shown}{', …' if len(failing) > _WORDS else ''}")
            )


def _table(*columns: str, right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def _cell(text: str, columns: int = _LONGEST) -> Text:
    """Return a text of somebody else: shown as it is, and cut if it is long."""
    cell = Text(visible(text), no_wrap=True)
    cell.truncate(columns, overflow="ellipsis")
    return cell


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"
