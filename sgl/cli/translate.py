"""``sglc translate``: a sentence of one layer in the others."""

from collections.abc import Sequence
from pathlib import Path

import click

from sgl.cli.arguments import graph_layers, graph_text, layer_option, listed, normalise_option, text_layers
from sgl.cli.parse import all_readings, read
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.parsing import best_readings
from sgl.rendering import ConlluError, outputs, written

#: For every output that is asked for, readings that are looked at.
_READINGS = 20


@click.command("translate")
@grammar_argument
@click.argument("sentence")
@layer_option
@click.option(
    *("--show", "--to", "targets"), metavar="LAYERS", help="The layers and views to show.  [default: other text layers]"
)
@click.option(*("-n", "--number"), type=click.IntRange(min=1), default=10, help="How many different outputs.")
@normalise_option
@grammar_options
def command(
    session: Session, grammar: Path, sentence: str, source: str | None, targets: str | None, number: int, normalise: str
) -> None:
    """Translate SENTENCE into the other layers of GRAMMAR.

    All readings that differ in the layers asked for are shown, the likeliest first: text
    layers and views on one line with tabs between them, graph layers below as CoNLL-U.
    """
    core = session.open(grammar).grammar
    wanted = listed(targets)
    session.check_names(wanted, [*outputs(core), *graph_layers(core)], "layer or view")
    parser, forest = read(session, sentence, source, normalise)
    layer = core.text_layers[parser.layer].name
    wanted = wanted or [name for name in text_layers(core) if name != layer]
    looked_at = min(forest.count, number * _READINGS)
    found: dict[str, None] = {}
    for ranked in best_readings(forest, looked_at):
        found[_output(core, ranked.derivation, wanted)] = None
        if len(found) > number:
            break
    session.lines(list(found)[:number])
    if len(found) > number or looked_at < forest.count:
        session.echo(f"there are more: {all_readings(forest)}", err=True)


def _output(core: CoreGrammar, derivation: Derivation, wanted: Sequence[str]) -> str:
    """Return what one reading is in the layers asked for; a graph may have no such form."""
    item, known = interpret(core, derivation), outputs(core)
    line = "\t".join(written(known[name], derivation) for name in wanted if name in known)
    parts = [line] if line else []
    for name in (name for name in wanted if name not in known):
        try:
            text = graph_text(core, item, name, sent_id="sentence", category="translated")
            parts.append(text.rstrip("\n") + "\n")
        except ConlluError as problem:
            parts.append(f"(no form: {problem})")
    return "\n".join(parts)
