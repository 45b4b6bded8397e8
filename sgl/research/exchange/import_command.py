"""``sglc import``: a grammar of SGL from a file of another tool."""

from __future__ import annotations

from pathlib import Path

import click

from sgl.cli.common import compile_options, count, show
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.outfile import deliver, output_options
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.pipeline.grammar import open_grammar
from sgl.research.exchange import Imported, lower_irtg, read_irtg, with_source, write_sgl


@click.group("import")
def command() -> None:
    """Make a grammar of SGL from a file of another tool."""


@command.command("irtg")
@click.argument("file", type=click.Path(path_type=Path))
@output_options
@compile_options
def irtg(
    file: Path,
    out: Path | None,
    force: bool,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Make a grammar of FILE, an interpreted regular tree grammar of Alto.

    Interpretations over strings become text layers, those over trees text layers of the
    printed trees. A grammar that is written to a file is checked.
    """
    sources, diagnostics = SourceMap(), Diagnostics()
    imported = _import(file, sources, diagnostics)
    if imported is None:
        show(diagnostics, sources, form, color)
        return FAILED
    text = write_sgl(imported.grammar, comment=f"Imported from {file.name}.")
    if not deliver(text, out, force, file, diagnostics):
        show(diagnostics, sources, form, color)
        return OUTPUT
    compiled = None
    if out is not None:
        compiled = open_grammar(out, settings, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if out is None:
        return OK
    if compiled is None:
        click.echo(f"{out} is written, and has to be corrected before it can be used", err=True)
        return FAILED
    words = sum(rule.lexical for rule in compiled.grammar.rules)
    figures = (
        count(len(compiled.grammar.categories), "category", "categories"),
        count(len(compiled.grammar.rules) - words, "rule"),
        count(words, "word"),
        count(len(compiled.grammar.text_layers), "layer"),
    )
    click.echo(f"{out}: {', '.join(figures)}")
    return OK


def _import(path: Path, sources: SourceMap, diagnostics: Diagnostics) -> Imported | None:
    source = read_file(path, str(path), None, MAX_TABLE, sources, diagnostics)
    file = read_irtg(source, diagnostics) if source is not None else None
    if source is None or file is None:
        return None
    imported = lower_irtg(file, path.stem, source.span(0, 1), diagnostics)
    return with_source(imported, diagnostics) if imported is not None else None
