"""Lower words and lexicon tables to productions without children, and check that each word is unique."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from sgl.characters import code_of, hidden
from sgl.core.grammar import Cut, Edge, Fragment, GraphLayer, Item, Node, Template, Token
from sgl.diagnostics import Label, Reported, Span, attempt, each, sound, suggest, there
from sgl.frontend.elaborate import tables
from sgl.frontend.elaborate.categories import category_pattern, opened
from sgl.frontend.elaborate.columns import Evaluation, check_morphology, marked, unmarked
from sgl.frontend.elaborate.rules import possible, shown
from sgl.frontend.lower.productions import (
    Produced,
    Production,
    Version,
    check_attribute_name,
    check_layers,
    check_parts,
    rule_weight,
)
from sgl.frontend.names.scopes import Scope
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s
from sgl.lang.tables import LexiconTable
from sgl.rendering.conllu import is_attribute

#: The productions of a word or of a lexicon, without faulty ones.
Words = tuple[Production, ...]
Clauses = tuple[s.LayerClause, ...]

#: Relations of Universal Dependencies whose head is the first word.
_HEADED_FIRST = ("fixed", "flat")

#: What to do about a column that gives an empty text.
_FILL_IN = "fill in the column, or write `x or y` for a fallback"


def lower_words(state: Signed) -> tuple[tuple[Words, ...], Mapping[Path, LexiconTable]]:
    """Turn words and rows of lexicons into groups of childless productions; return these and the tables."""
    known = tuple(state.signature.tables.values())
    words = state.names.of(s.WordDecl)
    found = [state.kept("word", (word, *known), partial(_word, word, scope, state)) for word, scope in words]
    lexicons = tables.LexiconTables(state)
    for lexicon, scope in state.names.of(s.Lexicon):
        table = attempt(lexicons.of, lexicon, scope)
        lower = partial(_lexicon, lexicon, scope, state, table)
        found.append(state.kept("lexicon", (lexicon, table, *known), lower))
    check_morphology(state)
    if state.diagnostics.errors == 0:
        lexicons.report_blocks(state.signature.features)
    read = {path: table for path, table in lexicons.read.items() if table is not None}
    return tuple(own for own in found if own), read


def _word(word: s.WordDecl, scope: Scope, state: Signed) -> Words:
    text, source = word.text, state.signature.source.name
    own = s.LayerClause(text.span, s.Name(source, text.span), (text,), None)
    clauses = tables.completed((own, *tables.each_layer(word.layers, state)), state.signature)
    if not (check_layers(clauses, state) and check_parts(clauses, word.category.name, state)):
        return ()
    evaluation = Evaluation(scope, {}, (), None, state.diagnostics)
    share = attempt(rule_weight, word.weight, state) or 1.0
    categories = opened(word.category, clauses, (), state.signature)
    words = (_WordLowering(own, clauses, evaluation, word.span, state) for own in categories)
    return tuple(sound(lambda own: own.lower(f'word "{text}"', share), words))


class _WordLowering:
    """The lowering of one word: its category, its clauses, and its row."""

    def __init__(
        self, category: s.CategoryRef, clauses: Clauses, evaluation: Evaluation, span: Span, state: Signed
    ) -> None:
        self.category, self.clauses, self.span, self.state = category, clauses, span, state
        self.said = {clause.layer.text: clause for clause in clauses}
        #: Which of several words is marked, by text layer.
        self.marked: dict[str, int] = {}
        known = evaluation.columns if evaluation.row else None
        self.lhs = attempt(category_pattern, category, evaluation.scope, known, state)
        features = dict(zip(self.lhs.info.features, self.lhs.slots, strict=True)) if self.lhs is not None else {}
        self.evaluation = replace(evaluation, features=features, cell=self._cell)

    def _cell(self, cell: s.TableCell) -> str:
        """Return what a table has for the features of the word."""
        features = self.evaluation.features
        self.evaluation.scope.find(s.Table, cell.table)
        table = there(self.state.signature.tables.get(cell.table.text))
        names = [*map(str, cell.keys)] or table.features
        for name in (name for name in names if name not in features):
            message = f"`{self.category.name}` has no feature `{name}`, which `{cell}` asks for"
            self.state.fail("SGL0401", cell.span, message, suggest(name, features))
        found = table.cells(cell, [[*features[name]] for name in names], self.state)
        return next(iter(found.values()))

    def lower(self, name: str, share: float, pool: tables.Weighting | None = None) -> Production:
        signature = self.state.signature
        texts = {layer.name: attempt(self._words, layer.name) for layer in signature.text_layers}
        fragments = each(lambda layer: self._fragment(layer, texts[layer.anchor]), signature.graph_layers)
        templates = each(lambda pair: self._template(*pair), texts.items())
        lhs = there(self.lhs)
        for port in (port for layer in signature.graph_layers for port in lhs.info.ports_in(layer.name)[1:]):
            message = f"where does the port `{port}` of `{lhs.info.name}` come from? a word is one node"
            hint = f"make a rule of it, with a child that has the port, or leave `{port}` out of the category"
            self.state.fail("SGL0502", self.category.span, message, hint)
        return Production(
            name=name,
            lhs=lhs,
            rhs=(),
            domains={},
            versions=(Version(tuple(templates), tuple(fragments), share),),
            span=self.span,
            word=pool is None,
            pool=pool,
        )

    def _template(self, layer: str, words: Sequence[str] | None) -> Template:
        template: list[Item] = [*map(Token, there(words))]
        for part in self.lhs.info.parts if self.lhs is not None else ():
            if part.partition(".")[0] == layer:
                template += [Cut(), *map(Token, self._words(part) if part in self.said else ())]
        return tuple(template)

    def _clause(self, layer: str, hint: str) -> s.LayerClause:
        if layer in self.said:
            return self.said[layer]
        if not self.state.signature.has_strange(self.clauses):
            self.state.error("SGL0303", self.category.span, f"this word has no clause for the layer `{layer}`", hint)
        raise Reported

    def _text(self, item: s.Expression, clause: s.LayerClause) -> str:
        """Return the value of an expression; report several words without a single mark."""
        text = self.evaluation.value(item)
        if " " not in text:
            return text
        # A `^` between spaces is a word of formulas.
        if not any(len(own) > 1 and "^" in (own[0], own[-1]) for own in unmarked(text).split()):
            return text
        message, hint = f"`{text}` does not mark exactly one word", "write `^` before one of its words"
        self.state.fail("SGL0609", self.evaluation.row or clause.span, message, hint)

    def _words(self, layer: str) -> list[str]:
        hint = f"add a line `{layer} …`, with a column or a word"
        if layer != self.state.signature.source.name:
            hint = f'add a line `{layer} …`; `{layer} ""` if it has no word there'
        clause = self._clause(layer, hint)
        if clause.template is None:
            self.state.fail("SGL0306", clause.span, f"`{layer}` is a text layer, this clause is about a graph")
        words: list[str] = []
        if layer.partition(".")[0] == self.state.signature.source.name != layer:
            message = f"a word of `{self.state.signature.source.name}` is one node, in one piece"
            hint = "make each part a word, and combine them in a rule with two children"
            self.state.fail("SGL0609", clause.span, message, hint)
        for item in clause.template:
            if isinstance(item, s.Mention):
                hint = f'for a column write `${item.name}`, for a text `"{item.name}"`'
                self.state.fail("SGL0305", item.span, f"a word has no child `{item.name}`", hint)
            text = self._text(item, clause)
            if (own := marked(text)) is not None:
                self.marked[layer] = len(words) + len(own[0].split()) - 1
            words.extend(unmarked(text).split())
        if not words and layer == self.state.signature.source.name:
            hint = f"`{layer}` is the source, whose words have a text; let other layers leave the word out"
            hint = _FILL_IN if [*s.parts_of(s.Column, clause.template)] else hint
            asked = Label(clause.span, "it should come from here")
            self.evaluation.fail("SGL0604", f"this word is empty in the layer `{layer}`", hint, asked)
        return words

    def _fragment(self, layer: GraphLayer, words: list[str] | None) -> Fragment:
        """Return the node of the word, and of several words an edge to each of the others.

        A word without a clause in a free layer, or empty in another layer than the source, is no node.  Of several
        words in a free layer the marked one, or the last one, is the node.
        """
        if words == [] or (layer.free and layer.name not in self.said):
            return Fragment((Node(),), (), (0,))
        statement, words = self._statement(layer.name), there(words)
        asked = statement.label if len(words) != 1 and not layer.free else None
        label = self.evaluation.value(asked) if asked is not None else ""
        head = self._head(layer, words, label)
        places = [head, *(n for n in range(len(words)) if n != head)] if label else [head]
        said = [statement.attributes, *[statement.others] * len(places)]
        nodes = each(lambda pair: self._node(pair[0], words[pair[1]], pair[1], layer), zip(said, places, strict=False))
        edges = tuple(Edge(0, label, number) for number in range(1, len(nodes)))
        return Fragment(tuple(nodes), edges, (0,))

    def _statement(self, layer: str) -> s.NodeStatement:
        """Return what the clause of a graph layer says of the word's node."""
        clause = self._clause(layer, f"add a line `{layer} node(upos=…)`")
        statements = clause.statements or ()
        if len(statements) == 1 and isinstance(statements[0], s.NodeStatement):
            return statements[0]
        message = f"in the layer `{layer}` a word is one node"
        self.state.fail("SGL0306", clause.span, message, f"write `{layer} node(lemma=…, upos=…)`")

    def _head(self, layer: GraphLayer, words: Sequence[str], label: str) -> int:
        """Return which of the words is the node that has the others."""
        one, marked_word = len(words) == 1, self.marked.get(layer.anchor)
        if one or layer.free or (label and marked_word is not None):
            if marked_word is not None:
                return marked_word
            return 0 if label else len(words) - 1
        if label.partition(":")[0] in _HEADED_FIRST:
            return 0
        place, text = self.evaluation.row or self.span, " ".join(words)
        message = f"`{text}` is {len(words)} words of `{layer.anchor}`, but a node of `{layer.name}` is one word"
        hint = f"mark it: `{' '.join(words[:-1])} ^{words[-1]}`, and write `node(…) -[compound]-> words(upos=…)`"
        self.state.fail("SGL0609", place, message, hint)

    def _node(self, attributes: Sequence[s.Attribute], word: str, place: int, layer: GraphLayer) -> Node:
        values = {"lemma": word}
        for attribute in attributes:
            check_attribute_name(attribute, layer, self.state)
            value = self.evaluation.value(attribute.value)
            if value:
                values[attribute.name.text] = unmarked(value)
        return Node(tuple(sorted(values.items())), place)


def _check_columns(entry: s.Entry, layers: Clauses, table: LexiconTable, state: Signed) -> bool:
    """Return whether no used column has the name of a feature that the entry sets otherwise."""
    taken = set[str]()
    for setting in entry.category.settings:
        columns = {column.name.text for column in s.parts_of(s.Column, setting.values)}
        taken |= {setting.feature.text} & set(table.columns) - columns
    both = [column for column in s.parts_of(s.Column, layers) if column.name.text in taken]
    for column in both:
        name = column.name
        message = f"is `${name}` the column `{name}`, or the feature `{name}` of this entry?"
        hint = f"give the column another name, or set the feature from it: `{name}=${name}`"
        labels = [Label(entry.category.span, "the feature is set here")]
        state.error("SGL0618", column.span, message, hint, labels=labels)
    return not both


def _lexicon(lexicon: s.Lexicon, scope: Scope, state: Signed, table: LexiconTable | None) -> Words:
    entries = tables.entries_of(lexicon, scope, state, state.signature)
    shared = tables.each_layer(lexicon.shared, state)
    groups = (shared, *(entry.layers for entry in entries))
    clear = [check_layers(group, state) for group in groups]
    if not all(clear):
        return ()
    if not lexicon.entries:
        message = f"the lexicon `{lexicon.name}` lists no category"
        state.error("SGL0610", lexicon.name.span, message, "write a category and its layers below it")
    if table is None:
        return ()
    tables.check_columns(lexicon, entries, table, state)
    weighting, found = tables.weighting_of(lexicon, state), list[Production]()
    chosen = attempt(tables.rows_of, lexicon, table, state) or ()
    for entry in entries:
        pool = replace(weighting)
        layers = tables.completed(tables.laid_over(entry.layers, shared), state.signature)
        # What a block asks for a table need not have.
        optional = frozenset(column.name.text for column in s.parts_of(s.Column, entry.block))
        sound = check_parts(layers, entry.category.name, state)
        if not _check_columns(entry, layers, table, state) or not sound:
            continue
        categories = [*opened(entry.category, layers, table.columns, state.signature)]
        for row in tables.rows_with_values(entry, chosen, table, state):
            known = (row.cells, table.columns, row.span)
            evaluation = Evaluation(scope, *known, state.diagnostics, optional=optional)
            share = weighting.share(row, evaluation)
            for category in categories:
                lowering = _WordLowering(category, layers, evaluation, row.span, state)
                with suppress(Reported):
                    found.append(lowering.lower(lexicon.name.text, share, pool))
    return tuple(found)


def check_words(state: Produced) -> None:
    """Report repeated and invisible words, and words that CoNLL-U cannot represent."""
    for productions in (state.rules, *state.words):
        state.kept("characters", (productions,), partial(_check_characters, productions, state))
    words = (p for p in state.productions if not p.rhs)
    state.kept("words", tuple(words), partial(_check_repeated, state))


def _check_characters(productions: Sequence[Production], state: Produced) -> None:
    for production in productions:
        for item in chain(*chain(*(version.templates for version in production.versions))):
            text = shown(item.text) if isinstance(item, Token) and not item.joint else ""
            if (at := hidden(text, whole=True)) >= 0:
                message = f"the word `{text}` contains an invisible character, {code_of(text[at])}"
                state.error("SGL0107", production.span, message, "it changes nothing there; remove it")
        for name, value in _attributes(production):
            if not is_attribute(name, value):
                message = f"CoNLL-U cannot hold the attribute {name}={value!r}"
                state.error("SGL0512", production.span, message, "write it without spaces and bars")


def _check_repeated(state: Produced) -> None:
    words: dict[object, Production] = {}
    for word, version in ((p, version) for p in state.productions if not p.rhs for version in p.versions):
        # Homonyms that differ in a graph are different words.
        meaning = tuple(tuple(node.attributes for node in fragment.nodes) for fragment in version.fragments)
        earlier = words.setdefault((word.lhs.info.name, word.lhs.slots, version.templates, meaning), word)
        if earlier is not word:
            labels = [Label(earlier.span, "the same word, in the same category")]
            hint = "remove one of the two; a weight makes a word more frequent"
            state.error("SGL0605", word.span, "this is the same word as an earlier one", hint, labels=labels)


def _attributes(production: Production) -> Iterator[tuple[str, str]]:
    fragments = (fragment for version in production.versions for fragment in version.fragments)
    for node in (node for fragment in fragments for node in fragment.nodes):
        for name, value in node.attributes or ():
            yield from ((name, one) for one in possible(value, production.domains))
