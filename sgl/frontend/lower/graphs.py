"""Check that every derived graph is well-formed, on the rules with fixed features.

Checked once for all derivations (for a free layer only the last two):

* *Tree.* Unmarked edges form a tree over the words.  It suffices that in each rule every node
  but the head has exactly one incoming unmarked edge, and that the edges form no cycle.
* *Labels.* Every placeholder is bound to a word, along the ports of the rules.
* *Nodes.* Phrases have a node where one is needed.  A phrase may have none in a graph layer if its head is empty in the
  text of the layer, or has no clause in a free layer.  Then it is not in the graph, and can have no edge::

    word Det: "the"                  rule np: NP -> Det N
      syn node(upos=DET)               sem N -[det]-> Det      leads to nothing
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from sgl.core.grammar import EXTRACTED, HEAD, Category, CoreGrammar, Node, Rule, Slot, Token
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label, whole
from sgl.frontend.lower.expand import Instance
from sgl.frontend.lower.grammar import Expanded
from sgl.frontend.lower.joints import fused_with, noded

#: The possible contents of a phrase's port.
WORD, PLACEHOLDER, NOTHING = "a word", "a placeholder", "nothing"
_BY_FEATURE = "let the clause depend on a feature: `… if shown=yes`"

#: The possible kinds of a node, each with a rule as the reason.
Kinds = Mapping[str, Rule]
#: The possible contents of the ports of categories, both by number.
Held = dict[tuple[int, int], dict[str, Rule]]


def held_by_ports(grammar: CoreGrammar, layer: int, kinds: Callable[[Node, Rule, Held], Kinds]) -> Held:
    """Return the possible contents of categories' ports in a graph layer: the least fixpoint over all rules."""
    held, rounds = Held(), Rounds(rule.rhs for rule in grammar.rules)
    for rule in map(grammar.rules.__getitem__, rounds):
        fragment = rule.fragments[layer]
        for port, node in enumerate(fragment.exports):
            known = held.setdefault((rule.lhs, port), {})
            before = len(known)
            for kind, reason in kinds(fragment.nodes[node], rule, held).items():
                known.setdefault(kind, reason)
            if len(known) > before:
                rounds.grew(rule.lhs)
    return held


def _kinds(node: Node, rule: Rule, held: Held) -> Kinds:
    if node.attributes is not None:
        return {WORD: rule}
    if not node.glue:
        return {PLACEHOLDER if rule.rhs else NOTHING: rule}
    parts = [held.get((rule.rhs[child], port), {}) for child, port in node.glue]
    if not all(parts):
        return {}  # Nothing is known yet about a child.
    certain = next((part for part in parts if part.keys() == {WORD}), None)
    return certain or {kind: reason for part in reversed(parts) for kind, reason in part.items()}


def check_graphs(state: Expanded) -> None:
    """Check that all graphs are trees whose nodes and edges are complete."""
    grammar, graphs = state.declared.grammar, list[_RuleGraph]()
    pairs = zip(grammar.rules, state.instances, strict=True)
    # A single declared word is one node.
    rules = [pair for pair in pairs if not (pair[1].production.word or pair[1].production.pool)]
    for number in range(len(grammar.graph_layers)):
        held, told = held_by_ports(grammar, number, _kinds), set[object]()
        parts = noded(grammar, grammar.anchors[number]) if grammar.divided(grammar.anchors[number]) else frozenset()
        graphs += [_RuleGraph(rule, instance, number, held, parts, told, state) for rule, instance in rules]
    with whole(state.diagnostics):
        for graph in graphs:
            graph.check_shape()
    # A missing node may be a consequence of reported errors.
    with whole(state.diagnostics):
        for graph in graphs:
            graph.check_nodes()


class _RuleGraph:
    """The graph of one rule in one layer, where ports ``held`` something; ``told`` is what was said of that layer.

    ``noded`` are the parts of phrases that may have nodes.
    """

    def __init__(
        self,
        rule: Rule,
        instance: Instance,
        number: int,
        held: Held,
        noded: frozenset[tuple[int, int]],
        told: set[object],
        state: Expanded,
    ) -> None:
        self.rule, self.instance, self.held, self.told, self.state = rule, instance, held, told, state
        self.noded = noded
        grammar, fragment = state.declared.grammar, rule.fragments[number]
        self.layer, self.text = grammar.graph_layers[number], grammar.anchors[number]
        self.nodes, self.edges, self.exports = fragment.nodes, fragment.edges, fragment.exports
        self.children = [grammar.categories[child] for child in rule.rhs]

    def _parts(self, node: Node) -> list[dict[str, Rule]]:
        return [self.held.get((self.rule.rhs[child], port), {}) for child, port in node.glue]

    def check_shape(self) -> None:
        if len({(e.source, e.label.removeprefix(EXTRACTED), e.target) for e in self.edges}) < len(self.edges):
            notes = (f"its edges are: {', '.join(edge.label for edge in self.edges)}",)
            self._error("SGL0508", "an edge is written twice", "remove one of the two", notes=notes)
        if not self.layer.free:
            self._check_tree()
        for index, node in enumerate(self.nodes):
            parts = self._parts(node)
            # A node that may be missing is reported below.
            if len(parts) < 2 or not any(NOTHING in part for part in parts):
                self._check_word(index, parts)

    def _check_tree(self) -> None:
        placed, template = {node.token for node in self.nodes}, self.rule.templates[self.text]
        for index, item in enumerate(template):
            has_node = any(at in placed or isinstance(template[at], Slot) for at in fused_with(template, index))
            if isinstance(item, Token) and not (item.joint or has_node):
                hint = f'connect it: `X -[mark]-> "{item.text}"(upos=…)`'
                self._error("SGL0507", f'the word "{item.text}" has no place in the graph', hint, place=index)
        for index in range(len(self.nodes)):
            self._check_heads(index)
        above: dict[int, list[int]] = {}
        for edge in (edge for edge in self.edges if not edge.label.startswith(EXTRACTED)):
            above.setdefault(edge.target, []).append(edge.source)
        try:
            TopologicalSorter(above).prepare()
        except CycleError:
            self._error("SGL0509", "the edges of this rule go round in a circle")

    def _check_heads(self, index: int) -> None:
        node, is_head = self.nodes[index], index == self.exports[0]
        incoming = [edge.label for edge in self.edges if edge.target == index]
        labels = [label for label in incoming if not label.startswith(EXTRACTED)]
        if len(labels) > 1:
            message = f"{self._name(node)} has two heads: {' and '.join(labels)}"
            self._error("SGL0508", message, "mark the additional edge with `~`", place=index)
        elif labels and is_head:
            self._error("SGL0508", f"the head {self._name(node)} depends on another node", place=index)
        elif not (incoming or is_head) and self._needs_head(node):
            self._error("SGL0504", f"{self._name(node)} depends on nothing", "connect it with an edge", place=index)

    def _needs_head(self, node: Node) -> bool:
        parts = self._parts(node)
        fills_gap = any(port and PLACEHOLDER in part for (_, port), part in zip(node.glue, parts, strict=True))
        is_head = node.attributes is not None or any(port == 0 for _, port in node.glue)
        return is_head and not fills_gap and not any(NOTHING in part for part in parts)

    def _check_word(self, index: int, parts: Sequence[Kinds]) -> None:
        """Report a node that may be two words, or stays a placeholder that cannot be bound from outside."""
        (head, *exported), node = self.exports, self.nodes[index]
        own = node.attributes is not None
        words = sum(part.keys() == {WORD} for part in parts) + own
        is_open = words == 0 and PLACEHOLDER in _kinds(node, self.rule, self.held)
        if sum(WORD in part for part in parts) + own > 1:
            message = f"{self._name(node)} {'would' if words > 1 else 'could'} be two words at once"
            self._error("SGL0510", message, "bind a gap to one word only", place=index)
        elif is_open and index == head:
            self._error("SGL0511", "the head of this rule is a placeholder, not a word")
        elif is_open and index not in exported:
            hint = "bind the port to a child, or pass it on with a port of the category"
            self._error("SGL0511", f"{self._name(node)} is left without a word", hint, place=index)

    def _name(self, node: Node) -> str:
        if node.token is not None:
            item = self.rule.templates[self.text][node.token]
            return f'"{item.text}"' if isinstance(item, Token) else "a word"
        if not node.glue:
            return "a new node"
        child, port = min(node.glue, key=lambda pair: (pair[1], pair[0]))
        category = self.children[child]
        name = category.ports_in(self.layer.name)[port]
        return f"`{category.base}`" if name == HEAD else f"`{category.base}.{name}`"

    def check_nodes(self) -> None:
        """Report phrases that need a node but may have none, or have no single place in another language."""
        for place, what in self._needed().items():
            for child, port in self.nodes[place].glue:
                word = self.held[self.rule.rhs[child], port].get(NOTHING)
                if word is not None:
                    message = f"`{self.children[child].name}` {what}, but may lack a node in `{self.layer.name}`"
                    labels, hint = self._reason(word, self.rule.rhs[child])
                    self._error("SGL0516", message, hint, labels=labels)
        if self.text:
            for told in self._misplaced():
                self._error("SGL0516", told, _BY_FEATURE)

    def _needed(self) -> dict[int, str]:
        """Return the nodes of a rule that must exist, and why."""
        needed = {self.exports[0]: "is the head"} if len(self.nodes) > 1 and not self.layer.free else {}
        needed |= {place: "fills a port" for place, node in enumerate(self.nodes) if len(node.glue) > 1}
        return needed | {end: f"has an edge `{e.label}`" for e in self.edges for end in (e.source, e.target)}

    def _reason(self, word: Rule, category: int) -> tuple[list[Label], str]:
        """Return a label for a word without a node, and a hint for the phrase of which it is the head."""
        layer, categories, hints = self.layer, self.state.declared.grammar.categories, list[str]()
        why = f"is empty in `{layer.anchor}`"
        if word.words(self.text):
            why, hints = f"has no clause for `{layer.name}`", [f"write `{layer.name} node(…)` for the word"]
        if word.lhs != category:
            hints.append(f"make another node the head in a rule of `{categories[category].base}`")
        hint = ", or ".join([*hints, _BY_FEATURE])
        return [Label(self.state.declared.rule_spans[word.id], f"this word {why}")], hint

    def _misplaced(self) -> Iterator[str]:
        """Yield the faults of children that have no single place in another language."""
        glued = (index for index, node in enumerate(self.nodes) if len(node.glue) > 1)
        tied = {self.exports[0], *(edge.target for edge in self.edges), *glued}
        for index, node in enumerate(self.nodes):
            for child in (child for child, port in node.glue if port == 0):
                category, pieces = self.children[child], self._pieces(child)
                if WORD not in self.held[self.rule.rhs[child], 0]:
                    continue
                if not self.layer.free and index not in tied:
                    yield f"`{category.name}` depends on nothing in `{self.layer.name}`"
                elif pieces != self._wanted(child, category):
                    yield f"`{category.name}` stands {len(pieces)} times in `{self.layer.anchor}`"

    def _pieces(self, child: int) -> list[int]:
        """Return the parts of a child that the rule writes in the text layer; -1 for a part changed by a function."""
        template = self.rule.templates[self.text]
        slots = (item for item in template if isinstance(item, Slot) and item.child == child)
        slots = (item for item in slots if not item.part or (self.rule.rhs[child], item.number) in self.noded)
        return sorted(-1 if item.functions else item.part for item in slots)

    def _wanted(self, child: int, category: Category) -> list[int]:
        """Return the parts of a child with nodes, each of which has one place; 0 is a phrase in one piece."""
        own = _parts(category, self.layer.anchor)
        return [part for part in own if not part or (self.rule.rhs[child], part - 1) in self.noded]

    def _error(
        self,
        code: str,
        message: str,
        hint: str = "",
        *,
        place: int = -1,
        labels: Sequence[Label] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """Report an error once for all feature values, separately for each node."""
        span, when = self.instance.production.span, self.instance.version.when
        if (code, span, when, place) not in self.told:
            self.told.add((code, span, when, place))
            case = f" with `{when}`" if when else ""
            message = f"in the rule `{self.rule.name}`{case}, {message}"
            self.state.error(code, span, message, hint, labels=labels, notes=notes)


def _parts(category: Category, layer: str) -> list[int]:
    """Return the numbers of a phrase's parts in a text layer; [0] if it has only one piece."""
    own = [part for part in category.parts if part.partition(".")[0] == layer]
    return [*range(1, len(own) + 2)] if own else [0]
