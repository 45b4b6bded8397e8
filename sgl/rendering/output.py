"""What a derivation is written as: the text of a layer, a view, or the words of a CoNLL-U sentence.

Whatever compares, translates or writes derivations asks for outputs by name and need not
know which of them are read off the words and which off a graph.  An output is a dataclass
with a grammar, so that ``TemplateWriter`` can ask the same of a grammar with placeholders.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Protocol

from sgl.core.grammar import CoreGrammar, View
from sgl.core.graph import CUT, Attributes, Graph
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish, spelt_as
from sgl.rendering.conllu import ConlluError, word_columns, word_lines
from sgl.rendering.meaning import ViewError, is_word
from sgl.rendering.rule_classes import MarkedGrammar, Uses
from sgl.rendering.template import template_view
from sgl.rendering.templates import Templated
from sgl.rendering.views import VIEWS
from sgl.rendering.views import View as Notation

#: The view that an author's template is; raises ``ViewError`` if it is none.
_of_author = cache(template_view)


class Output(Templated, Protocol):
    """A named function from derivations to texts."""

    @property
    def name(self) -> str:
        """The name of the text layer or the view."""

    @property
    def layer(self) -> int | None:
        """The index of the text layer; None for a view."""

    def __call__(self, derivation: Derivation) -> str:
        """Return the text of a derivation, or in parentheses why it has none."""


@dataclass(frozen=True)
class TextOutput:
    """The text of a text layer, by its index."""

    grammar: CoreGrammar
    layer: int

    @property
    def name(self) -> str:
        """The name of the layer."""
        return self.grammar.text_layers[self.layer].name

    @property
    def uses(self) -> Uses:
        """The words of the layer."""
        return Uses(texts=(self.layer,))

    def __call__(self, derivation: Derivation) -> str:
        """Return the words of the layer, joined as it declares."""
        tokens = derive_tokens(self.grammar, derivation, self.layer)
        return finish(self.grammar.text_layers[self.layer], tokens)

    text = __call__


@dataclass(frozen=True)
class ViewOutput:
    """A view of a graph layer; its forms are finished, unless the words are placeholders."""

    grammar: CoreGrammar
    view: View

    @property
    def name(self) -> str:
        """The name of the view."""
        return self.view.name

    @property
    def layer(self) -> None:
        """A view is no text layer."""
        return None

    @property
    def uses(self) -> Uses:
        """Lemmas, except where they shape the form; all attributes and words for an author."""
        if self.view.template:
            return Uses(texts=(self.anchor,), graph=self.view.layer, watched=True)
        notation = VIEWS[self.view.kind]
        kept = partial(_kept_of_lemma, notation)
        return Uses(graph=self.view.layer, kept=kept, finish=notation.finish)

    def __call__(self, derivation: Derivation) -> str:
        """Return the graph of the derivation in the notation of the view.

        Where the graph has no such form, as that of a phrase may have none, the text says
        in parentheses why; no form begins so.
        """
        return written(self, derivation)

    def text(self, derivation: Derivation) -> str:
        """Return the graph in the notation of the view; raises ``ViewError`` if it has no form."""
        graph = derive_graph(self.grammar, derivation, self.view.layer)
        words = derive_tokens(self.grammar, derivation, self.anchor) if self.view.template else ()
        return self.render(graph, [word for word in words if word != CUT])

    @property
    def anchor(self) -> int:
        """The index of the text layer whose words the nodes of the graph are."""
        return self.grammar.anchors[self.view.layer]

    def render(self, graph: Graph, tokens: Sequence[str]) -> str:
        """Return a known graph in the notation of the view; raises ``ViewError``, too."""
        if self.view.template:
            return _of_author(self.view.template)(graph, tokens)
        notation = VIEWS[self.view.kind]
        marked = isinstance(self.grammar, MarkedGrammar)
        return notation.unfinished(graph) if marked else notation.render(graph, tokens)


def _kept_of_lemma(view: Notation, name: str, value: str) -> int | None:
    return view.kept(value) if name == "lemma" and is_word(value) else None


#: Attributes as ``WordsOutput`` prints them: columns LEMMA to FEATS, and the others.
_COLUMNS, _OTHERS = "\tcolumns", "\tothers"


@dataclass(frozen=True)
class WordsOutput:
    """The lines of the words of a CoNLL-U sentence with a graph layer, by its index."""

    grammar: CoreGrammar
    layer: int

    @property
    def uses(self) -> Uses:
        """Words, and the columns of their attributes."""
        return Uses((self.grammar.anchors[self.layer],), self.layer, shown=_columns_shown, kept=_kept_of_column)

    def text(self, derivation: Derivation) -> str:
        """Return the lines; raises ``ConlluError`` if the sentence has no faithful form."""
        anchor, free = self.grammar.anchors[self.layer], self.grammar.graph_layers[self.layer].free
        graph = derive_graph(self.grammar, derivation, self.layer)
        tokens, layer = derive_tokens(self.grammar, derivation, anchor), self.grammar.text_layers[anchor]
        return word_lines(graph, tokens, finish(layer, tokens), _columns_of, spelt_as(layer, tokens), free=free)


def _columns_shown(attributes: Attributes) -> Attributes:
    try:
        columns, others = word_columns(attributes)
    except ConlluError:
        return attributes
    return ((_COLUMNS, columns), (_OTHERS, "|".join(others)))


def _kept_of_column(name: str, value: str) -> int | None:
    return 0 if name in (_COLUMNS, _OTHERS) and value else None


def _columns_of(attributes: Attributes) -> tuple[str, tuple[str, ...]]:
    if attributes and attributes[0][0] == _COLUMNS:
        others = attributes[1][1]
        return attributes[0][1], (others,) if others else ()
    return word_columns(attributes)


def written(output: Output, derivation: Derivation) -> str:
    """Return the text of a derivation, or, for people to read, in parentheses why it has none."""
    try:
        return output.text(derivation)
    except ViewError as reason:
        return f"(no form: {reason})"


def outputs(grammar: CoreGrammar) -> dict[str, Output]:
    """Return the outputs of a grammar by name: its text layers, then its views of one line."""
    found: dict[str, Output] = {
        layer.name: TextOutput(grammar, index) for index, layer in enumerate(grammar.text_layers)
    }
    for view in grammar.views:
        if view.kind in VIEWS or view.template:
            found.setdefault(view.name, ViewOutput(grammar, view))
    return found
