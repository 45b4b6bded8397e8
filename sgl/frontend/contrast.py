"""Twins: a text layer that is another one, but for one difference in each sentence.

A twin takes over every template of the source layer.  A clause of its own is a *difference*::

    V[num=sg]   en $sg   bad $pl        the dogs near the cat bark / barks

How many differences a phrase has is a number that follows from its rule and its parts, so the numbers that the
phrases of a category can have are found once and for all.  Those of whole texts must be exactly one.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from sgl.core.grammar import CoreGrammar, Slot, TextLayer
from sgl.core.interpret import Derivation, interpret
from sgl.core.spelling import Finish
from sgl.diagnostics import Span
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: Differences are counted up to this number.
SEVERAL = 2


def with_twins(text: Sequence[TextLayer], state: CompilerState) -> tuple[TextLayer, ...]:
    """Return the text layers, where twins join their words as the source layer does."""
    found = list(text[:1])
    for layer in text:
        twin = layer.finish.twin if layer.finish is not None else ""
        plain = replace(layer, finish=Finish(twin=twin)) == TextLayer(layer.name, finish=layer.finish)
        if twin and (twin != text[0].name or layer is text[0] or not plain):
            message = f"`{layer.name}` is the twin of no layer before it, or has other options"
            hint = "only the source layer, the first one, can have a twin, which joins words as it"
            state.error("SGL0325", _span(layer, state), message, hint)
        own = (text[0].finish or Finish())._replace(twin=twin)
        found.append(replace(text[0], name=layer.name, finish=own) if twin else layer)
    return tuple(found[1:])


def check_contrast(state: CompilerState) -> None:
    """Report sentences that differ from their twins nowhere, or in several places. Before: ``declared``."""
    grammar = state.declared.grammar
    for number, layer in enumerate(grammar.text_layers):
        if layer.finish is None or not layer.finish.twin:
            continue
        found = differences(grammar, number)[grammar.start]
        for count, derivation in sorted(found.items()):
            if count == 1:
                continue
            texts = interpret(grammar, derivation).texts
            where = "nowhere" if not count else "in more than one place"
            message = f"a sentence differs from its twin in `{layer.name}` {where}"
            notes = [f"“{texts[0]}”, and “{texts[number]}”"]
            hint = "let each sentence use exactly one clause of the twin, by a feature for example"
            state.error("SGL0325", _span(layer, state), message, hint, notes=notes)
            break


def differences(grammar: CoreGrammar, layer: int) -> list[dict[int, Derivation]]:
    """Return for each category how many differences its phrases can have, with examples."""
    found: list[dict[int, Derivation]] = [{} for _ in grammar.categories]
    size = -1
    while size < (size := sum(map(len, found))):
        for rule in grammar.rules:
            own = rule.templates[layer] != rule.templates[0]
            used = Counter(item.child for item in rule.templates[layer] if isinstance(item, Slot))
            for parts in product(*[list(found[child].items()) for child in rule.rhs]):
                total = own + sum(used[place] * count for place, (count, _) in enumerate(parts))
                inside = (number for _, derivation in parts for number in derivation)
                found[rule.lhs].setdefault(min(total, SEVERAL), (rule.id, *inside))
    return found


def _span(layer: TextLayer, state: CompilerState) -> Span:
    return next(d.span for d, _ in state.names.of(s.Layer) if d.name.text == layer.name)
