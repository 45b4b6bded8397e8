"""``sglc audit``: what a grammar makes of a corpus, and which structures occur in it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.table import Table

from sgl.characters import visible
from sgl.cli.arguments import (
    IGNORED,
    check_column,
    corpora_argument,
    differences,
    file_bar,
    json_file_option,
    listed,
    normalise_option,
    normalizer_of,
    report_unreadable,
    source_option,
    text_layers,
)
from sgl.cli.audit_sets import PatternSummary, warn_of_missing_needs
from sgl.cli.files import PAGE, force_option
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text, named_values
from sgl.cli.terminal import cell, count, text_table
from sgl.corpus import Normalizer
from sgl.corpus.audit import (
    Audit,
    Auditor,
    DeclaredStructure,
    PatternNames,
    SentenceReader,
    SetCollector,
    StructureFinder,
    audit_data,
    declared_structures,
)
from sgl.corpus.audit.result import OTHER_PAIRS, Tally
from sgl.corpus.rows import ListedRow
from sgl.dataset import plain
from sgl.frontend import Compiled, named_structures
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.report import render_audit

#: Differences, and rows of each sort, that are shown; `--json` and `--html` have more.
_DIFFERENCES = 15
_ROWS = 5
_WORDS = 8
_READINGS = 3

#: How a reading that gives the published texts is called.
_CHOSEN = {
    "another": "another:",
    "none": "none:",
    "likeliest": "the likeliest reading:",
    "several": "several:",
}

#: The fields of a declared structure that `--json` writes.
_DECLARED = ("name", "pattern", "role", "held_out", "structure")


@click.command("audit")
@grammar_argument
@corpora_argument
@source_option
@click.option(
    "--target", metavar="NAMES", help="The layers or views to compare.  [default: the target]"
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="The columns of the files: layers, views, - for any other.  [default: source and target]",
)
@click.option("--patterns", is_flag=True, help="Find all declared structures; compare sets.")
@click.option(
    "--items",
    multiple=True,
    metavar="KIND=PATTERN",
    callback=named_values,
    help="The pattern of a kind, or of a file, that is not called like it (repeatable).",
)
@normalise_option
@json_file_option
@click.option("--html", "html_file", type=PAGE, help="Write a readable page.")
@force_option
@grammar_options
def command(
    session: Session,
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    target: str | None,
    columns: str | None,
    patterns: bool,
    items: Mapping[str, str],
    normalise: str,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Audit the files CORPORA with GRAMMAR: coverage, exactness, ambiguity, structures.

    A corpus has a sentence on each line, its translation after a tab, and perhaps a
    kind, by which rows are counted, after another tab.  Kinds and files with the name or
    the title of a pattern have generalization items; all other rows of the first file are
    training.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    declared: Sequence[DeclaredStructure] = ()
    if patterns:
        declared = declared_structures(compiled.plan.patterns, named_structures(compiled))
    session.check_names(items.values(), [p.name for p in compiled.plan.patterns], "pattern")
    names = PatternNames(compiled.plan.patterns, items)
    auditor = _auditor(session, compiled, source, target, columns, normalise, declared, names)
    audit = auditor.run(corpora, file_bar(session))
    warn_of_missing_needs(session, audit)
    _Summary(session, audit).show()
    seconds = time.monotonic() - started
    session.echo(f"\n{count(audit.total.rows, 'row')} in {seconds:.1f} s")
    data = {
        "grammar": compiled.project.name,
        "parameters": dict(sorted(compiled.parameters.items())),
        **audit_data(audit),
        "declared": [
            {name: plain(getattr(entry, name)) for name in _DECLARED} for entry in declared
        ],
    }
    if json_file is not None:
        session.write(json_file, json_text(data))
    if html_file is not None:
        title = compiled.project.title or compiled.project.name
        session.write(html_file, render_audit(data, title))
    report_unreadable(session, audit.total.unreadable, audit.unreadable)


def _auditor(
    session: Session,
    compiled: Compiled,
    source: str | None,
    target: str | None,
    columns: str | None,
    normalise: str,
    declared: Sequence[DeclaredStructure],
    names: PatternNames,
) -> Auditor:
    """Return the auditor that the options ask for; end the command if they do not fit."""
    core, plan = compiled.grammar, compiled.plan
    known = outputs(core)
    compared, usual = listed(target), [plan.source, plan.target]
    if not set(compared) <= set(usual):
        # The columns are then the source and what it is compared with, whatever that is.
        usual = [source or plan.source, *compared]
    given = listed(columns) or list(dict.fromkeys(usual))
    named = [name for name in given if name != IGNORED]
    parsed = source or next(iter(named), plan.source)
    compared = compared or [name for name in named if name != parsed]
    session.check_names([parsed], text_layers(core), "text layer")
    session.check_names([*named, *compared], list(known), "text layer or view")
    allowed = differences(session, normalise)
    for name in (parsed, *compared):
        check_column(session, name, given)
    parser = Parser(core, core.text_layer(parsed))

    def normalizer(layer: int | None) -> Normalizer | None:
        """Return what finds other spellings of a text layer; a view has none."""
        if layer is None or not allowed:
            return None
        return normalizer_of(parser if layer == parser.layer else Parser(core, layer), allowed)

    targets = tuple(known[name] for name in compared)
    finder = StructureFinder(core, tuple(declared)) if declared else None
    reader = SentenceReader(parser, targets, finder, normalizer(parser.layer))
    normalizers = [normalizer(target.layer) for target in targets]
    collector = SetCollector(core, parser.layer, plan, declared, names) if declared else None
    return Auditor(reader, given, declared, normalizers, collector)


# ---- what is said in the terminal


class _Summary:
    """An audit with short names for its files, if these tell them apart."""

    def __init__(self, session: Session, audit: Audit) -> None:
        self._session = session
        self._audit = audit
        names = [file.name for file in audit.files]
        short = [Path(name).name for name in names]
        distinct = len(set(short)) == len(short)
        self._short = dict(zip(names, short if distinct else names, strict=True))

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
            PatternSummary(self._session, audit, list(self._short.values())).show()
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
        """Return where the readings of ambiguous rows part."""
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
        """Show the first rows of one sort."""
        if not number:
            return
        self._session.echo(f"\n{count(number, 'row')} {what}")
        for row in rows[:_ROWS]:
            place = f"  {self._line(row)}: "
            self._say(place + row.sentence)
            self._say(" " * len(place) + row.detail)
        if number > _ROWS:
            self._session.echo(f"  … and {number - _ROWS:,} more")


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else "0"
