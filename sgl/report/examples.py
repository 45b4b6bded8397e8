"""Turn a derivation into what the report draws: trees, words and arcs.

A tree follows the templates of a text layer, so that its leaves are the
sentence: children stand where their slots are, quoted words between them.  One
derivation gives the tree of the source and, in another order, of the target.
"""

from __future__ import annotations

from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, interpret
from sgl.rendering import outputs
from sgl.report.model import Arc, Example, GraphWord, TreeNode

#: A derivation with more rules than this is too large for a picture.
LARGEST_TREE = 120


def example_of(
    grammar: CoreGrammar, derivation: Derivation, *, source: str, target: str, graph: str
) -> Example:
    """Return the item of ``derivation`` in the outputs and the graph layer with these names.

    A view, which is not made of the words of phrases, has no tree.

    Raises:
        KeyError: the grammar has no layer or view of that name.
    """
    item = interpret(grammar, derivation)
    written = outputs(grammar)
    layers = (written[source].layer, written[target].layer)
    drawable = len(derivation) <= LARGEST_TREE
    layer = grammar.graph_layer(graph)
    anchor = grammar.text_layer(grammar.graph_layers[layer].anchor)
    value = item.graphs[layer]
    return Example(
        source=written[source](derivation),
        target=written[target](derivation),
        trees=tuple(
            tree_of(grammar, derivation, text) for text in layers if drawable and text is not None
        ),
        words=_words(value, item.tokens[anchor]),
        arcs=_arcs(value),
        root=value.nodes[value.head].position,
    )


def tree_of(grammar: CoreGrammar, derivation: Derivation, layer: int) -> TreeNode:
    """Return the tree of a derivation over its words in a text layer."""
    stack: list[TreeNode] = []
    for rule_id in reversed(derivation):
        rule = grammar.rules[rule_id]
        children = [stack.pop() for _ in rule.rhs]
        category = grammar.categories[rule.lhs].name
        leaves = tuple(
            children[item.child] if isinstance(item, Slot) else TreeNode(item.text)
            for item in rule.templates[layer]
        )
        label = category.partition("[")[0]
        stack.append(TreeNode(label, leaves or (TreeNode("∅"),), f"{category}, rule {rule.name}"))
    return stack.pop()


def _words(graph: Graph, tokens: tuple[str, ...]) -> tuple[GraphWord, ...]:
    upos = {node.position: node.get("upos") for node in graph.nodes}
    return tuple(GraphWord(form, upos.get(position, "")) for position, form in enumerate(tokens))


def _arcs(graph: Graph) -> tuple[Arc, ...]:
    return tuple(
        Arc(
            governor=graph.nodes[source].position,
            label=label.removeprefix(EXTRACTED),
            dependent=graph.nodes[target].position,
            extracted=label.startswith(EXTRACTED),
        )
        for source, label, target in graph.edges
    )
