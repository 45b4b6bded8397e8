"""What the readings of a forest say in another text layer.

A forest may have more readings than can be listed.  Whether one of them gives a
certain text is decided without listing them: from the words upwards, every node keeps
the texts of its readings that occur in the text which is looked for::

    犬が寝た。   sought: A dog slept.      Det  {a}  (the: does not occur)
                                         NP   {a dog}

What does not occur there can be no part of it, but for the first letter, which a rule
higher up may raise.  For the same reason one phrase that does not occur there shows that
not all readings give the text.  Views are not made of the words of their parts: of them the
likeliest readings are listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from sgl.core.grammar import Slot, Template
from sgl.core.interpret import capitalised, finish
from sgl.parsing import Forest, Node, best_readings
from sgl.rendering import Output

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
    spelling = forest.grammar.text_layers[layer]
    below: list[list[Words]] = []
    for node in forest.nodes:
        found = (
            words
            for words in _phrases(forest, node, layer, below)
            if _occurs(finish(spelling, words), text)
        )
        below.append(list(dict.fromkeys(found)))
    return any(finish(spelling, words) == text for words in below[-1])


def all_give(forest: Forest, output: Output, text: str) -> bool:
    """Whether every reading has this text as its output; of views, all of the likeliest."""
    layer = output.layer
    if layer is None:
        return first_outputs(forest, output, _VIEWED) == (text,)
    spelling = forest.grammar.text_layers[layer]
    written = _written(forest, layer)
    below: list[list[Words]] = []
    for number, node in enumerate(forest.nodes):
        found: dict[Words, None] = {}
        for words in _phrases(forest, node, layer, below) if number in written else ():
            if not _occurs(finish(spelling, words), text):
                return False
            found[words] = None
        below.append(list(found))
    return all(finish(spelling, words) == text for words in below[-1])


def _written(forest: Forest, layer: int) -> set[int]:
    """The nodes that some reading writes into a layer: no rule above drops them."""
    written = {len(forest.nodes) - 1}
    for number in range(len(forest.nodes) - 1, -1, -1):
        if number in written:
            for alternative in forest.nodes[number].alternatives:
                template = forest.grammar.rules[alternative.rule].templates[layer]
                used = {item.child for item in template if isinstance(item, Slot)}
                written.update(alternative.children[place] for place in used)
    return written


def _phrases(forest: Forest, node: Node, layer: int, below: list[list[Words]]) -> Iterator[Words]:
    """What a node says in a layer, from what the nodes below it say."""
    for alternative in node.alternatives:
        template = forest.grammar.rules[alternative.rule].templates[layer]
        used = {item.child for item in template if isinstance(item, Slot)}
        choices = [
            below[child] if place in used else [()]
            for place, child in enumerate(alternative.children)
        ]
        for children in product(*choices):
            yield tuple(_words(template, children))


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
