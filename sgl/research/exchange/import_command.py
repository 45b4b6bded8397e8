"""``sglc import``: a grammar of SGL from a file of another tool."""

from pathlib import Path

import click

from sgl.cli.files import FILE, out_option
from sgl.cli.main import FAILED
from sgl.cli.session import Session, grammar_options
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.pipeline.grammar import open_grammar
from sgl.research.exchange.irtg_file import read_irtg
from sgl.research.exchange.irtg_template import MARKS, fill_in
from sgl.research.exchange.lower_irtg import lower_irtg
from sgl.research.exchange.write_sgl import with_source, write_sgl


@click.group("import")
def command() -> None:
    """Make a grammar of SGL from a file of another tool."""


@command.command("irtg")
@click.argument("file", type=FILE)
@out_option
@grammar_options
def irtg(session: Session, file: Path, out: Path | None) -> None:
    """Make a grammar of FILE, an interpreted regular tree grammar of Alto.

    Interpretations over strings become text layers, those over trees text layers of the
    printed trees. If FILE is a template of Jinja2, it is filled in; `--set` gives it values. A
    grammar that is written to a file is checked.
    """
    sources, diagnostics = session.sources, session.diagnostics
    source = read_file(file, str(file), None, MAX_TABLE, sources, diagnostics)
    if source is not None and MARKS.search(source.text):
        source = fill_in(file, source, session.settings, sources, diagnostics)
    elif session.settings:
        session.refuse(f"`{file}` is no template, so `--set` has nothing to set")
    read = read_irtg(source, diagnostics) if source is not None else None
    if source is None or read is None:
        session.stop()
    if (imported := lower_irtg(read, file.stem, source.span(0, 1), diagnostics)) is None:
        session.stop()
    core = with_source(imported, diagnostics).grammar
    text = write_sgl(core, comment=f"Imported from {file.name}.")
    if not session.deliver(text, out):
        session.stop()
    if out is None:
        return
    compiled = open_grammar(out, {}, sources, diagnostics)
    session.show()
    if compiled is None:
        session.echo(f"{out} is written, and has to be corrected before it can be used", err=True)
        session.stop(FAILED)
    session.present("imported.j2", "sgl.research.exchange", out=out, core=compiled.grammar)
