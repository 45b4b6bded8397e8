"""``sglc parse``: the trees of a sentence; ``sglc translate``: its counterparts in other layers."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from sgl.cli.arguments import graph_layers, graph_text, layer_option, listed, text_layers
from sgl.cli.files import PICTURE, force_option
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.corpus import DIFFERENCES, normalizer_of
from sgl.parsing import Forest, Parser, best_readings, number_of
from sgl.pipeline.sentences import read_sentence
from sgl.rendering import ConlluError, outputs
from sgl.report import TreeNode, render_trees, tree_of
from sgl.report.model import tree_lines

#: Maximum number of trees that `--all` shows.
_MOST = 100

#: Number of readings to examine per requested output.
_READINGS = 20


normalise_option = click.option(
    "--normalise",
    metavar="LIST",
    default="",
    show_default=False,
    help=f"Spelling differences to allow: all, or {', '.join(DIFFERENCES)}.",
)


def differences(session: Session, text: str) -> list[str]:
    """Return the names after ``--normalise``; ``all`` selects every difference."""
    names = listed(text)
    session.check_names(names, [*DIFFERENCES, "all"], "difference")
    return list(DIFFERENCES) if "all" in names else names


@click.command("parse")
@grammar_argument
@click.argument("sentence")
@layer_option
@click.option("--all", "every", is_flag=True, help="Show all readings instead of only the likeliest.")
@click.option("--svg", type=PICTURE, help="Write the trees to this file as a picture.")
@force_option
@normalise_option
@grammar_options
def command(
    session: Session, grammar: Path, sentence: str, source: str | None, every: bool, svg: Path | None, normalise: str
) -> None:
    """Show the tree of SENTENCE in GRAMMAR, and the number of its readings."""
    parser, forest = _read(session, grammar, sentence, source, normalise)
    core, readings = parser.grammar, best_readings(forest, _MOST if every else 1)
    trees = [tree_of(core, ranked.derivation, parser.layer) for ranked in readings]
    for number, (ranked, tree) in enumerate(zip(readings, trees, strict=True), 1):
        of = number_of(forest.count)
        session.echo(f"reading {number} of {of}, probability {ranked.probability:.2e}")
        texts = interpret(core, ranked.derivation).texts
        lines = [text for layer, text in enumerate(texts) if layer != parser.layer]
        session.echo("\n".join([*lines, *tree_lines(tree, partial(_chain, len(trees) > 1)), ""]))
    left = forest.count - len(readings)
    session.echo(_counted(forest) + (f", {number_of(left)} of them not shown" if left else ""))
    if svg is not None:
        session.write(svg, render_trees(trees))


@click.command("translate")
@grammar_argument
@click.argument("sentence")
@layer_option
@click.option(
    *("--show", "--to", "targets"), metavar="LAYERS", help="The layers and views to show.  [default: other text layers]"
)
@click.option(*("-n", "--number"), type=click.IntRange(min=1), default=10, help="Maximum number of different outputs.")
@normalise_option
@grammar_options
def translate(
    session: Session, grammar: Path, sentence: str, source: str | None, targets: str | None, number: int, normalise: str
) -> None:
    """Translate SENTENCE into the other layers of GRAMMAR.

    Readings that differ in the requested layers are shown, the likeliest first: text layers
    and views on one line, separated by tabs, then graph layers as CoNLL-U.
    """
    wanted = listed(targets)
    parser, forest = _read(session, grammar, sentence, source, normalise, wanted)
    core = parser.grammar
    layer = core.text_layers[parser.layer].name
    wanted = wanted or [name for name in text_layers(core) if name != layer]
    looked_at = min(forest.count, number * _READINGS)
    found: dict[str, None] = {}
    for ranked in best_readings(forest, looked_at):
        found[_output(core, ranked.derivation, wanted)] = None
        if len(found) > number:
            break
    for output in list(found)[:number]:
        session.echo(output)
    if len(found) > number or looked_at < forest.count:
        session.echo(f"there are more: {_counted(forest)}", err=True)


def _read(
    session: Session, grammar: Path, sentence: str, source: str | None, normalise: str, wanted: Sequence[str] = ()
) -> tuple[Parser, Forest]:
    """Return the readings of a sentence; end the command without a reading, or if a ``wanted`` layer does not exist."""
    compiled = session.open(grammar)
    core, layer = compiled.grammar, source or compiled.plan.source
    session.check_names(wanted, [*outputs(core), *graph_layers(core)], "layer or view")
    session.check_names([layer], text_layers(core), "text layer")
    parser = Parser(core, core.text_layer(layer))
    normalizer = normalizer_of(core, parser.layer, differences(session, normalise))
    forest = read_sentence(parser, sentence, normalizer, session.sources, session.diagnostics)
    if forest is None:
        session.stop()
    return parser, forest


def _counted(forest: Forest) -> str:
    """Return the number of readings with its noun: ``1 reading``, ``12 readings``."""
    return f"{number_of(forest.count)} reading{'s' * (forest.count > 1)}"


def _chain(features: bool, node: TreeNode) -> tuple[str, Sequence[TreeNode]]:
    """Return a node with its chain of only children, ``S ─ VP ─ V``, and the children at the end of the chain.

    With ``features``, each category shows its features, which distinguish similar trees.
    """
    nodes = [node]
    while len(nodes[-1].children) == 1:
        nodes += nodes[-1].children
    labels = (n.note.partition(", rule ")[0] if features and n.note else n.label for n in nodes)
    return " ─ ".join(labels), nodes[-1].children


def _output(core: CoreGrammar, derivation: Derivation, wanted: Sequence[str]) -> str:
    """Return the requested layers of one reading, or a message for a graph that CoNLL-U cannot hold."""
    item, known = interpret(core, derivation), outputs(core)
    line = "\t".join(known[name](derivation) for name in wanted if name in known)
    parts = [line] if line else []
    for name in (name for name in wanted if name not in known):
        try:
            text = graph_text(core, item, name, sent_id="sentence", category="translated")
            parts.append(text.rstrip("\n") + "\n")
        except ConlluError as problem:
            parts.append(f"(no form: {problem})")
    return "\n".join(parts)
