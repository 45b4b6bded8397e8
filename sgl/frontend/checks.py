"""Check on the rules and words that every derived graph is well-formed.

Two properties, both shown once and for all derivations (of a free layer the second):

* *Tree.* Unmarked edges form a tree over the words.  It is enough that in each rule every node
  but the head has exactly one unmarked edge into it, and that the edges go round in no circle.
* *Labels.* Every placeholder is bound to a word, along the ports of the rules.

Beside them, an ``nsubj`` from a noun to a verb is the wrong way round.

And of words: each is there once, and CoNLL-U can hold its attributes.  Where nothing in the graph
tells two words apart that are spelt alike in the source, a sentence has two translations.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

import networkx as nx

from sgl.characters import code_of, hidden
from sgl.core.grammar import EXTRACTED, HEAD, CoreGrammar, Edge, Fragment, Node, Rule, Template, Token
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label, Span, one_slip, suggest
from sgl.frontend.elaborate.open_text import possible, shown
from sgl.frontend.lower.grammar import Expanded
from sgl.frontend.lower.productions import Produced, Production, Version
from sgl.rendering.conllu import is_attribute

#: What a port of a phrase may hold.
WORD, PLACEHOLDER, NOTHING = "a word", "a placeholder", "nothing"

_TABLE = tomllib.loads(Path(__file__).with_name("dependencies.toml").read_text("utf-8"))

_UPOS = frozenset(_TABLE["upos"].split())
#: Which parts of speech cannot stand at the two ends of an edge, head and dependent.
_ODD = {label: [frozenset(end.split()) for end in ends] for label, ends in _TABLE["relations"].items()}


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
            fragment = version.fragments[index]
            template = version.templates[anchor]
            rule = _RuleGraph(production, version, fragment, ports, state, template)
            if has_double_edge(fragment):
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
        placed = {node.token for node in self.fragment.nodes}
        for index, item in enumerate(self.template):
            if isinstance(item, Token) and index not in placed:
                word = shown(item.text)
                hint = f'connect it: `X -[mark]-> "{word}"(upos=…)`'
                self.error("SGL0507", f'the word "{word}" has no place in the graph', hint)
        incoming: dict[int, list[str]] = {}
        extracted: set[int] = set()
        edges: list[tuple[int, int]] = []
        for edge in self.fragment.edges:
            if edge.label.startswith(EXTRACTED):
                extracted.add(edge.target)
            else:
                incoming.setdefault(edge.target, []).append(edge.label)
                edges.append((edge.source, edge.target))
        head = self.fragment.exports[0]
        for index, node in enumerate(self.fragment.nodes):
            labels = incoming.get(index, [])
            if len(labels) > 1:
                message = f"{self._name(node)} has two heads: {' and '.join(labels)}"
                self.error("SGL0508", message, "mark the additional edge with `~`")
            elif labels and index == head:
                self.error("SGL0508", f"the head {self._name(node)} depends on another node")
            elif not labels and index not in (head, *extracted) and self._needs_head(node):
                self.error("SGL0504", f"{self._name(node)} depends on nothing", "connect it with an edge")
        if edges and not nx.is_directed_acyclic_graph(nx.DiGraph(edges)):
            self.error("SGL0509", "the edges of this rule go round in a circle")

    def _needs_head(self, node: Node) -> bool:
        parts = self.ports.parts(node, self.production)
        pairs = zip(node.glue, parts, strict=True)
        fills_gap = any(port and PLACEHOLDER in part for (_, port), part in pairs)
        fills_gap |= any(NOTHING in part for part in parts)  # That is told of instances.
        is_head = node.attributes is not None or any(port == 0 for _, port in node.glue)
        return is_head and not fills_gap

    def check_labels(self) -> None:
        head, *exported = self.fragment.exports
        for index, node in enumerate(self.fragment.nodes):
            parts = self.ports.parts(node, self.production)
            if not all(parts) or (len(parts) > 1 and any(NOTHING in part for part in parts)):
                # A child that can never be built is reported by the next pass, one that may be
                # no node by that over instances.
                continue
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
    """Report repeated, ambiguous and invisible words, and what CoNLL-U cannot hold."""
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
    words: dict[object, tuple[Production, Version]] = {}
    sources: dict[object, tuple[Production, Version]] = {}
    every = ((p, version) for p in state.productions if not p.rhs for version in p.versions)
    for word, version in every:
        # Homonyms, which differ in a graph, are different words.
        meaning = tuple(tuple(node.attributes for node in fragment.nodes) for fragment in version.fragments)
        key, templates = (word.lhs.info.name, word.lhs.slots), version.templates
        earlier, _ = words.setdefault((*key, templates, meaning), (word, version))
        if earlier is not word:
            labels = [Label(earlier.span, "the same word, in the same category")]
            hint = "remove one of the two; a weight makes a word more frequent"
            state.error("SGL0605", word.span, "this is the same word as an earlier one", hint, labels=labels)
        earlier, first = sources.setdefault((*key, templates[0], meaning), (word, version))
        if earlier is not word and first.templates != templates:
            source = " ".join(item.text for item in templates[0] if isinstance(item, Token))
            message = f"`{source}` has several translations, and nothing tells them apart"
            labels = [Label(earlier.span, "the same word, translated otherwise")]
            hint = "remove one of the two, or tell them apart by a feature or an attribute"
            state.warning("SGL0611", word.span, message, hint, labels=labels)


def _attributes(production: Production) -> Iterator[tuple[str, str]]:
    fragments = (fragment for version in production.versions for fragment in version.fragments)
    for node in (node for fragment in fragments for node in fragment.nodes):
        for name, value in node.attributes or ():
            yield from ((name, one) for one in possible(value, production.domains))


def check_dependencies(state: Expanded) -> None:
    """Warn about edges and names that Universal Dependencies do not have."""
    for layer, graph in enumerate(state.declared.grammar.graph_layers):
        if not graph.free:
            _find_odd_edges(state, layer)
            _find_odd_names(state, layer)


def _find_odd_edges(state: Expanded, layer: int) -> None:
    ports = _parts_of_speech(state.declared.grammar, layer)
    told: set[tuple[Span, str]] = set()
    placed = zip(state.declared.grammar.rules, state.declared.rule_spans, strict=True)
    for rule, span in ((rule, span) for rule, span in placed if rule.rhs):
        for edge in rule.fragments[layer].edges:
            base = edge.label.partition(":")[0]
            if edge.label.startswith(EXTRACTED) or base not in _ODD or (span, edge.label) in told:
                continue
            ends = [_upos(rule, layer, end, ports) for end in (edge.source, edge.target)]
            if not all(ends) or not _is_odd(edge, ends[0], ends[1]):
                continue
            told.add((span, edge.label))
            turned = not _is_odd(edge, ends[1], ends[0])
            head, dependent = ("|".join(sorted(end)) for end in ends)
            message = f"in the rule `{rule.name}`, `{edge.label}` leads from {head} to {dependent}"
            hint = "turn the edge round" if turned else "look at the label, and at the `upos`"
            state.warning("SGL0515", span, message, hint, notes=("Universal Dependencies have no such edge",))


def _find_odd_names(state: Expanded, layer: int) -> None:
    """Warn about parts of speech that UD do not have beside some that they have, and about labels that are near one."""
    grammar, spans = state.declared.grammar, state.declared.rule_spans
    tags: dict[str, dict[str, tuple[Span, str]]] = {}
    labels: dict[str, dict[str, Span]] = {}
    for rule, span in zip(grammar.rules, spans, strict=True):
        for node in (node for node in rule.fragments[layer].nodes if node.attributes is not None):
            item = None if node.token is None else rule.templates[grammar.anchors[layer]][node.token]
            word = item.text if isinstance(item, Token) else rule.name
            tags.setdefault(dict(node.attributes or ()).get("upos", ""), {}).setdefault(rule.name, (span, word))
        for edge in rule.fragments[layer].edges:
            labels.setdefault(edge.label.removeprefix(EXTRACTED).partition(":")[0], {}).setdefault(rule.name, span)
    for tag in sorted(tags.keys() - _UPOS if tags.keys() & _UPOS else ()):
        for span, word in tags[tag].values():
            message = f'the word "{word}" has `upos={tag}`' if tag else f'the word "{word}" has no part of speech'
            hint = suggest(tag, sorted(_UPOS), "there is") if tag else "CoNLL-U shows `_`: give it a `upos`"
            state.warning("SGL0517", span, message, hint)
    for label, rules in labels.items():
        # Only what one rule alone writes may be a slip.
        if label in _ODD or len(rules) > 1:
            continue
        if near := [other for other in (*labels, *_ODD) if one_slip(label, other)]:
            ((name, span),) = rules.items()
            place = state.names.labels.get(label, [span])[0]
            message = f"in the rule `{name}`, `{label}` is no label of Universal Dependencies"
            state.warning("SGL0517", place, message, suggest(label, near))


def _is_odd(edge: Edge, heads: frozenset[str], dependents: frozenset[str]) -> bool:
    no_heads, no_dependents = _ODD[edge.label.partition(":")[0]]
    return heads <= no_heads or dependents <= no_dependents


def _parts_of_speech(grammar: CoreGrammar, layer: int) -> dict[tuple[int, int], frozenset[str]]:
    ports: dict[tuple[int, int], frozenset[str]] = {}
    rounds = Rounds(rule.rhs for rule in grammar.rules)
    for rule in map(grammar.rules.__getitem__, rounds):
        for port, node in enumerate(rule.fragments[layer].exports):
            known = ports.setdefault((rule.lhs, port), frozenset())
            found = known | _upos(rule, layer, node, ports)
            if found != known:
                ports[rule.lhs, port] = found
                rounds.grew(rule.lhs)
    return ports


def _upos(rule: Rule, layer: int, number: int, ports: Mapping[tuple[int, int], frozenset[str]]) -> frozenset[str]:
    """Return the parts of speech that a node can have; ``?`` is unknown, a placeholder has none."""
    node = rule.fragments[layer].nodes[number]
    if node.attributes is not None:
        return frozenset({dict(node.attributes).get("upos", "?")})
    parts = (ports.get((rule.rhs[child], port), frozenset()) for child, port in node.glue)
    return frozenset[str]().union(*parts)
