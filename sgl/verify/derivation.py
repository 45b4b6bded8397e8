"""Interpret derivations: their texts, their graphs, and their sentences in CoNLL-U.

The grammar is the one of a certificate, ``core.grammar``; docs/certificate.md has its format. This is the checker's own
interpretation; it shares only views and the sandbox of templates (``sgl.rendering``) with the compiler. Everything
except words is computed for shapes of derivations (``shapes.py``); this module fills in words and attributes.
"""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from sgl.verify.lines import ShownWord, line, shown_words, word_columns
from sgl.verify.naming import Bearers
from sgl.verify.schema_grammar import COLUMN, CertifiedGrammar, Flaw, Pair, RuleLemma
from sgl.verify.shapes import Derivation, GraphArc, Local, RuleUse, Shapes
from sgl.verify.texts import Words, joined, merged, numbered, raised
from sgl.verify.trees import EdgeColumns

__all__ = ["Derivation", "Interpreter"]


class Written(NamedTuple):
    """The words of a text, which of them each word of a rule is a part of (-1: of none), and the words of rules."""

    places: Sequence[int]
    words: list[str]
    all: list[str]


class GraphNode(NamedTuple):
    """A node of a graph: its attributes, and the place of its word in the text."""

    attributes: tuple[Pair, ...]
    word: int


class DerivedGraph(NamedTuple):
    """The graph of a text: nodes in word order, edges, head (-1 if it is not a node), and words."""

    nodes: list[GraphNode]
    edges: tuple[GraphArc, ...]
    head: int
    words: list[str]


class Interpreter:
    """Interprets the derivations of a grammar; ``spend`` is called with the steps that this takes."""

    def __init__(self, grammar: CertifiedGrammar, spend: Callable[[int], object] = int) -> None:
        self.grammar, self.rules, self.spend = grammar, grammar.rules, spend
        self.texts = {layer.name: number for number, layer in enumerate(grammar.text_layers)}
        self.views = {view.name: view for view in grammar.views}
        finished = ((layer.name, layer.finish) for layer in grammar.text_layers)
        self.twins = {name: finish.twin for name, finish in finished if finish is not None and finish.twin}
        #: The texts of template items, by layer, rule and item.
        self.items = [*map(self._items, range(len(grammar.text_layers)))]
        self.shapes, self.bearers = Shapes(grammar, spend), Bearers(grammar) if grammar.names else None
        self.written, self.text = lru_cache(8)(self._written), lru_cache(8)(self._text)
        self.graph, self._line = lru_cache(4)(self._graph), lru_cache(1 << 16)(self._word_line)
        self.forms = cache(self._forms)

    def walk(self, derivation: Derivation) -> list[RuleUse]:
        """Return the rules from last to first, each before the rules above it."""
        return self.shapes.walk(self.shapes.of(derivation))

    def lemmas(self, layer: str) -> list[list[RuleLemma]]:
        """Return the lemmas that each rule introduces in a graph layer, if any."""
        if not layer:
            return [[] for _ in self.rules]
        number = self.grammar.graph(layer)
        return [rule.lemmas(number) for rule in self.rules]

    def is_text(self, derivation: Derivation) -> bool:
        """Return whether a derivation is one of a text, and names no bearer twice."""
        return self._derives(derivation) and (self.bearers is None or self.bearers.are_named(derivation))

    def _derives(self, derivation: Derivation) -> bool:
        """Return whether each rule has children of its categories, and the first rule derives a text."""
        if not derivation or max(derivation) >= len(self.rules):
            return False
        try:
            steps = self.walk(derivation)
        except Flaw:
            return False
        rules = [self.rules[number] for number in derivation]
        fits = all(rules[place].rhs == tuple(rules[child].lhs for child in below) for place, below in steps)
        return fits and rules[0].lhs == self.grammar.start

    # ---- texts

    def _items(self, layer: int) -> list[list[str]]:
        return [[item.text or "" for item in rule.templates[layer]] for rule in self.rules]

    def _written(self, layer: int, derivation: Derivation) -> Written:
        """Return the written words of a text layer."""
        words = self._words(layer, self.shapes.parts(layer, self.shapes.of(derivation))[0], derivation)
        finish = self.grammar.text_layers[layer].finish
        if finish is None:
            return Written(range(len(words)), words, words)
        numbers = numbered(finish, words)
        return Written(numbers, merged(words, numbers), words)

    def _words(self, layer: int, words: Words, derivation: Derivation) -> list[str]:
        """Return a derivation's words for the words of its shape."""
        self.spend(len(words))
        items = self.items[layer]
        texts = [(items[derivation[place]][item], is_raised) for (place, item), _, is_raised in words]
        return [raised(text) if is_raised else text for text, is_raised in texts]

    def phrase(self, name: str, derivation: Derivation) -> str:
        """Return the words of a phrase in a text layer, separated by spaces, and its parts by dots."""
        layer, shape = self.texts[name], self.shapes.of(derivation)
        return " … ".join(" ".join(self._words(layer, part, derivation)) for part in self.shapes.parts(layer, shape))

    def lengths(self, names: Sequence[str], derivation: Derivation) -> dict[str, str]:
        """Return the comments with the numbers of words in some text layers."""
        return {f"length_{name}": str(len(self.written(self.grammar.text(name), derivation).words)) for name in names}

    def heads(self, names: Sequence[str], derivation: Derivation) -> dict[str, str]:
        """Return the comments with the head of each phrase in some graph layers: its word from 1, or 0."""
        shape, found = self.shapes.of(derivation), dict[str, str]()
        for layer in map(self.grammar.graph, names):
            places = self.written(self.grammar.anchor(layer), derivation).places
            heads = self.shapes.graph(layer, places, shape).heads
            found[f"heads_{self.grammar.graph_layers[layer].name}"] = " ".join(map(str, heads))
        return found

    def _text(self, name: str, derivation: Derivation) -> str:
        """Return the text of a layer or view; if it has no form, the reason in parentheses."""
        if name not in self.texts:
            return self._view(name, derivation)
        layer = self.texts[name]
        words = self.written(layer, derivation).all
        self.spend(sum(map(len, words)) + len(words) * len(self.grammar.text_layers[layer].join))
        return joined(self.grammar.text_layers[layer], words)

    def _view(self, name: str, derivation: Derivation) -> str:
        view = self.views[name]
        try:
            write = self.forms(name)
            if view.kind == COLUMN:
                read = (
                    self.text(own, derivation) if own in self.texts else self._shown(own, derivation)
                    for own in view.reads
                )
                return str(write(dict(zip(view.reads, read, strict=True))))
            layer = self.grammar.graph_layers[view.layer].name
            return str(write(self._shown(layer, derivation), self.graph(layer, derivation).words))
        except ValueError as reason:
            return f"(no form: {reason})"

    def _forms(self, name: str) -> Callable[..., object]:
        """Return what writes a view or computes a column; raises ``ValueError`` if there is nothing that can."""
        view = self.views[name]
        if not view.template:
            views: Any = import_module("sgl.rendering.views")
            if view.kind not in views.VIEWS:
                raise ValueError(f"there is no notation {view.kind!r}")
            return views.VIEWS[view.kind].render  # type: ignore[no-any-return]
        own: Any = import_module("sgl.rendering.template")
        known: Callable[..., object]
        known = own.column_of(view.template, view.reads) if view.kind == COLUMN else own.template_view(view.template)
        return known

    def _shown(self, layer: str, derivation: Derivation) -> object:
        """Return a graph as views take it."""
        nodes, edges, head, _ = self.graph(layer, derivation)
        core: Any = import_module("sgl.core.graph")
        return core.Graph(tuple(core.GraphNode(*node) for node in nodes), tuple(map(tuple, edges)), head)

    # ---- graphs

    def _graph(self, name: str, derivation: Derivation) -> DerivedGraph:
        """Return the graph of a derivation in a graph layer."""
        layer = self.grammar.graph(name)
        places, words, _ = self.written(self.grammar.anchor(layer), derivation)
        nodes, edges, head, _ = self.shapes.graph(layer, places, self.shapes.of(derivation))
        labels = ((self._attributes(layer, derivation[place], node), word) for word, (place, node) in nodes)
        return DerivedGraph([GraphNode(*label) for label in labels], edges, head, words)

    def _attributes(self, layer: int, rule: int, node: int) -> tuple[Pair, ...]:
        return self.rules[rule].fragments[layer].nodes[node].attributes or ()

    def sentence(self, name: str, derivation: Derivation) -> str:
        """Return the word lines of a sentence in CoNLL-U, with a graph layer."""
        layer, shape = self.grammar.graph(name), self.shapes.of(derivation)
        anchor = self.grammar.anchor(layer)
        places, words, every = self.written(anchor, derivation)
        shown = shown_words(self.grammar.text_layers[anchor], words, every)
        columns = enumerate(zip(shown, self.shapes.columns(layer, places, shape), strict=True))
        lines = [
            self._line(layer, at, word, label and (derivation[label[0]], label[1]), own)
            for at, (word, (own, label)) in columns
        ]
        self.spend(sum(map(len, lines)))
        return "".join(lines)

    def _word_line(self, layer: int, at: int, word: ShownWord, label: Local | None, own: EdgeColumns) -> str:
        """Return the line of a word; ``label`` is the node that labels it, if any."""
        cells, notes = word_columns(label and self._attributes(layer, *label))
        misc = notes + ["Extracted=Yes"] * own.extracted + ["SpaceAfter=No"] * word.tight
        columns = [word.text, *cells, own.head, own.label, own.deps, "|".join(misc) or "_"]
        return word.above + line(str(at + 1), *columns)
