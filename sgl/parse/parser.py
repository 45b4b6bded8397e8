"""Parse sentences of a text layer into derivations."""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar, Slot
from sgl.core.interpret import Derivation
from sgl.parse.chart import Chart
from sgl.parse.forest import Forest
from sgl.parse.lattice import Lattice, TextLattice, TokenLattice
from sgl.parse.likeliest import Likeliest
from sgl.parse.templates import TemplateIndex

#: Derivations of one sentence that are returned unless more are asked for.
LIMIT = 1_000


class Parser:
    """A parser for one text layer of a grammar, from the grammar's start category.

    Every template is understood: permuted, raised by ``capital``, repeated and
    dropped children, several words, no words.  A dropped child leaves no trace in
    the input; in its place stands its likeliest derivation.
    """

    def __init__(self, grammar: CoreGrammar, layer: int = 0) -> None:
        """``layer`` is the index of a text layer.

        Raises ``UnparsableLayerError`` for a layer that has empty words.
        """
        self._grammar = grammar
        self._layer = layer
        self._index = TemplateIndex(grammar, layer)
        self._lengths = sorted({len(word) for word in self._index.vocabulary})
        self._likeliest = Likeliest(grammar)
        self._exact = all(_is_linear(rule.templates[layer]) for rule in grammar.rules)

    def parse(self, sentence: str | Sequence[str], limit: int = LIMIT) -> tuple[Derivation, ...]:
        """The derivations of a text or of a sequence of tokens, at most ``limit``.

        A text is written as the layer writes it, with its separators.  The order
        is fixed: by the rules' numbers, from the root down, then by the spans of
        their children.  Of derivations with a category above itself over the same
        words only those without repetition are there.
        """
        chart = self._chart(sentence)
        if not chart.covers(self._grammar.start):
            return ()
        return Forest(self._index, chart, self._likeliest).derivations(limit)

    def recognise(self, sentence: str | Sequence[str]) -> bool:
        """Whether a text or a sequence of tokens has a derivation."""
        if not self._exact:
            return bool(self.parse(sentence))
        return self._chart(sentence).covers(self._grammar.start)

    def _chart(self, sentence: str | Sequence[str]) -> Chart:
        lattice: Lattice
        if isinstance(sentence, str):
            layer = self._grammar.text_layers[self._layer]
            lattice = TextLattice(sentence, layer, self._index.vocabulary, self._lengths)
        else:
            lattice = TokenLattice(sentence)
        return Chart(self._index, lattice)


def _is_linear(template: Sequence[object]) -> bool:
    """Whether no child is repeated, so that the chart alone decides."""
    children = [item.child for item in template if isinstance(item, Slot)]
    return len(set(children)) == len(children)
