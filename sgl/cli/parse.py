"""``sglc parse``: the trees of a sentence."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from sgl.cli.arguments import differences, layer_option, normalise_option, normalizer_of, text_layers
from sgl.cli.files import PICTURE, force_option
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.core.interpret import interpret
from sgl.parsing import Forest, Parser, best_readings, number_of
from sgl.pipeline.sentences import read_sentence
from sgl.report import TreeNode, render_trees, tree_of
from sgl.report.model import tree_lines

#: Trees that `--all` shows of one sentence.
_MOST = 100


@click.command("parse")
@grammar_argument
@click.argument("sentence")
@layer_option
@click.option("--all", "every", is_flag=True, help="Show all readings, not only the likeliest.")
@click.option("--svg", type=PICTURE, help="Draw the trees into this file.")
@force_option
@normalise_option
@grammar_options
def command(
    session: Session, grammar: Path, sentence: str, source: str | None, every: bool, svg: Path | None, normalise: str
) -> None:
    """Show the tree of SENTENCE in GRAMMAR, and how many readings it has."""
    core = session.open(grammar).grammar
    parser, forest = read(session, sentence, source, normalise)
    readings = best_readings(forest, _MOST if every else 1)
    trees = [tree_of(core, ranked.derivation, parser.layer) for ranked in readings]
    for number, (ranked, tree) in enumerate(zip(readings, trees, strict=True), 1):
        of = number_of(forest.count)
        session.echo(f"reading {number} of {of}, probability {ranked.probability:.2e}")
        texts = interpret(core, ranked.derivation).texts
        session.lines(text for layer, text in enumerate(texts) if layer != parser.layer)
        session.echo("\n".join(tree_lines(tree, partial(_chain, len(trees) > 1))) + "\n")
    left = forest.count - len(readings)
    session.echo(all_readings(forest) + (f", {number_of(left)} of them not shown" if left else ""))
    if svg is not None:
        session.write(svg, render_trees(trees))


def all_readings(forest: Forest) -> str:
    """Return how many readings there are: ``1 reading``, ``12 readings``."""
    return f"{number_of(forest.count)} reading{'s' * (forest.count > 1)}"


def read(session: Session, sentence: str, source: str | None, normalise: str) -> tuple[Parser, Forest]:
    """Return the readings of a sentence in a layer of the grammar that is open."""
    compiled = session.compiled
    assert compiled is not None
    layer = source or compiled.plan.source
    session.check_names([layer], text_layers(compiled.grammar), "text layer")
    parser = Parser(compiled.grammar, compiled.grammar.text_layer(layer))
    normalizer = normalizer_of(parser.grammar, parser.layer, differences(session, normalise))
    forest = read_sentence(parser, sentence, normalizer, session.sources, session.diagnostics)
    if forest is None:
        session.stop()
    return parser, forest


def _chain(features: bool, node: TreeNode) -> tuple[str, Sequence[TreeNode]]:
    """Return a node with all below it that stand alone: ``S ─ VP ─ V``, and what is below these.

    With ``features`` the categories have theirs, which tell like trees apart.
    """
    nodes = [node]
    while len(nodes[-1].children) == 1:
        nodes += nodes[-1].children
    labels = (n.note.partition(", rule ")[0] if features and n.note else n.label for n in nodes)
    return " ─ ".join(labels), nodes[-1].children
