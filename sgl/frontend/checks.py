"""Check on the rules and words that every derived graph is well-formed.

Two properties, both shown once and for all derivations (of a free layer the second):

* *Tree.* Unmarked edges form a tree over the words.  It is enough that in each
  rule every node but the head has exactly one unmarked edge into it, and that
  the edges go round in no circle.  A node bound to a gap has its ``~`` edges.
* *Labels.* Every placeholder is bound to a word.  Ports are followed through
  the rules: what a port can hold is a word, a placeholder, or both.

And of words: each is there once, and CoNLL-U can hold its attributes.  Two words of one
category may be spelt alike in one language (*bank*, in Japanese 銀行 and 土手).  When nothing
in the graph tells them apart, the source sentence has two translations, and an author may
not have meant it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from sgl.core.grammar import EXTRACTED, HEAD, Fragment, Node, Token
from sgl.diagnostics import Label, Span
from sgl.frontend.productions import FeatureVariable, Production
from sgl.frontend.state import CompilerState

_WORD, _PLACEHOLDER = "a word", "a placeholder"
Port = tuple[str, str]


def check_graphs(state: CompilerState) -> None:
    """Report rules whose graphs would not be trees or would lack words.

    Before: ``productions`` without errors.  After: every derived graph is well-formed.
    """
    productions = state.productions
    for index, layer in enumerate(state.signature.graph_layers):
        holdings = _holdings(productions, index, layer.name)
        for production in productions:
            fragment = production.fragments[index].fragment
            rule = _RuleGraph(production, fragment, layer.name, holdings, state)
            rule.check(free=layer.free)


def check_instances(state: CompilerState) -> None:
    """Report rules that write an edge twice for some values of their feature variables.

    Before: ``declared``.
    """
    grammar, spans = state.declared.grammar, state.declared.rule_spans
    reported: set[Span] = set()
    for rule, span in zip(grammar.rules, spans, strict=True):
        for fragment in rule.fragments:
            if _has_double_edge(fragment) and span not in reported:
                reported.add(span)
                labels = ", ".join(edge.label for edge in fragment.edges)
                state.error(
                    "SGL0508",
                    span,
                    f"in the rule `{rule.name}`, an edge is written twice for some values "
                    "of its features",
                    "remove one of the two",
                    notes=(f"its edges are then: {labels}",),
                )


def _has_double_edge(fragment: Fragment) -> bool:
    edges = {(e.source, e.label.removeprefix(EXTRACTED), e.target) for e in fragment.edges}
    return len(edges) < len(fragment.edges)


def _holdings(productions: Sequence[Production], index: int, layer: str) -> dict[Port, set[str]]:
    """Return what each port of each category can hold (least fixpoint over the rules)."""
    holdings: dict[Port, set[str]] = {}
    before = -1
    while before != (now := sum(len(held) for held in holdings.values())):
        before = now
        for production in productions:
            fragment = production.fragments[index].fragment
            ports = production.lhs.info.ports_in(layer)
            for port, node in zip(ports, fragment.exports, strict=True):
                held = _held(fragment.nodes[node], production, layer, holdings)
                holdings.setdefault((production.lhs.info.name, port), set()).update(held)
    return holdings


def _held(
    node: Node, production: Production, layer: str, holdings: Mapping[Port, set[str]]
) -> set[str]:
    if node.attributes is not None:
        return {_WORD}
    parts = [
        holdings.get(_port(production, child, port, layer), set()) for child, port in node.glue
    ]
    if not parts:
        return {_PLACEHOLDER}
    if not all(parts):
        return set()  # nothing is known of a child yet; perhaps it can never be built
    if any(part == {_WORD} for part in parts):
        return {_WORD}
    return set().union(*parts)


def _port(production: Production, child: int, port: int, layer: str) -> Port:
    info = production.rhs[child].info
    return info.name, info.ports_in(layer)[port]


@dataclass(frozen=True)
class _RuleGraph:
    production: Production
    fragment: Fragment
    layer: str
    holdings: Mapping[Port, set[str]]
    state: CompilerState

    def check(self, *, free: bool) -> None:
        if _has_double_edge(self.fragment):
            self._error("SGL0508", "an edge is written twice", hint="remove one of the two")
        if not free:
            self._check_words()
            self._check_tree()
        self._check_labels()

    def _check_words(self) -> None:
        """Report words written in the rule that are no nodes."""
        placed = {node.token for node in self.fragment.nodes}
        for index, item in enumerate(self.production.templates[0]):
            if isinstance(item, Token) and index not in placed:
                self._error(
                    "SGL0507",
                    f'the word "{item.text}" has no place in the graph',
                    hint=f'connect it: `X -[mark]-> "{item.text}"(upos=…)`',
                )

    def _check_tree(self) -> None:
        incoming: dict[int, list[str]] = {}
        extracted: set[int] = set()
        graph: nx.DiGraph[int] = nx.DiGraph()
        for edge in self.fragment.edges:
            if edge.label.startswith(EXTRACTED):
                extracted.add(edge.target)
            else:
                incoming.setdefault(edge.target, []).append(edge.label)
                graph.add_edge(edge.source, edge.target)
        head = self.fragment.exports[0]
        for index, node in enumerate(self.fragment.nodes):
            labels = incoming.get(index, [])
            if len(labels) > 1:
                self._error(
                    "SGL0508",
                    f"{self._name(node)} has two heads: {' and '.join(labels)}",
                    hint="mark the additional edge with `~`",
                )
            elif labels and index == head:
                self._error("SGL0508", f"the head {self._name(node)} depends on another node")
            elif not labels and index not in (head, *extracted) and self._needs_head(node):
                self._error(
                    "SGL0504",
                    f"{self._name(node)} depends on nothing",
                    hint="connect it with an edge",
                )
        if graph.number_of_edges() and not nx.is_directed_acyclic_graph(graph):
            self._error("SGL0509", "the edges of this rule go round in a circle")

    def _needs_head(self, node: Node) -> bool:
        """Return a word or a child's head, unless it fills a gap."""
        fills_gap = any(
            port and _PLACEHOLDER in self._holding(child, port) for child, port in node.glue
        )
        is_head = node.attributes is not None or any(port == 0 for _, port in node.glue)
        return is_head and not fills_gap

    def _check_labels(self) -> None:
        exported = set(self.fragment.exports)
        for index, node in enumerate(self.fragment.nodes):
            parts = [self._holding(child, port) for child, port in node.glue]
            if not all(parts):
                continue  # a child that can never be built is reported by the next pass
            own = node.attributes is not None
            words = sum(part == {_WORD} for part in parts) + own
            if sum(_WORD in part for part in parts) + own > 1:
                would = "would" if words > 1 else "could"
                self._error(
                    "SGL0510",
                    f"{self._name(node)} {would} be two words at once",
                    hint="bind a gap to one word only",
                )
            elif words == 0 and index not in exported:
                self._error(
                    "SGL0511",
                    f"{self._name(node)} is left without a word",
                    hint="bind the port to a child, or pass it on with a port of the category",
                )
        if not self.fragment.nodes:
            return
        head = self.fragment.nodes[self.fragment.exports[0]]
        if _PLACEHOLDER in _held(head, self.production, self.layer, self.holdings):
            self._error("SGL0511", "the head of this rule is a placeholder, not a word")

    def _holding(self, child: int, port: int) -> set[str]:
        """Return what a port of a child can hold."""
        return self.holdings.get(_port(self.production, child, port, self.layer), set())

    def _name(self, node: Node) -> str:
        if node.token is not None:
            item = self.production.templates[0][node.token]
            return f'"{item.text}"' if isinstance(item, Token) else "a word"
        if not node.glue:
            return "a new node"
        child, port = min(node.glue, key=lambda pair: (pair[1], pair[0]))
        name, port_name = _port(self.production, child, port, self.layer)
        return f"`{name}`" if port_name == HEAD else f"`{name}.{port_name}`"

    def _error(self, code: str, message: str, hint: str = "") -> None:
        message = f"in the rule `{self.production.name}`, {message}"
        self.state.error(code, self.production.span, message, hint)


def check_words(state: CompilerState) -> None:
    """Report repeated words, ambiguous words, and attributes that CoNLL-U cannot hold.

    Before: ``productions`` without errors.
    """
    productions = state.productions
    for production in productions:
        for name, value in _attributes(production):
            if not is_writable(name, value):
                message = f"CoNLL-U cannot hold the attribute {name}={value!r}"
                state.error("SGL0512", production.span, message, "write it without spaces and bars")
    words = [production for production in productions if not production.rhs]
    _check_repeated(words, state)
    _check_ambiguous(words, state)


def is_writable(name: str, value: str) -> bool:
    """Return whether CoNLL-U can hold an attribute; a lemma may have spaces and bars in it."""
    if value == "_" or value != value.strip():
        return False
    text = value.replace(" ", "") if name == "lemma" else value.replace("|", " ")
    return not any(character.isspace() for character in text)


def _attributes(production: Production) -> Iterator[tuple[str, str]]:
    """Yield the attributes of all nodes, a variable with each of its values."""
    for sketch in production.fragments:
        for attributes in sketch.attributes.values():
            for name, value in attributes:
                if isinstance(value, FeatureVariable):
                    yield from ((name, v) for v in sorted(production.domains[value.name]))
                else:
                    yield name, value


def _check_repeated(words: Sequence[Production], state: CompilerState) -> None:
    seen: dict[object, Production] = {}
    for word in words:
        # Homonyms, which differ in a graph, are different words.
        meaning = tuple(tuple(sketch.attributes.values()) for sketch in word.fragments)
        key = (word.lhs.info.name, word.lhs.slots, word.templates, meaning)
        earlier = seen.setdefault(key, word)
        if earlier is not word:
            state.error(
                "SGL0605",
                word.span,
                "this is the same word as an earlier one",
                "remove one of the two; a weight makes a word more frequent",
                labels=[Label(earlier.span, "the same word, in the same category")],
            )


def _check_ambiguous(words: Sequence[Production], state: CompilerState) -> None:
    """Warn about a source word with several translations that nothing tells apart."""
    seen: dict[object, Production] = {}
    for word in words:
        graphs = tuple(tuple(sketch.attributes.items()) for sketch in word.fragments)
        key = (word.lhs.info.name, word.lhs.slots, word.templates[0], graphs)
        earlier = seen.setdefault(key, word)
        if earlier.templates != word.templates:
            source = " ".join(item.text for item in word.templates[0] if isinstance(item, Token))
            state.warning(
                "SGL0611",
                word.span,
                f"`{source}` has several translations, and nothing tells them apart",
                "remove one of the two, or tell them apart by a feature or an attribute",
                labels=[Label(earlier.span, "the same word, translated otherwise")],
            )
