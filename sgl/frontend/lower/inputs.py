"""The input of a dataset: the text layer that a model reads, or several of them, one after the other."""

from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar
from sgl.core.inputs import BETWEEN, alike, with_input
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s


def source_of(inputs: Sequence[s.Name], usual: str) -> str:
    """Return the name of the text layer with the input: ``story+question`` for two, ``story+`` for one with words."""
    layers = [name.text for name in inputs if not name.quoted] or [usual]
    return BETWEEN.join(layers) + BETWEEN * (len(layers) == 1 < len(inputs))


def read_together(inputs: Sequence[s.Name], grammar: CoreGrammar, state: Signed) -> CoreGrammar:
    """Return a grammar that has the input as one text layer; report layers that cannot be read so."""
    named = {name.text: name for name in inputs if not name.quoted}
    layers, errors = [grammar.text_layer(name) for name in named], state.diagnostics.errors
    for name, layer in zip(named.values(), layers, strict=True):
        one_way = next((rule.name for rule in grammar.rules if rule.applies_functions(layer)), "")
        if one_way:
            message = f"`{name}` cannot be the input of a dataset: `{one_way}` applies functions there"
            hint = "an input is parsed, so that no other reading of it has another answer"
            state.error("SGL0206", name.span, message, hint)
    if len(inputs) > 1 and not alike([grammar.text_layers[layer] for layer in layers]):
        message = f"{' and '.join(f'`{name}`' for name in named)} are not written alike, so that they are no one text"
        hint = "give the layers the same options, but for `capital`"
        state.error("SGL0207", inputs[0].span.to(inputs[-1].span), message, hint)
    within = next((rule for rule in grammar.rules if grammar.start in rule.rhs), None)
    if len(inputs) > 1 and within is not None:
        start = grammar.categories[grammar.start].name
        message = f"`{start}` is a whole text, and a phrase of `{within.name}`: its layers cannot be put in order"
        hint = f"start from another category, with a rule that makes it of a whole text: `rule item: Item -> {start}`"
        state.error("SGL0207", inputs[0].span.to(inputs[-1].span), message, hint)
    if state.diagnostics.errors > errors or len(inputs) == 1:
        return grammar
    parts = [name.text if name.quoted else grammar.text_layer(name.text) for name in inputs]
    return with_input(grammar, source_of(inputs, ""), parts)
