"""Write derivations in the outputs of a grammar: texts, views and CoNLL-U words, singly or by templates.

Code that compares, translates or writes derivations asks for outputs by name and need not know which are read off the
words and which off a graph.  An output is also a function of the grammar, so it can be applied to a grammar with
placeholders.

In bulk, derivations are written by templates, which are learned from the definition of an output.  Derivations that
differ only in their words have one *shape*.  Where shapes recur, the definition runs once for each, on a derivation
with placeholders for words, and the text around these is the template::

    (clause (np the dog) slept)     learned      0 1 2 .
    (clause (np a cat) ran)         filled       a cat ran .

Whatever placeholders cannot show is left in the rules and so is part of the shape: values that a notation examines,
empty words, words without a space, words that a format refuses.  If the definition fails on placeholders, it writes the
derivations of that shape itself; so it does for an author's own view, which may examine any word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import chain, repeat
from typing import TYPE_CHECKING

from sgl.core.arrays import Column, Derivations, Heading
from sgl.core.grammar import COLUMN, CoreGrammar, View
from sgl.core.graph import CUT, Attributes, Graph
from sgl.core.interpret import Derivation, all_tokens, derive_graph, derive_tokens, finish, spelt_as
from sgl.core.spelling import remaining
from sgl.rendering.conllu import ConlluError, is_one_line, word_columns, word_lines
from sgl.rendering.meaning import ViewError, is_word
from sgl.rendering.rule_classes import MOST_NUMBERS, MarkedGrammar, RuleClasses, Uses, is_marked, split, takes_marks
from sgl.rendering.views import VIEWS
from sgl.values import dataclass, replace

if TYPE_CHECKING:
    from sgl.accel.write import TemplateTable


@cache
def _of_author(source: str) -> Callable[[Graph, Sequence[str]], str]:
    """Return the view that an author's template defines; raises ``ViewError`` if it is invalid."""
    from sgl.rendering.template import template_view

    return template_view(source)


@cache
def _computed(source: str, reads: tuple[str, ...]) -> Callable[[Mapping[str, Graph | str]], str]:
    """Return the column that an author's template computes; raises ``ViewError`` if it is invalid."""
    from sgl.rendering.template import column_of

    return column_of(source, reads)


@dataclass(frozen=True)
class Output:
    """A named function from the derivations of a grammar to texts.

    ``layer`` is the index of a text layer, or None for other outputs; ``uses`` says what the output shows of rules.
    """

    grammar: CoreGrammar
    name: str
    layer: int | None
    uses: Uses
    write: Callable[[CoreGrammar, Derivation], str]

    def text(self, derivation: Derivation) -> str:
        """Return the text of a derivation by the definition, which may raise ``ViewError`` or ``ConlluError``."""
        return self.write(self.grammar, derivation)

    def __call__(self, derivation: Derivation) -> str:
        """Return the text of a derivation for people to read.

        If the graph has no form in a view, which can happen for phrases, the text gives the reason in parentheses; no
        form begins that way.
        """
        try:
            return self.text(derivation)
        except ViewError as reason:
            return f"(no form: {reason})"


def outputs(grammar: CoreGrammar) -> dict[str, Output]:
    """Return the outputs of a grammar by name: its text layers, then its one-line views."""
    views = [view for view in grammar.views if view.kind in VIEWS or view.template]
    found: dict[str, Output] = {}
    for output in (
        *(text_output(grammar, layer) for layer in range(len(grammar.text_layers))),
        *(view_output(grammar, view) for view in views),
    ):
        found.setdefault(output.name, output)
    return found


def text_output(grammar: CoreGrammar, layer: int) -> Output:
    """Return the output of a text layer, by index: its words, joined as it declares."""
    return Output(grammar, grammar.text_layers[layer].name, layer, Uses(texts=(layer,)), partial(_text, layer))


def _text(layer: int, grammar: CoreGrammar, derivation: Derivation) -> str:
    return finish(grammar.text_layers[layer], all_tokens(grammar, derivation, layer))


def view_output(grammar: CoreGrammar, view: View) -> Output:
    """Return the output of a view; its forms are finished unless the words are placeholders.

    It shows lemmas, except where they shape the form; an author's own view shows all attributes and words.
    """
    if view.template:
        texts = [n for n, layer in enumerate(grammar.text_layers) if layer.name in view.reads]
        texts = texts if view.kind == COLUMN else [grammar.anchors[view.layer]]
        uses = Uses(texts=tuple(texts), graph=view.layer, plain=True)
    else:
        kept = partial(_kept_of_lemma, view.kind)
        uses = Uses(graph=view.layer, kept=kept, finish=VIEWS[view.kind].finish)
    return Output(grammar, view.name, None, uses, partial(_form, view))


def _form(view: View, grammar: CoreGrammar, derivation: Derivation) -> str:
    if view.kind == COLUMN:
        return _computed(view.template, view.reads)({name: _read(name, grammar, derivation) for name in view.reads})
    graph = derive_graph(grammar, derivation, view.layer)
    if view.template:
        words = derive_tokens(grammar, derivation, grammar.anchors[view.layer])
        return _of_author(view.template)(graph, [word for word in words if word != CUT])
    notation = VIEWS[view.kind]
    return notation.unfinished(graph) if isinstance(grammar, MarkedGrammar) else notation.render(graph)


def _read(name: str, grammar: CoreGrammar, derivation: Derivation) -> Graph | str:
    if any(layer.name == name for layer in grammar.text_layers):
        return _text(grammar.text_layer(name), grammar, derivation)
    return derive_graph(grammar, derivation, grammar.graph_layer(name))


def _kept_of_lemma(kind: str, name: str, value: str) -> int | None:
    return VIEWS[kind].kept(value) if name == "lemma" and is_word(value) else None


#: The attributes that ``words_output`` prints: columns LEMMA to FEATS, and the others.
_COLUMNS, _OTHERS = "\tcolumns", "\tothers"


def words_output(grammar: CoreGrammar, layer: int) -> Output:
    """Return the output of the word lines of a CoNLL-U sentence with a graph layer, by index.

    It shows words and the columns of their attributes; it raises ``ConlluError`` if a sentence has no faithful form.
    """
    uses = Uses((grammar.anchors[layer],), layer, shown=_columns_shown, kept=_kept_of_column)
    return Output(grammar, grammar.graph_layers[layer].name, None, uses, partial(_lines, layer))


def _lines(layer: int, grammar: CoreGrammar, derivation: Derivation) -> str:
    graph, anchor = derive_graph(grammar, derivation, layer), grammar.text_layers[grammar.anchors[layer]]
    words, free = all_tokens(grammar, derivation, grammar.anchors[layer]), grammar.graph_layers[layer].free
    tokens = remaining(anchor.finish, words)
    return word_lines(graph, tokens, finish(anchor, words), _columns_of, spelt_as(anchor, words), free=free)


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


#: The most shapes to remember.
MOST_SHAPES = 1 << 17

#: Seconds that plain code takes for all texts of an item.
SECONDS_OF_ITEM = 60e-6

#: A function that writes the derivation of a row without a template.
Plain = Callable[[int, Derivation], str] | None

#: What the derivations of a shape have in common: constants, and between them words, each given by the place of its
#: rule in the derivation and the table with the words of rules.
ShapeTemplate = tuple[list[str], list[tuple[int, int]]]


class TemplateWriter:
    """A writer of derivations in one output; its texts equal the texts of the definition."""

    def __init__(self, output: Output, items: int = 0, like: TemplateWriter | None = None) -> None:
        """Start with nothing.

        ``items`` is the number of derivations in the whole job, which decides whether machine code pays.  The writer
        shares the placeholders of ``like`` if its output uses the same.
        """
        self.output = output
        #: Whether no text written so far has white space other than spaces.
        self.one_line = True
        self.uses = output.uses
        self._usable = takes_marks(output.grammar, output.uses)
        if like is not None and like.uses == self.uses:
            self.rules: RuleClasses = like.rules
            self.marked: MarkedGrammar = like.marked
        else:
            self.rules = RuleClasses(output.grammar, self.uses)
            self.marked = MarkedGrammar(output.grammar, self.rules)
        self._definition = replace(output, grammar=self.marked)
        self._templates: dict[Derivation, ShapeTemplate | None] = {}
        #: The shapes that have occurred.
        self._shapes: set[Derivation] = set()
        self._table: TemplateTable | None = None
        from sgl.accel import pays

        if self._usable and pays("write", items * SECONDS_OF_ITEM):
            from sgl.accel.write import TemplateTable

            self._table = TemplateTable()

    def __call__(self, derivation: Derivation) -> str:
        """Return the text of a derivation, equal to the definition's; an empty derivation has an empty text."""
        return self._texts([derivation], None)[0]

    def _template(self, derivation: Derivation) -> ShapeTemplate | None:
        classes = self.rules.classes
        shape = tuple([classes[rule] for rule in derivation])
        if shape in self._templates:
            return self._templates[shape]
        if shape not in self._shapes:
            if len(self._shapes) < MOST_SHAPES:
                self._shapes.add(shape)
            return None
        found = self._templates[shape] = self._learn(derivation)
        return found

    def _learn(self, derivation: Derivation) -> ShapeTemplate | None:
        if not 0 < len(derivation) < MOST_NUMBERS or len(self.rules.tables) >= MOST_NUMBERS:
            return None
        try:
            text = self._definition.text(self.marked.derivation(derivation))
        except (ValueError, LookupError):
            return None
        constants, slots = split(text)
        written = "".join(constants)
        if is_marked(written):
            return None
        self.one_line = self.one_line and is_one_line(written) and self.rules.one_line
        return constants, [(at, self.rules.raised(n) if raised else n) for at, n, raised in slots]

    def column(self, derivations: Derivations, heading: Sequence[Heading] = (), plain: Plain = None) -> Column:
        """Return the texts of derivations, each after its heading; raises the ``ValueError`` of the definition."""
        if self._table is None:
            texts = self._texts(iter(derivations), plain)
        elif self.uses.finish is None:
            return self._column_of(self._table, derivations, heading, plain)
        else:
            column = self._column_of(self._table, derivations, (), plain)
            texts = list(map(self.uses.finish, column.texts()))
        if heading:
            pieces = zip(*map(_spread, heading), texts, strict=False)
            texts = list(map("".join, pieces))
        return Column.of(texts)

    def _texts(self, derivations: Iterable[Derivation], plain: Plain) -> list[str]:
        texts: list[str] = []
        for row, derivation in enumerate(derivations):
            template = self._template(derivation) if self._usable else None
            if template is None:
                texts.append(self._written(row, derivation, plain))
                continue
            constants, places = template
            words = [self.rules.tables[table][derivation[at]] for at, table in places]
            text = "".join(chain.from_iterable(zip(constants, [*words, ""], strict=True)))
            texts.append(text if self.uses.finish is None else self.uses.finish(text))
        return texts

    def _written(self, row: int, derivation: Derivation, plain: Plain) -> str:
        if not derivation:
            return ""
        text = self.output.text(derivation) if plain is None else plain(row, derivation)
        self.one_line = self.one_line and is_one_line(text)
        return text

    def _column_of(
        self, table: TemplateTable, derivations: Derivations, heading: Sequence[Heading], plain: Plain
    ) -> Column:
        numbers, rows = table.numbers(derivations, self.rules.classes, MOST_SHAPES)
        table.add(numbers[rows], [self._learn(derivations.at(row)) for row in rows.tolist()])
        others = {row: self._written(row, derivations.at(row), plain) for row in table.others(numbers)}
        return table.column(derivations, numbers, self.rules.tables, heading, others)


def _spread(piece: Heading) -> Iterable[str]:
    return repeat(piece) if isinstance(piece, str) else piece.texts()
