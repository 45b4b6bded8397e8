"""Check on the rules with all features fixed that what needs a node has one.

A phrase may have no node in a graph layer: its head is a word that is empty in the text of the layer, or that has no
clause in a free one.  Then it has no part in the graph, and can have no edge::

    word Det: "the"                  rule np: NP -> Det N
      syn node(upos=DET)               sem N -[det]-> Det      leads to nothing
"""

from collections.abc import Iterator
from itertools import product

from sgl.core.grammar import Category, CoreGrammar, Fragment, GraphLayer, Node, Rule, Slot
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label, Span
from sgl.frontend.checks import NOTHING, PLACEHOLDER, WORD, has_double_edge
from sgl.frontend.lower.grammar import Expanded

#: What ports of categories may hold, each with a rule that is the reason.
_Held = dict[tuple[int, int, str], Rule]

_BY_FEATURE = "let the clause depend on a feature: `… if shown=yes`"


def check_instances(state: Expanded) -> None:
    """Report edges that are written twice for some values of features, or lead to no node."""
    grammar, spans = state.declared.grammar, state.declared.rule_spans
    _check_double_edges(state)
    for number, layer in enumerate(grammar.graph_layers):
        elsewhere = layer.anchor != state.signature.source.name
        if layer.free or elsewhere:
            held = _held(grammar, number)
            _check_nodes(number, held, state)
            for rule, told in _misplaced(grammar, number, held) if elsewhere else ():
                state.error("SGL0516", spans[rule.id], f"in the rule `{rule.name}`, {told}", _BY_FEATURE)


def _check_double_edges(state: Expanded) -> None:
    reported: set[Span] = set()
    for rule, span in zip(state.declared.grammar.rules, state.declared.rule_spans, strict=True):
        for fragment in filter(has_double_edge, rule.fragments):
            if span not in reported:
                reported.add(span)
                message = f"in the rule `{rule.name}`, an edge is written twice for some values of its features"
                notes = (f"its edges are then: {', '.join(edge.label for edge in fragment.edges)}",)
                state.error("SGL0508", span, message, "remove one of the two", notes=notes)


def _held(grammar: CoreGrammar, number: int) -> _Held:
    """Return what the ports of categories may hold in a graph layer: the least fixpoint over all rules."""
    held, rounds = _Held(), Rounds(rule.rhs for rule in grammar.rules)
    for rule in map(grammar.rules.__getitem__, rounds):
        fragment, before = rule.fragments[number], len(held)
        for port, node in enumerate(fragment.exports):
            for kind, reason in _kinds(fragment.nodes[node], rule, held):
                held.setdefault((rule.lhs, port, kind), reason)
        if len(held) > before:
            rounds.grew(rule.lhs)
    return held


def _kinds(node: Node, rule: Rule, held: _Held) -> Iterator[tuple[str, Rule]]:
    if node.attributes is not None:
        yield WORD, rule
    elif not node.glue:
        yield PLACEHOLDER if rule.rhs else NOTHING, rule
    for (child, port), kind in product(node.glue, (WORD, PLACEHOLDER, NOTHING)):
        if reason := held.get((rule.rhs[child], port, kind)):
            yield kind, reason


def _check_nodes(number: int, held: _Held, state: Expanded) -> None:
    """Report phrases that have an edge, fill a port or are the root of a tree, and may be no node."""
    grammar, told = state.declared.grammar, set[Span]()
    layer = grammar.graph_layers[number]
    for rule, span in zip(grammar.rules, state.declared.rule_spans, strict=True):
        nodes, needed = rule.fragments[number].nodes, _needed(rule.fragments[number], layer)
        for what, (child, port) in ((what, pair) for place, what in needed.items() for pair in nodes[place].glue):
            word = held.get((rule.rhs[child], port, NOTHING))
            if word is None or span in told:
                continue
            told.add(span)
            name = grammar.categories[rule.rhs[child]].name
            message = f"in the rule `{rule.name}`, `{name}` {what}, and may be no node of `{layer.name}`"
            labels, hint = _reason(word, rule.rhs[child], number, state)
            state.error("SGL0516", span, message, hint, labels=labels)


def _needed(fragment: Fragment, layer: GraphLayer) -> dict[int, str]:
    """Return which nodes of a rule have to be there, and why."""
    nodes = fragment.nodes
    needed = {fragment.exports[0]: "is the head"} if len(nodes) > 1 and not layer.free else {}
    needed |= {place: "fills a port" for place, node in enumerate(nodes) if len(node.glue) > 1}
    return needed | {end: f"has an edge `{e.label}`" for e in fragment.edges for end in (e.source, e.target)}


def _reason(word: Rule, category: int, number: int, state: Expanded) -> tuple[list[Label], str]:
    """Return a label for a word that is no node, and a hint for the phrase of a category that it is the head of."""
    grammar, hints = state.declared.grammar, list[str]()
    layer, why = grammar.graph_layers[number], f"is empty in `{grammar.graph_layers[number].anchor}`"
    if word.words(grammar.anchors[number]):
        why, hints = f"has no clause for `{layer.name}`", [f"write `{layer.name} node(…)` for the word"]
    if word.lhs != category:
        hints.append(f"let another node be the head in a rule of `{grammar.categories[category].base}`")
    hint = ", or ".join([*hints, _BY_FEATURE])
    return [Label(state.declared.rule_spans[word.id], f"this word {why}")], hint


def _misplaced(grammar: CoreGrammar, number: int, held: _Held) -> Iterator[tuple[Rule, str]]:
    """Yield the rules whose children have no single place in another language."""
    layer, anchor = grammar.graph_layers[number], grammar.anchors[number]
    for rule in grammar.rules:
        fragment = rule.fragments[number]
        tied = _tied(fragment, layer)
        for index, node in enumerate(fragment.nodes):
            for child in (child for child, port in node.glue if port == 0 and (rule.rhs[child], 0, WORD) in held):
                category = grammar.categories[rule.rhs[child]]
                pieces = _pieces(rule, child, anchor)
                if index not in tied:
                    yield rule, f"`{category.name}` depends on nothing in `{layer.name}`"
                elif pieces != _parts(category, layer.anchor):
                    yield rule, f"`{category.name}` stands {len(pieces)} times in `{layer.anchor}`"


def _tied(fragment: Fragment, layer: GraphLayer) -> set[int]:
    """Return the nodes of a rule that depend on another, or need not."""
    if layer.free:
        return {*range(len(fragment.nodes))}
    glued = (index for index, node in enumerate(fragment.nodes) if len(node.glue) > 1)
    return {fragment.exports[0], *(edge.target for edge in fragment.edges), *glued}


def _pieces(rule: Rule, child: int, layer: int) -> list[int]:
    """Return which parts of a child a rule writes in a text layer; -1 is one that a function changes."""
    slots = (item for item in rule.templates[layer] if isinstance(item, Slot) and item.child == child)
    return sorted(-1 if item.functions else item.part for item in slots)


def _parts(category: Category, layer: str) -> list[int]:
    """Return the numbers of the parts of a phrase in a text layer; 0 is a phrase in one piece."""
    own = [part for part in category.parts if part.partition(".")[0] == layer]
    return [*range(1, len(own) + 2)] if own else [0]
