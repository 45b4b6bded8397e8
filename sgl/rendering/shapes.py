"""Shapes: derivations that differ in their words only, and what is written of them.

Of two derivations of one shape everything is written alike but for the words::

    (clause (np the dog) slept)     3  she|dog…  …  4  nsubj  4:nsubj  _
    (clause (np a cat) ran)         sleep|run… . agent ( x _ 2 , x _ 1 )

So the texts of a shape are worked out once, with a mark for each word (``marked``); what is
left for all other derivations of the shape is to put constant pieces and pieces of words
one after the other.  Most sentences of a large dataset have one of a few thousand shapes.
Shapes that have been met ``OFTEN`` times are worked out; all other derivations are written
in the general way, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sgl.core.derivations import Derivations
from sgl.core.gluing import Attributes
from sgl.core.grammar import CoreGrammar, Fragment, Rule, Token
from sgl.core.interpret import capitalised
from sgl.rendering.conllu import ConlluError, is_token, word_columns
from sgl.rendering.marked import MOST_ITEMS, Uses, has_marks
from sgl.rendering.meaning import is_word
from sgl.rendering.shape_kernel import COUNTED, NOT_NUMBERED, ROW, hash_shapes, number_shapes

#: A shape is worked out when it has been met so many times.
OFTEN = 1

#: Shapes that are counted, and of them such that are worked out.
MOST_COUNTED, MOST_NUMBERED = 1 << 15, 1 << 15

#: More than a shape can be met: all are written in the general way.
NEVER = 1 << 62

#: Rules of a derivation whose shape is looked for.
_LONGEST = 256

#: Classes of words for which there are marks.  Where there are more, nearly every word is a
#: class of its own, and hardly two sentences have one shape.
MOST_CLASSES = 1 << 11

#: The class of a rule whose words cannot be written.
UNWRITABLE = -1


class Shapes:
    """Numbers the shapes of derivations that occur often."""

    def __init__(self, grammar: CoreGrammar, uses: Uses, often: int = OFTEN) -> None:
        self.classes = _classes(grammar, uses)
        #: How many shapes have a number.
        self.numbered = 0
        layers = (*uses.conllu, *uses.views)
        lexical = {self.classes[rule.id] for rule in grammar.rules if rule.lexical}
        known = _anchored(grammar, layers) and not has_marks(grammar)
        self._often = often if known and len(lexical) <= MOST_CLASSES else NEVER
        if self._often == NEVER:
            # So no marks are made that nobody will look for.
            self.classes = [UNWRITABLE] * len(grammar.rules)
        # The values of classes and the keys of places are random, and odd, so that none is 0.
        bits = np.random.Generator(np.random.PCG64(0x5EED)).integers
        of_class = bits(0, 1 << 64, max(self.classes, default=0) + 2, np.uint64) | np.uint64(1)
        of_class[UNWRITABLE] = 0
        self._values = of_class[np.array(self.classes, np.int64)]
        self._keys = bits(0, 1 << 64, (_LONGEST, 2), np.uint64) | np.uint64(1)
        self._rows = np.zeros((2 * MOST_COUNTED if self._often < NEVER else 1, ROW), np.uint64)
        self._counted = np.zeros(COUNTED, np.int64)

    def numbers(
        self, derivations: Derivations, *, room: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The number of the shape of each derivation, or -1, and which are first examples.

        The examples are in the order of the numbers that their shapes have got.  Without
        ``room`` for them there are no new shapes.
        """
        numbers = np.full(derivations.number, NOT_NUMBERED, np.int32)
        fresh = np.zeros(derivations.number, np.int64)
        if self._often == NEVER:
            return numbers, fresh[:0]
        hashes = np.empty((derivations.number, 2), np.uint64)
        hash_shapes(derivations.rules, derivations.offsets, self._values, self._keys, hashes)
        found = number_shapes(
            hashes,
            self._rows,
            self._counted,
            self._often,
            MOST_NUMBERED if room else 0,
            numbers,
            fresh,
        )
        self.numbered += found
        return numbers, fresh[:found]


def _anchored(grammar: CoreGrammar, layers: Sequence[int]) -> bool:
    """Whether each node has its attributes from the rule that writes its word."""
    return all(
        node.attributes is None or node.token is not None
        for layer in layers
        for rule in grammar.rules
        for node in rule.fragments[layer].nodes
    )


#: A graph layer, and whether it is written as CoNLL-U, or in a view.
_Use = tuple[int, bool]


def _classes(grammar: CoreGrammar, uses: Uses) -> list[int]:
    """For each rule the number of what it is but for its words; ``UNWRITABLE`` if it has none."""
    of_layers = [(layer, True) for layer in uses.conllu] + [(layer, False) for layer in uses.views]
    numbers: dict[object, int] = {}
    return [
        numbers.setdefault(key, len(numbers)) if key is not None else UNWRITABLE
        for key in (
            _without_words(grammar, rule, of_layers) if rule.lexical else rule.id
            for rule in grammar.rules
        )
    ]


def _without_words(grammar: CoreGrammar, rule: Rule, uses: Sequence[_Use]) -> object:
    """What a lexical rule contributes besides its words; None if that cannot be said."""
    sizes = [len(template) for template in rule.templates]
    sizes += [len(fragment.nodes) for fragment in rule.fragments]
    if max(sizes, default=0) > MOST_ITEMS:
        return None
    fragments = [
        _fragment(rule.fragments[layer], _shown_in_conllu if conllu else _shown_in_views)
        for layer, conllu in uses
    ]
    attached = [layer.attach for layer in grammar.text_layers]
    forms = tuple(
        tuple(_form(item.text, attach) for item in template if isinstance(item, Token))
        for template, attach in zip(rule.templates, attached, strict=True)
    )
    if None in fragments or any(None in of_layer for of_layer in forms):
        return None
    return forms, tuple(fragments)


def _form(word: str, attach: frozenset[str]) -> tuple[bool, ...] | None:
    """What of a word shows elsewhere: whether it is empty, and attaches; None for no token."""
    raised = capitalised(word)
    if word and not (is_token(word) and is_token(raised)):
        return None
    return bool(word), word in attach, raised in attach


def _fragment(
    fragment: Fragment, shown: Callable[[Attributes], Attributes | None]
) -> Fragment | None:
    """A fragment with what is ``shown`` of the attributes of its nodes."""
    nodes = []
    for node in fragment.nodes:
        if node.attributes is None:
            nodes.append(node)
            continue
        attributes = shown(node.attributes)
        if attributes is None:
            return None
        nodes.append(replace(node, attributes=attributes))
    return replace(fragment, nodes=tuple(nodes))


def _shown_in_conllu(attributes: Attributes) -> Attributes | None:
    """Whether there is something for MISC; None if the attributes cannot be written."""
    try:
        return (("misc", "yes"),) if word_columns(attributes)[1] else ()
    except ConlluError:
        return None


def _shown_in_views(attributes: Attributes) -> Attributes:
    """All but the lemma, unless that is no word."""
    return tuple(
        (name, "" if name == "lemma" and is_word(value) else value) for name, value in attributes
    )
