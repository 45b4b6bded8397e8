"""``sglc stats``: how often a text uses each rule, category, word and label."""

from dataclasses import asdict, replace
from pathlib import Path

import click

from sgl.automata import StructureCompiler
from sgl.cli.sample import choose
from sgl.cli.session import Session, grammar_argument, grammar_options, json_option
from sgl.diagnostics import shortlist
from sgl.pipeline.expectations import expectations

#: Words of each lexicon that are shown unless more are asked for.
WORDS = 5


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
    session.present("stats.j2", name=name, found=found, words=words, shortlist=shortlist)
