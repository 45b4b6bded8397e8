"""What a derivation is written as: the text of a layer, a view, or the words of a CoNLL-U sentence.

Whatever compares, translates or writes derivations asks for outputs by name and need not know which of them are read
off the words and which off a graph.  What an output writes is a function of the grammar, too, so that
``TemplateWriter`` can ask the same of a grammar with placeholders.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from sgl.core.grammar import CoreGrammar, View
from sgl.core.graph import CUT, Attributes
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, finish, spelt_as
from sgl.rendering.conllu import ConlluError, word_columns, word_lines
from sgl.rendering.meaning import ViewError, is_word
from sgl.rendering.rule_classes import MarkedGrammar, Uses
from sgl.rendering.template import template_view
from sgl.rendering.views import VIEWS

#: The view that an author's template is; raises ``ViewError`` if it is none.
_of_author = cache(template_view)


@dataclass(frozen=True)
class Output:
    """A named function from the derivations of a grammar to texts.

    ``layer`` is the index of a text layer, None for anything else; ``uses`` is what is shown of rules.
    """

    grammar: CoreGrammar
    name: str
    layer: int | None
    uses: Uses
    write: Callable[[CoreGrammar, Derivation], str]

    def text(self, derivation: Derivation) -> str:
        """Return the text of a derivation: the definition, which may refuse it (``ViewError``, ``ConlluError``)."""
        return self.write(self.grammar, derivation)

    def __call__(self, derivation: Derivation) -> str:
        """Return the same, for people to read.

        Where the graph has no form in a view, as that of a phrase may have none, the text says in parentheses why;
        no form begins so.
        """
        try:
            return self.text(derivation)
        except ViewError as reason:
            return f"(no form: {reason})"


def outputs(grammar: CoreGrammar) -> dict[str, Output]:
    """Return the outputs of a grammar by name: its text layers, then its views of one line."""
    views = [view for view in grammar.views if view.kind in VIEWS or view.template]
    found: dict[str, Output] = {}
    for output in (
        *(text_output(grammar, layer) for layer in range(len(grammar.text_layers))),
        *(view_output(grammar, view) for view in views),
    ):
        found.setdefault(output.name, output)
    return found


def text_output(grammar: CoreGrammar, layer: int) -> Output:
    """Return the text of a text layer, by its index: its words, joined as it declares."""
    return Output(grammar, grammar.text_layers[layer].name, layer, Uses(texts=(layer,)), partial(_text, layer))


def _text(layer: int, grammar: CoreGrammar, derivation: Derivation) -> str:
    return finish(grammar.text_layers[layer], derive_tokens(grammar, derivation, layer))


def view_output(grammar: CoreGrammar, view: View) -> Output:
    """Return a view of a graph layer, whose forms are finished unless the words are placeholders.

    It shows lemmas, except where they shape the form; to an author all attributes and words.
    """
    if view.template:
        uses = Uses(texts=(grammar.anchors[view.layer],), graph=view.layer, watched=True)
    else:
        kept = partial(_kept_of_lemma, view.kind)
        uses = Uses(graph=view.layer, kept=kept, finish=VIEWS[view.kind].finish)
    return Output(grammar, view.name, None, uses, partial(_form, view))


def _form(view: View, grammar: CoreGrammar, derivation: Derivation) -> str:
    graph = derive_graph(grammar, derivation, view.layer)
    if view.template:
        words = derive_tokens(grammar, derivation, grammar.anchors[view.layer])
        return _of_author(view.template)(graph, [word for word in words if word != CUT])
    notation = VIEWS[view.kind]
    return notation.unfinished(graph) if isinstance(grammar, MarkedGrammar) else notation.render(graph)


def _kept_of_lemma(kind: str, name: str, value: str) -> int | None:
    return VIEWS[kind].kept(value) if name == "lemma" and is_word(value) else None


#: Attributes as ``words_output`` prints them: columns LEMMA to FEATS, and the others.
_COLUMNS, _OTHERS = "\tcolumns", "\tothers"


def words_output(grammar: CoreGrammar, layer: int) -> Output:
    """Return the lines of the words of a CoNLL-U sentence with a graph layer, by its index.

    It shows words, and the columns of their attributes; it raises ``ConlluError`` if a sentence has no faithful form.
    """
    uses = Uses((grammar.anchors[layer],), layer, shown=_columns_shown, kept=_kept_of_column)
    return Output(grammar, grammar.graph_layers[layer].name, None, uses, partial(_lines, layer))


def _lines(layer: int, grammar: CoreGrammar, derivation: Derivation) -> str:
    graph, anchor = derive_graph(grammar, derivation, layer), grammar.text_layers[grammar.anchors[layer]]
    tokens, free = derive_tokens(grammar, derivation, grammar.anchors[layer]), grammar.graph_layers[layer].free
    return word_lines(graph, tokens, finish(anchor, tokens), _columns_of, spelt_as(anchor, tokens), free=free)


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
