"""Lower instances to the core grammar: integers, normalised weights, fragments, rule keys."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

from sgl.core.grammar import (
    LEXICONS,
    RULES,
    WORDS,
    Category,
    CoreGrammar,
    Fragment,
    Item,
    Node,
    Origin,
    Rule,
    RuleKey,
    Slot,
    Template,
    Token,
    glues,
)
from sgl.diagnostics import Span
from sgl.frontend.elaborate.rules import filled
from sgl.frontend.elaborate.tables import Weighting
from sgl.frontend.lower.expand import Concrete, Instance
from sgl.frontend.lower.joints import joined
from sgl.frontend.lower.naming import groups_of, ties_of
from sgl.frontend.lower.productions import Produced
from sgl.frontend.names.signature import Signature
from sgl.memory import kept
from sgl.values import dataclass, replace


@dataclass(frozen=True)
class Lowered:
    """The core grammar, the places of its rules, and their keys for weights."""

    grammar: CoreGrammar
    rule_spans: tuple[Span, ...]
    rule_keys: tuple[RuleKey, ...]


@dataclass
class Expanded(Produced):
    """A project with a core grammar and its declared weights; its rules come from ``instances``, in order."""

    instances: list[Instance]
    declared: Lowered


def lower(instances: Sequence[Instance], state: Produced) -> Lowered:
    """Number categories and rules, and normalise weights."""
    signature = state.signature
    numbers: dict[Concrete, int] = {}
    for instance in instances:
        numbers.setdefault(instance.lhs, len(numbers))
    infos = ((signature.categories[name], values) for name, values in numbers)
    categories = [Category(info.written(v), info.ports, info.limited, info.parts) for info, v in infos]
    weights = _weights(instances, signature)
    grammar = CoreGrammar(
        name=state.project.name,
        categories=tuple(categories),
        rules=tuple(
            _rule(index, instance, weight, numbers, state)
            for index, (instance, weight) in enumerate(zip(instances, weights, strict=True))
        ),
        start=0,
        text_layers=signature.text_layers,
        graph_layers=signature.graph_layers,
        views=signature.views,
        names=groups_of(instances, signature),
    )
    spans = tuple(instance.production.span for instance in instances)
    return Lowered(joined(grammar, spans, state), spans, _rule_keys(grammar, instances))


def _weights(instances: Sequence[Instance], signature: Signature) -> list[float]:
    """Return normalised weights.

    Instances of one rule with the same left-hand side share its weight in proportion to the weights of their feature
    values; the words of a lexicon share the weight of the lexicon.
    """
    choices = [_choice_weight(instance, signature) for instance in instances]
    chosen = defaultdict[tuple[int, int, Concrete], float](float)
    ranks, pools = Counter[tuple[Weighting, Concrete]](), defaultdict[tuple[Weighting, Concrete], float](float)
    shares: list[float] = []
    for instance, choice in zip(instances, choices, strict=True):
        production, version, lhs = instance.production, instance.version, instance.lhs
        chosen[id(production), version.sharing, lhs] += choice
        share, pool = version.share, production.pool
        if pool is not None:
            ranks[pool, lhs] += 1
            if pool.exponent is not None:
                share *= ranks[pool, lhs] ** -pool.exponent
            pools[pool, lhs] += share
        shares.append(share)
    weights: list[float] = []
    totals = defaultdict[Concrete, float](float)
    for instance, share, choice in zip(instances, shares, choices, strict=True):
        production, lhs = instance.production, instance.lhs
        weight = share * choice / chosen[id(production), instance.version.sharing, lhs]
        if production.pool is not None:
            weight *= production.pool.total / pools[production.pool, lhs]
        weights.append(weight)
        totals[lhs] += weight
    return [w / totals[instance.lhs] for instance, w in zip(instances, weights, strict=True)]


def _choice_weight(instance: Instance, signature: Signature) -> float:
    """Return the product of the weights of feature values that an instance chooses or its children leave open.

    A computed value is no choice: it has no weight of its own.
    """
    weight = 1.0
    seen = {constraint.left for constraint in instance.production.constraints if constraint.computed}
    for pattern, (_, values) in zip(instance.production.rhs, instance.rhs, strict=True):
        for feature, slot, value in zip(pattern.info.features, pattern.slots, values, strict=True):
            if isinstance(slot, str):
                if slot in seen:
                    continue
                seen.add(slot)
            elif len(slot) == 1:
                continue
            weight *= signature.value_weights.get((feature, value), 1.0)
    return weight


def _rule(index: int, instance: Instance, weight: float, numbers: Mapping[Concrete, int], state: Produced) -> Rule:
    production, file = instance.production, state.sources.files[instance.production.span.file]
    made = partial(_content, instance, state.signature)
    order, templates, fragments = kept("content", (production,), tuple(instance.values.items()), made)
    return Rule(
        id=index,
        name=production.name,
        lhs=numbers[instance.lhs],
        rhs=tuple(numbers[instance.rhs[child]] for child in order),
        weight=weight,
        templates=templates,
        fragments=fragments,
        origin=Origin(file.name, file.position(production.span.start)[0]),
        keep=production.keep,
        roles=tuple(production.roles[child] for child in order),
        names=ties_of((production.lhs, *(production.rhs[child] for child in order)), state.signature),
    )


#: The content of a rule in each layer, after the order of its children in the core grammar's source.
_Content = tuple[tuple[int, ...], tuple[Template, ...], tuple[Fragment, ...]]


def _content(instance: Instance, signature: Signature) -> _Content:
    values, version = instance.values, instance.version
    order = [*dict.fromkeys(i.child for i in version.templates[0] if isinstance(i, Slot))]
    texts = [text.name for text in signature.text_layers]
    anchors = (version.templates[texts.index(layer.anchor)] for layer in signature.graph_layers)
    templates = tuple(_template(sketch, values, order) for sketch in version.templates)
    fragments = tuple(_fragment(*pair, values, order) for pair in zip(version.fragments, anchors, strict=True))
    # A rule whose weight changes keeps the same content object.
    content = tuple(order), templates, fragments
    return kept("equal content", (), content, lambda: content)


def _template(template: Template, values: Mapping[str, str], order: list[int]) -> Template:
    """Return a template with values in place of variables; words that are empty then are left out."""
    gone = _empty(template, values)
    return tuple(_item(item, values, order) for item, lost in zip(template, gone, strict=True) if not lost)


def _empty(template: Template, values: Mapping[str, str]) -> list[bool]:
    """Return which words of a template are left out: those that are empty, each with a joint beside it."""
    gone = [isinstance(item, Token) and not filled(item.text, values) for item in template]
    for place in [place for place, lost in enumerate(gone) if lost]:
        beside = (at for at in (place - 1, place + 1) if 0 <= at < len(gone) and not gone[at])
        gone[next((at for at in beside if glues(template[at : at + 1])), place)] = True
    return gone


def _item(item: Item, values: Mapping[str, str], order: list[int]) -> Item:
    if isinstance(item, Slot):
        return replace(item, child=order.index(item.child))
    return Token(filled(item.text, values)) if isinstance(item, Token) else item


def _fragment(fragment: Fragment, text: Template, values: Mapping[str, str], order: list[int]) -> Fragment:
    """Return a fragment with values in place of variables, its words where they stand in the text."""
    empty = _empty(text, values)
    nodes = tuple(
        Node(
            attributes=node.attributes and tuple((name, filled(value, values)) for name, value in node.attributes),
            token=None if node.token is None else node.token - sum(empty[: node.token]),
            glue=tuple(sorted((order.index(child), port) for child, port in node.glue)),
        )
        for node in fragment.nodes
    )
    labels = (filled(edge.label, values) for edge in fragment.edges)
    pairs = zip(fragment.edges, labels, strict=True)
    edges = tuple(edge if edge.label == label else replace(edge, label=label) for edge, label in pairs)
    return Fragment(nodes, edges, fragment.exports)


def _rule_keys(grammar: CoreGrammar, instances: Sequence[Instance]) -> tuple[RuleKey, ...]:
    """Return the key of each rule; ``instances`` are the instances of the rules.

    Words with one lemma in one category of a lexicon are distinguished by their spelling, first in the source. Rules
    that differ only in their graphs share a name.
    """
    keys = [_key(grammar, *pair) for pair in zip(grammar.rules, instances, strict=True)]
    uses = Counter(keys)
    for index, (key, rule) in enumerate(zip(keys, grammar.rules, strict=True)):
        if uses[key] > 1:
            texts = " / ".join(_text(rule, layer) for layer in range(len(rule.templates)))
            if key.section == WORDS:
                keys[index] = RuleKey(WORDS, key.category, texts)
            else:
                keys[index] = RuleKey(key.section, key.category, key.name, f"{key.part}: {texts}")
    return tuple(keys)


def _key(grammar: CoreGrammar, rule: Rule, instance: Instance) -> RuleKey:
    category, production = grammar.categories[rule.lhs].name, instance.production
    if production.pool:
        nodes = (node for fragment in rule.fragments for node in fragment.nodes)
        pairs = (pair for node in nodes for pair in node.attributes or ())
        lemma = next((value for name, value in pairs if name == "lemma"), None)
        text = lemma if lemma is not None else _text(rule, 0)
        return RuleKey(LEXICONS, category, production.name, text)
    if production.word:
        return RuleKey(WORDS, category, _text(rule, 0))
    children = " ".join(grammar.categories[child].name for child in rule.rhs)
    return RuleKey(RULES, category, production.name, children)


def _text(rule: Rule, layer: int) -> str:
    return " ".join(rule.words(layer))
