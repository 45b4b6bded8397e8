"""What the readings of a forest say in another text layer.

A forest may have more readings than can be listed.  Whether one of them gives a
certain text is decided without listing them: from the words upwards, every node keeps
the texts of its readings that occur in the text which is looked for::

    犬が寝た。   sought: A dog slept.      Det  {a}  (the: does not occur)
                                         NP   {a dog}

What does not occur there can be no part of it, but for the first letter, which a rule
higher up may raise.  Views are not made of the words of their parts: of them the likeliest
readings are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from sgl.core.grammar import Slot, Template
from sgl.core.interpret import finish
from sgl.graph import Output
from sgl.parse import Forest, best_readings, capitalised

Words = tuple[str, ...]

#: The likeliest readings of a sentence whose views are looked at.
_VIEWED = 1_000


def first_outputs(forest: Forest, output: Output, readings: int) -> tuple[str, ...]:
    """The different texts of the likeliest ``readings``, best first."""
    texts = (output(ranked.derivation) for ranked in best_readings(forest, readings))
    return tuple(dict.fromkeys(texts))


def gives(forest: Forest, output: Output, text: str) -> bool:
    """Whether some reading has this text as its output; of views, one of the likeliest."""
    layer = output.layer
    if layer is None:
        return text in first_outputs(forest, output, _VIEWED)
    grammar = forest.grammar
    spelling = grammar.text_layers[layer]
    below: list[list[Words]] = []
    for node in forest.nodes:
        found: dict[Words, None] = {}
        for alternative in node.alternatives:
            template = grammar.rules[alternative.rule].templates[layer]
            used = {item.child for item in template if isinstance(item, Slot)}
            choices = [
                below[child] if place in used else [()]
                for place, child in enumerate(alternative.children)
            ]
            for children in product(*choices):
                words = tuple(_words(template, children))
                if _occurs(finish(spelling, words), text):
                    found[words] = None
        below.append(list(found))
    return any(finish(spelling, words) == text for words in below[-1])


def _words(template: Template, children: Sequence[Words]) -> Iterator[str]:
    for item in template:
        if isinstance(item, Slot):
            words = children[item.child]
            yield from map(capitalised, words[:1]) if item.capital else words[:1]
            yield from words[1:]
        else:
            yield item.text


def _occurs(part: str, text: str) -> bool:
    return part in text or capitalised(part) in text
