"""What ``sglc audit`` says: coverage, differences, readings; structures, needs, shared rows."""

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from sgl.characters import visible
from sgl.cli.session import Session
from sgl.cli.terminal import cell, count, text_table
from sgl.corpus.audit import Audit, DeclaredStructure, RowSet
from sgl.corpus.audit.result import OTHER_PAIRS, Tally
from sgl.corpus.audit.sets import new_words
from sgl.corpus.rows import ListedRow

#: Differences, and rows of each sort, that are shown; `--json` and `--html` have more.
_DIFFERENCES = 15
_ROWS = 5
_WORDS = 8
_READINGS = 3

#: How a reading that gives the published texts is called.
_CHOSEN = {"another": "another:", "none": "none:", "likeliest": "the likeliest reading:", "several": "several:"}

#: Pairs of sets that are shown; `--json` has all of them.
_PAIRS = 15

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
        *(f"{entry.name}: {_cut(str(entry.structure))}" for entry in missing),
        f"training: {rows} of {audit.files[0].name}, the first file, that are no items",
    ]
    session.diagnostics.warning("SGL1106", None, message, notes=notes)
    session.show()


class AuditText:
    """An audit with short names for its files, if these tell them apart."""

    def __init__(self, session: Session, audit: Audit) -> None:
        self._session = session
        self._audit = audit
        names = [file.name for file in audit.files]
        short = [Path(name).name for name in names]
        distinct = len(set(short)) == len(short)
        self._names = short if distinct else names
        self._short = dict(zip(names, self._names, strict=True))

    def show(self) -> None:
        """Show coverage, duplicates, structures, differences, and the first rows of each sort."""
        audit, total = self._audit, self._audit.total
        self._session.table(self._coverage())
        for pair in audit.shared:
            first, second = audit.files[pair.first], audit.files[pair.second]
            self._say(
                f"{_share(pair.rows, second.total.rows)} rows of {self._short[second.name]} "
                f"are in {self._short[first.name]} too ({count(pair.distinct, 'sentence')})"
            )
        if audit.declared:
            self._session.echo()
            self._show_patterns()
        if audit.causes:
            self._session.echo()
            self._session.table(self._differences())
        unparsed = total.rows - total.parsed - total.unreadable
        self._show_rows("without a reading", unparsed, audit.unparsed)
        # The words at which most sentences fail.
        failing = audit.failing.most_common()
        if failing:
            shown = ", ".join(f"{word or 'the end'} ({rows:,})" for word, rows in failing[:_WORDS])
            self._say(f"they fail at: {shown}{', …' if len(failing) > _WORDS else ''}")
        self._show_ambiguous(total)
        if audit.choices:
            self._session.echo()
            self._session.table(self._choices())

    def _say(self, text: str) -> None:
        """Write a line that may have characters of somebody else."""
        self._session.echo(visible(text))

    def _coverage(self) -> Table:
        audit = self._audit
        exact = [f"exact {layer}" for layer in audit.targets]
        numbers = ["rows", "parsed", *exact, "ambiguous", "unreadable", "distinct"]
        table = text_table("corpus", *numbers, right=numbers)
        for file in audit.files:
            name = self._short[file.name]
            table.add_row(cell(name), *self._counts(file.total), f"{file.distinct:,}")
            if len(file.kinds) > 1:
                for kind, tally in sorted(file.kinds.items()):
                    table.add_row(cell(f"  {kind or '–'}"), *self._counts(tally), style="dim")
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

    def _differences(self) -> Table:
        titles = ("rows", "explained by", "kind", "given → published", "line")
        table = text_table(*titles, right=["rows"])
        causes = self._audit.ranked_causes()
        for cause in causes[:_DIFFERENCES]:
            pairs = [pair for pair, _ in cause.pairs.most_common() if pair != OTHER_PAIRS]
            given, published = pairs[0]
            pair = cell(f"{given or '∅'} → {published or '∅'}")
            if len(pairs) > 1:
                pair.append(f" (+{len(pairs) - 1})")
            place = cell(self._line(cause.example))
            table.add_row(f"{cause.rows:,}", cell(cause.name), cause.kind, pair, place)
        if len(causes) > _DIFFERENCES:
            rest = sum(cause.rows for cause in causes[_DIFFERENCES:])
            table.add_row(f"{rest:,}", f"{len(causes) - _DIFFERENCES} others")
        return table

    def _choices(self) -> Table:
        table = text_table("rows", "readings part at", "kind", "between", "line", right=["rows"])
        found = self._audit.ranked_choices()
        for entry in found[:_DIFFERENCES]:
            choice, place = entry.choice, cell(self._line(entry.example))
            names = cell(choice.category), choice.kind, cell(str(choice))
            table.add_row(f"{entry.rows:,}", *names, place)
        if len(found) > _DIFFERENCES:
            table.add_row("", f"{len(found) - _DIFFERENCES} others")
        return table

    def _line(self, row: ListedRow) -> str:
        return f"{self._short[row.file]}:{row.line}"

    def _show_ambiguous(self, total: Tally) -> None:
        """Show the first rows with several readings: what the corpus chose, then the others."""
        if not total.ambiguous:
            return
        chosen = ", ".join(f"{_CHOSEN[which]} {n:,}" for which, n in total.chosen.most_common())
        told = f"; the published text is that of {chosen}" if chosen else ""
        self._session.echo(f"\n{count(total.ambiguous, 'row')} ambiguous{told}")
        # Where the corpus did not choose the likeliest reading, a reader wants to know why.
        ranks = list(_CHOSEN)
        rows = sorted(self._audit.ambiguous, key=lambda row: ranks.index(row.which or ranks[0]))
        for row in rows[:_ROWS]:
            place = f"  {self._line(row)}: "
            self._say(place + row.sentence)
            self._say(" " * len(place) + row.detail.partition(";")[0])
            for reading in row.readings[:_READINGS]:
                which = "chosen" if reading.chosen else "other"
                # Readings with other words have no other phrases: then their texts say enough.
                phrases = [] if reading.phrases == row.sentence else [reading.phrases]
                for text in (*phrases, *reading.outputs):
                    self._say(f"    {which if total.chosen else '':8}{text}")
                    which = ""
            if len(row.readings) > _READINGS:
                self._session.echo("            …")
        if total.ambiguous > _ROWS:
            self._session.echo(f"  … and {total.ambiguous - _ROWS:,} more")

    def _show_rows(self, what: str, number: int, rows: Sequence[ListedRow]) -> None:
        if not number:
            return
        self._session.echo(f"\n{count(number, 'row')} {what}")
        for row in rows[:_ROWS]:
            place = f"  {self._line(row)}: "
            self._say(place + row.sentence)
            self._say(" " * len(place) + row.detail)
        if number > _ROWS:
            self._session.echo(f"  … and {number - _ROWS:,} more")

    # ---- patterns

    def _show_patterns(self) -> None:
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
            f"held out: {len(leaks)} of {count(held, 'structure')} found{where}" + (f": {found}" if found else "")
        )
        absent = [entry for entry in declared if not total.some[entry.name]]
        self._session.echo(f"nowhere: {len(absent)} of {count(len(declared), 'declared structure')}")
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


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"


def _claim(entry: DeclaredStructure) -> str:
    return "held out" if entry.held_out else entry.role


def _cut(structure: str) -> str:
    return structure if len(structure) <= _LONGEST else f"{structure[: _LONGEST - 1]}…"
