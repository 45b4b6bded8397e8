"""``sglc check``: every check that needs no sampling."""

from contextlib import ExitStack
from functools import partial
from pathlib import Path

import click

from sgl import foreign
from sgl.cache import using
from sgl.cli.files import FILE, GRAMMAR, STREAM, stream_bytes
from sgl.cli.session import Session, grammar_options, level_options
from sgl.cli.terminal import count
from sgl.diagnostics import shortlist
from sgl.pipeline.grammar import check_grammar, grammars_of

#: Number of other grammars that a note about a module lists.
_NAMED = 3


@click.command("check")
@click.argument("grammars", nargs=-1, required=True, type=GRAMMAR, metavar="GRAMMAR…")
@click.option("--morphology", is_flag=True, help="Check inflected Japanese words with a morphological analyser.")
@click.option("--fast", is_flag=True, help="Skip the lints and the claims.")
@click.option(
    "--root",
    type=GRAMMAR,
    metavar="FILE",
    help="Check a module as part of this grammar.  [default: the nearest that uses it]",
)
@click.option("--stdin-name", type=FILE, metavar="FILE", help="Treat standard input as this file.")
@level_options
@grammar_options
def command(
    session: Session,
    grammars: tuple[Path, ...],
    morphology: bool,
    fast: bool,
    root: Path | None,
    stdin_name: Path | None,
) -> None:
    """Check GRAMMAR…: names, features, graphs, weights, tests, examples and claims.

    `prove` and `compile` make the same checks.  `sglc prove` shows the claims one by one.
    A file without a dataset is checked as part of the grammar that uses it.  `-` is standard input.
    """
    with ExitStack() as reading:
        if STREAM in grammars:
            name = stdin_name or STREAM
            grammars = tuple(name if path == STREAM else path for path in grammars)
            # The cache reads files from disk.
            reading.enter_context(using(None))
            reading.enter_context(foreign.edited({name.resolve(): stream_bytes()}))
        mains = [main for path in grammars for main in ([root] if root is not None else roots_of(session, path))]
        for main in dict.fromkeys(mains):
            _check(session, main, morphology, fast)
        if not (fast or session.settings or session.diagnostics.errors):
            session.diagnostics.extend(session.allowed.unused())


def roots_of(session: Session, path: Path) -> list[Path]:
    """Return the grammar with which a file is checked: the file itself, or the nearest grammar that uses it."""
    roots = grammars_of(path)
    if roots and session.form == "full":
        others = [f"`{path}`" for path in roots[1:]]
        more = f"; --root names another: {shortlist(others, _NAMED)}" if others else ""
        session.echo(f"note: `{path}` is checked as part of `{roots[0]}`{more}", err=True)
    return roots[:1] or [path]


def _check(session: Session, grammar: Path, morphology: bool, fast: bool) -> None:
    """Check a grammar, and print its size if it has no errors."""
    errors, told = session.diagnostics.errors, session.form == "full"
    size = check_grammar(
        grammar,
        session.settings,
        session.sources,
        session.diagnostics,
        fast=fast,
        progress=session.proving,
        first=partial(session.show, more=True),
    )
    session.show()
    if told and size is not None and session.diagnostics.errors == errors:
        # No template, so that a cached grammar is checked without loading Jinja.
        session.echo(
            f"{size.name}: {count(size.categories, 'category', 'categories')}, "
            f"{count(size.rules, 'rule')}, {count(size.words, 'word')}, "
            f"{count(size.patterns, 'pattern')}, {count(size.tests, 'test')}"
            + (f"; {size.proved} proved" if size.proved is not None else "")
            + (f", {size.without_items} without items" if size.proved is not None and size.without_items else "")
        )
    if size is not None and morphology:
        from sgl.morphology.check import check_inflected

        inspected = check_inflected(session.open(grammar), session.sources, session.diagnostics)
        session.show()
        if told and inspected is not None:
            session.present("morphology.j2", outcome=inspected[0], versions=inspected[1])
