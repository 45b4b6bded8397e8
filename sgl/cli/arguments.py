"""Arguments that several commands share: layers."""

import click

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import CUT
from sgl.core.interpret import Item, all_tokens, finish, spelt_as
from sgl.rendering import conllu

layer_option = click.option("--layer", "source", metavar="LAYER", help="The layer to parse.  [default: the source]")


def listed(text: str | None) -> list[str]:
    """Return the names in a comma-separated list."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def text_layers(grammar: CoreGrammar) -> list[str]:
    """Return the names of the text layers."""
    return [layer.name for layer in grammar.text_layers]


def graph_layers(grammar: CoreGrammar) -> list[str]:
    """Return the names of the graph layers that CoNLL-U can represent."""
    return [layer.name for layer in grammar.graph_layers if not layer.free]


def graph_text(
    grammar: CoreGrammar, item: Item, name: str, *, sent_id: str, category: str, translated: bool = False
) -> str:
    """Return a graph layer of an item as CoNLL-U, with the text to which it is anchored.

    The parts of a discontinuous phrase follow each other.  With ``translated``, the other texts are added as comments.
    Raises ``ConlluError`` for a graph that the format cannot represent.
    """
    number = grammar.graph_layer(name)
    anchor = grammar.anchors[number]
    layer = grammar.text_layers[anchor]
    tokens = [token for token in item.tokens[anchor] if token != CUT]
    words = [word for word in all_tokens(grammar, item.derivation, anchor) if word != CUT]
    texts = [(layer.name, finish(layer, words))]
    for other, text in zip(grammar.text_layers, item.texts, strict=True):
        if translated and other is not layer:
            texts.append((other.name, text))
    spelt, free = spelt_as(layer, words), grammar.graph_layers[number].free
    return conllu(item.graphs[number], tokens, texts, sent_id=sent_id, category=category, spelt=spelt, free=free)
