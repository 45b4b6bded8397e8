"""Run ``sglc export``: grammars for Alto or NLTK, CoNLL-U graphs of sentences, and logical forms."""

from collections.abc import Sequence, Set
from pathlib import Path

import click
import numpy as np

from sgl.characters import visible
from sgl.cli.arguments import graph_layers, graph_text, text_layers
from sgl.cli.files import FILE, out_option
from sgl.cli.sample import choose, draw_items
from sgl.cli.session import Session, grammar_argument, grammar_options, session_options
from sgl.cli.terminal import count
from sgl.core.grammar import CoreGrammar, Cut, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Item, interpret
from sgl.corpus.rows import Corpus, Unreadable
from sgl.foreign import BENCHMARK
from sgl.frontend import Compiled
from sgl.frontend.names.parameters import MAX_COUNT
from sgl.lang import MAX_TABLE
from sgl.lang.project import read_file
from sgl.lang.syntax import ColumnDecl, Layer, PartDecl, PatternDecl, Restrict, ViewDecl
from sgl.parsing import Parser, best_readings
from sgl.pipeline.sentences import read_sentence
from sgl.rendering import ConlluError
from sgl.rendering.meaning import EVENT
from sgl.rendering.views import VIEWS
from sgl.research.exchange.names import CONCATENATION, is_quotable
from sgl.research.exchange.write_tools import WithoutCapitals, repeating, without_capitals, write_irtg, write_nltk
from sgl.research.logical_forms.graphs import read_with
from sgl.research.treebank import Malformed, TreebankReader

#: Declarations about datasets rather than the language.
_CLAIMS = (PatternDecl, PartDecl, Restrict)


@click.group("export")
def command() -> None:
    """Write a grammar in the format of another tool, graphs as CoNLL-U, or logical forms in another notation.

    What the format cannot say is reported with its line.
    """


@command.command("irtg")
@grammar_argument
@click.option("--tree/--no-tree", default=True, help="Include an interpretation as phrase-structure trees.")
@out_option
@grammar_options
def irtg(session: Session, grammar: Path, tree: bool, out: Path | None) -> None:
    """Write GRAMMAR as an interpreted regular tree grammar for Alto.

    Text layers are interpretations over strings; states, labels and weights are those of the expanded rules.
    """
    compiled = session.open(grammar)
    layers = range(len(compiled.grammar.text_layers))
    _report_words(session, compiled, layers, "Alto", reserved=CONCATENATION)
    resolved = _prepare(session, compiled, layers)
    # Nodes of phrase-structure trees are labelled with categories without features.
    names = [category.base for category in compiled.grammar.categories]
    labels = [names[category] for category in resolved.category_of] if tree else None
    session.deliver(write_irtg(resolved.grammar, labels, _title(compiled)), out)


@command.command("nltk")
@grammar_argument
@click.option("--layer", metavar="LAYER", help="The text layer.  [default: the source]")
@out_option
@grammar_options
def nltk(session: Session, grammar: Path, layer: str | None, out: Path | None) -> None:
    """Write a text layer of GRAMMAR as a PCFG that `PCFG.fromstring` of NLTK reads."""
    compiled = session.open(grammar)
    core = compiled.grammar
    name = layer or core.text_layers[0].name
    session.check_names([name], text_layers(core), "text layer")
    number = core.text_layer(name)
    _report_words(session, compiled, [number], "NLTK")
    for rule in () if core.divided(number) else repeating(core, number):
        message = f"`{name}` is not context-free: this rule repeats a child in it"
        hint = "`--layer` names another layer"
        session.diagnostics.error("SGL1214", compiled.rule_spans[rule], message, hint)
    resolved = _prepare(session, compiled, [number])
    session.deliver(write_nltk(resolved.grammar, number, f"{_title(compiled)} ({name})"), out)


def _prepare(session: Session, compiled: Compiled, layers: Sequence[int]) -> WithoutCapitals:
    resolved = without_capitals(compiled.grammar, layers)
    _report_declarations(session, compiled, layers)
    if compiled.grammar.names:
        message = "that names fit is not exported: the grammar also has texts that confuse them"
        session.diagnostics.warning("SGL1211", compiled.rule_spans[compiled.grammar.names[0][0][0]], message)
    for rule, layer in resolved.inexact:
        session.diagnostics.warning(
            "SGL1212",
            compiled.rule_spans[rule],
            f"which word of `{compiled.grammar.text_layers[layer].name}` begins with a capital "
            "cannot be exported exactly",
            label="the first part may be empty, or occurs here twice",
        )
    for layer in layers:
        cut = next((r for r in compiled.grammar.rules if Cut() in r.templates[layer]), None)
        if cut is not None:
            name = compiled.grammar.text_layers[layer].name
            message = f"`{name}` is not context-free: a phrase of this rule has several parts in it"
            session.diagnostics.error("SGL1214", compiled.rule_spans[cut.id], message)
    session.stop_on_errors()
    return resolved


def _report_words(session: Session, compiled: Compiled, layers: Sequence[int], tool: str, reserved: str = "") -> None:
    for rule in compiled.grammar.rules:
        for item in (item for layer in layers for item in rule.templates[layer]):
            if isinstance(item, Slot) and item.functions:
                message = f"{tool} has no functions like `{item.functions[0]}` in this rule"
                hint = "`sglc export nltk --layer` names another layer"
                session.diagnostics.error("SGL1214", compiled.rule_spans[rule.id], message, hint)
            if isinstance(item, Slot | Cut) or not item.text:
                continue
            if item.joint:
                message = f"{tool} cannot write two words together, as the `+` of this rule does"
                session.diagnostics.error("SGL1214", compiled.rule_spans[rule.id], message)
                break
            if item.text == reserved or not is_quotable(item.text):
                message = f"{tool} has no way to write the word `{item.text}`"
                hint = "spell it otherwise"
                session.diagnostics.error("SGL1213", compiled.rule_spans[rule.id], message, hint)


def _report_declarations(session: Session, compiled: Compiled, layers: Sequence[int]) -> None:
    warn = session.diagnostics.warning
    exported = {compiled.grammar.text_layers[number].name: number for number in layers}
    declarations = [d for unit in compiled.project.units for d in unit.file.declarations]
    for declared in declarations:
        if isinstance(declared, Layer) and declared.name.text in exported:
            layer = compiled.grammar.text_layers[exported[declared.name.text]]
            what = ""
            if layer.finish is not None:
                what = f"words of `{layer.name}` are absorbed, or written otherwise, here"
            elif layer.join != " ":
                what = f"the words of `{layer.name}` are joined by {layer.join!r} here"
            elif layer.attach:
                words = " ".join(f"`{word}`" for word in sorted(layer.attach))
                what = f"no space comes before {words} here"
            if what:
                message = f"how `{layer.name}` joins its words is not exported"
                notes = ("the exported grammar has the same words, with spaces between them",)
                warn("SGL1210", declared.span, message, label=what, notes=notes)
        elif isinstance(declared, Layer) and declared.kind.text == "graph":
            message = f"the graph layer `{declared.name}` is not exported"
            hint = "`sglc export conllu` writes the graphs of sentences"
            warn("SGL1211", declared.span, message, hint=hint)
        elif isinstance(declared, ViewDecl | ColumnDecl):
            kind = "view" if isinstance(declared, ViewDecl) else "column"
            warn("SGL1211", declared.span, f"the {kind} `{declared.name}` is not exported")
    claims = [declared for declared in declarations if isinstance(declared, _CLAIMS)]
    if claims:
        warn(
            "SGL1211",
            claims[0].span,
            f"patterns, parts and restrictions are not exported ({count(len(claims), 'declaration')})",
            notes=("the rules are those of the whole grammar, not of its training data",),
        )


def _title(compiled: Compiled) -> str:
    title = compiled.project.title
    return f"{compiled.project.name}: {title}" if title else compiled.project.name


@command.command("conllu")
@grammar_argument
@click.argument("what", required=False)
@click.option(
    *("-n", "--number"), type=click.IntRange(min=1, max=MAX_COUNT), default=100, help="Number of sentences to sample."
)
@click.option("--seed", type=int, help="Random seed.  [default: the dataset's]")
@click.option("--sentences", type=FILE, help="Read sentences from this file, one per line, instead of sampling.")
@click.option("--layer", metavar="LAYER", help="The graph layer.  [default: the first tree]")
@out_option
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
) -> None:
    """Write the graphs of sentences of GRAMMAR as CoNLL-U.

    Sentences are sampled from the whole grammar or from WHAT (as in `sglc sample`), or read from a file; a sentence
    with several readings gets its likeliest graph.
    """
    compiled = session.open(grammar)
    core = compiled.grammar
    trees = graph_layers(core)
    session.check_names([layer], trees, "graph layer that is a tree")
    if not trees:
        session.refuse("the grammar has no graph layer that is a tree")
    if sentences is not None and what is not None:
        session.refuse("sentences are sampled or read, not both")
    tree = layer or trees[0]
    if sentences is not None:
        anchor = core.anchors[core.graph_layer(tree)]
        items = _read(session, core, anchor, sentences)
    else:
        sampled = draw_items(session, compiled, choose(session, compiled, what), number, seed)
        items = [(f"sample-{i:06d}", item) for i, item in enumerate(sampled, 1)]
    category = what or ("sample" if sentences is None else "read")
    blocks = []
    for name, item in items:
        names = {"sent_id": name, "category": category}
        try:
            blocks.append(graph_text(core, item, tree, **names, translated=True))
        except ConlluError as problem:
            session.diagnostics.error("SGL1215", None, f"no CoNLL-U for {problem}")
    session.deliver("".join(blocks), out)


@command.command("forms")
@click.argument("rows", type=FILE)
@click.option("--to", "view", type=click.Choice(tuple(VIEWS)), required=True, help="The notation to write.")
@click.option(
    "--wh", metavar="WORDS", default="", help="Question words such as `Who,What`: `?` in forms, first in sentences."
)
@click.option("--finish", is_flag=True, help="Begin sentences with a capital, and end them with a full stop or `?`.")
@out_option
@session_options
def forms(session: Session, rows: Path, view: str, wh: str, finish: bool, out: Path | None) -> None:
    """Write the logical forms of ROWS in another notation, without a grammar.

    A row has an English sentence, a COGS or variable-free form, and optionally a category, separated by tabs.
    """
    questions = set(wh.replace(",", " ").split())
    written, faults = [], []
    for row in Corpus(rows, 2, BENCHMARK).rows():
        try:
            if isinstance(row, Unreadable):
                raise ValueError(row.reason)
            sentence, form = row.texts
            form = " ".join("?" if token in questions else token for token in form.split())
            words = sentence.split()
            asked = next((at for at, word in enumerate(words) if word in questions), 0)
            words.insert(0, words.pop(asked))
            graph = read_with(form, " ".join(words))
            sentence = _finished(words, graph, questions) if finish else " ".join(words)
            found = VIEWS[view].render(graph, words)
            written.append("\t".join([sentence, found, *([row.kind] if row.kind else [])]))
        except ValueError as problem:
            faults.append(f"line {row.line:,}: {problem}")
    if faults:
        listed = [*faults[:10], *(["…"] if len(faults) > 10 else [])]
        message = f"{count(len(faults), 'row')} of `{rows}` cannot be written as `{view}`"
        session.diagnostics.error("SGL1216", None, message, notes=map(visible, listed))
    session.deliver("".join(f"{line}\n" for line in written), out)


def _finished(words: Sequence[str], graph: Graph, questions: Set[str]) -> str:
    """Return a sentence with a capital and a last sign; a noun phrase stays as it is."""
    text = " ".join(words)
    if graph.nodes[graph.head].get("type") != EVENT:
        return text
    return f"{text[0].upper()}{text[1:]} {'.' if questions.isdisjoint(words) else '?'}"


@command.command("unordered")
@click.argument("treebank", type=FILE)
@click.option("--seed", type=int, default=1, help="Random seed.")
@out_option
@session_options
def unordered(session: Session, treebank: Path, seed: int, out: Path | None) -> None:
    """Write the trees of TREEBANK as inputs of surface realization: lemmas in a random order, without the text."""
    blocks = []
    for number, sentence in enumerate(TreebankReader().read(treebank)):
        if isinstance(sentence, Malformed):
            message = f"the sentence in line {sentence.line:,} of `{treebank}` cannot be read"
            session.diagnostics.error("SGL1501", None, message, notes=[sentence.reason])
        else:
            comments = [line.decode("utf-8", "replace") for line in sentence.comments if not line.startswith(b"# text")]
            order = np.random.default_rng([abs(seed), number]).permutation(len(sentence.words)).tolist()
            place = {old + 1: new for new, old in enumerate(order, 1)} | {0: 0}
            words = enumerate((sentence.words[old] for old in order), 1)
            lines = [
                f"{n}\t{w.lemma}\t{w.lemma}\t{w.upos}\t_\t{w.feats}\t{place[w.head]}\t{w.deprel}\t_\t_"
                for n, w in words
            ]
            blocks.append("\n".join([*comments, *lines, "", ""]))
    session.deliver("".join(blocks), out)


def _read(session: Session, core: CoreGrammar, layer: int, path: Path) -> list[tuple[str, Item]]:
    sources, diagnostics = session.sources, session.diagnostics
    file = read_file(path, str(path), None, MAX_TABLE, sources, diagnostics)
    if file is None:
        return []
    parser = Parser(core, layer)
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
