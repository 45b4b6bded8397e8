"""``sglc audit``: what a grammar makes of a corpus, and which structures occur in it."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from sgl.cli import arguments as args
from sgl.cli.files import PAGE, force_option, json_file_option
from sgl.cli.session import Session, grammar_argument, grammar_options, named_values
from sgl.cli.terminal import cell, count, json_text, text_table
from sgl.corpus import audit as judged
from sgl.corpus.audit.result import OTHER_PAIRS
from sgl.corpus.audit.sets import new_words
from sgl.dataset import plain
from sgl.frontend import named_structures
from sgl.report import render_audit

#: Characters of a structure in a warning.
_SHOWN = 120

#: The fields of a declared structure that `--json` writes.
_DECLARED = ("name", "pattern", "role", "held_out", "structure")


@click.command("audit")
@grammar_argument
@args.corpora_argument
@args.layer_option
@click.option("--target", metavar="NAMES", help="The layers or views to compare.  [default: the target]")
@args.columns_option
@click.option("--patterns", is_flag=True, help="Find all declared structures; compare sets.")
@click.option(
    "--items",
    multiple=True,
    metavar="KIND=PATTERN",
    callback=named_values,
    help="The pattern of a kind, or of a file, that is not called like it (repeatable).",
)
@args.normalise_option
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

    A corpus has a sentence on each line, its translation after a tab, and perhaps a kind, by which rows are counted,
    after another tab.  Kinds and files with the name or the title of a pattern have generalization items; all other
    rows of the first file are training.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    core, plan = compiled.grammar, compiled.plan
    declared = judged.declared_structures(plan.patterns, named_structures(compiled)) if patterns else ()
    session.check_names(items.values(), [pattern.name for pattern in plan.patterns], "pattern")
    named, usual = args.listed(target), [plan.source, plan.target]
    if not set(named) <= set(usual):
        # The columns are then the source and what it is compared with, whatever that is.
        usual = [source or plan.source, *named]
    given = args.listed(columns) or list(dict.fromkeys(usual))
    compared = args.compared_layers(session, compiled, source, given, named)
    allowed = args.differences(session, normalise)
    collector = None
    if declared:
        names = judged.PatternNames(plan.patterns, items)
        collector = judged.SetCollector(core, core.text_layer(compared[0]), plan, declared, names)
    auditor = judged.Auditor(core, given, compared, allowed, declared, collector)
    audit = auditor.run(corpora, args.file_bar(session))
    _warn_of_missing_needs(session, audit)
    _show(session, audit)
    seconds = time.monotonic() - started
    session.echo(f"\n{count(audit.total.rows, 'row')} in {seconds:.1f} s")
    data = {
        "grammar": compiled.project.name,
        "parameters": dict(sorted(compiled.parameters.items())),
        **judged.audit_data(audit),
        "declared": [{name: plain(getattr(entry, name)) for name in _DECLARED} for entry in declared],
    }
    if json_file is not None:
        session.write(json_file, json_text(data))
    if html_file is not None:
        title = compiled.project.title or compiled.project.name
        session.write(html_file, render_audit(data, title))
    args.report_unreadable(session, audit.total.unreadable, audit.unreadable)


def _warn_of_missing_needs(session: Session, audit: judged.Audit) -> None:
    """Report what patterns need and training does not have."""
    missing = [entry for entry, rows in audit.needs() if not rows]
    if not missing:
        return
    rows = count(audit.training.rows, "row")
    message = f"training lacks {count(len(missing), 'part')} that patterns need"
    structures = ((entry.name, str(entry.structure)) for entry in missing)
    notes = [f"{name}: {text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}" for name, text in structures]
    notes.append(f"training: {rows} of {audit.files[0].name}, the first file, that are no items")
    session.diagnostics.warning("SGL1106", None, message, notes=notes)
    session.show()


def _show(session: Session, audit: judged.Audit) -> None:
    """Show coverage, duplicates, structures, differences, and the first rows of each sort."""
    names = [file.name for file in audit.files]
    short = [Path(name).name for name in names]
    # Short names have to tell the files apart.
    declared = {entry.name for entry in audit.declared}
    shown = short if len(set(short)) == len(short) else names

    def table(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], right: Sequence[str]) -> None:
        # Names of the grammar are shown whole, what is of somebody else may be cut.
        cells = [[text if text in declared else cell(text) for text in row] for _, row in rows]
        session.table(text_table(titles, cells, right, styles=[style for style, _ in rows]))

    session.present(
        "audit.j2",
        audit=audit,
        names=shown,
        short=dict(zip(names, shown, strict=True)),
        new_words=list(zip(audit.sets, new_words(audit.sets), strict=True)),
        shared_sets=sorted(audit.shared_sets, key=lambda pair: -max(pair.rows, pair.framed)),
        pairs_of=lambda cause: [pair for pair, _ in cause.pairs.most_common() if pair != OTHER_PAIRS],
        table=table,
    )
