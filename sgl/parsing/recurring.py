"""Which categories can be rewritten into themselves over the same words.

A rule over one child, or over others that may all be empty, covers what that child covers.
Where such rules lead back to a category, a text has infinitely many trees::

    A = B : 0
    B = A : 0       A over B over A over …
"""

from __future__ import annotations

import networkx as nx

from sgl.core.grammar import CoreGrammar, Slot
from sgl.parsing.templates import TemplateIndex


def recurring(index: TemplateIndex) -> frozenset[int]:
    """The categories that can be rewritten into themselves over the same words."""
    grammar: CoreGrammar = index.grammar
    graph: nx.DiGraph[int] = nx.DiGraph()
    for rule in grammar.rules:
        template = rule.templates[index.layer]
        slots = [rule.rhs[item.child] for item in template if isinstance(item, Slot)]
        if len(slots) < len(template):
            continue
        for place, child in enumerate(slots):
            if index.nullable.issuperset(slots[:place] + slots[place + 1 :]):
                graph.add_edge(rule.lhs, child)
    return frozenset(
        category
        for component in nx.strongly_connected_components(graph)
        for category in component
        if len(component) > 1 or graph.has_edge(category, category)
    )
