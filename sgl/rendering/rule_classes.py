"""Separate the rules of a grammar from their words, by classes and placeholders.

The ``Uses`` of an output say what it shows of a rule.  Rules that differ only in words that are merely written are one
class; derivations whose rules have the same classes have one shape.

A *placeholder* replaces a word while a template is learned.  It is one unusual word whose first letter has a capital,
so that it shows whether a sentence has raised it; the letters after it say where in the derivation its rule is, and
which table has its words.
"""

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import fields, replace
from itertools import chain, count
from typing import Any, NamedTuple, cast

from sgl.core.grammar import CoreGrammar, Cut, Fragment, Item, Node, Rule, Slot, Template, Token
from sgl.core.graph import Attributes
from sgl.core.interpret import Derivation, capitalised
from sgl.rendering.conllu import is_one_line, is_token

_OPEN, _RAISED, _CLOSE = "\U00010428", "\U00010400", "\U00010429"

#: Letters that represent numbers: ideographs, of which there are more than 42,000.
_FIRST, MOST_NUMBERS = 0x20000, 40_000

_PLACEHOLDER = re.compile(f"([{_OPEN}{_RAISED}][^{_CLOSE}][^{_CLOSE}]{_CLOSE})")
_MARK = re.compile(f"[{_OPEN}{_RAISED}{_CLOSE}]")

#: The meaning of a placeholder: the place of a rule, the table of its word, whether it is raised.
_Meant = tuple[int, int, bool]


def placeholder(place: int, table: int) -> str:
    """Return the placeholder of a word; both numbers must be below ``MOST_NUMBERS``."""
    return f"{_OPEN}{chr(_FIRST + place)}{chr(_FIRST + table)}{_CLOSE}"


def is_marked(text: str) -> bool:
    """Return whether a text has letters of placeholders."""
    return not text.isascii() and _MARK.search(text) is not None


def split(text: str) -> tuple[list[str], list[_Meant]]:
    """Return the pieces of a text around its placeholders, and the meanings of these."""
    pieces = _PLACEHOLDER.split(text)
    return pieces[::2], [(ord(mark[1]) - _FIRST, ord(mark[2]) - _FIRST, mark[0] == _RAISED) for mark in pieces[1::2]]


#: A function that returns a substitute for a word of a rule, given the word's table.
StandIn = Callable[[Rule, int, str], str]


class Uses(NamedTuple):
    """What an output uses of the rules of a derivation.

    ``texts`` are the text layers whose words it may write; ``graph`` is the graph layer that it reads.  It prints
    attributes as ``shown`` returns them; ``kept`` says how many characters of a value shape the text, ``None`` for all.
    With ``plain``, placeholders cannot replace words.  ``finish``, if any, completes a text whose placeholders were
    filled in.
    """

    texts: tuple[int, ...] = ()
    graph: int | None = None
    shown: Callable[[Attributes], Attributes] = lambda attributes: attributes
    kept: Callable[[str, str], int | None] = lambda _name, _value: 0
    plain: bool = False
    finish: Callable[[str], str] | None = None


class RuleClasses:
    """The rules of a grammar apart from their words, and tables of their words.

    ``classes[r]`` is the class of a rule.  ``tables[n][r]`` is the text of the rule at the place of table ``n``: a word
    of a template, an attribute of a node.
    """

    def __init__(self, grammar: CoreGrammar, uses: Uses) -> None:
        self.uses = uses
        self._size = len(grammar.rules)
        self._attach = [layer.attach for layer in grammar.text_layers]
        self._anchor = None if uses.graph is None else grammar.anchors[uses.graph]
        self._numbers: dict[Hashable, int] = {}
        #: For each table whose words were raised, in order of request, the table of raised words.
        self.raised_tables: dict[int, int] = {}
        self.tables: list[list[str]] = []
        #: Tables of words without a space: the layer, and whether the words attach as they are and when raised.
        self.spaceless: dict[int, tuple[int, bool, bool]] = {}
        #: Whether no word has white space other than spaces.
        self.one_line = True
        found: dict[object, int] = {}
        self.classes = [found.setdefault(self.abstracted(rule, self._note), len(found)) for rule in grammar.rules]

    def raised(self, table: int) -> int:
        """Return the number of the table with another's words, their first letters raised."""
        if table not in self.raised_tables:
            self.raised_tables[table] = len(self.tables)
            self.tables.append(list(map(capitalised, self.tables[table])))
        return self.raised_tables[table]

    def _note(self, rule: Rule, table: int, word: str) -> str:
        self.tables[table][rule.id] = word
        self.one_line = self.one_line and is_one_line(word)
        return f"\0{table}"

    def abstracted(self, rule: Rule, stand_in: StandIn) -> tuple[int, tuple[Template, ...], tuple[Fragment, ...]]:
        """Return the parts of a rule that an output uses, with substitutes for its words."""
        templates = tuple(self._template(rule, layer, stand_in) for layer in range(len(rule.templates)))
        fragments = tuple(
            self._fragment(rule, layer, stand_in) if layer == self.uses.graph else _NOTHING
            for layer in range(len(rule.fragments))
        )
        return len(rule.rhs), templates, fragments

    def _template(self, rule: Rule, layer: int, stand_in: StandIn) -> Template:
        shown, attach = layer in self.uses.texts, self._attach[layer]
        items: list[Item] = []
        for number, item in enumerate(rule.templates[layer] if shown or layer == self._anchor else ()):
            text = item.text if isinstance(item, Token) else ""
            raised = capitalised(text)
            if not shown and not isinstance(item, Cut):
                items.append(replace(item, capital=False) if isinstance(item, Slot) else Token(""))
            elif is_token(text) and is_token(raised):
                # Words without a space have tables of their own, and so placeholders of their own.
                spaceless = layer, text in attach, raised in attach
                table = self._table((number, spaceless))
                self.spaceless[table] = spaceless
                items.append(Token(stand_in(rule, table, text)))
            else:
                items.append(item)
        return tuple(items)

    def _fragment(self, rule: Rule, layer: int, stand_in: StandIn) -> Fragment:
        fragment = rule.fragments[layer]
        nodes: list[Node] = []
        for number, node in enumerate(fragment.nodes):
            values: list[tuple[str, str]] = []
            for name, value in self.uses.shown(node.attributes) if node.attributes is not None else ():
                kept = self.uses.kept(name, value)
                own = value[:kept]
                if kept is not None and kept < len(value):
                    own += stand_in(rule, self._table((number, name)), value[kept:])
                values.append((name, own))
            nodes.append(Node(None if node.attributes is None else tuple(values), node.token, node.glue))
        return Fragment(tuple(nodes), fragment.edges, fragment.exports)

    def _table(self, key: Hashable) -> int:
        if key not in self._numbers:
            self._numbers[key] = len(self.tables)
            self.tables.append([""] * self._size)
        return self._numbers[key]


_NOTHING = Fragment((), (), ())


class MarkedGrammar(CoreGrammar):
    """A grammar whose rules have placeholders for class and place in a derivation, made on demand."""

    rules: list[Rule]  # type: ignore[assignment]
    arity: list[int]  # type: ignore[assignment]
    _given: CoreGrammar
    _classes: RuleClasses
    _attach: list[set[str]]
    _known: dict[tuple[int, int], int]

    def __init__(self, grammar: CoreGrammar, classes: RuleClasses) -> None:
        given: dict[str, Any] = {part.name: getattr(grammar, part.name) for part in fields(grammar)}
        attach = [set(layer.attach) for layer in grammar.text_layers]
        layers = zip(grammar.text_layers, attach, strict=True)
        super().__init__(**given)
        # Attributes that are frozen and computed in other grammars grow here.
        vars(self).update(
            text_layers=tuple(replace(layer, attach=cast("Any", these)) for layer, these in layers),
            rules=[],
            arity=[],
            _given=grammar,
            _classes=classes,
            _attach=attach,
            _known={},
        )

    def derivation(self, derivation: Derivation) -> Derivation:
        """Return a derivation with placeholders for its words."""
        keys = list(zip(map(self._classes.classes.__getitem__, derivation), count()))
        rules = list(map(self._known.get, keys))
        for place, known in enumerate(rules):
            if known is None:
                rule = self._given.rules[derivation[place]]
                rules[place] = self._known[keys[place]] = self._add(rule, place)
        return tuple(cast("list[int]", rules))

    def _add(self, rule: Rule, place: int) -> int:
        def stand_in(_rule: Rule, table: int, _word: str) -> str:
            mark = placeholder(place, table)
            layer, plain, raised = self._classes.spaceless.get(table, (0, False, False))
            self._attach[layer].update([mark] * plain, [capitalised(mark)] * raised)
            return mark

        size, templates, fragments = self._classes.abstracted(rule, stand_in)
        marked = replace(rule, id=len(self.rules), templates=templates, fragments=fragments)
        self.rules.append(marked)
        self.arity.append(size)
        return marked.id


def takes_marks(grammar: CoreGrammar, uses: Uses) -> bool:
    """Return whether placeholders can replace words.

    They cannot if the spelling of words depends on their neighbours, or if a word, an attribute or a label has letters
    of placeholders.
    """
    if uses.plain:
        return False
    graphs = [grammar.graph_layers[uses.graph].anchor] if uses.graph is not None else []
    layers = [*uses.texts, *map(grammar.text_layer, graphs)]
    if any(grammar.text_layers[layer].finish is not None for layer in layers):
        return False
    texts = chain(chain.from_iterable(map(_texts, grammar.rules)), (layer.join for layer in grammar.text_layers))
    return not any(map(is_marked, texts))


def _texts(rule: Rule) -> Iterator[str]:
    """Yield all words, labels, names and values of a rule."""
    for template in rule.templates:
        yield from (item.text for item in template if isinstance(item, Token))
    for fragment in rule.fragments:
        yield from (edge.label for edge in fragment.edges)
        for node in fragment.nodes:
            yield from chain.from_iterable(node.attributes or ())
