"""``sglc check``: everything that can be said without drawing a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from sgl.cli.common import compile_options, count, grammar_argument, show
from sgl.cli.main import FAILED, OK
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.checked import Size, check_grammar

if TYPE_CHECKING:
    from sgl.pipeline.inflected import Inspected


@click.command("check")
@grammar_argument
@click.option(
    "--morphology",
    is_flag=True,
    help="Let a morphological analyser read every inflected Japanese word.",
)
@compile_options
def command(
    grammar: Path, settings: dict[str, str], morphology: bool, form: str, color: str
) -> int:
    """Read and check GRAMMAR: names, layers, features, graphs, weights, tests.

    Proofs about patterns are made by `sglc prove`.
    """
    sources, diagnostics = SourceMap(), Diagnostics()
    size = check_grammar(grammar, settings, sources, diagnostics)
    inspected = None
    if size is not None and morphology:
        inspected = _inspect(grammar, settings, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if size is not None and form == "full":
        if diagnostics.errors == 0:
            _summarise(size)
        if inspected is not None:
            _summarise_inflected(inspected)
    return FAILED if size is None or diagnostics.errors else OK


def _inspect(
    grammar: Path, settings: dict[str, str], sources: SourceMap, diagnostics: Diagnostics
) -> Inspected | None:
    """What a morphological analyser makes of the words of a grammar that was checked."""
    from sgl.pipeline.inflected import check_inflected
    from sgl.pipeline.session import open_grammar

    compiled = open_grammar(grammar, settings, sources, diagnostics)
    return None if compiled is None else check_inflected(compiled, sources, diagnostics)


def _summarise(size: Size) -> None:
    click.echo(
        f"{size.name}: {count(size.categories, 'category', 'categories')}, "
        f"{count(size.rules, 'rule')}, {count(size.words, 'word')}, "
        f"{count(size.patterns, 'pattern')}, {count(size.tests, 'test')}"
    )


def _summarise_inflected(inspected: Inspected) -> None:
    outcome = inspected.outcome
    click.echo(
        f"morphology: {count(outcome.forms, 'form')} of {count(outcome.words, 'word')} "
        f"read by {inspected.versions}: {outcome.doubtful:,} doubtful, "
        f"{count(len(outcome.exempted), 'exemption')}"
    )
    for row in outcome.exempted:
        click.echo(f"  exempt  {row.gives} ({row.form} of {row.word}): {row.reason}")
    for spelling in outcome.spellings:
        click.echo(f"  {spelling.analyser} is {spelling.word} here: {spelling.reason}")
