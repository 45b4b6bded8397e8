"""Run ``sglc import``: make a grammar of SGL from another tool's file."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from sgl.cli.files import FILE, out_option
from sgl.cli.main import FAILED
from sgl.cli.session import Session, grammar_options, session_options
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.pipeline.grammar import open_grammar
from sgl.research.exchange.irtg_file import IrtgFile, read_irtg
from sgl.research.exchange.irtg_template import MARKS, fill_in
from sgl.research.exchange.lower_irtg import ImportedGrammar, lower_irtg
from sgl.research.exchange.lower_productions import lower_productions
from sgl.research.exchange.names import identifier
from sgl.research.exchange.productions import Notation, read_productions
from sgl.research.exchange.write_sgl import RESERVED, with_source, write_sgl


@click.group("import")
def command() -> None:
    """Make a grammar of SGL from a file of another tool."""


def _replacements(_: click.Context, __: click.Parameter, value: str | None) -> Sequence[tuple[str, str]]:
    """Return the included file with each of the files to include instead."""
    included, equals, others = (value or "=").partition("=")
    found = [(included.strip(), other.strip()) for other in others.split(",")]
    distinct = {Path(other).stem for _, other in found}
    if value is not None and not (equals and all(map(all, found)) and len(distinct) == len(found)):
        raise click.BadParameter(f"`{value}` does not name files; such as `main.irtg=one.irtg,other.irtg`")
    return found


@command.command("irtg")
@click.argument("file", type=FILE)
@click.option(
    "--replace",
    callback=_replacements,
    metavar="FILE=FILE,…",
    help="Include other files instead of one; each makes a grammar, and several become one.",
)
@out_option
@grammar_options
def irtg(session: Session, file: Path, replace: Sequence[tuple[str, str]], out: Path | None) -> None:
    """Make a grammar from FILE, an interpreted regular tree grammar of Alto.

    Interpretations over strings become text layers; those over trees become text layers of the printed trees.  If FILE
    is a Jinja2 template, it is filled in; `--set` gives it values.  A grammar written to a file is checked.
    """
    sources, diagnostics = session.sources, session.diagnostics
    source = read_file(file, str(file), None, MAX_TABLE, sources, diagnostics)
    if source is None:
        session.stop()
    is_template = MARKS.search(source.text) is not None
    for option, given in (("--set", session.settings), ("--replace", any(replace[0]))):
        if given and not is_template:
            session.refuse(f"`{file}` is not a template, so `{option}` has nothing to set")
    read: dict[str, IrtgFile] = {}
    for included in replace:
        text = fill_in(file, source, session.settings, sources, diagnostics, included) if is_template else source
        if text is not None and (found := read_irtg(text, diagnostics)) is not None:
            read[Path(included[1]).stem] = found
    if diagnostics.errors or (imported := lower_irtg(read, file.stem, source.span(0, 1), diagnostics)) is None:
        session.stop()
    _deliver(session, file, imported, out)


def _names(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the layers that a user names; raises ``click.BadParameter`` for an unusable name."""
    names = tuple(name.strip() for name in value.split(",")) if value else ()
    free = [name for name in names if name.isidentifier() and name == identifier(name, "") and name not in RESERVED]
    if len(set(free)) < len(names):
        wrong = next((name for name in names if name not in free), names[0])
        raise click.BadParameter(f"`{wrong}` is not the name of one new layer; such as `program,source`")
    return names


_text = partial(click.option, default="", show_default=False)


@command.command("cfg")
@click.argument("file", type=FILE)
@_text("--layers", callback=_names, metavar="NAMES", help="Name the sides of productions, in order.")
@_text("--source", metavar="NAME", help="The side that is the source; the default is `source`.")
@_text("--separator", metavar="SIGN", help="Separate sides by SIGN; `###`, `|||` and `&` are recognised.")
@_text("--start", metavar="NAME", help="Start derivations from NAME instead of the first production.")
@out_option
@session_options
def cfg(session: Session, file: Path, out: Path | None, **notation: Any) -> None:  # noqa: ANN401 - its options
    """Make a grammar from FILE, a context-free or synchronous grammar with a production on each line.

    `A -> B c | 'd' [0.3]` has one side, and may have the features of NLTK; `A -> x B ### B y` has two, which become
    text layers.  A grammar written to a file is checked.
    """
    diagnostics = session.diagnostics
    read = read_file(file, str(file), None, MAX_TABLE, session.sources, diagnostics)
    productions = read_productions(read, Notation(**notation), diagnostics) if read is not None else None
    if productions is None or (imported := lower_productions(productions, file.stem, diagnostics)) is None:
        session.stop()
    _deliver(session, file, imported, out)


def _deliver(session: Session, file: Path, imported: ImportedGrammar, out: Path | None) -> None:
    """Write an imported grammar, and check it if it is a file."""
    core = with_source(imported, session.diagnostics).grammar
    text = write_sgl(core, f"Imported from {file.name}.", imported.symbolic)
    if not session.deliver(text, out):
        session.stop()
    if out is None:
        return
    compiled = open_grammar(out, {}, session.sources, session.diagnostics)
    session.show()
    if compiled is None:
        session.echo(f"{out} was written, but must be corrected before it can be used", err=True)
        session.stop(FAILED)
    session.present("imported.j2", "sgl.research.exchange", out=out, core=compiled.grammar)
