"""``sglc check``: everything that can be said without sampling a sentence."""

from pathlib import Path

import click

from sgl.cli.files import GRAMMAR
from sgl.cli.levels import level_options
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count
from sgl.diagnostics import shortlist
from sgl.pipeline.grammar import check_grammar, grammars_of

#: Other grammars of a module that are named.
_NAMED = 3


@click.command("check")
@grammar_argument
@click.option("--morphology", is_flag=True, help="Let a morphological analyser read every inflected Japanese word.")
@click.option("--fast", is_flag=True, help="Prove nothing.")
@click.option(
    "--root",
    type=GRAMMAR,
    metavar="FILE",
    help="The grammar that a module is checked with.  [default: the nearest that uses it]",
)
@level_options
@grammar_options
def command(session: Session, grammar: Path, morphology: bool, fast: bool, root: Path | None) -> None:
    """Check GRAMMAR: names, features, graphs, weights, tests, examples and claims.

    `prove` and `compile` make the same checks.  `sglc prove` shows the claims one by one.
    A file without a dataset is checked with the grammar that uses it.
    """
    roots = [root] if root is not None else grammars_of(grammar)
    if roots and session.form == "full":
        others = [f"`{path}`" for path in roots[1:]]
        more = f"; --root names another: {shortlist(others, _NAMED)}" if others else ""
        session.echo(f"note: checked as a part of `{roots[0]}`{more}", err=True)
    grammar = roots[0] if roots else grammar
    size = check_grammar(
        grammar, session.settings, session.sources, session.diagnostics, claims=not fast, progress=session.proving
    )
    if size is None:
        session.stop()
    if not (fast or session.settings or session.diagnostics.errors):
        session.diagnostics.extend(session.allowed.unused())
    inspected = None
    if morphology:
        from sgl.morphology.check import check_inflected

        inspected = check_inflected(session.open(grammar), session.sources, session.diagnostics)
    if session.form != "full":
        return
    session.show()
    if not session.diagnostics.errors:
        session.echo(
            f"{size.name}: {count(size.categories, 'category', 'categories')}, "
            f"{count(size.rules, 'rule')}, {count(size.words, 'word')}, "
            f"{count(size.patterns, 'pattern')}, {count(size.tests, 'test')}"
            + (f"; {size.proved} proved" if size.proved is not None else "")
        )
    if inspected is not None:
        outcome, versions = inspected
        session.echo(
            f"morphology: {count(outcome.forms, 'form')} of {count(outcome.words, 'word')} "
            f"read by {versions}: {outcome.doubtful:,} doubtful, "
            f"{count(len(outcome.exempted), 'exemption')}"
        )
        for row in outcome.exempted:
            session.echo(f"  exempt  {row.gives} ({row.form} of {row.word}): {row.reason}")
        for spelling in outcome.spellings:
            session.echo(f"  {spelling.analyser} is {spelling.word} here: {spelling.reason}")
