"""What a derivation says: its graph, with the words and phrases of one text layer.

A structure speaks of the nodes of a graph, which stand on English words; a prediction is a
Japanese sentence.  The derivation has both.  Each node comes from a rule, whose words in the
other layer are the *word* of the node; and the largest phrase that a node is the head of is
its *phrase*::

    The cat in a box slept.        猫が… :  箱の中の猫が眠った。

    node  label      word      phrase
    cat   nsubj      猫        箱の中の猫
    box   nmod       箱        箱の中の
    slept root       眠った    箱の中の猫が眠った。
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Slot
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, finish

#: The owner of words of rules that write nothing in the layer of the graph.
_NOBODY = -1


class Said(NamedTuple):
    """A graph with the word and the phrase of each of its nodes, in their order.

    ``order`` are the nodes in the order of their words in the text layer.
    """

    graph: Graph
    words: tuple[str, ...]
    phrases: tuple[str, ...]
    order: tuple[int, ...] = ()


class _Phrase(NamedTuple):
    """What a part of a derivation is.

    ``anchors`` are its words in the layer of the graph, by number; ``words`` those in the
    layer that is asked for, ``owners`` the number of the first word of the rule that wrote
    each of these; ``ports`` the numbers of the words that its ports stand on.
    """

    anchors: list[int]
    words: list[str]
    owners: list[int]
    ports: list[int | None]


class Teller:
    """Says what derivations of a grammar say in one graph layer and one text layer."""

    def __init__(self, grammar: CoreGrammar, graph: int, text: int) -> None:
        self._grammar = grammar
        self._graph = graph
        self._text = text
        self._join = grammar.text_layers[text]
        self._anchor = grammar.text_layer(grammar.graph_layers[graph].anchor)

    def tell(self, derivation: Derivation) -> Said:
        """What a derivation says."""
        words: dict[int, str] = {}
        phrases: dict[int, str] = {}
        stack: list[_Phrase] = []
        made = 0
        for number in reversed(derivation):
            rule = self._grammar.rules[number]
            children = [stack.pop() for _ in rule.rhs]
            found = self._phrase(number, children, made)
            own = finish(self._join, self._own(number))
            for word in range(made, made + len(rule.templates[self._anchor])):
                words[word] = own
            made += len(rule.templates[self._anchor])
            head = found.ports[0]
            if head is not None:
                # A phrase comes after its parts, so that the largest one remains.
                phrases[head] = finish(self._join, found.words)
            stack.append(found)
        root = stack.pop()
        graph = derive_graph(self._grammar, derivation, self._graph)
        at = [root.anchors[node.position] for node in graph.nodes]
        node_of = {word: node for node, word in enumerate(at)}
        return Said(
            graph,
            tuple([words[word] for word in at]),
            tuple([phrases.get(word, words[word]) for word in at]),
            tuple([node_of[word] for word in dict.fromkeys(root.owners) if word in node_of]),
        )

    def _phrase(self, number: int, children: Sequence[_Phrase], made: int) -> _Phrase:
        """The phrase that a rule makes; its words are numbered from ``made``."""
        rule = self._grammar.rules[number]
        anchors: list[int] = []
        for place, item in enumerate(rule.templates[self._anchor]):
            anchors += children[item.child].anchors if isinstance(item, Slot) else [made + place]
        places = [n for n, i in enumerate(rule.templates[self._anchor]) if not isinstance(i, Slot)]
        owner = made + places[0] if places else _NOBODY
        words: list[str] = []
        owners: list[int] = []
        for item in rule.templates[self._text]:
            words += children[item.child].words if isinstance(item, Slot) else [item.text]
            owners += children[item.child].owners if isinstance(item, Slot) else [owner]
        nodes: list[int | None] = []
        for node in rule.fragments[self._graph].nodes:
            glued = (children[child].ports[port] for child, port in node.glue)
            known = next((word for word in glued if word is not None), None)
            nodes.append(known if node.token is None else made + node.token)
        exports = rule.fragments[self._graph].exports
        return _Phrase(anchors, words, owners, [nodes[export] for export in exports])

    def _own(self, number: int) -> list[str]:
        """The words that a rule writes itself in the text layer, without its children's."""
        template = self._grammar.rules[number].templates[self._text]
        return [item.text for item in template if not isinstance(item, Slot)]
