"""``sglc stats``: how often a text uses each rule, category, word and label."""

from dataclasses import asdict, replace
from pathlib import Path

import click
from rich.markup import escape

from sgl.automata import StructureCompiler
from sgl.cli.sample import choose
from sgl.cli.session import Session, grammar_argument, grammar_options, json_option
from sgl.cli.terminal import text_table
from sgl.diagnostics import shortlist
from sgl.pipeline.expectations import Expectations, expectations

#: Words of each lexicon that are shown unless more are asked for.
WORDS = 5
#: Competitors and categories that a row names.
_NAMED = 4


@click.command("stats")
@grammar_argument
@click.argument("what", required=False)
@click.option("--words", type=click.IntRange(min=0), default=WORDS, help="The number of words to show of each lexicon.")
@json_option
@grammar_options
def command(session: Session, grammar: Path, what: str | None, words: int, as_json: bool) -> None:
    """Show how often a text of GRAMMAR uses each rule, category, word and label.

    The counts are exact expectations, nothing is sampled.  For each rule the table names
    the rules that its weight competes with.  WHAT is as for `sglc sample`: a pattern,
    `train`, a category (all its variants count alike), a structure or a partial tree.
    """
    compiled = session.open(grammar)
    chosen = choose(session, compiled, what)
    core, starts = chosen.grammar, chosen.starts
    grammars = [replace(core, start=start) for start in starts]
    splits = [StructureCompiler(grammar).split(chosen.constraint) for grammar in grammars]
    splits = [split for split in splits if not split.empty]
    if not splits:
        session.fail("SGL0812", "no sentence of the grammar qualifies", compiled.dataset_span)
    found = expectations(splits)
    if as_json:
        session.json({"of": what, **asdict(found)})
        return
    category = core.categories[starts[0]]
    name = category.name if len(starts) == 1 else f"{category.base} ({len(starts)} variants alike)"
    session.echo(f"expected in one {name}, which has {found.tokens:.1f} words on average\n")
    _show(session, found, words)


def _show(session: Session, found: Expectations, words: int) -> None:
    """Show the four tables."""
    table = text_table("rule", "category", "expected", "share", right=("expected", "share"))
    table.add_column("competes with")
    for rule in found.rules:
        alone = f"; alone in {shortlist(rule.alone, _NAMED)}" if rule.alone else ""
        # What its weight is divided by.
        rivals = escape(shortlist(rule.competitors, _NAMED) + alone)
        row = (rule.name, rule.category, _figure(rule.expected), f"{rule.share:.1%}")
        table.add_row(*row, rivals if rule.competitors else "nothing")
    session.table(table)
    session.echo()
    table = text_table("category", "expected", right=("expected",))
    for name, expected in found.categories:
        table.add_row(name, _figure(expected))
    session.table(table)
    session.echo()
    table = text_table("layer", "label", "expected", right=("expected",))
    for layer, label, expected in found.labels:
        table.add_row(layer, label, _figure(expected))
    session.table(table)
    shown: dict[str, int] = {}
    table = text_table("words of", "word", "expected", right=("expected",))
    for lexicon, word, expected in found.words:
        shown[lexicon] = shown.get(lexicon, 0) + 1
        if shown[lexicon] <= words:
            table.add_row(lexicon, word, _figure(expected))
    if table.row_count:
        session.echo()
        session.table(table)


def _figure(expected: float) -> str:
    return f"{expected:.3f}" if expected >= 0.001 or not expected else f"{expected:.1e}"
