"""What derivations mean: their texts, their graphs, and their sentences in CoNLL-U.

The grammar is the one of a certificate, ``core.grammar``; docs/certificate.md has its format.
This is the checker's own reading of it; of the compiler it shares ``sgl.rendering.views`` only.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any, NamedTuple

from sgl.verify.lines import line, shown_words, word_columns
from sgl.verify.schema_grammar import CertifiedGrammar, Flaw, GrammarRule, GraphLayer, Pair, RuleLemma, TemplateItem
from sgl.verify.texts import FUNCTIONS, LARGEST, Origin, Word, Words, capitalised, joined, kept
from sgl.verify.trees import EdgeColumns, edge_columns

Derivation = tuple[int, ...]  # its rules, in preorder


class RuleUse(NamedTuple):
    """A rule in a derivation: its place, and those of its children."""

    place: int
    rule: GrammarRule
    below: list[int]


class GraphNode(NamedTuple):
    """A node of a graph: its attributes, and the place of its word in the text."""

    attributes: tuple[Pair, ...]
    word: int


class GraphArc(NamedTuple):
    """An edge between nodes, by number."""

    source: int
    label: str
    target: int


class DerivedGraph(NamedTuple):
    """The graph of a text: nodes in the order of their words, edges, head (-1 if it is no node), and the words."""

    nodes: list[GraphNode]
    edges: tuple[GraphArc, ...]
    head: int
    words: list[str]


Local = tuple[int, int]  # a node of a rule, by the place of the rule in the derivation
LocalEdge = tuple[Local, str, Local]


class Interpreter:
    """Says what the derivations of a grammar mean; ``spend`` is told of each step that it takes."""

    def __init__(self, grammar: CertifiedGrammar, spend: Callable[[int], object] = int) -> None:
        self.grammar, self.rules, self.spend = grammar, grammar.rules, spend
        self.texts = {layer.name: number for number, layer in enumerate(grammar.text_layers)}
        self.views = {view.name: view for view in grammar.views}
        self.twins = {layer.name for layer in grammar.text_layers if layer.finish is not None and layer.finish.twin}
        self.walk, self.words = lru_cache(8)(self._walk), lru_cache(8)(self._words)
        self.text, self.graph = lru_cache(8)(self._text), lru_cache(4)(self._graph)
        self._edge_columns = lru_cache(1 << 16)(edge_columns)

    def lemmas(self, layer: str) -> list[list[RuleLemma]]:
        """Return the lemmas that each rule introduces in a graph layer, if any."""
        if not layer:
            return [[] for _ in self.rules]
        number = self.grammar.graph(layer)
        return [rule.lemmas(number) for rule in self.rules]

    def is_text(self, derivation: Derivation) -> bool:
        """Return whether each rule has children of its categories, and the first is of a text."""
        if not derivation or max(derivation) >= len(self.rules):
            return False
        try:
            steps = self.walk(derivation)
        except Flaw:
            return False
        categories = [self.rules[number].lhs for number in derivation]
        fits = all(step.rule.rhs == tuple(categories[place] for place in step.below) for step in steps)
        return fits and categories[0] == self.grammar.start

    def _walk(self, derivation: Derivation) -> list[RuleUse]:
        """Return the rules from the back, each before those above it."""
        steps, places = list[RuleUse](), list[int]()
        for place in range(len(derivation) - 1, -1, -1):
            rule = self.rules[derivation[place]]
            if len(places) < len(rule.rhs):
                raise Flaw("the rules are not one tree")
            steps.append(RuleUse(place, rule, [places.pop() for _ in rule.rhs]))
            places.append(place)
        if places != [0]:
            raise Flaw("the rules are not one tree")
        return steps

    # ---- texts

    def _words(self, layer: int, derivation: Derivation) -> Words:
        """Return the words of a text layer that are written."""
        return kept(self.grammar.text_layers[layer].finish, self._parts(layer, derivation)[0])

    def phrase(self, name: str, derivation: Derivation) -> str:
        """Return the words of a phrase in a text layer, with spaces, and dots between its parts."""
        parts = self._parts(self.texts[name], derivation)
        return " … ".join(" ".join(word.text for word in part) for part in parts)

    def _parts(self, layer: int, derivation: Derivation) -> list[Words]:
        """Return the parts of a phrase in a text layer."""
        phrases = dict[int, list[Words]]()
        for step in self.walk(derivation):
            parts = phrases[step.place] = [Words()]
            for number, item in enumerate(step.rule.templates[layer]):
                if item.child is not None:
                    parts[-1] += _of_child(item, phrases[step.below[item.child]])
                elif item.text is not None:
                    parts[-1].append(Word(Origin(step.place, number), item.text))
                else:
                    parts.append(Words())
                if len(parts[-1]) > LARGEST:
                    raise Flaw("a text has too many words")
            self.spend(1 + sum(map(len, parts)))
        return phrases[0]

    def lengths(self, names: Sequence[str], derivation: Derivation) -> dict[str, str]:
        """Return the comments with the numbers of words in some text layers."""
        return {f"length_{name}": str(len(self.words(self.texts[name], derivation))) for name in names}

    def _text(self, name: str, derivation: Derivation) -> str:
        """Return the text of a layer, or of a view: in parentheses why, if there is no form."""
        if name not in self.texts:
            return self._view(name, derivation)
        layer = self.texts[name]
        words = [word.text for word in self.words(layer, derivation)]
        self.spend(sum(map(len, words)) + len(words) * len(self.grammar.text_layers[layer].join))
        return joined(self.grammar.text_layers[layer], words)

    def _view(self, name: str, derivation: Derivation) -> str:
        view = self.views[name]
        nodes, edges, head, words = self.graph(self.grammar.graph_layers[view.layer].name, derivation)
        core: Any = import_module("sgl.core.graph")
        graph = core.Graph(tuple(core.GraphNode(*node) for node in nodes), tuple(map(tuple, edges)), head)
        try:
            if view.template:
                own: Any = import_module("sgl.rendering.template")
                return str(own.template_view(view.template)(graph, words))
            views: Any = import_module("sgl.rendering.views")
            return str(views.VIEWS[view.kind].render(graph, words))
        except ValueError as reason:
            return f"(no form: {reason})"

    # ---- graphs

    def _graph(self, name: str, derivation: Derivation) -> DerivedGraph:
        """Return the graph of a derivation in a graph layer."""
        number = self.grammar.graph(name)
        gluing = Gluing(self.walk(derivation), number, self.spend)
        words = self.words(self.grammar.anchor(number), derivation)
        return gluing.graph(self.grammar.graph_layers[number], words)

    def sentence(self, name: str, derivation: Derivation) -> str:
        """Return the lines of the words of a sentence in CoNLL-U, with a graph layer."""
        graph, number = self.graph(name, derivation), self.grammar.graph(name)
        labels = {node.word: node.attributes for node in graph.nodes}
        words = shown_words(self.grammar.text_layers[self.grammar.anchor(number)], graph.words)
        columns, lines = self._columns(graph, free=self.grammar.graph_layers[number].free), list[str]()
        for at, (word, own) in enumerate(zip(words, columns, strict=True)):
            of_word = word_columns(labels.get(at))
            misc = of_word.misc + ["Extracted=Yes"] * own.extracted + ["SpaceAfter=No"] * word.tight
            cells = [word.text, *of_word.cells, own.head, own.label, own.deps, "|".join(misc) or "_"]
            lines.append(word.above + line(str(at + 1), *cells))
        self.spend(sum(map(len, lines)))
        return "".join(lines)

    def _columns(self, graph: DerivedGraph, *, free: bool) -> list[EdgeColumns]:
        word_of = [node.word for node in graph.nodes]
        arcs = tuple((word_of[source], label, word_of[target]) for source, label, target in graph.edges)
        head = word_of[graph.head] if graph.head >= 0 else -1
        return self._edge_columns(len(graph.words), arcs, head, free, self.spend)


def _of_child(item: TemplateItem, parts: list[Words]) -> Words:
    """Return the words of a part of a child, after what the template does to them."""
    if item.number >= len(parts):
        raise Flaw(f"a phrase has no part {item.part}")
    words = parts[item.number]
    for name in reversed(item.functions):
        words = FUNCTIONS[name](words)
    return capitalised(words) if item.capital else words


class Gluing:
    """The graph of a derivation, from the root downwards: nodes of rules that meet get one name."""

    def __init__(self, walk: list[RuleUse], layer: int, spend: Callable[[int], object]) -> None:
        self.layer, self.spend = layer, spend
        self.rules = {step.place: step.rule for step in walk}
        self.names = dict[Local, Local]()
        #: The labels, each with its word and its node, in the order of the rules.
        self.labels = list[tuple[Origin, Local, tuple[Pair, ...]]]()
        self.edges, self.last = list[LocalEdge](), list[LocalEdge]()
        for step in reversed(walk):
            self._add(step)

    def _add(self, step: RuleUse) -> None:
        place, fragment = step.place, step.rule.fragments[self.layer]
        self.spend(len(fragment.nodes) + len(fragment.edges))
        for number, node in enumerate(fragment.nodes):
            own = self.names.setdefault((place, number), (place, number))
            for child, port in node.glue:
                own = self._meet(own, step.below[child], port)
            if node.attributes is not None and node.token is not None:
                self.labels.append((Origin(place, node.token), (place, number), node.attributes))
        late = list[LocalEdge]()
        for edge in fragment.edges:
            made = (place, edge.source), edge.label, (place, edge.target)
            (late if edge.last else self.edges).append(made)
        self.last[:0] = late

    def _meet(self, own: Local, child: int, port: int) -> Local:
        """Let a port of a child be a node."""
        exports = self.rules[child].fragments[self.layer].exports
        if port >= len(exports):
            raise Flaw(f"rule {self.rules[child].name} has no port {port}")
        other = self.names.setdefault((child, exports[port]), own)
        if other != own:  # two nodes meet in one node of a child
            self.spend(len(self.names))
            self.names = {node: own if name == other else name for node, name in self.names.items()}
        return own

    def graph(self, layer: GraphLayer, words: Words) -> DerivedGraph:
        """Return the graph over the words that are written."""
        found = self._nodes(words)
        order = sorted(found, key=lambda name: (found[name].word, name))
        number = {name: place for place, name in enumerate(order)}
        edges = dict[GraphArc, None]()
        for source, label, target in self.edges + self.last:
            start, end = number.get(self.names[source]), number.get(self.names[target])
            if start is not None and end is not None:
                edges[GraphArc(start, label, end)] = None
        ordered = sorted(edges, key=lambda edge: edge[:1] if layer.free else edge)
        head = number.get(self.names[0, self.rules[0].fragments[self.layer].exports[0]], -1)
        return DerivedGraph([found[name] for name in order], tuple(ordered), head, [word.text for word in words])

    def _nodes(self, words: Words) -> dict[Local, GraphNode]:
        """Return the nodes whose words are written, by name; of several labels the first counts."""
        place_of = {word.origin: place for place, word in enumerate(words)}
        found = dict[Local, GraphNode]()
        for origin, node, attributes in reversed(self.labels):
            if origin in place_of:
                found[self.names[node]] = GraphNode(attributes, place_of[origin])
        return found
