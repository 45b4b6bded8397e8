"""What derivations are written as: texts of layers, views, words of CoNLL-U sentences; one by one, or by templates.

Whatever compares, translates or writes derivations asks for outputs by name and need not know which of them are read
off the words and which off a graph.  What an output writes is a function of the grammar, too, so that the same can be
asked of a grammar with placeholders.

Many derivations are written by templates, which are learned from the definition of an output.  Derivations that differ
only in their words have one *shape*.  So the definition runs once for each shape, on a derivation with placeholders
for words, and what stands between these is the template::

    (clause (np the dog) slept)     learned      0 1 2 .
    (clause (np a cat) ran)         filled       a cat ran .

What placeholders cannot show is part of the shape, because it is left in the rules: values at which
a notation looks, empty words, words that take no space, words that a format refuses. Where the
definition fails on placeholders it writes the derivations of the shape themselves, as it writes all of
an author's own view, which may look at any word.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from sgl.core.arrays import Column, Derivations, Heading
from sgl.core.grammar import CoreGrammar, View
from sgl.core.graph import CUT, Attributes, Graph
from sgl.core.interpret import Derivation, all_tokens, derive_graph, derive_tokens, finish, spelt_as
from sgl.core.spelling import remaining
from sgl.rendering.conllu import ConlluError, is_one_line, word_columns, word_lines
from sgl.rendering.meaning import ViewError, is_word
from sgl.rendering.rule_classes import MOST_NUMBERS, MarkedGrammar, RuleClasses, Uses, is_marked, split, takes_marks
from sgl.rendering.views import VIEWS

if TYPE_CHECKING:
    from sgl.accel.write import TemplateTable


@cache
def _of_author(source: str) -> Callable[[Graph, Sequence[str]], str]:
    """Return the view that an author's template is; raises ``ViewError`` if it is none."""
    from sgl.rendering.template import template_view

    return template_view(source)


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
    return finish(grammar.text_layers[layer], all_tokens(grammar, derivation, layer))


def view_output(grammar: CoreGrammar, view: View) -> Output:
    """Return a view of a graph layer, whose forms are finished unless the words are placeholders.

    It shows lemmas, except where they shape the form; to an author all attributes and words.
    """
    if view.template:
        uses = Uses(texts=(grammar.anchors[view.layer],), graph=view.layer, plain=True)
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


#: Shapes that are learned at most.
MOST_SHAPES = 1 << 17

#: From so many shapes on, they are learned only as long as most derivations have a known one.
FEW_SHAPES = 1_000

#: Seconds that plain code takes for all the texts of an item.
SECONDS_OF_ITEM = 60e-6


#: Writes a derivation, by its row, that has no template.
Plain = Callable[[int, Derivation], str] | None


class ShapeTemplate(NamedTuple):
    """What the derivations of a shape share.

    ``format`` is a text with ``%s`` for each word, ``words`` says for each of them at which
    place of the derivation its rule is, and which table has the words of rules.
    """

    format: str
    words: tuple[tuple[int, int], ...]
    constants: tuple[str, ...]


class Learned(NamedTuple):
    """What a writer has learned; another of the same output can begin with it.

    ``raised`` are the tables whose words sentences have raised, in the order in which they
    were met.  The templates are known by their shapes or, in ``table``, by numbers.
    """

    raised: tuple[int, ...]
    templates: dict[Derivation, ShapeTemplate | None]
    seen: int
    one_line: bool
    table: TemplateTable | None


class TemplateWriter:
    """Writes the derivations of a grammar in one output; the texts are those of its definition."""

    def __init__(
        self, output: Output, items: int = 0, learned: Learned | None = None, like: TemplateWriter | None = None
    ) -> None:
        """Begin with nothing, or with what another writer has ``learned`` of the same output.

        ``items`` is how many derivations the whole job has: machine code pays from many on.
        The writer shares the placeholders of ``like``, whose output uses the same.
        """
        self.output = output
        #: Whether no text that was written has white space other than the space.
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
        self._seen = 0
        self._table: TemplateTable | None = None
        from sgl.accel import pays

        if self._usable and pays("write", items * SECONDS_OF_ITEM):
            from sgl.accel.write import TemplateTable

            self._table = TemplateTable()
        if learned is not None and (learned.table is None) == (self._table is None):
            for table in learned.raised:
                self.rules.raised(table)
            self.one_line, self._seen = learned.one_line, learned.seen
            self._templates, self._table = learned.templates, learned.table

    @property
    def learned(self) -> Learned:
        """What the writer has learned so far."""
        known = self._templates, self._seen, self.one_line, self._table
        return Learned(tuple(self.rules.raised_tables), *known)

    def __call__(self, derivation: Derivation) -> str:
        """Return the text of a derivation, as its definition; of an empty one it is empty."""
        return self._texts([derivation], None)[0]

    def _template(self, derivation: Derivation) -> ShapeTemplate | None:
        self._seen += 1
        classes = self.rules.classes
        shape = tuple([classes[rule] for rule in derivation])
        if shape in self._templates:
            return self._templates[shape]
        if not self._worth_learning(len(self._templates)):
            return None
        found = self._templates[shape] = self._learn(derivation)
        return found

    def _worth_learning(self, shapes: int) -> bool:
        return shapes < FEW_SHAPES or (shapes < MOST_SHAPES and 2 * shapes < self._seen)

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
        escaped = [text.replace("%", "%%") for text in constants] if "%" in written else constants
        return ShapeTemplate(
            "%s".join(escaped),
            tuple([(at, self.rules.raised(n) if raised else n) for at, n, raised in slots]),
            tuple(constants),
        )

    def column(self, derivations: Derivations, heading: Sequence[Heading] = (), plain: Plain = None) -> Column:
        """Return the texts of derivations, each behind its heading; ``ValueError`` where the definition raises it."""
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
            words = tuple([self.rules.tables[table][derivation[at]] for at, table in template.words])
            text = template.format % words
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
        self._seen += derivations.number
        most = MOST_SHAPES if self._worth_learning(table.shapes) else table.shapes
        numbers, fresh = table.numbers(derivations, self.rules.classes, most)
        learned = [self._learn(derivations.at(row)) for row in fresh.tolist()]
        table.add([one and (one.constants, one.words) for one in learned])
        others = {row: self._written(row, derivations.at(row), plain) for row in table.others(numbers)}
        return table.column(derivations, numbers, self.rules.tables, heading, others)


def _spread(piece: Heading) -> Iterable[str]:
    return repeat(piece) if isinstance(piece, str) else piece.texts()
