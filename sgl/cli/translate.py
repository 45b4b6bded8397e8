"""``sglc translate``: a sentence of one layer in the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sgl.cli.common import compile_options, count, grammar_argument, show
from sgl.cli.corpora import differences, normalise_option
from sgl.cli.layers import (
    are_known,
    graph_layers,
    listed,
    output_names,
    text_layers,
)
from sgl.cli.main import FAILED, OK, USAGE
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, Item, interpret
from sgl.corpus import Normalizer
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import Forest, Parser, best_readings
from sgl.pipeline.sentences import read_sentence
from sgl.pipeline.session import open_grammar
from sgl.rendering import ConlluError, conllu, outputs, written

#: For every output that is asked for, readings that are looked at.
_READINGS = 20


@click.command("translate")
@grammar_argument
@click.argument("sentence")
@click.option("--from", "source", metavar="LAYER", help="Its layer.  [default: the source]")
@click.option(
    "--to",
    "targets",
    metavar="LAYERS",
    help="Layers and views to say it in.  [default: other text layers]",
)
@click.option(
    "-n",
    "number",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many different outputs.",
)
@normalise_option
@compile_options
def command(
    grammar: Path,
    sentence: str,
    source: str | None,
    targets: str | None,
    number: int,
    normalise: str,
    settings: dict[str, str],
    form: str,
    color: str,
) -> int:
    """Say SENTENCE in the other layers of GRAMMAR.

    All readings that differ in what is asked for are shown, the likeliest first: text
    layers and views on one line with tabs between them, graph layers below as CoNLL-U.
    """
    sources, diagnostics = SourceMap(), Diagnostics()
    compiled = open_grammar(grammar, settings, sources, diagnostics)
    if compiled is None:
        show(diagnostics, sources, form, color)
        return FAILED
    core = compiled.grammar
    texts = text_layers(core)
    layer = source or compiled.plan.source
    wanted = listed(targets) or [name for name in texts if name != layer]
    asked = differences(normalise)
    if (
        not are_known([layer], texts, "text layer")
        or not are_known(wanted, [*output_names(core), *graph_layers(core)], "layer or view")
        or asked is None
    ):
        return USAGE
    parser = Parser(core, texts.index(layer))
    normalizer = Normalizer(core.text_layers[parser.layer], parser.vocabulary, asked)
    forest = read_sentence(parser, sentence, normalizer, sources, diagnostics)
    show(diagnostics, sources, form, color)
    if forest is None:
        return FAILED
    _print(core, forest, wanted, number)
    return OK


def _print(core: CoreGrammar, forest: Forest, wanted: Sequence[str], number: int) -> None:
    """Print the different outputs of the likeliest readings."""
    looked_at = min(forest.count, number * _READINGS)
    outputs: dict[str, None] = {}
    for ranked in best_readings(forest, looked_at):
        outputs[_output(core, ranked.derivation, wanted)] = None
        if len(outputs) > number:
            break
    for text in list(outputs)[:number]:
        click.echo(text)
    if len(outputs) > number or looked_at < forest.count:
        click.echo(f"there are more: {count(forest.count, 'reading')}", err=True)


def _output(core: CoreGrammar, derivation: Derivation, wanted: Sequence[str]) -> str:
    """What one reading is in the layers asked for."""
    item = interpret(core, derivation)
    known = outputs(core)
    line = "\t".join(written(known[name], derivation) for name in wanted if name in known)
    parts = [line] if line else []
    for name in wanted:
        if name not in known:
            number = core.graph_layer(name)
            anchor = core.text_layer(core.graph_layers[number].anchor)
            parts.append(_graph(core, item, number, anchor))
    return "\n".join(parts)


def _graph(core: CoreGrammar, item: Item, number: int, anchor: int) -> str:
    """A graph as CoNLL-U, or why it has no such form."""
    texts = [(core.text_layers[anchor].name, item.texts[anchor])]
    try:
        text = conllu(
            item.graphs[number],
            item.tokens[anchor],
            texts,
            sent_id="sentence",
            category="translated",
        )
    except ConlluError as problem:
        return f"(no form: {problem})"
    return text.rstrip("\n") + "\n"
