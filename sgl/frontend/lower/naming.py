"""Features for names: what they tie together in rules, and the entries of their lexicons.

``feature who = names of people`` has one value, the lexicon, so rules are never multiplied by names.  What remains of
it in the core grammar are the variables of each rule (:mod:`sgl.core.naming`).
"""

from collections import defaultdict
from collections.abc import Sequence

from sgl.core.grammar import CoreGrammar, Rule
from sgl.diagnostics import Label, Span
from sgl.frontend.elaborate.categories import CategoryPattern
from sgl.frontend.elaborate.tables import Weighting
from sgl.frontend.lower.expand import Concrete, Instance
from sgl.frontend.lower.productions import Produced
from sgl.frontend.names.signature import CategoryInfo, Signature


def ties_of(patterns: Sequence[CategoryPattern], signature: Signature) -> tuple[tuple[int, ...], ...]:
    """Return for each category of a rule the variables of its features for names, as numbers; () if none has any."""
    numbers = dict[object, int]()
    found = [
        tuple(
            # A feature that is left open is a variable of its own.
            numbers.setdefault(slot if isinstance(slot, str) else (place, feature), len(numbers))
            for feature, slot in zip(pattern.info.features, pattern.slots, strict=True)
            if feature in signature.named
        )
        for place, pattern in enumerate(patterns)
    ]
    return tuple(found) if any(found) else ()


def groups_of(instances: Sequence[Instance], signature: Signature) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the entries of names in groups of rows with the same categories: for each category one entry per row."""
    rows: dict[tuple[str, Span], dict[tuple[Weighting | None, Concrete], int]] = {}
    for number, instance in enumerate(instances):
        production = instance.production
        if _lexicon_of(instance, signature) == production.name:
            own = rows.setdefault((production.name, production.span), {})
            own[production.pool, instance.lhs] = number
    groups = defaultdict[tuple[object, ...], list[tuple[int, ...]]](list)
    for (lexicon, _), own in rows.items():
        groups[lexicon, *own].append(tuple(own.values()))
    return tuple(tuple(zip(*group, strict=True)) for group in groups.values())


def _lexicon_of(instance: Instance, signature: Signature) -> str | None:
    """Return the lexicon whose names stand in the category of an entry of a lexicon."""
    found = names_in(instance.production.lhs.info, signature) if instance.production.pool is not None else []
    return signature.named[found[0]].text if found else None


def names_in(info: CategoryInfo, signature: Signature) -> list[str]:
    """Return the features of a category that stand for names."""
    return [feature for feature in info.features if feature in signature.named]


def check_names(state: Produced, grammar: CoreGrammar, spans: Sequence[Span]) -> None:
    """Report names that rules, words or weights do not treat alike; ``spans`` are the places of the rules."""
    signature, entries = state.signature, dict[str, set[str]]()
    for production in state.productions if signature.named else ():
        for pattern in (production.lhs, *production.rhs):
            _check_once(pattern, state)
        own = names_in(production.lhs.info, signature) if production.pool is not None else []
        lexicons = {signature.named[feature].text for feature in own}
        entries.setdefault(production.name, set()).update(lexicons)
        if len(own) > 1 and production.name in lexicons:
            message = f"an entry is one name, and `{production.lhs.info.name}` has {len(own)} features for names"
            state.error("SGL0341", production.lhs.span, message, "give the entries a category with one of them")
    for feature, lexicon in signature.named.items():
        # A lexicon that is switched off has no entries.
        if lexicon.text not in entries.get(lexicon.text, {lexicon.text}):
            message = f"no category of the lexicon `{lexicon}` has a feature for its names"
            hint = f"declare it: `category Name[{feature}]`, and use it in a rule"
            state.error("SGL0342", lexicon.span, message, hint)
    for rules in (rules for group in grammar.names for rules in group):
        first, *others = (_form(grammar.rules[rule]) for rule in rules)
        if other := next((rule for rule, form in zip(rules[1:], others, strict=True) if form != first), None):
            message = "names are drawn alike, and this one has another weight or another number of words"
            labels = [Label(spans[rules[0]], "than this one")]
            hint = "remove weights; write a name of several words together, as in `New_York`"
            state.error("SGL0342", spans[other], message, hint, labels=labels)
    _check_texts(state, grammar, spans)
    if not state.diagnostics.errors:
        _check_bearers(state, grammar, spans)


def _form(rule: Rule) -> tuple[object, ...]:
    """Return what structures see of an entry besides its attributes, and its weight."""
    return rule.weight, [*map(len, rule.templates)], [(len(own.nodes), own.edges) for own in rule.fragments]


def _check_bearers(state: Produced, grammar: CoreGrammar, spans: Sequence[Span]) -> None:
    """Report rules in which one bearer may have entries of two groups, so that no row is its name."""
    #: The groups that can name a category's own bearers, by category and place.
    found = {(grammar.rules[rules[0]].lhs, 0): {n} for n, group in enumerate(grammar.names) for rules in group}
    before = -1
    while before < (before := sum(map(len, found.values()))):
        for rule in (rule for rule in grammar.rules if rule.names):
            below = defaultdict[int, set[int]](set)
            for category, numbers in zip(rule.rhs, rule.names[1:], strict=True):
                for place, number in enumerate(numbers):
                    others, own = below[number], found.get((category, place), set())
                    if others and own and len(others | own) > 1:
                        first, second = (grammar.rules[grammar.names[n][0][0]].lhs for n in sorted(others | own)[:2])
                        names = " and ".join(f"`{grammar.categories[n].name}`" for n in (first, second))
                        message = f"one name may be {names} in this rule"
                        hint = "let its mentions agree in the other features, too"
                        state.error("SGL0341", spans[rule.id], message, hint)
                        return
                    below[number] = others | own
            for place, number in enumerate(rule.names[0]):
                found[rule.lhs, place] = found.get((rule.lhs, place), set()) | below[number]


def _check_once(pattern: CategoryPattern, state: Produced) -> None:
    slots = [s for f, s in zip(pattern.info.features, pattern.slots, strict=True) if f in state.signature.named]
    twice = next((slot for slot in slots if isinstance(slot, str) and slots.count(slot) > 1), None)
    if twice is not None:
        message = f"the names of a phrase differ, and `{twice}` stands twice in one category"
        hint = "use a category with one feature for this name"
        state.error("SGL0341", pattern.span, message, hint)


def _check_texts(state: Produced, grammar: CoreGrammar, spans: Sequence[Span]) -> None:
    """Report two names of a lexicon with the same words in a text layer."""
    found = dict[tuple[str, int, tuple[str, ...]], Span]()
    for rule in (grammar.rules[rule] for group in grammar.names for rules in group for rule in rules):
        for layer, text in enumerate(state.signature.text_layers):
            words, place = rule.words(layer), spans[rule.id]
            first = found.setdefault((rule.name, layer, words), place) if words else place
            if first != place:
                message = f"two names of `{rule.name}` are `{' '.join(words)}` in the layer `{text.name}`"
                labels = [Label(first, "the other one")]
                hint = "remove one; different names have different words"
                state.error("SGL0342", place, message, hint, labels=labels)
