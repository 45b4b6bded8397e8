"""``sglc parse``: the trees of a sentence."""

from __future__ import annotations

from pathlib import Path

import click

from sgl.cli.common import compile_options, count, grammar_argument, show
from sgl.cli.corpora import differences, normalise_option
from sgl.cli.layers import are_known, text_layers
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.corpus import Normalizer
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import Parser, best_readings
from sgl.pipeline.sentences import read_sentence
from sgl.pipeline.session import open_grammar
from sgl.report import TreeNode, render_trees, tree_of

#: Trees that `--all` shows of one sentence.
_MOST = 100


@click.command("parse")
@grammar_argument
@click.argument("sentence")
@click.option("--from", "source", metavar="LAYER", help="Its layer.  [default: the source]")
@click.option("--all", "every", is_flag=True, help="Show all readings, not only the likeliest.")
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the trees into this file.")
@normalise_option
@compile_options
def command(
    grammar: Path,
    sentence: str,
    source: str | None,
    every: bool,
    svg: Path | None,
    normalise: str,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Show the tree of SENTENCE in GRAMMAR, and how many readings it has."""
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    if compiled is None:
        show(diagnostics, sources, form, color)
        return FAILED
    core = compiled.grammar
    layer = source or compiled.plan.source
    asked = differences(normalise)
    if not are_known([layer], text_layers(core), "text layer") or asked is None:
        return USAGE
    parser = Parser(core, core.text_layer(layer))
    normalizer = Normalizer(core.text_layers[parser.layer], parser.vocabulary, asked)
    forest = read_sentence(parser, sentence, normalizer, sources, diagnostics)
    if forest is None:
        show(diagnostics, sources, form, color)
        return FAILED
    readings = best_readings(forest, _MOST if every else 1)
    trees = [tree_of(core, ranked.derivation, parser.layer) for ranked in readings]
    for number, (ranked, tree) in enumerate(zip(readings, trees, strict=True), 1):
        click.echo(f"reading {number} of {forest.count:,}, probability {ranked.probability:.2e}")
        for text in _others(core, ranked.derivation, parser.layer):
            click.echo(text)
        click.echo("\n".join(lines_of(tree, features=len(trees) > 1)) + "\n")
    left = forest.count - len(readings)
    click.echo(count(forest.count, "reading") + (f", {left:,} of them not shown" if left else ""))
    written = svg is None or _write(svg, render_trees(trees), diagnostics)
    show(diagnostics, sources, form, color)
    return OK if written else OUTPUT


def _write(path: Path, picture: str, diagnostics: Diagnostics) -> bool:
    try:
        path.write_text(picture, "utf-8")
    except OSError as problem:
        diagnostics.error("SGL1103", None, f"cannot write `{path}`: {problem.strerror or problem}")
        return False
    return True


def _others(core: CoreGrammar, derivation: Derivation, layer: int) -> list[str]:
    """What a reading says in the other text layers."""
    return [text for other, text in enumerate(interpret(core, derivation).texts) if other != layer]


def lines_of(tree: TreeNode, *, features: bool = False) -> list[str]:
    """A tree as lines; what has one part only stands on the line of that part.

    With ``features`` the categories have theirs, which tell like trees apart.
    """
    pending = [(tree, "", "")]
    lines: list[str] = []
    while pending:
        node, first, rest = pending.pop()
        labels = [_label(node, features)]
        while len(node.children) == 1:
            (node,) = node.children
            labels.append(_label(node, features))
        lines.append(first + " ─ ".join(labels))
        for child in reversed(node.children):
            last = child is node.children[-1]
            branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
            pending.append((child, rest + branch, rest + below))
    return lines


def _label(node: TreeNode, features: bool) -> str:
    return node.note.partition(", rule ")[0] if features and node.note else node.label
