"""Choose the source layer of an imported grammar, and order the children by it.

In SGL the right-hand side of a rule is the template of the source layer: every child
stands in it once, and a rule adds words or joins several phrases.  An interpretation
of an IRTG need not be like that.  The first that is becomes the source; where none is,
a layer is added that prints the derivation, ``r1(r2,r3)``, which always qualifies.

Two words of one category that are spelt alike in every layer are one word for SGL;
they are merged and their weights added.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    wanted, *others = sorted(range(len(layers)), key=lambda layer: layer in imported.trees)
    chosen: int | None = wanted
    misfit = _unfit(imported.grammar, wanted)
    if misfit is not None:
        chosen = next((layer for layer in others if _unfit(imported.grammar, layer) is None), None)
        instead = "the source is a layer that prints derivations"
        if chosen is not None:
            instead = f"`{layers[chosen].name}` is the source"
        rule, why = misfit
        diagnostics.warning(
            "SGL1208",
            imported.spans[rule.id],
            f"`{layers[wanted].name}` cannot be the source layer, for here it {why}; {instead}",
        )
    if chosen is None:
        imported, chosen = _with_derivations(imported), len(layers)
    return _merge_words(_in_front(imported, chosen), diagnostics)


# ---- the choice


def _unfit(grammar: CoreGrammar, layer: int) -> tuple[Rule, str] | None:
    """Return the first rule that keeps a layer from being the source, and what it does."""
    for rule in grammar.rules:
        template = rule.templates[layer]
        slots = [item.child for item in template if isinstance(item, Slot)]
        if not template:
            return rule, "has no words"
        if missing := sorted(set(range(len(rule.rhs))) - set(slots)):
            return rule, f"leaves out `?{missing[0] + 1}`"
        if len(slots) > len(rule.rhs):
            return rule, "uses a child twice"
    passing = [rule for rule in grammar.rules if len(rule.rhs) == len(rule.templates[layer]) == 1]
    below = nx.DiGraph((rule.lhs, rule.rhs[0]) for rule in passing)
    for rule in passing:
        if nx.has_path(below, rule.rhs[0], rule.lhs):
            return rule, "makes a phrase of itself, without a word"
    return None


# ---- the changes


def _changed(
    imported: ImportedGrammar, layers: Iterable[TextLayer], rules: Iterable[Rule]
) -> ImportedGrammar:
    grammar = replace(imported.grammar, text_layers=tuple(layers), rules=tuple(rules))
    return replace(imported, grammar=grammar)


def _with_derivations(imported: ImportedGrammar) -> ImportedGrammar:
    """Return the grammar with a further layer, the printed derivation."""
    layers, rules = imported.grammar.text_layers, []
    name = FreeNames(*(layer.name for layer in layers)).free(_DERIVATION)
    for rule in imported.grammar.rules:
        label = quoted(make_quotable("_".join(rule.name.split()) or "_"))
        printed: list[Item] = [Token(f"{label}(" if rule.rhs else label)]
        for child in range(len(rule.rhs)):
            printed += [Slot(child), Token(",")]
        if rule.rhs:
            printed[-1] = Token(")")
        rules.append(replace(rule, templates=(*rule.templates, tuple(printed))))
    return _changed(imported, (*layers, TextLayer(name, "")), rules)


def _in_front(imported: ImportedGrammar, chosen: int) -> ImportedGrammar:
    """Return the layers with the chosen one first, and children in its order."""
    layers = imported.grammar.text_layers
    order = sorted(range(len(layers)), key=lambda layer: layer != chosen)

    def ordered(rule: Rule) -> Rule:
        children = [item.child for item in rule.templates[chosen] if isinstance(item, Slot)]

        def moved(template: Template) -> Template:
            return tuple(
                Slot(children.index(item.child), item.capital) if isinstance(item, Slot) else item
                for item in template
            )

        return replace(
            rule,
            rhs=tuple(rule.rhs[child] for child in children),
            templates=tuple(moved(rule.templates[layer]) for layer in order),
        )

    return _changed(
        imported, (layers[layer] for layer in order), map(ordered, imported.grammar.rules)
    )


def _merge_words(imported: ImportedGrammar, diagnostics: Diagnostics) -> ImportedGrammar:
    """Make one rule of all words of a category that are alike in every layer."""
    first: dict[object, int] = {}
    weights: dict[int, float] = {}
    merged: dict[int, int] = {}
    for rule in imported.grammar.rules:
        earlier = first.setdefault((rule.lhs, rule.templates) if rule.lexical else rule.id, rule.id)
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
    rules = (replace(rule, id=i, weight=weights[rule.id]) for i, rule in enumerate(kept))
    imported = replace(imported, spans=tuple(imported.spans[rule.id] for rule in kept))
    return _changed(imported, imported.grammar.text_layers, rules)
