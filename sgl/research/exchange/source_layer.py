"""Choose the source layer of an imported grammar, and order the children by it.

In SGL the right-hand side of a rule is the template of the source layer: every child
stands in it once, and a rule adds words or joins several phrases.  An interpretation
of an IRTG need not be like that.  The first that is becomes the source; where none is,
a layer is added that prints the derivation, ``r1(r2,r3)``, which always qualifies.

Two words of one category that are spelt alike in every layer are one word for SGL;
they are merged and their weights added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import networkx as nx

from sgl.core.grammar import CoreGrammar, Item, Rule, Slot, Template, TextLayer, Token
from sgl.diagnostics import Diagnostics, Label
from sgl.research.exchange.lower_irtg import ImportedGrammar
from sgl.research.exchange.names import FreeNames, make_quotable, quoted

_DERIVATION = "derivation"
_SHOWN = 3


def with_source(imported: ImportedGrammar, diagnostics: Diagnostics) -> ImportedGrammar:
    """Return the grammar with its source layer first; report what had to be changed."""
    layers = imported.grammar.text_layers
    strings_first = sorted(range(len(layers)), key=lambda layer: layer in imported.trees)
    chosen = next(
        (layer for layer in strings_first if _unfit(imported.grammar, layer) is None), None
    )
    if chosen != strings_first[0]:
        _report(imported, strings_first[0], chosen, diagnostics)
    if chosen is None:
        imported, chosen = _with_derivations(imported), len(layers)
    return _merge_words(_ordered(_in_front(imported, chosen)), diagnostics)


# ---- the choice


def _unfit(grammar: CoreGrammar, layer: int) -> tuple[Rule, str] | None:
    """Return the first rule that keeps a layer from being the source, and what it does."""
    passing: nx.DiGraph[int] = nx.DiGraph()
    for rule in grammar.rules:
        template = rule.templates[layer]
        slots = [item.child for item in template if isinstance(item, Slot)]
        if not template:
            return rule, "has no words"
        if missing := sorted(set(range(len(rule.rhs))) - set(slots)):
            return rule, f"leaves out `?{missing[0] + 1}`"
        if len(slots) > len(rule.rhs):
            return rule, "uses a child twice"
        if len(template) == 1 and slots:
            passing.add_edge(rule.lhs, rule.rhs[0])
    components = {
        state: number
        for number, states in enumerate(nx.strongly_connected_components(passing))
        for state in states
    }
    for rule in grammar.rules:
        if len(rule.rhs) == len(rule.templates[layer]) == 1:
            component = components.get(rule.lhs)
            if component is not None and component == components.get(rule.rhs[0]):
                return rule, "makes a phrase of itself, without a word"
    return None


def _report(
    imported: ImportedGrammar, wanted: int, chosen: int | None, diagnostics: Diagnostics
) -> None:
    layers = imported.grammar.text_layers
    misfit = _unfit(imported.grammar, wanted)
    assert misfit is not None
    rule, why = misfit
    instead = (
        f"`{layers[chosen].name}` is the source"
        if chosen is not None
        else "the source is a layer that prints derivations"
    )
    diagnostics.warning(
        "SGL1208",
        imported.spans[rule.id],
        f"`{layers[wanted].name}` cannot be the source layer, for here it {why}; {instead}",
    )


# ---- the changes


def _with_derivations(imported: ImportedGrammar) -> ImportedGrammar:
    """Return the grammar with a further layer, the printed derivation."""
    grammar = imported.grammar
    name = FreeNames(*(layer.name for layer in grammar.text_layers)).free(_DERIVATION)
    return replace(
        imported,
        grammar=replace(
            grammar,
            text_layers=(*grammar.text_layers, TextLayer(name, "")),
            rules=tuple(
                replace(rule, templates=(*rule.templates, tuple(_printed(rule))))
                for rule in grammar.rules
            ),
        ),
    )


def _printed(rule: Rule) -> Iterator[Item]:
    label = "_".join(rule.name.split()) or "_"
    label = quoted(make_quotable(label))
    if not rule.rhs:
        yield Token(label)
        return
    for child in range(len(rule.rhs)):
        yield Token("," if child else f"{label}(")
        yield Slot(child)
    yield Token(")")


def _in_front(imported: ImportedGrammar, chosen: int) -> ImportedGrammar:
    """Return the layers with the chosen one first, the others in their order."""
    order = sorted(range(len(imported.grammar.text_layers)), key=lambda layer: layer != chosen)
    grammar = replace(
        imported.grammar,
        text_layers=tuple(imported.grammar.text_layers[layer] for layer in order),
        rules=tuple(
            replace(rule, templates=tuple(rule.templates[layer] for layer in order))
            for rule in imported.grammar.rules
        ),
    )
    trees = frozenset(order.index(layer) for layer in imported.trees)
    return replace(imported, grammar=grammar, trees=trees)


def _ordered(imported: ImportedGrammar) -> ImportedGrammar:
    """Return the grammar with children in the order of the source layer."""
    rules = tuple(map(_order, imported.grammar.rules))
    return replace(imported, grammar=replace(imported.grammar, rules=rules))


def _order(rule: Rule) -> Rule:
    order = [item.child for item in rule.templates[0] if isinstance(item, Slot)]
    places = {child: place for place, child in enumerate(order)}

    def moved(template: Template) -> Template:
        return tuple(
            Slot(places[item.child], item.capital) if isinstance(item, Slot) else item
            for item in template
        )

    return replace(
        rule,
        rhs=tuple(rule.rhs[child] for child in order),
        templates=tuple(map(moved, rule.templates)),
    )


def _merge_words(imported: ImportedGrammar, diagnostics: Diagnostics) -> ImportedGrammar:
    """Make one rule of all words of a category that are alike in every layer."""
    first: dict[object, int] = {}
    weights: dict[int, float] = {}
    merged: dict[int, int] = {}
    for rule in imported.grammar.rules:
        key = (rule.lhs, rule.templates) if rule.lexical else rule.id
        earlier = first.setdefault(key, rule.id)
        weights[earlier] = weights.get(earlier, 0.0) + rule.weight
        if earlier != rule.id:
            merged[rule.id] = earlier
    if not merged:
        return imported
    names = [f"`{imported.grammar.rules[rule].name}`" for rule in merged]
    again, earlier = next(iter(merged.items()))
    more = f", and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    diagnostics.warning(
        "SGL1209",
        imported.spans[again],
        f"{len(merged):,} {'word says' if len(merged) == 1 else 'words say'} the same as another "
        "of the same state; they are merged, and their weights added",
        labels=[Label(imported.spans[earlier], "the same word")],
        notes=(", ".join(names[:_SHOWN]) + more,),
    )
    kept = [rule for rule in imported.grammar.rules if rule.id not in merged]
    rules = tuple(
        replace(rule, id=number, weight=weights[rule.id]) for number, rule in enumerate(kept)
    )
    spans = tuple(imported.spans[rule.id] for rule in kept)
    return replace(imported, grammar=replace(imported.grammar, rules=rules), spans=spans)
