"""Realize many derivations: those that differ only in their words by one template.

What a derivation says is written as a text, so that ``TemplateWriter`` can learn it, and read again.
"""

from functools import cache, partial
from itertools import islice

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Attributes, Graph, GraphNode
from sgl.core.interpret import Derivation
from sgl.rendering.output import Output, TemplateWriter
from sgl.rendering.rule_classes import Uses
from sgl.research.evaluate.realization import Realization, Realizer

#: Stand between the texts of a realization, and between the names and values of attributes; the name of all of them.
_BETWEEN, _WITHIN, _ALL = "\x1f", "\x1e", ""

#: A graph whose nodes have no attributes, and the order of its nodes in the text.
_Skeleton = tuple[Graph, tuple[int, ...]]


def _as_one(attributes: Attributes) -> Attributes:
    return ((_ALL, _WITHIN.join(text for pair in attributes for text in pair)),)


@cache
def _attributes(text: str) -> Attributes:
    pieces = text.split(_WITHIN)
    return tuple(zip(pieces[::2], pieces[1::2], strict=False))


class TemplateRealizer:
    """Realize derivations like ``Realizer`` in one text layer: those of one shape by a template."""

    def __init__(self, grammar: CoreGrammar, graph: int, layer: int) -> None:
        self._plain = Realizer(grammar, graph, layer)
        #: The number of each skeleton.
        self._numbers: dict[_Skeleton, int] = {}
        uses = Uses((layer,), graph, shown=_as_one)
        self._writer = TemplateWriter(Output(grammar, "realization", None, uses, partial(self._written, graph, layer)))
        self._skeletons: list[_Skeleton] = []

    def _written(self, graph: int, layer: int, grammar: CoreGrammar, derivation: Derivation) -> str:
        """Return what a derivation says as a text: the number of a skeleton, the words, phrases and attributes."""
        found, words, phrases, order = Realizer(grammar, graph, layer).realize(derivation)
        bare = found._replace(nodes=tuple([GraphNode((), at) for _, at in found.nodes]))
        number = self._numbers.setdefault((bare, order), len(self._numbers))
        given = [known if known[:1] and known[0][0] == _ALL else _as_one(known) for known, _ in found.nodes]
        return _BETWEEN.join([str(number), *words, *phrases, *(one[0][1] for one in given)])

    def realize(self, derivation: Derivation) -> Realization:
        """Return what a derivation says."""
        number, *texts = self._writer(derivation).split(_BETWEEN)
        if int(number) >= len(self._skeletons):
            self._skeletons += islice(self._numbers, len(self._skeletons), None)
        graph, order = self._skeletons[int(number)]
        size = len(graph.nodes)
        if len(texts) != 3 * size:
            # A word has a strange character.
            return self._plain.realize(derivation)
        known = zip(graph.nodes, texts[2 * size :], strict=True)
        nodes = tuple([GraphNode(_attributes(text), at) for (_, at), text in known])
        return Realization(graph._replace(nodes=nodes), tuple(texts[:size]), tuple(texts[size : 2 * size]), order)
