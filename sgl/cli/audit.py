"""``sglc audit``: what a grammar makes of a corpus, and which structures occur in it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

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
    output_names,
    report_unreadable,
    source_option,
    text_layers,
)
from sgl.cli.audit_tables import show_audit
from sgl.cli.session import Session, grammar_argument, grammar_options, json_text
from sgl.corpus import Normalizer
from sgl.corpus.audit import (
    Audit,
    Auditor,
    DeclaredStructure,
    SentenceReader,
    StructureFinder,
    audit_data,
    declared_structures,
)
from sgl.frontend import Compiled, named_structures
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.report import render_audit


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
@click.option("--patterns", is_flag=True, help="Find all declared structures.")
@normalise_option
@json_file_option
@click.option("--html", "html_file", type=click.Path(path_type=Path), help="Write a readable page.")
@grammar_options
def command(
    session: Session,
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    target: str | None,
    columns: str | None,
    patterns: bool,
    normalise: str,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Audit the files CORPORA with GRAMMAR: coverage, exactness, ambiguity, structures.

    A corpus has a sentence on each line, its translation after a tab, and perhaps a
    kind, by which rows are counted, after another tab.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    chosen = _choose(session, compiled, source, target, columns, normalise)
    results = [path for path in (json_file, html_file) if path is not None]
    session.check_results(results, (*corpora, grammar))
    declared: Sequence[DeclaredStructure] = ()
    if patterns:
        declared = declared_structures(compiled.plan.patterns, named_structures(compiled))
    audit = _audit(session, compiled, corpora, chosen, declared)
    show_audit(session, audit, declared, time.monotonic() - started)
    data = _data(audit, compiled, declared)
    if json_file is not None:
        session.write(json_file, json_text(data))
    if html_file is not None:
        title = compiled.project.title or compiled.project.name
        session.write(html_file, render_audit(data, title))
    rows = [f"{row.file}:{row.line}: {row.detail}" for row in audit.unreadable]
    report_unreadable(session, audit.total.unreadable, rows)


@dataclass(frozen=True)
class _Columns:
    """What the options ask for, as names of layers and views."""

    source: str
    targets: tuple[str, ...]
    columns: tuple[str, ...]
    normalise: tuple[str, ...]


def _choose(
    session: Session,
    compiled: Compiled,
    source: str | None,
    target: str | None,
    columns: str | None,
    normalise: str,
) -> _Columns:
    """Return what the options ask for."""
    plan = compiled.plan
    compared = listed(target)
    usual = [plan.source, plan.target]
    if not set(compared) <= set(usual):
        # The columns are then the source and what it is compared with, whatever that is.
        usual = [source or plan.source, *compared]
    given = listed(columns) or list(dict.fromkeys(usual))
    parsed = source or next((name for name in given if name != IGNORED), plan.source)
    compared = compared or [name for name in given if name not in (parsed, IGNORED)]
    names = [*(name for name in given if name != IGNORED), *compared]
    session.check_names([parsed], text_layers(compiled.grammar), "text layer")
    session.check_names(names, output_names(compiled.grammar), "text layer or view")
    allowed = differences(session, normalise)
    for name in (parsed, *compared):
        check_column(session, name, given)
    return _Columns(parsed, tuple(compared), tuple(given), tuple(allowed))


def _audit(
    session: Session,
    compiled: Compiled,
    corpora: Sequence[Path],
    chosen: _Columns,
    declared: Sequence[DeclaredStructure],
) -> Audit:
    core = compiled.grammar
    known = outputs(core)
    targets = tuple(known[name] for name in chosen.targets)
    parser = Parser(core, core.text_layer(chosen.source))
    normalizers: list[Normalizer | None] = []
    for layer in (parser.layer, *(t.layer for t in targets)) if chosen.normalise else ():
        if layer is None:
            normalizers.append(None)
        else:
            of_layer = parser if layer == parser.layer else Parser(core, layer)
            normalizers.append(normalizer_of(of_layer, chosen.normalise))
    finder = StructureFinder(core, tuple(declared)) if declared else None
    reader = SentenceReader(parser, targets, finder, normalizers[0] if normalizers else None)
    auditor = Auditor(reader, chosen.columns, declared, normalizers[1:])
    with session.reading():
        return auditor.run(corpora, file_bar(session))


def _data(
    audit: Audit, compiled: Compiled, declared: Sequence[DeclaredStructure]
) -> dict[str, Any]:
    """Return what `--json` writes."""
    return {
        "grammar": compiled.project.name,
        "parameters": dict(sorted(compiled.parameters.items())),
        **audit_data(audit),
        "declared": [
            {
                "name": entry.name,
                "pattern": entry.pattern,
                "role": entry.role,
                "held_out": entry.held_out,
                "structure": str(entry.structure),
            }
            for entry in declared
        ],
    }
