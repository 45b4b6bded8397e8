"""Arguments that several commands have: layers, corpora, differences of spelling."""

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from sgl.cli.files import FILE
from sgl.cli.session import Session
from sgl.cli.terminal import bar, count
from sgl.core.grammar import CoreGrammar
from sgl.core.graph import CUT
from sgl.core.interpret import Item, finish, spelt_as
from sgl.corpus import DIFFERENCES
from sgl.corpus.rows import ListedRow
from sgl.frontend import Compiled
from sgl.rendering import conllu, outputs

#: A column of a corpus that is not looked at.
IGNORED = "-"

#: Unreadable rows that are named.
_NOTED = 10

corpora_argument = click.argument("corpora", nargs=-1, required=True, type=FILE)

columns_option = click.option(
    "--columns",
    metavar="NAMES",
    help="The columns of the files: layers, views, - for any other.  [default: source and target]",
)

layer_option = click.option("--layer", "source", metavar="LAYER", help="The layer to parse.  [default: the source]")

normalise_option = click.option(
    "--normalise",
    metavar="LIST",
    default="",
    show_default=False,
    help=f"Spelling differences to allow: all, or {', '.join(DIFFERENCES)}.",
)


def listed(text: str | None) -> list[str]:
    """Return the names in a list with commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def text_layers(grammar: CoreGrammar) -> list[str]:
    """Return the names of the text layers."""
    return [layer.name for layer in grammar.text_layers]


def graph_layers(grammar: CoreGrammar) -> list[str]:
    """Return the names of the graph layers that are trees, which CoNLL-U can hold."""
    return [layer.name for layer in grammar.graph_layers if not layer.free]


def graph_text(
    grammar: CoreGrammar, item: Item, name: str, *, sent_id: str, category: str, translated: bool = False
) -> str:
    """Return a graph layer of an item as CoNLL-U, with the text that it is anchored to.

    The parts of a phrase follow each other there.  Other texts are comments if ``translated``.
    Raises ``ConlluError`` for a graph that the format cannot hold.
    """
    number = grammar.graph_layer(name)
    anchor = grammar.anchors[number]
    layer = grammar.text_layers[anchor]
    tokens = [token for token in item.tokens[anchor] if token != CUT]
    texts = [(layer.name, finish(layer, tokens))]
    for other, text in zip(grammar.text_layers, item.texts, strict=True):
        if translated and other is not layer:
            texts.append((other.name, text))
    spelt, free = spelt_as(layer, tokens), grammar.graph_layers[number].free
    return conllu(item.graphs[number], tokens, texts, sent_id=sent_id, category=category, spelt=spelt, free=free)


def differences(session: Session, text: str) -> list[str]:
    """Return the names after ``--normalise``, where ``all`` stands for all of them."""
    names = listed(text)
    session.check_names(names, [*DIFFERENCES, "all"], "difference")
    return list(DIFFERENCES) if "all" in names else names


def compared_layers(
    session: Session, compiled: Compiled, source: str | None, columns: Sequence[str], compared: Sequence[str] = ()
) -> list[str]:
    """Return the layer that is parsed, then those ``compared`` with it: the other columns, if none is named.

    End the command if there is no such layer, or no column has it.
    """
    named = [name for name in columns if name != IGNORED]
    parsed = source or next(iter(named), compiled.plan.source)
    session.check_names([parsed], text_layers(compiled.grammar), "text layer")
    compared = compared or [name for name in named if name != parsed]
    session.check_names([*named, *compared], list(outputs(compiled.grammar)), "text layer or view")
    for layer in (parsed, *compared):
        if layer not in columns:
            session.refuse(
                f"no column has the layer `{layer}`; the columns are {', '.join(columns)} (`--columns` says otherwise)"
            )
    return [parsed, *compared]


def file_bar(session: Session) -> Callable[[str, int, float], None]:
    """Return a function that shows how far the reading of a file is."""

    def advance(file: str, rows: int, share: float) -> None:
        session.progress(f"{bar(share)}  {Path(file).name}, {rows:,} rows")

    return advance


def report_unreadable(session: Session, number: int, rows: Sequence[ListedRow]) -> None:
    """Report the rows that cannot be read; ``rows`` are the first of them."""
    if number:
        notes = [f"{row.file}:{row.line}: {row.detail}" for row in rows[:_NOTED]]
        more = ["…"] if number > len(notes) else []
        message = f"{count(number, 'row')} cannot be read"
        hint = "`--limit` changes what is too long" if any("too long" in n for n in notes) else ""
        if any(" instead of " in note for note in notes):
            hint = hint or "`--columns` says which columns the files have"
        session.diagnostics.error("SGL1104", None, message, hint, notes=[*notes, *more])
