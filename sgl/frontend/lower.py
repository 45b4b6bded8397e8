"""Lower instances to the core grammar: integers, normalised weights, fragments, rule keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sgl.core.grammar import Category, CoreGrammar, Fragment, Node, Origin, Rule, Template, Token
from sgl.core.weights import LEXICONS, RULES, WORDS, RuleKey
from sgl.diagnostics import SourceMap, Span
from sgl.frontend.agreement import OpenTie
from sgl.frontend.expand import Concrete, Instance
from sgl.frontend.productions import FeatureVariable, FragmentSketch, instantiate
from sgl.frontend.signature import Signature
from sgl.frontend.state import CompilerState


@dataclass(frozen=True)
class Lowered:
    """The core grammar with the way back to the source.

    ``rule_spans[r]`` is where rule ``r`` was written, ``rule_keys[r]`` what it is
    called in a file of weights.  ``open_ties`` are the rules that may lack an agreement.
    """

    grammar: CoreGrammar
    rule_spans: tuple[Span, ...]
    rule_keys: tuple[RuleKey, ...]
    open_ties: tuple[OpenTie, ...] = ()


def lower(state: CompilerState) -> None:
    """Give categories and rules their numbers, and normalise the weights.

    Before: ``instances``, those of the start category first.  After: ``declared``.
    """
    ordered, signature = state.instances, state.signature
    categories: dict[Concrete, int] = {}
    for instance in ordered:
        categories.setdefault(instance.lhs, len(categories))
    weights = _weights(ordered, signature)
    rules = [
        Rule(
            id=index,
            name=instance.production.name,
            lhs=categories[instance.lhs],
            rhs=tuple(categories[child] for child in instance.rhs),
            weight=weight,
            templates=_templates(instance),
            fragments=_fragments(instance),
            origin=_origin(instance.production.span, state.sources),
            keep=instance.production.keep,
        )
        for index, (instance, weight) in enumerate(zip(ordered, weights, strict=True))
    ]
    grammar = CoreGrammar(
        name=state.project.name,
        categories=tuple(_category(concrete, signature) for concrete in categories),
        rules=tuple(rules),
        start=0,
        text_layers=signature.text_layers,
        graph_layers=signature.graph_layers,
        views=signature.views,
    )
    spans = tuple(instance.production.span for instance in ordered)
    state.declared = Lowered(grammar, spans, rule_keys(grammar, ordered))


def _category(concrete: Concrete, signature: Signature) -> Category:
    name, values = concrete
    info = signature.categories[name]
    pairs = ", ".join(f"{f}={v}" for f, v in zip(info.features, values, strict=True))
    return Category(f"{name}[{pairs}]" if pairs else name, info.ports, info.limited)


def _weights(instances: Sequence[Instance], signature: Signature) -> list[float]:
    """Normalised weights.

    The instances of one rule with the same left-hand side share its weight by
    the weights of the feature values they choose; the words of a lexicon share
    the weight of the lexicon.
    """
    raw = _raw_weights(instances, signature)
    totals: dict[Concrete, float] = {}
    for instance, weight in zip(instances, raw, strict=True):
        totals[instance.lhs] = totals.get(instance.lhs, 0.0) + weight
    return [weight / totals[instance.lhs] for instance, weight in zip(instances, raw, strict=True)]


def _raw_weights(instances: Sequence[Instance], signature: Signature) -> list[float]:
    choices = [_choice_weight(instance, signature) for instance in instances]
    totals: dict[tuple[int, Concrete], float] = {}
    ranks: dict[tuple[str, Concrete], int] = {}
    shares: list[float] = []
    pools: dict[tuple[str, Concrete], float] = {}
    for instance, choice in zip(instances, choices, strict=True):
        production = instance.production
        key = (id(production), instance.lhs)
        totals[key] = totals.get(key, 0.0) + choice
        share = production.share
        if production.pool:
            pool = (production.pool, instance.lhs)
            ranks[pool] = ranks.get(pool, 0) + 1
            if production.rank_exponent is not None:
                share *= ranks[pool] ** -production.rank_exponent
            pools[pool] = pools.get(pool, 0.0) + share
        shares.append(share)
    weights = []
    for instance, share, choice in zip(instances, shares, choices, strict=True):
        production = instance.production
        weight = share * choice / totals[id(production), instance.lhs]
        if production.pool:
            weight *= production.pool_weight / pools[production.pool, instance.lhs]
        weights.append(weight)
    return weights


def _choice_weight(instance: Instance, signature: Signature) -> float:
    """Return the product of the weights of the feature values that an instance chooses.

    A variable counts once, and every feature that a child leaves open.
    """
    weight = 1.0
    seen: set[str] = set()
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


def _templates(instance: Instance) -> tuple[Template, ...]:
    return tuple(instantiate(sketch, instance.values) for sketch in instance.production.templates)


def _fragments(instance: Instance) -> tuple[Fragment, ...]:
    return tuple(_fragment(sketch, instance.values) for sketch in instance.production.fragments)


def _fragment(sketch: FragmentSketch, values: Mapping[str, str]) -> Fragment:
    nodes = []
    for index, node in enumerate(sketch.fragment.nodes):
        attributes = sketch.attributes.get(index)
        if attributes is None:
            nodes.append(node)
            continue
        pairs = tuple(
            (name, values[value.name] if isinstance(value, FeatureVariable) else value)
            for name, value in attributes
        )
        nodes.append(Node(pairs, node.token, node.glue))
    edges = [
        replace(edge, label=_label(edge.label, values)) if "$" in edge.label else edge
        for edge in sketch.fragment.edges
    ]
    return Fragment(tuple(nodes), tuple(edges), sketch.fragment.exports)


def _label(label: str, values: Mapping[str, str]) -> str:
    """Return a label with the values of the feature variables in it."""
    parts = label.split(":")
    return ":".join(values[part[1:]] if part.startswith("$") else part for part in parts)


def _origin(span: Span, sources: SourceMap) -> Origin | None:
    file = sources.get(span.file)
    return Origin(span.file, file.position(span.start)[0]) if file is not None else None


def rule_keys(grammar: CoreGrammar, instances: Sequence[Instance]) -> tuple[RuleKey, ...]:
    """Return what each rule is called; ``instances`` are those that the rules were made of.

    Words with one lemma, in one category of a lexicon, are told apart by how they are
    written, first in the source.  Rules that differ in nothing but their graphs have
    one name.
    """
    short = [_key(grammar, *pair) for pair in zip(grammar.rules, instances, strict=True)]
    shared = {key for key, uses in Counter(short).items() if uses > 1}
    return tuple(
        _with_texts(key, rule) if key in shared else key
        for key, rule in zip(short, grammar.rules, strict=True)
    )


def _key(grammar: CoreGrammar, rule: Rule, instance: Instance) -> RuleKey:
    category, production = grammar.categories[rule.lhs].name, instance.production
    if production.pool:
        return RuleKey(LEXICONS, category, production.name, _lemma(rule))
    if production.word:
        return RuleKey(WORDS, category, _text(rule, 0))
    children = " ".join(grammar.categories[child].name for child in rule.rhs)
    return RuleKey(RULES, category, production.name, children)


def _lemma(rule: Rule) -> str:
    """Return the lemma of a word, or the word itself in a grammar without graphs."""
    for fragment in rule.fragments:
        for node in fragment.nodes:
            for name, value in node.attributes or ():
                if name == "lemma":
                    return value
    return _text(rule, 0)


def _with_texts(key: RuleKey, rule: Rule) -> RuleKey:
    texts = " / ".join(_text(rule, layer) for layer in range(len(rule.templates)))
    if key.section == WORDS:
        return RuleKey(WORDS, key.category, texts)
    return RuleKey(key.section, key.category, key.name, f"{key.part}: {texts}")


def _text(rule: Rule, layer: int) -> str:
    return " ".join(item.text for item in rule.templates[layer] if isinstance(item, Token))
