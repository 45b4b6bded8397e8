"""``sglc export``: a grammar for Alto or NLTK, or the graphs of its sentences as CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from sgl.cli.arguments import text_layers
from sgl.cli.files import deliver, output_options
from sgl.cli.sample import choose, draw_items
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.core.interpret import Item, interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.frontend.quotas import MAX_COUNT
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.parsing import Parser, best_readings
from sgl.pipeline.sentences import read_sentence
from sgl.rendering import ConlluError, conllu
from sgl.research.exchange.capitals import WithoutCapitals, without_capitals
from sgl.research.exchange.names import CONCATENATION
from sgl.research.exchange.unsupported import (
    report_capitals,
    report_repetition,
    report_unsupported,
    report_words,
)
from sgl.research.exchange.write_irtg import write_irtg
from sgl.research.exchange.write_nltk import write_nltk


@click.group("export")
def command() -> None:
    """Write a grammar in the format of another tool, or graphs as CoNLL-U.

    What the format cannot say is reported with its line.
    """


# ---- grammars


@command.command("irtg")
@grammar_argument
@click.option(
    "--tree/--no-tree",
    default=True,
    show_default=True,
    help="With an interpretation of phrase-structure trees.",
)
@output_options
@grammar_options
def irtg(session: Session, grammar: Path, tree: bool, out: Path | None, force: bool) -> None:
    """Write GRAMMAR as an interpreted regular tree grammar for Alto.

    Text layers are interpretations over strings; states, labels and weights are those
    of the expanded rules.
    """
    compiled = session.open(grammar)
    layers = range(len(compiled.grammar.text_layers))
    report_words(compiled, layers, "Alto", session.diagnostics, reserved=(CONCATENATION,))
    resolved = _prepare(session, compiled, layers)
    # Nodes of phrase-structure trees are labelled by categories without features.
    names = [category.name.partition("[")[0] for category in compiled.grammar.categories]
    labels = [names[category] for category in resolved.category_of] if tree else None
    text = write_irtg(resolved.grammar, labels, _title(compiled))
    deliver(text, out, force, grammar, session.diagnostics)


@command.command("nltk")
@grammar_argument
@click.option("--layer", metavar="LAYER", help="Its text layer.  [default: the source]")
@output_options
@grammar_options
def nltk(session: Session, grammar: Path, layer: str | None, out: Path | None, force: bool) -> None:
    """Write a text layer of GRAMMAR as a PCFG that `PCFG.fromstring` of NLTK reads."""
    compiled = session.open(grammar)
    core = compiled.grammar
    name = layer or core.text_layers[0].name
    session.check_names([name], text_layers(core), "text layer")
    number = core.text_layer(name)
    report_words(compiled, [number], "NLTK", session.diagnostics)
    report_repetition(compiled, number, session.diagnostics)
    resolved = _prepare(session, compiled, [number])
    text = write_nltk(resolved.grammar, number, f"{_title(compiled)} ({name})")
    deliver(text, out, force, grammar, session.diagnostics)


def _prepare(session: Session, compiled: Compiled, layers: Sequence[int]) -> WithoutCapitals:
    """Return the grammar as other formats can say it; end the command if they cannot."""
    resolved = without_capitals(compiled.grammar, layers)
    report_unsupported(compiled, layers, session.diagnostics)
    report_capitals(resolved, compiled, session.diagnostics)
    session.stop_on_errors()
    return resolved


def _title(compiled: Compiled) -> str:
    """Return a line for the head of the file."""
    title = compiled.project.title
    return f"{compiled.project.name}: {title}" if title else compiled.project.name


# ---- graphs


@command.command("conllu")
@grammar_argument
@click.argument("what", required=False)
@click.option(
    "-n",
    "number",
    type=click.IntRange(min=1, max=MAX_COUNT),
    default=100,
    show_default=True,
    help="How many sentences to sample.",
)
@click.option("--seed", type=int, help="Seed of the random numbers.  [default: the dataset's]")
@click.option(
    "--sentences",
    type=click.Path(path_type=Path),
    help="Read sentences from this file, one on a line, instead of sampling them.",
)
@click.option("--layer", metavar="LAYER", help="The graph layer.  [default: the first tree]")
@output_options
@grammar_options
def conllu_command(
    session: Session,
    grammar: Path,
    what: str | None,
    number: int,
    seed: int | None,
    sentences: Path | None,
    layer: str | None,
    out: Path | None,
    force: bool,
) -> None:
    """Write the graphs of sentences of GRAMMAR as CoNLL-U.

    The sentences are sampled, from all of the grammar or from WHAT (as in `sglc sample`), or
    they are read from a file; a sentence with several readings has its likeliest graph.
    """
    compiled = session.open(grammar)
    trees = [graph.name for graph in compiled.grammar.graph_layers if not graph.free]
    session.check_names([layer] if layer is not None else [], trees, "graph layer that is a tree")
    if not trees:
        session.refuse("the grammar has no graph layer that is a tree")
    if sentences is not None and what is not None:
        session.refuse("sentences are sampled or read, not both")
    graph = compiled.grammar.graph_layer(layer or trees[0])
    if sentences is not None:
        items = _read(compiled, graph, sentences, session.sources, session.diagnostics)
    else:
        sampled = draw_items(session, compiled, choose(session, compiled, what), number, seed)
        items = [(f"sample-{i:06d}", item) for i, item in enumerate(sampled, 1)]
    category = what or ("sample" if sentences is None else "read")
    text = "".join(_graphs(compiled, graph, items, category, session.diagnostics))
    deliver(text, out, force, grammar, session.diagnostics)


def _read(
    compiled: Compiled, graph: int, path: Path, sources: SourceMap, diagnostics: Diagnostics
) -> list[tuple[str, Item]]:
    """Return the likeliest reading of each sentence of a file, by the number of its line."""
    file = read_file(path, str(path), None, MAX_TABLE, sources, diagnostics)
    if file is None:
        return []
    core = compiled.grammar
    parser = Parser(core, core.text_layer(core.graph_layers[graph].anchor))
    items = []
    for line, start in enumerate(file.line_starts, 1):
        sentence = file.line(line).strip()
        if not sentence:
            continue
        begin = file.text.index(sentence, start)
        place = file.span(begin, begin + len(sentence))
        forest = read_sentence(parser, sentence, None, sources, diagnostics, place)
        if forest is not None:
            (best,) = best_readings(forest, 1)
            items.append((f"line-{line:06d}", interpret(core, best.derivation)))
    return items


def _graphs(
    compiled: Compiled,
    graph: int,
    items: Sequence[tuple[str, Item]],
    category: str,
    diagnostics: Diagnostics,
) -> Iterator[str]:
    """Each item in CoNLL-U, with its texts in all layers."""
    core = compiled.grammar
    anchor = core.text_layer(core.graph_layers[graph].anchor)
    order = sorted(range(len(core.text_layers)), key=lambda layer: layer != anchor)
    for name, item in items:
        texts = [(core.text_layers[layer].name, item.texts[layer]) for layer in order]
        try:
            yield conllu(
                item.graphs[graph], item.tokens[anchor], texts, sent_id=name, category=category
            )
        except ConlluError as problem:
            diagnostics.error("SGL1215", None, f"no CoNLL-U for {problem}")
