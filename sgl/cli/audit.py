"""``sglc audit``: what a grammar makes of a corpus, and which structures occur in it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from sgl.cli.audit_tables import show_audit
from sgl.cli.common import compile_options, grammar_argument, progress, show
from sgl.cli.corpora import (
    FileBar,
    corpora_argument,
    differences,
    normalise_option,
    report_unreadable,
    source_option,
)
from sgl.cli.files import may_write, report_unread, write_results
from sgl.cli.layers import are_known, listed, output_names, text_layers
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
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
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled, named_structures
from sgl.parsing import Parser
from sgl.pipeline.deciding import deciding
from sgl.pipeline.session import open_grammar
from sgl.rendering import outputs
from sgl.report import render_audit

#: A column that is neither parsed nor compared.
_IGNORED = "-"


@click.command("audit")
@grammar_argument
@corpora_argument
@source_option
@click.option(
    "--target",
    metavar="NAMES",
    help="The layers or views that are compared.  [default: the target]",
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="What the columns of the files are: layers, views, - for any other.  "
    "[default: source and target]",
)
@click.option("--patterns", is_flag=True, help="Look for all declared structures.")
@normalise_option
@click.option(
    "--json", "json_file", type=click.Path(path_type=Path), help="Write everything as JSON."
)
@click.option(
    "--html", "html_file", type=click.Path(path_type=Path), help="Write a page for people."
)
@compile_options
def command(
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    target: str | None,
    columns: str | None,
    patterns: bool,
    normalise: str,
    json_file: Path | None,
    html_file: Path | None,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Audit the files CORPORA with GRAMMAR: coverage, exactness, ambiguity, structures.

    A corpus has a sentence on each line, its translation after a tab, and perhaps a
    kind, by which rows are counted, after another tab.
    """
    started = time.monotonic()
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if compiled is None:
        return FAILED
    chosen = _choose(compiled, source, target, columns, normalise)
    results = [path for path in (json_file, html_file) if path is not None]
    if chosen is None or not may_write(results, (*corpora, grammar)):
        return USAGE
    found = Diagnostics()
    declared = declared_structures(compiled.plan.patterns, named_structures(compiled))
    audit = _audit(compiled, corpora, chosen, declared if patterns else (), found)
    if audit is not None:
        show_audit(audit, declared if patterns else (), time.monotonic() - started)
        data = _data(audit, compiled, declared if patterns else ())
        _write(data, json_file, html_file, compiled, found)
        rows = [f"{row.file}:{row.line}: {row.detail}" for row in audit.unreadable]
        report_unreadable(audit.total.unreadable, rows, found)
    show(found, sources, form, color)
    codes = {diagnostic.code for diagnostic in found}
    if codes & {"SGL1102", "SGL1103"}:
        return OUTPUT
    return FAILED if codes else OK


@dataclass(frozen=True)
class _Choice:
    """What the options ask for, as names of layers and views."""

    source: str
    targets: tuple[str, ...]
    columns: tuple[str, ...]
    normalise: tuple[str, ...]


def _choose(
    compiled: Compiled, source: str | None, target: str | None, columns: str | None, normalise: str
) -> _Choice | None:
    """What the options ask for; None after a message."""
    known = output_names(compiled.grammar)
    plan = compiled.plan
    compared = listed(target)
    usual = [plan.source, plan.target]
    if not set(compared) <= set(usual):
        # The columns are then the source and what it is compared with, whatever that is.
        usual = [source or plan.source, *compared]
    given = listed(columns) or list(dict.fromkeys(usual))
    parsed = source or next((name for name in given if name != _IGNORED), plan.source)
    compared = compared or [name for name in given if name not in (parsed, _IGNORED)]
    asked = differences(normalise)
    names = [*(name for name in given if name != _IGNORED), *compared]
    if (
        not are_known([parsed], text_layers(compiled.grammar), "text layer")
        or not are_known(names, known, "text layer or view")
        or asked is None
    ):
        return None
    for name in (parsed, *compared):
        if name not in given:
            click.echo(
                f"error: no column has the layer `{name}`; the columns are {', '.join(given)} "
                "(`--columns` says otherwise)",
                err=True,
            )
            return None
    return _Choice(parsed, tuple(compared), tuple(given), tuple(asked))


def _audit(
    compiled: Compiled,
    corpora: Sequence[Path],
    chosen: _Choice,
    declared: Sequence[DeclaredStructure],
    diagnostics: Diagnostics,
) -> Audit | None:
    """The audit; None after a report."""
    core = compiled.grammar
    known = outputs(core)
    targets = tuple(known[name] for name in chosen.targets)
    parser = Parser(core, core.text_layer(chosen.source))
    normalizers: list[Normalizer | None] = []
    for layer in (parser.layer, *(t.layer for t in targets)) if chosen.normalise else ():
        if layer is None:
            normalizers.append(None)
            continue
        words = parser.vocabulary if layer == parser.layer else Parser(core, layer).vocabulary
        normalizers.append(Normalizer(core.text_layers[layer], words, chosen.normalise))
    with deciding(compiled, diagnostics), progress() as line:
        finder = StructureFinder(core, tuple(declared)) if declared else None
        reader = SentenceReader(parser, targets, finder, normalizers[0] if normalizers else None)
        auditor = Auditor(reader, chosen.columns, declared, normalizers[1:])

        try:
            return auditor.run(corpora, FileBar(line))
        except OSError as problem:
            report_unread(problem, diagnostics)
    return None


def _data(
    audit: Audit, compiled: Compiled, declared: Sequence[DeclaredStructure]
) -> dict[str, Any]:
    """What `--json` writes."""
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


def _write(
    data: dict[str, Any],
    json_file: Path | None,
    html_file: Path | None,
    compiled: Compiled,
    diagnostics: Diagnostics,
) -> None:
    texts: list[tuple[Path, str]] = []
    if json_file is not None:
        texts.append((json_file, json.dumps(data, ensure_ascii=False, indent=1) + "\n"))
    if html_file is not None:
        title = compiled.project.title or compiled.project.name
        texts.append((html_file, render_audit(data, title)))
    write_results(texts, diagnostics)
