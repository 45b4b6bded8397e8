"""Realize many derivations: those that differ only in their words by one template.

What a derivation says is written as a text, so that ``TemplateWriter`` can learn it, and read again.
"""

from dataclasses import dataclass, field
from functools import cache
from itertools import islice

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Attributes, Graph, GraphNode
from sgl.core.interpret import Derivation
from sgl.rendering.rule_classes import Uses
from sgl.rendering.templates import TemplateWriter
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


@dataclass(frozen=True)
class RealizationOutput:
    """What derivations say as texts, which templates can write: the number of a skeleton, and texts of its nodes."""

    grammar: CoreGrammar
    graph: int
    layer: int
    numbers: dict[_Skeleton, int] = field(default_factory=dict)

    @property
    def uses(self) -> Uses:
        """The words of the layer, and attributes."""
        return Uses((self.layer,), self.graph, shown=_as_one)

    def text(self, derivation: Derivation) -> str:
        """Return the number, the words, the phrases and the attributes."""
        graph, words, phrases, order = Realizer(self.grammar, self.graph, self.layer).realize(derivation)
        bare = graph._replace(nodes=tuple([GraphNode((), at) for _, at in graph.nodes]))
        number = self.numbers.setdefault((bare, order), len(self.numbers))
        given = [known if known[:1] and known[0][0] == _ALL else _as_one(known) for known, _ in graph.nodes]
        return _BETWEEN.join([str(number), *words, *phrases, *(one[0][1] for one in given)])


class TemplateRealizer:
    """Realize derivations like ``Realizer`` in one text layer: those of one shape by a template."""

    def __init__(self, grammar: CoreGrammar, graph: int, layer: int) -> None:
        self._plain = Realizer(grammar, graph, layer)
        self._output = RealizationOutput(grammar, graph, layer)
        self._writer = TemplateWriter(self._output)
        self._skeletons: list[_Skeleton] = []

    def realize(self, derivation: Derivation) -> Realization:
        """Return what a derivation says."""
        number, *texts = self._writer(derivation).split(_BETWEEN)
        if int(number) >= len(self._skeletons):
            self._skeletons += islice(self._output.numbers, len(self._skeletons), None)
        graph, order = self._skeletons[int(number)]
        size = len(graph.nodes)
        if len(texts) != 3 * size:
            # A word has a strange character.
            return self._plain.realize(derivation)
        known = zip(graph.nodes, texts[2 * size :], strict=True)
        nodes = tuple([GraphNode(_attributes(text), at) for (_, at), text in known])
        return Realization(graph._replace(nodes=nodes), tuple(texts[:size]), tuple(texts[size : 2 * size]), order)
