"""``sglc check``: everything that can be said without drawing a sentence."""

from __future__ import annotations

from pathlib import Path

import click

from sgl.build.examples import check_examples
from sgl.build.session import open_grammar
from sgl.cli.common import compile_options, count, grammar_argument, show
from sgl.cli.main import FAILED, OK
from sgl.diagnostics import Diagnostics, SourceMap


@click.command("check")
@grammar_argument
@compile_options
def command(grammar: Path, settings: dict[str, str], form: str, color: str) -> int:
    """Read and check GRAMMAR: names, layers, features, graphs, weights, tests.

    Proofs about patterns are made by `sglc prove`.
    """
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    if compiled is not None:
        check_examples(compiled, diagnostics)
    show(diagnostics, sources, form, color)
    if compiled is None or diagnostics.errors:
        return FAILED
    if form == "full":
        core = compiled.grammar
        words = sum(rule.lexical for rule in core.rules)
        click.echo(
            f"{compiled.project.name}: {count(len(core.categories), 'category', 'categories')}, "
            f"{count(len(core.rules) - words, 'rule')}, {count(words, 'word')}, "
            f"{count(len(compiled.patterns), 'pattern')}, {count(len(compiled.tests), 'test')}"
        )
    return OK
