"""What ``sglc audit --patterns`` says: structures, needs, and what sets of rows share."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from sgl.characters import visible
from sgl.cli.session import Session
from sgl.cli.terminal import cell, count, text_table
from sgl.corpus.audit import Audit, DeclaredStructure, RowSet
from sgl.corpus.audit.sets import new_words

#: Pairs of sets, and words of each set, that are shown; `--json` has all of them.
_PAIRS = 15
_WORDS = 8

#: Characters of a structure in a warning.
_LONGEST = 120


def warn_of_missing_needs(session: Session, audit: Audit) -> None:
    """Report what patterns need and training does not have."""
    missing = [entry for entry, rows in audit.needs() if not rows]
    if not missing:
        return
    rows = count(audit.training.rows, "row")
    message = f"training lacks {count(len(missing), 'part')} that patterns need"
    notes = [
        *(f"{entry.name}: {_short(str(entry.structure))}" for entry in missing),
        f"training: {rows} of {audit.files[0].name}, the first file, that are no items",
    ]
    session.diagnostics.warning("SGL1106", None, message, notes=notes)
    session.show()


class PatternSummary:
    """What an audit has found for the patterns; ``names`` are short names of the files."""

    def __init__(self, session: Session, audit: Audit, names: Sequence[str]) -> None:
        self._session = session
        self._audit = audit
        self._names = names

    def show(self) -> None:
        """Show the structures that occur, then the generalization sets, then shared rows."""
        self._show_structures(self._audit.declared)
        items = [rows for rows in self._audit.sets if rows.pattern]
        if items:
            self._table(self._items(items))
        seconds = self._seconds(items)
        if seconds.rows:
            self._table(seconds)
        self._show_words()
        shared = self._shared()
        if shared.rows:
            self._table(shared)

    def _table(self, table: Table) -> None:
        self._session.echo()
        self._session.table(table)

    def _show_structures(self, declared: Sequence[DeclaredStructure]) -> None:
        """Show the structures that occur, in the order of their declaration, and what leaks."""
        total = self._audit.total
        tallies = [file.total for file in self._audit.files]
        leaks = self._audit.leaks()
        table = text_table("structure", "claim", *self._names, right=self._names)
        for entry in declared:
            counts = [tally.some[entry.name] for tally in tallies]
            if any(counts):
                style = "bold red" if entry.name in leaks else ""
                table.add_row(entry.name, _claim(entry), *(f"{n:,}" for n in counts), style=style)
        self._session.table(table)
        held = sum(entry.held_out for entry in declared)
        found = ", ".join(f"{name} ({rows:,})" for name, rows in leaks.items())
        where = " outside items" if any(rows.pattern for rows in self._audit.sets) else ""
        self._session.echo(
            f"held out: {len(leaks)} of {count(held, 'structure')} found{where}"
            + (f": {found}" if found else "")
        )
        absent = [entry for entry in declared if not total.some[entry.name]]
        self._session.echo(
            f"nowhere: {len(absent)} of {count(len(declared), 'declared structure')}"
        )
        absent.sort(key=lambda entry: entry.role != "need")
        for claim in dict.fromkeys(map(_claim, absent)):
            names = [entry.name for entry in absent if _claim(entry) == claim]
            self._session.echo(f"  {claim or 'named'} ({len(names)}): {', '.join(names)}")

    def _items(self, items: Sequence[RowSet]) -> Table:
        """Return how many items contain what they are to contain, and nothing else."""
        numbers = ["rows", "parsed", "with its structure", "and no other's"]
        table = text_table("generalization set", "pattern", *numbers, right=numbers)
        for rows in items:
            assert rows.pattern is not None
            counts = rows.rows, rows.parsed, rows.own, rows.isolated
            table.add_row(self._name(rows), rows.pattern.name, *(f"{n:,}" for n in counts))
        return table

    def _seconds(self, items: Sequence[RowSet]) -> Table:
        titles = ("items", "of", "contain too what is held out by", "", "line")
        table = text_table(*titles, right=["items"])
        found = [(rows, second) for rows in items for second in rows.seconds.values()]
        found.sort(key=lambda pair: -pair[1].rows)
        for rows, second in found[:_PAIRS]:
            allowed = "allowed" if second.allowed else ""
            line = f"{self._names[rows.file]}:{second.example.line}"
            table.add_row(f"{second.rows:,}", self._name(rows), second.pattern, allowed, cell(line))
        if len(found) > _PAIRS:
            table.add_row("", f"{len(found) - _PAIRS} other pairs")
        return table

    def _show_words(self) -> None:
        """Show the words of generalization sets that training does not have."""
        pairs = zip(self._audit.sets, new_words(self._audit.sets), strict=True)
        found = [(rows, new) for rows, new in pairs if new]
        if found:
            self._session.echo("\nwords that training does not have, with their rows")
        for rows, new in found:
            for column in (self._audit.source, *self._audit.targets):
                words = [(n, word) for (of, word), n in new.items() if of == column]
                if not words:
                    continue
                words.sort(key=lambda entry: (-entry[0], entry[1]))
                targets = [word for _, word in words if (column, word) in rows.targets]
                shown = [f"{word} ({n:,})" for n, word in words if word not in targets]
                more = [count(len(shown) - _WORDS, "other")] if len(shown) > _WORDS else []
                told = [f"the targets {' '.join(targets)}"] if targets else []
                text = ", ".join((*shown[:_WORDS], *more, *told))
                self._session.echo(visible(f"  {self._title(rows)}, {column}: {text}"))

    def _shared(self) -> Table:
        """Return which sets share sentences, or frames with other target words."""
        numbers = ["rows", "but for the target"]
        table = text_table(*numbers, "of", "are in", right=numbers)
        sets = self._audit.sets
        found = sorted(self._audit.shared_sets, key=lambda pair: -max(pair.rows, pair.framed))
        for pair in found[:_PAIRS]:
            framed = f"{pair.framed:,}" if pair.framed else "–"
            names = self._name(sets[pair.second]), self._name(sets[pair.first])
            table.add_row(f"{pair.rows:,}", framed, *names)
        if len(found) > _PAIRS:
            table.add_row("", "", f"{len(found) - _PAIRS} other pairs")
        return table

    def _name(self, rows: RowSet) -> Text:
        return cell(self._title(rows))

    def _title(self, rows: RowSet) -> str:
        file = self._names[rows.file]
        return f"{file}: {rows.kind}" if rows.kind else file


def _short(structure: str) -> str:
    return structure if len(structure) <= _LONGEST else f"{structure[: _LONGEST - 1]}…"


def _claim(entry: DeclaredStructure) -> str:
    return "held out" if entry.held_out else entry.role
