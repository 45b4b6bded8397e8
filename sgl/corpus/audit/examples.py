"""Find a reading of a sentence that has a text as its output, and one that has another.

A forest may have too many readings to list.  Whether some reading gives a certain text, and whether some reading gives
another, is computed from the words upwards: every node keeps the phrases that occur in the text, each with one reading,
and one reading whose phrase does not.  A phrase that does not occur in the text cannot be part of it, apart from the
case of the first letter.  Views are not composed from the views of their parts, so for them only the likeliest readings
are listed.
"""

from collections import Counter
from contextlib import suppress
from itertools import chain, product
from math import prod

from sgl.core.grammar import CoreGrammar, Slot, TextLayer
from sgl.core.graph import parts_of
from sgl.core.interpret import Derivation, capitalised, finish, shown_children, template_words
from sgl.parsing import Forest, TooLongError, best_readings
from sgl.parsing.chart import Steps
from sgl.rendering import Output

#: The number of likeliest readings of a sentence whose views are examined.
_VIEWED = 1_000

Words = tuple[str, ...]


def gives(forest: Forest, output: Output, text: str) -> bool:
    """Return whether some reading has this text as its output; for views, one of the likeliest."""
    if output.layer is not None:
        with suppress(TooLongError):
            return text_examples(forest, output.layer, text)[0] is not None
    return any(output(ranked.derivation) == text for ranked in best_readings(forest, _VIEWED))


def differing_reading(forest: Forest, output: Output, text: str) -> Derivation | None:
    """Return a reading that has another text as its output, or None; for views, one of the likeliest."""
    if output.layer is not None:
        return text_examples(forest, output.layer, text)[1]
    readings = (ranked.derivation for ranked in best_readings(forest, _VIEWED))
    return next((reading for reading in readings if output(reading) != text), None)


def text_examples(forest: Forest, layer: int, text: str) -> tuple[Derivation | None, Derivation | None]:
    """Return a reading with this text in a layer, and one with another text; None for a missing one.

    Raises ``TooLongError`` if phrases can be combined in too many ways.
    """
    steps = Steps()
    grammar, spelling = forest.grammar, forest.grammar.text_layers[layer]
    respelt = _is_respelt(forest, layer)
    #: For each node, the phrases that occur in the text, each with a reading, and a reading whose phrase does not.
    occurring: list[dict[Words, Derivation]] = []
    others: list[Derivation | None] = []
    for node in forest.nodes:
        phrases: dict[Words, Derivation] = {}
        other: Derivation | None = None
        for rule, children in node.alternatives:
            template = grammar.rules[rule].templates[layer]
            used = shown_children(template)
            below = [others[child] or next(iter(occurring[child].values())) for child in children]
            if any(others[child] for place, child in enumerate(children) if place in used):
                other = other or (rule, *chain(*below))
            choices = [
                list(occurring[child].items()) if place in used else [((), below[place])]
                for place, child in enumerate(children)
            ]
            steps.take(prod(map(len, choices)))
            for parts in product(*choices):
                words = tuple(template_words(template, [part for part, _ in parts]))
                reading = (rule, *chain(*[reading for _, reading in parts]))
                if respelt or _occurs(words, spelling, text):
                    phrases.setdefault(words, reading)
                else:
                    other = other or reading
        occurring.append(phrases)
        others.append(other)
    by_text = {finish(spelling, words): reading for words, reading in occurring[-1].items()}
    giving = by_text.pop(text, None)
    return giving, others[-1] or next(iter(by_text.values()), None)


def _is_respelt(forest: Forest, layer: int) -> bool:
    """Return whether a phrase may be spelt differently inside a larger one, or a part of it be left out."""
    grammar = forest.grammar
    if grammar.text_layers[layer].finish is not None or _leaves_out(grammar, layer):
        return True
    rules = {rule for node in forest.nodes for rule, _ in node.alternatives}
    return any(grammar.rules[rule].applies_functions(layer) for rule in rules)


def _leaves_out(grammar: CoreGrammar, layer: int) -> bool:
    """Return whether some rule uses some parts of a phrase in a text layer, and not all."""
    if not grammar.divided(layer):
        return False
    prefix = f"{grammar.text_layers[layer].name}."
    parts = [1 + sum(part.startswith(prefix) for part in category.parts) for category in grammar.categories]
    for rule in grammar.rules:
        pieces = {(item.child, item.number) for item in rule.templates[layer] if isinstance(item, Slot)}
        used = Counter(child for child, _ in pieces)
        if any(number < parts[rule.rhs[child]] for child, number in used.items()):
            return True
    return False


def _occurs(words: Words, spelling: TextLayer, text: str) -> bool:
    written = (finish(spelling, part) for part in parts_of(words))
    return all(part in text or capitalised(part) in text for part in written)
