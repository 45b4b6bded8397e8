"""Write many derivations by templates, which are learned from the plain definition of an output.

Derivations that differ only in their words have one *shape*, and what is written of them
differs only in their words.  So the definition runs once for each shape, on a derivation with
placeholders for words.  What stands between the placeholders is the template of the shape::

    (clause (np the dog) slept)     learned      0 1 2 .
    (clause (np a cat) ran)         filled       a cat ran .

What placeholders cannot show is part of the shape, because it is left in the rules: values at
which a notation looks, empty words, words that take no space, words that a format refuses.
Where the definition fails on placeholders it writes the derivations of the shape themselves.

This serves every output alike: one is a dataclass with a grammar, a definition, and ``Uses``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import fields, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, cast

from sgl.core.column import Column, Heading
from sgl.core.derivations import Derivations
from sgl.core.gluing import Attributes, GluingRule
from sgl.core.grammar import CoreGrammar, Fragment, Node, Rule, Slot, Template, Token, gluing_rule
from sgl.core.interpret import Derivation, capitalised
from sgl.rendering.conllu import is_one_line, is_token
from sgl.rendering.placeholders import (
    LONG,
    MOST_NUMBERS,
    SHORT,
    InspectedError,
    is_marked,
    placeholder,
    split,
)

if TYPE_CHECKING:
    from sgl.accel.write import TemplateTable

#: Shapes that are learned at most.
MOST_SHAPES = 1 << 17

#: From so many shapes on, they are learned only as long as most derivations have a known one.
FEW_SHAPES = 1_000

#: Seconds that plain code takes for all the texts of an item.
SECONDS_OF_ITEM = 60e-6

#: The name under which words of texts can be looked at; no attribute has it.
_TOKENS = ""


def _as_they_are(attributes: Attributes) -> Attributes:
    return attributes


def _nothing_kept(name: str, value: str) -> int | None:  # noqa: ARG001
    return 0


class Uses(NamedTuple):
    """What an output shows of the rules of a derivation.

    ``texts`` are the text layers whose words it may write, ``graph`` is the graph layer that it
    reads.  It prints attributes as ``shown`` gives them; of a value as many characters shape
    the text as ``kept`` says, or all (``None``).  With ``watched`` this is found out by looking
    whether the definition looks.
    """

    texts: tuple[int, ...] = ()
    graph: int | None = None
    shown: Callable[[Attributes], Attributes] = _as_they_are
    kept: Callable[[str, str], int | None] = _nothing_kept
    watched: bool = False


class Templated(Protocol):
    """An output that templates can be learned of."""

    @property
    def grammar(self) -> CoreGrammar:
        """The grammar of its derivations."""

    @property
    def uses(self) -> Uses:
        """What it shows of rules."""

    def text(self, derivation: Derivation) -> str:
        """Return the text of a derivation: the definition, which may refuse it."""

    def marked(self, grammar: CoreGrammar) -> Self:
        """Return the same output of a grammar with placeholders."""


class ShapeTemplate(NamedTuple):
    """What the derivations of a shape share.

    ``format`` is a text with ``%s`` for each word, ``words`` says for each of them at which
    place of the derivation its rule is, and which table has the words of rules.
    """

    format: str
    words: tuple[tuple[int, int], ...]
    constants: tuple[str, ...]


class _Reclassified(Exception):
    """The definition looked at words, which are part of the shapes from now on."""


class TemplateWriter:
    """Writes the derivations of a grammar in one output; the texts are those of its definition."""

    def __init__(self, output: Templated, items: int = 0) -> None:
        """``items`` is how many derivations the whole job has: machine code pays from many on."""
        self.output = output
        #: Whether no text that was written has white space other than the space.
        self.one_line = True
        self._uses = output.uses
        self._looked_at: set[str] = set()
        self._items = items
        self._table: TemplateTable | None = None
        self._usable = not _has_marks(output.grammar)
        self._begin()
        if self._usable:
            self._table = _template_table(items)

    def _begin(self) -> None:
        self._rules = _RuleClasses(self.output.grammar, self._uses, self._looked_at)
        self._marked = _MarkedGrammar(self.output.grammar, self._rules)
        self._definition = self.output.marked(self._marked)
        self._templates: dict[Derivation, ShapeTemplate | None] = {}
        self._seen = 0
        if self._table is not None:
            self._table = _template_table(self._items)

    # --- one derivation --------------------------------------------------------------------

    def __call__(self, derivation: Derivation) -> str:
        """Return the text of a derivation; of an empty one it is empty.

        Raises:
            ValueError: what the definition raises.
        """
        while True:
            try:
                template = self._template(derivation)
                break
            except _Reclassified:
                self._begin()
        return self._plain(derivation) if template is None else self._filled(template, derivation)

    def _filled(self, template: ShapeTemplate, derivation: Derivation) -> str:
        tables = self._rules.tables
        return template.format % tuple([tables[n][derivation[at]] for at, n in template.words])

    def _plain(self, derivation: Derivation) -> str:
        text = self.output.text(derivation) if derivation else ""
        self.one_line = self.one_line and is_one_line(text)
        return text

    def _template(self, derivation: Derivation) -> ShapeTemplate | None:
        """Return the template of a derivation, learned if it is new; None if there is none."""
        if not self._usable:
            return None
        self._seen += 1
        classes = self._rules.classes
        shape = tuple([classes[rule] for rule in derivation])
        if shape in self._templates:
            return self._templates[shape]
        if not self._worth_learning(len(self._templates)):
            return None
        found = self._templates[shape] = self._learned(derivation)
        return found

    def _worth_learning(self, shapes: int) -> bool:
        """Whether there are few shapes, or most derivations had one that was known."""
        return shapes < FEW_SHAPES or (shapes < MOST_SHAPES and 2 * shapes < self._seen)

    def _learned(self, derivation: Derivation) -> ShapeTemplate | None:
        if not 0 < len(derivation) < MOST_NUMBERS or len(self._rules.tables) >= MOST_NUMBERS:
            return None
        try:
            text = self._definition.text(self._marked.derivation(derivation))
        except InspectedError as found:
            self._looked_at |= {self._rules.names[table] for table in found.tables()}
            raise _Reclassified from found
        except (ValueError, LookupError):
            return None
        constants, slots = split(text)
        if any(map(is_marked, constants)):
            return None
        self.one_line = self.one_line and all(map(is_one_line, constants)) and self._rules.one_line
        tables = [self._rules.raised(n) if raised else n for _, n, raised in slots]
        return ShapeTemplate(
            "%s".join(constant.replace("%", "%%") for constant in constants),
            tuple((slot.place, table) for slot, table in zip(slots, tables, strict=True)),
            tuple(constants),
        )

    # --- many derivations ------------------------------------------------------------------

    def column(
        self,
        derivations: Derivations,
        heading: Sequence[Heading] = (),
        plain: Callable[[int, Derivation], str] | None = None,
    ) -> Column:
        """Return the texts of some derivations, each behind its heading.

        ``plain`` writes a derivation, by its row, that has no template.

        Raises:
            ValueError: what the definition raises.
        """
        while True:
            try:
                if self._table is not None:
                    return self._column_of(self._table, derivations, heading, plain)
                return Column.of(self._texts(derivations, heading, plain))
            except _Reclassified:
                self._begin()

    def _texts(
        self,
        derivations: Derivations,
        heading: Sequence[Heading],
        plain: Callable[[int, Derivation], str] | None,
    ) -> list[str]:
        texts: list[str] = []
        for row, derivation in enumerate(iter(derivations)):
            template = self._template(derivation)
            if template is not None:
                texts.append(self._filled(template, derivation))
            else:
                texts.append(self._written(row, derivation, plain))
        if not heading:
            return texts
        return list(map("".join, zip(*map(_spread, heading), texts, strict=False)))

    def _written(
        self, row: int, derivation: Derivation, plain: Callable[[int, Derivation], str] | None
    ) -> str:
        if plain is None or not derivation:
            return self._plain(derivation)
        text = plain(row, derivation)
        self.one_line = self.one_line and is_one_line(text)
        return text

    def _column_of(
        self,
        table: TemplateTable,
        derivations: Derivations,
        heading: Sequence[Heading],
        plain: Callable[[int, Derivation], str] | None,
    ) -> Column:
        """Return the same by machine code, which knows the templates by number."""
        self._seen += derivations.number
        most = MOST_SHAPES if self._worth_learning(table.shapes) else table.shapes
        numbers, fresh = table.numbers(derivations, self._rules.classes, most)
        for row in fresh.tolist():
            template = self._learned(derivations.at(row))
            if template is None:
                table.add_none()
            else:
                table.add(template.constants, template.words)
        others = {
            row: self._written(row, derivations.at(row), plain) for row in table.others(numbers)
        }
        return table.column(derivations, numbers, self._rules.tables, heading, others)


def _spread(piece: Heading) -> Iterable[str]:
    if isinstance(piece, str):
        return repeat(piece)
    return piece.texts() if isinstance(piece, Column) else map("{:06d}".format, piece)


def _template_table(items: int) -> TemplateTable | None:
    """Return what writes so many items by machine code; None if plain code is to write them."""
    from sgl.accel import pays

    if not pays("write", items * SECONDS_OF_ITEM):
        return None
    from sgl.accel.write import TemplateTable

    return TemplateTable()


def _has_marks(grammar: CoreGrammar) -> bool:
    """Whether a word, an attribute, a label or a template has letters of placeholders."""
    words = (
        item.text
        for rule in grammar.rules
        for template in rule.templates
        for item in template
        if isinstance(item, Token)
    )
    fragments = [fragment for rule in grammar.rules for fragment in rule.fragments]
    labels = (edge.label for fragment in fragments for edge in fragment.edges)
    values = (
        text
        for fragment in fragments
        for node in fragment.nodes
        for pair in node.attributes or ()
        for text in pair
    )
    joins = (layer.join for layer in grammar.text_layers)
    views = (view.template for view in grammar.views)
    return any(is_marked(text) for texts in (words, labels, values, joins, views) for text in texts)


class _RuleClasses:
    """The rules of a grammar by what they are but for their words, and tables of their words.

    ``classes[r]`` is the class of a rule.  ``tables[n][r]`` is what the rule writes in the place
    that table ``n`` is for: a word of a template, an attribute of a node.
    """

    def __init__(self, grammar: CoreGrammar, uses: Uses, looked_at: set[str]) -> None:
        self.uses = uses
        self._looked_at = looked_at
        self._size = len(grammar.rules)
        self._attach = [layer.attach for layer in grammar.text_layers]
        self._anchor = None
        if uses.graph is not None:
            self._anchor = grammar.text_layer(grammar.graph_layers[uses.graph].anchor)
        self._numbers: dict[Hashable, int] = {}
        self._raised: dict[int, int] = {}
        self.tables: list[list[str]] = []
        #: The attribute whose values a table has, or ``_TOKENS``.
        self.names: list[str] = []
        #: Whether no word has white space other than the space.
        self.one_line = True
        found: dict[object, int] = {}
        self.classes = [
            found.setdefault(self.abstracted(rule, self._note), len(found))
            for rule in grammar.rules
        ]

    def raised(self, table: int) -> int:
        """Return the number of the table with the words of another, their first letters raised."""
        if table not in self._raised:
            self._raised[table] = len(self.tables)
            self.tables.append(list(map(capitalised, self.tables[table])))
            self.names.append(_TOKENS)
        return self._raised[table]

    def _note(self, rule: Rule, table: int, word: str) -> str:
        """Put the word of a rule into its table; what is left of it in the class is nothing."""
        self.tables[table][rule.id] = word
        self.one_line = self.one_line and is_one_line(word)
        return "\0"

    def abstracted(
        self, rule: Rule, stand_in: Callable[[Rule, int, str], str]
    ) -> tuple[int, tuple[Template, ...], tuple[Fragment, ...], tuple[tuple[bool, bool], ...]]:
        """Return what an output uses of a rule, with something else for its words.

        ``stand_in`` gives what is to stand for a word, whose table it gets.  The last part says
        for each word of a template whether it takes no space, as it is and raised.
        """
        flags: list[tuple[bool, bool]] = []
        templates = tuple(
            self._template(rule, layer, stand_in, flags) for layer in range(len(rule.templates))
        )
        fragments = tuple(
            self._fragment(rule, layer, stand_in) if layer == self.uses.graph else _NOTHING
            for layer in range(len(rule.fragments))
        )
        return len(rule.rhs), templates, fragments, tuple(flags)

    def _template(
        self,
        rule: Rule,
        layer: int,
        stand_in: Callable[[Rule, int, str], str],
        flags: list[tuple[bool, bool]],
    ) -> Template:
        if layer not in self.uses.texts:
            if layer != self._anchor:
                return ()
            blank = Token("")
            return tuple(
                Slot(item.child) if isinstance(item, Slot) else blank
                for item in rule.templates[layer]
            )
        items: list[Token | Slot] = []
        for number, item in enumerate(rule.templates[layer]):
            if isinstance(item, Token) and self._is_word(item.text):
                attach = self._attach[layer]
                # Words that take no space have tables of their own, and so have placeholders.
                spaceless = (item.text in attach, capitalised(item.text) in attach)
                flags.append(spaceless)
                table = self._table((layer, number, spaceless), _TOKENS)
                items.append(Token(stand_in(rule, table, item.text)))
            else:
                items.append(item)
        return tuple(items)

    def _is_word(self, text: str) -> bool:
        plain = is_token(text) and is_token(capitalised(text))
        return plain and self._replaceable(_TOKENS, text)

    def _replaceable(self, name: str, text: str) -> bool:
        """Whether a placeholder may stand for a text, so far as it is known."""
        if not self.uses.watched:
            return True
        return name not in self._looked_at and is_token(text) and len(text) <= LONG

    def _fragment(
        self, rule: Rule, layer: int, stand_in: Callable[[Rule, int, str], str]
    ) -> Fragment:
        fragment = rule.fragments[layer]
        nodes: list[Node] = []
        for number, node in enumerate(fragment.nodes):
            attributes = node.attributes
            if attributes is not None:
                attributes = tuple(
                    (name, self._value(rule, number, name, value, stand_in))
                    for name, value in self.uses.shown(attributes)
                )
            nodes.append(Node(attributes, node.token, node.glue))
        return Fragment(tuple(nodes), fragment.edges, fragment.exports)

    def _value(
        self,
        rule: Rule,
        node: int,
        name: str,
        value: str,
        stand_in: Callable[[Rule, int, str], str],
    ) -> str:
        kept = self.uses.kept(name, value) if self._replaceable(name, value) else None
        if kept is None or kept >= len(value):
            return value
        return value[:kept] + stand_in(rule, self._table((node, name), name), value[kept:])

    def _table(self, key: Hashable, name: str) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.tables)
            self.tables.append([""] * self._size)
            self.names.append(name)
        return self._numbers[key]


_NOTHING = Fragment((), (), ())


class _MarkedGrammar(CoreGrammar):
    """A grammar of rules with placeholders, made as derivations need them.

    A rule is for one class and one place of a derivation, and its placeholders say so.
    """

    rules: list[Rule]  # type: ignore[assignment]
    arity: list[int]  # type: ignore[assignment]
    gluing: tuple[list[GluingRule], ...]  # type: ignore[assignment]
    _given: CoreGrammar
    _classes: _RuleClasses
    _attach: list[set[str]]
    _known: dict[tuple[int, int], int]

    def __init__(self, grammar: CoreGrammar, classes: _RuleClasses) -> None:
        given: dict[str, Any] = {part.name: getattr(grammar, part.name) for part in fields(grammar)}
        attach = [set(layer.attach) for layer in grammar.text_layers]
        layers = zip(grammar.text_layers, attach, strict=True)
        super().__init__(**given)
        # What is frozen and computed elsewhere grows here.
        vars(self).update(
            text_layers=tuple(replace(layer, attach=cast("Any", these)) for layer, these in layers),
            rules=[],
            arity=[],
            gluing=tuple([] for _ in grammar.graph_layers),
            _given=grammar,
            _classes=classes,
            _attach=attach,
            _known={},
        )

    def derivation(self, derivation: Derivation) -> Derivation:
        """Return a derivation with placeholders for its words."""
        classes, known = self._classes.classes, self._known
        rules: list[int] = []
        for place, rule in enumerate(derivation):
            key = classes[rule], place
            if key not in known:
                known[key] = self._add(self._given.rules[rule], place)
            rules.append(known[key])
        return tuple(rules)

    def _add(self, rule: Rule, place: int) -> int:
        """Add a rule with placeholders and return its number."""
        uses = self._classes.uses
        length = LONG if uses.watched else SHORT

        def stand_in(_rule: Rule, table: int, _word: str) -> str:
            return placeholder(place, table, length)

        size, templates, fragments, flags = self._classes.abstracted(rule, stand_in)
        marked = replace(rule, id=len(self.rules), templates=templates, fragments=fragments)
        self._take_no_space(templates, flags)
        self.rules.append(marked)
        self.arity.append(size)
        if uses.graph is not None:
            anchor = self.text_layer(self.graph_layers[uses.graph].anchor)
            self.gluing[uses.graph].append(gluing_rule(marked, uses.graph, anchor))
        return marked.id

    def _take_no_space(
        self, templates: tuple[Template, ...], flags: Iterable[tuple[bool, bool]]
    ) -> None:
        """Let placeholders take no space where their words take none."""
        marks = (
            (attach, item.text)
            for attach, template in zip(self._attach, templates, strict=True)
            for item in template
            if isinstance(item, Token) and is_marked(item.text)
        )
        for (attach, text), (plain, raised) in zip(marks, flags, strict=True):
            attach.update({text} if plain else (), {capitalised(text)} if raised else ())
