"""Shapes: derivations that differ in their words only, and what is written of them.

Of two derivations of one shape everything is written alike but for the words::

    (clause (np the dog) slept)     3  she|dog…  …  4  nsubj  4:nsubj  _
    (clause (np a cat) ran)         sleep|run… . agent ( x _ 2 , x _ 1 )

So the texts of a shape are worked out once, with a mark for each word, by the functions
that define them; what is left for all other derivations of the shape is to put constant
pieces and pieces of words one after the other.  Most sentences of a large dataset have one
of a few thousand shapes.  Shapes that have been met ``OFTEN`` times are worked out; all
other derivations are written in the general way, with the same result.
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
from sgl.graph.conllu import ConlluError, is_token, word_columns
from sgl.graph.meaning import is_word
from sgl.graph.shape_kernel import COUNTED, NOT_NUMBERED, ROW, number_shapes

#: A shape is worked out when it has been met so many times.
OFTEN = 40

#: Shapes that are counted, and of them such that are worked out.
MOST_COUNTED, MOST_NUMBERED = 1 << 15, 1 << 14

#: The class of a rule whose words cannot be written.
_UNWRITABLE = -1


class Shapes:
    """Numbers the shapes of derivations that occur often."""

    def __init__(
        self,
        grammar: CoreGrammar,
        conllu: Sequence[int],
        views: Sequence[int],
        often: int = OFTEN,
    ) -> None:
        """The graph layers that are written as CoNLL-U, and those that are in views."""
        layers = (*conllu, *views)
        uses = [(layer, True) for layer in conllu] + [(layer, False) for layer in views]
        self._classes = np.array(_classes(grammar, uses), np.int32)
        self._often = often if _anchored(grammar, layers) else MOST_COUNTED
        self._rows = np.zeros(
            (2 * MOST_COUNTED if self._often < MOST_COUNTED else 1, ROW), np.uint64
        )
        self._counted = np.zeros(COUNTED, np.int64)
        #: A derivation of each numbered shape.
        self.examples: list[tuple[int, ...]] = []

    def numbers(self, derivations: Derivations) -> NDArray[np.int32]:
        """The number of the shape of each derivation, or -1; some may be new in ``examples``."""
        numbers = np.full(derivations.number, NOT_NUMBERED, np.int32)
        if self._often == MOST_COUNTED:
            return numbers
        fresh = np.zeros(derivations.number, np.int64)
        found = number_shapes(
            derivations.rules,
            derivations.offsets,
            self._classes,
            self._rows,
            self._counted,
            self._often,
            MOST_NUMBERED,
            numbers,
            fresh,
        )
        self.examples += [derivations.at(item) for item in fresh[:found].tolist()]
        return numbers


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


def _classes(grammar: CoreGrammar, uses: Sequence[_Use]) -> list[int]:
    """For each rule the number of what it is but for its words; ``_UNWRITABLE`` if it has none."""
    numbers: dict[object, int] = {}
    return [
        numbers.setdefault(key, len(numbers)) if key is not None else _UNWRITABLE
        for key in (
            _without_words(grammar, rule, uses) if rule.lexical else rule.id
            for rule in grammar.rules
        )
    ]


def _without_words(grammar: CoreGrammar, rule: Rule, uses: Sequence[_Use]) -> object:
    """What a lexical rule contributes besides its words; None if that cannot be said."""
    fragments = [
        _fragment(rule.fragments[layer], _shown_in_conllu if conllu else _shown_in_views)
        for layer, conllu in uses
    ]
    if None in fragments:
        return None
    attached = [layer.attach for layer in grammar.text_layers]
    forms = tuple(
        tuple(_form(item.text, attach) for item in template if isinstance(item, Token))
        for template, attach in zip(rule.templates, attached, strict=True)
    )
    return forms, tuple(fragments)


def _form(word: str, attach: frozenset[str]) -> object:
    """What of a word shows elsewhere: whether it can be written, and attaches."""
    raised = capitalised(word)
    return is_token(word), word in attach, is_token(raised), raised in attach


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


def _shown_in_views(attributes: Attributes) -> Attributes | None:
    """All but the lemma; None if that cannot be written."""
    if not all(is_word(value) for name, value in attributes if name == "lemma"):
        return None
    return tuple((name, "" if name == "lemma" else value) for name, value in attributes)
