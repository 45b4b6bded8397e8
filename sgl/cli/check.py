"""``sglc check``: everything that can be said without drawing a sentence."""

from __future__ import annotations

from pathlib import Path

import click

from sgl.build.examples import check_examples
from sgl.build.inflected import Inspected, check_inflected
from sgl.build.session import open_grammar
from sgl.cli.common import compile_options, count, grammar_argument, show
from sgl.cli.main import FAILED, OK
from sgl.compile import Compiled
from sgl.diagnostics import Diagnostics, SourceMap


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
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    inspected = None
    if compiled is not None:
        check_examples(compiled, diagnostics)
        if morphology:
            inspected = check_inflected(compiled, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if compiled is not None and form == "full":
        if diagnostics.errors == 0:
            _summarise(compiled)
        if inspected is not None:
            _summarise_inflected(inspected)
    return FAILED if compiled is None or diagnostics.errors else OK


def _summarise(compiled: Compiled) -> None:
    core = compiled.grammar
    words = sum(rule.lexical for rule in core.rules)
    click.echo(
        f"{compiled.project.name}: {count(len(core.categories), 'category', 'categories')}, "
        f"{count(len(core.rules) - words, 'rule')}, {count(words, 'word')}, "
        f"{count(len(compiled.patterns), 'pattern')}, {count(len(compiled.tests), 'test')}"
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
