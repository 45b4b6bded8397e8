"""Check on the rules and words that every derived graph is well-formed.

Two properties, both shown once and for all derivations (of a free layer the second):

* *Tree.* Unmarked edges form a tree over the words.  It is enough that in each rule every node
  but the head has exactly one unmarked edge into it, and that the edges go round in no circle.
* *Labels.* Every placeholder is bound to a word, along the ports of the rules.

And of words: each is there once, and CoNLL-U can hold its attributes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import networkx as nx

from sgl.characters import code_of, hidden
from sgl.core.grammar import EXTRACTED, HEAD, Fragment, Node, Template, Token
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label
from sgl.frontend.elaborate.open_text import possible, shown
from sgl.frontend.lower.productions import Produced, Production, Version
from sgl.rendering.conllu import is_attribute

#: What a port of a phrase may hold.
WORD, PLACEHOLDER, NOTHING = "a word", "a placeholder", "nothing"


def check_graphs(state: Produced) -> None:
    """Report rules whose graphs would be no trees or lack words."""
    for index, layer in enumerate(state.signature.graph_layers):
        ports = _Ports(layer.name, index, state)
        for productions in (state.rules, *state.words):
            # What is wrong with a word depends on no other.
            check = partial(_check_graphs, productions, index, ports, state)
            check() if productions is state.rules else state.kept(f"graph {index}", (productions,), check)


def _check_graphs(productions: Sequence[Production], index: int, ports: "_Ports", state: Produced) -> None:
    layer = state.signature.graph_layers[index]
    anchor = [text.name for text in state.signature.text_layers].index(layer.anchor)
    for production in productions:
        for version in production.versions:
            rule = _RuleGraph(production, version, version.fragments[index], ports, state, version.templates[anchor])
            if has_double_edge(rule.fragment):
                rule.error("SGL0508", "an edge is written twice", hint="remove one of the two")
            if not layer.free:
                rule.check_tree()
            rule.check_labels()


def has_double_edge(fragment: Fragment) -> bool:
    """Return whether a fragment has one edge twice."""
    edges = {(e.source, e.label.removeprefix(EXTRACTED), e.target) for e in fragment.edges}
    return len(edges) < len(fragment.edges)


class _Ports:
    """What the ports of categories can hold in a layer: the least fixpoint over all rules."""

    def __init__(self, layer: str, index: int, state: Produced) -> None:
        self._layer, self._index = layer, index
        self._holdings: dict[tuple[str, str], set[str]] = {}
        for words in state.words:
            for port, held in state.kept(f"ports {index}", (words,), partial(self._found, words)):
                self._holdings.setdefault(port, set()).update(held)
        rounds = Rounds([pattern.info.name for pattern in rule.rhs] for rule in state.rules)
        for number in rounds:
            for port, held in self._found(state.rules[number : number + 1]):
                if not held <= self._holdings.setdefault(port, set()):
                    self._holdings[port] |= held
                    rounds.grew(port[0])

    def _found(self, productions: Sequence[Production]) -> set[tuple[tuple[str, str], frozenset[str]]]:
        """Return what the ports of productions hold, as far as it is known of their children."""
        found = set()
        for production, version in ((p, version) for p in productions for version in p.versions):
            info, fragment = production.lhs.info, version.fragments[self._index]
            for port, node in zip(info.ports_in(self._layer), fragment.exports, strict=True):
                held = self.held(fragment.nodes[node], production)
                found.add(((info.name, port), frozenset(held)))
        return found

    def name(self, production: Production, child: int, port: int) -> tuple[str, str]:
        info = production.rhs[child].info
        return info.name, info.ports_in(self._layer)[port]

    def parts(self, node: Node, production: Production) -> list[set[str]]:
        names = (self.name(production, child, port) for child, port in node.glue)
        return [self._holdings.get(name, set()) for name in names]

    def held(self, node: Node, production: Production) -> set[str]:
        parts = self.parts(node, production)
        if node.attributes is not None:
            return {WORD}
        if not parts:
            return {PLACEHOLDER} if production.rhs else {NOTHING}
        if not all(parts):
            return set()  # nothing is known of a child yet; perhaps it can never be built
        return {WORD} if {WORD} in parts else set().union(*parts)


@dataclass(frozen=True)
class _RuleGraph:
    """The graph of one version of a rule in one layer."""

    production: Production
    version: Version
    fragment: Fragment
    ports: _Ports
    state: Produced
    template: Template

    def check_tree(self) -> None:
        self._check_placed()
        for index in range(len(self.fragment.nodes)):
            self._check_heads(index)
        edges = [(edge.source, edge.target) for edge in self.fragment.edges if not edge.label.startswith(EXTRACTED)]
        if edges and not nx.is_directed_acyclic_graph(nx.DiGraph(edges)):
            self.error("SGL0509", "the edges of this rule go round in a circle")

    def _check_placed(self) -> None:
        placed = {node.token for node in self.fragment.nodes}
        for index, item in enumerate(self.template):
            if isinstance(item, Token) and index not in placed:
                word = shown(item.text)
                hint = f'connect it: `X -[mark]-> "{word}"(upos=…)`'
                self.error("SGL0507", f'the word "{word}" has no place in the graph', hint)

    def _check_heads(self, index: int) -> None:
        node, is_head = self.fragment.nodes[index], index == self.fragment.exports[0]
        incoming = [edge.label for edge in self.fragment.edges if edge.target == index]
        labels = [label for label in incoming if not label.startswith(EXTRACTED)]
        if len(labels) > 1:
            message = f"{self._name(node)} has two heads: {' and '.join(labels)}"
            self.error("SGL0508", message, "mark the additional edge with `~`")
        elif labels and is_head:
            self.error("SGL0508", f"the head {self._name(node)} depends on another node")
        elif not (incoming or is_head) and self._needs_head(node):
            self.error("SGL0504", f"{self._name(node)} depends on nothing", "connect it with an edge")

    def _needs_head(self, node: Node) -> bool:
        parts = self.ports.parts(node, self.production)
        pairs = zip(node.glue, parts, strict=True)
        fills_gap = any(port and PLACEHOLDER in part for (_, port), part in pairs)
        fills_gap |= any(NOTHING in part for part in parts)  # That is told of instances.
        is_head = node.attributes is not None or any(port == 0 for _, port in node.glue)
        return is_head and not fills_gap

    def check_labels(self) -> None:
        for index, node in enumerate(self.fragment.nodes):
            parts = self.ports.parts(node, self.production)
            # A child that can never be built is reported by the next pass, one that may be
            # no node by that over instances.
            if all(parts) and (len(parts) < 2 or not any(NOTHING in part for part in parts)):
                self._check_word(index, parts)

    def _check_word(self, index: int, parts: Sequence[set[str]]) -> None:
        """Report a node that may be two words, or stays a placeholder and cannot be bound from outside."""
        (head, *exported), node = self.fragment.exports, self.fragment.nodes[index]
        own = node.attributes is not None
        words = sum(part == {WORD} for part in parts) + own
        is_open = words == 0 and PLACEHOLDER in self.ports.held(node, self.production)
        if sum(WORD in part for part in parts) + own > 1:
            would = "would" if words > 1 else "could"
            self.error("SGL0510", f"{self._name(node)} {would} be two words at once", "bind a gap to one word only")
        elif is_open and index == head:
            self.error("SGL0511", "the head of this rule is a placeholder, not a word")
        elif is_open and index not in exported:
            hint = "bind the port to a child, or pass it on with a port of the category"
            self.error("SGL0511", f"{self._name(node)} is left without a word", hint)

    def _name(self, node: Node) -> str:
        if node.token is not None:
            item = self.template[node.token]
            return f'"{shown(item.text)}"' if isinstance(item, Token) else "a word"
        if not node.glue:
            return "a new node"
        child, port = min(node.glue, key=lambda pair: (pair[1], pair[0]))
        name, port_name = self.ports.name(self.production, child, port)
        return f"`{name}`" if port_name == HEAD else f"`{name}.{port_name}`"

    def error(self, code: str, message: str, hint: str = "") -> None:
        case = f" with `{self.version.when}`" if self.version.when else ""
        self.state.error(code, self.production.span, f"in the rule `{self.production.name}`{case}, {message}", hint)


def check_words(state: Produced) -> None:
    """Report repeated and invisible words, and what CoNLL-U cannot hold."""
    for productions in (state.rules, *state.words):
        state.kept("characters", (productions,), partial(_check_characters, productions, state))
    words = (p for p in state.productions if not p.rhs)
    state.kept("words", tuple(words), partial(_check_repeated, state))


def _check_characters(productions: Sequence[Production], state: Produced) -> None:
    for production in productions:
        for item in chain(*chain(*(version.templates for version in production.versions))):
            text = shown(item.text) if isinstance(item, Token) else ""
            if (at := hidden(text, whole=True)) >= 0:
                message = f"the word `{text}` has a character that cannot be seen, {code_of(text[at])}"
                state.error("SGL0107", production.span, message, "it changes nothing there; remove it")
        for name, value in _attributes(production):
            if not is_attribute(name, value):
                message = f"CoNLL-U cannot hold the attribute {name}={value!r}"
                state.error("SGL0512", production.span, message, "write it without spaces and bars")


def _check_repeated(state: Produced) -> None:
    words: dict[object, Production] = {}
    for word, version in ((p, version) for p in state.productions if not p.rhs for version in p.versions):
        # Homonyms, which differ in a graph, are different words.
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
