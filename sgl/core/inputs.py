"""Join text layers into one that a model reads as a whole: a context and its question, a story and how it ends.

The layer is a text layer like any other, so everything that follows the source of a dataset follows it.  A phrase has
the parts that it has in the first layer, then those in the second; a text puts them in order, with the words between::

    story            "Ben" "has" Thing "."     Ben has the key .
    question         "who" "has" Thing "?"     who has the key ?
    story+question   "Ben" "has" Thing₁ "." "who" "has" Thing₂ "?"
"""

from collections.abc import Sequence
from dataclasses import replace

from sgl.core.grammar import CoreGrammar, Cut, Item, Rule, Slot, Template, TextLayer, Token
from sgl.core.graph import parts_of
from sgl.core.interpret import capitalised
from sgl.core.spelling import Finish

#: What stands between the names of layers that are read together, which no name has.
BETWEEN = "+"


def alike(layers: Sequence[TextLayer]) -> bool:
    """Return whether layers join and spell their words alike; capitals may differ."""
    found = {(one.join, one.attach, (one.finish or Finish())._replace(capital=0, twin="")) for one in layers}
    return len(found) == 1


def with_input(grammar: CoreGrammar, name: str, parts: Sequence[int | str]) -> CoreGrammar:
    """Return a grammar with one more text layer: these text layers, by index, and words, one after the other.

    The start category derives whole texts only, and the layers are ``alike``.
    """
    layers = [part for part in parts if isinstance(part, int)]
    named = [grammar.text_layers[layer].name for layer in layers]
    several = [
        [1 + sum(part.partition(".")[0] == own for part in category.parts) for own in named]
        for category in grammar.categories
    ]
    first = grammar.text_layers[layers[0]]
    rules = [replace(r, templates=(*r.templates, _template(r, grammar, parts, layers, several))) for r in grammar.rules]
    extra = [() if n == grammar.start else range(2, sum(own) + 1) for n, own in enumerate(several)]
    categories = [
        replace(category, parts=(*category.parts, *(f"{name}.{number}" for number in numbers)))
        for category, numbers in zip(grammar.categories, extra, strict=True)
    ]
    finish = first.finish and first.finish._replace(twin="")
    texts = (*grammar.text_layers, replace(first, name=name, finish=finish))
    return replace(grammar, categories=tuple(categories), rules=tuple(rules), text_layers=texts)


def _template(
    rule: Rule, grammar: CoreGrammar, parts: Sequence[int | str], layers: Sequence[int], several: list[list[int]]
) -> Template:
    whole, found = rule.lhs == grammar.start, list[list[Item]]()
    for part in parts:
        if isinstance(part, str):
            found += [[Token(part)]] if whole else []
            continue
        before = layers.index(part)
        skipped = [sum(several[child][:before]) for child in rule.rhs]
        own = [[_moved(item, skipped) for item in piece] for piece in parts_of(rule.templates[part], Cut())]
        finish = grammar.text_layers[part].finish
        found += [_raised(own[0])] if whole and finish is not None and finish.capital else own
    items = list[Item]()
    for number, piece in enumerate(found):
        items += [Cut()] if number and not whole else []
        items += [item for item in piece if item != Token("")]
    return tuple(items)


def _moved(item: Item, skipped: Sequence[int]) -> Item:
    return replace(item, part=skipped[item.child] + item.number + 1) if isinstance(item, Slot) else item


def _raised(piece: Sequence[Item]) -> list[Item]:
    """Return the words of a text, the first one with a capital."""
    first, *rest = piece or [Token("")]
    return [replace(first, capital=True) if isinstance(first, Slot) else Token(capitalised(first.text)), *rest]
