"""Lower instances to the core grammar: integers, normalised weights, fragments, rule keys.

A file of weights gives weights to rules, to words, and to the parts of rules and lexicons, category by category
(:mod:`sgl.core.grammar`).  What it does not mention keeps its declared share of the category, and a category without
an entry stays as it is: so a file stays right when something is added to the grammar.  A row about what the settings
leave out is passed over.  A name that means nothing under any setting is an error, a word that its lexicon does not
have a warning.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sgl.cache import kept
from sgl.core.grammar import (
    LEXICONS,
    RULES,
    WORDS,
    Category,
    CoreGrammar,
    Fragment,
    Node,
    Origin,
    Rule,
    RuleKey,
    Slot,
    Template,
    Token,
)
from sgl.diagnostics import Label, Span, shortlist, suggest
from sgl.frontend.expand import Concrete, Instance
from sgl.frontend.productions import FeatureVariable, FragmentSketch, Pool, TemplateSketch
from sgl.frontend.signature import Signature
from sgl.frontend.state import CompilerState, decimal, is_weight
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.mapping_files import WeightRow, read_weights

#: Very small weights are written with an exponent.
_SCIENTIFIC = re.compile(r"[0-9](\.[0-9]+)?e-?[0-9]{1,2}")
_CATEGORY = re.compile(r"(\w+)(?:\[(.*)\])?")

#: What authors call the members of each section.
_CALLED = {RULES: "rule", WORDS: "word", LEXICONS: "lexicon"}


@dataclass(frozen=True)
class Lowered:
    """The core grammar with where rules were written, and their keys for weights."""

    grammar: CoreGrammar
    rule_spans: tuple[Span, ...]
    rule_keys: tuple[RuleKey, ...]


def lower(state: CompilerState) -> None:
    """Number categories and rules, normalise weights. Before: ``instances`` by start category. After: ``declared``."""
    instances, signature = state.instances, state.signature
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
    )
    spans = tuple(instance.production.span for instance in instances)
    state.declared = Lowered(grammar, spans, _rule_keys(grammar, instances))


def _weights(instances: Sequence[Instance], signature: Signature) -> list[float]:
    """Return normalised weights.

    Instances of one rule with the same left-hand side share its weight by the weights of the
    feature values they choose; the words of a lexicon share that of the lexicon.
    """
    choices = [_choice_weight(instance, signature) for instance in instances]
    chosen: dict[tuple[int, int, Concrete], float] = {}
    ranks: dict[tuple[Pool, Concrete], int] = {}
    pools: dict[tuple[Pool, Concrete], float] = {}
    shares: list[float] = []
    for instance, choice in zip(instances, choices, strict=True):
        production, version, lhs = instance.production, instance.version, instance.lhs
        group = (id(production), version.sharing, lhs)
        chosen[group] = chosen.get(group, 0.0) + choice
        share, pool = version.share, production.pool
        if pool is not None:
            ranks[pool, lhs] = ranks.get((pool, lhs), 0) + 1
            if pool.exponent is not None:
                share *= ranks[pool, lhs] ** -pool.exponent
            pools[pool, lhs] = pools.get((pool, lhs), 0.0) + share
        shares.append(share)
    weights: list[float] = []
    totals: dict[Concrete, float] = {}
    for instance, share, choice in zip(instances, shares, choices, strict=True):
        production, lhs = instance.production, instance.lhs
        weight = share * choice / chosen[id(production), instance.version.sharing, lhs]
        if production.pool is not None:
            weight *= production.pool.weight / pools[production.pool, lhs]
        weights.append(weight)
        totals[lhs] = totals.get(lhs, 0.0) + weight
    return [w / totals[instance.lhs] for instance, w in zip(instances, weights, strict=True)]


def _choice_weight(instance: Instance, signature: Signature) -> float:
    """Return the product of the weights of the feature values that an instance chooses or children leave open."""
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


def _rule(index: int, instance: Instance, weight: float, numbers: Mapping[Concrete, int], state: CompilerState) -> Rule:
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
    )


#: What a rule is in each layer, after the order of its children in the source, which the core grammar has.
_Content = tuple[tuple[int, ...], tuple[Template, ...], tuple[Fragment, ...]]


def _content(instance: Instance, signature: Signature) -> _Content:
    values, version = instance.values, instance.version
    order = [*dict.fromkeys(i.child for i in version.templates[0] if isinstance(i, Slot))]
    texts = [text.name for text in signature.text_layers]
    anchors = (version.templates[texts.index(layer.anchor)] for layer in signature.graph_layers)
    templates = tuple(_template(sketch, values, order) for sketch in version.templates)
    fragments = tuple(_fragment(*pair, values, order) for pair in zip(version.fragments, anchors, strict=True))
    # A rule with another weight has the content that it had.
    content = tuple(order), templates, fragments
    return kept("equal content", (), content, lambda: content)


def _template(sketch: TemplateSketch, values: Mapping[str, str], order: list[int]) -> Template:
    items = (
        Token(values[item.name])
        if isinstance(item, FeatureVariable)
        else replace(item, child=order.index(item.child))
        if isinstance(item, Slot)
        else item
        for item in sketch
    )
    return tuple(item for item in items if not (isinstance(item, Token) and not item.text))


def _fragment(sketch: FragmentSketch, text: TemplateSketch, values: Mapping[str, str], order: list[int]) -> Fragment:
    """Return a fragment with words where they stand in the text, from which empty ones are left out."""
    empty = [isinstance(item, FeatureVariable) and not values[item.name] for item in text]
    nodes = []
    for index, node in enumerate(sketch.fragment.nodes):
        glue = tuple(sorted((order.index(child), port) for child, port in node.glue))
        token = None if node.token is None else node.token - sum(empty[: node.token])
        attributes = node.attributes
        if index in sketch.attributes:
            pairs = sketch.attributes[index]
            attributes = tuple((name, values[v.name] if isinstance(v, FeatureVariable) else v) for name, v in pairs)
        nodes.append(Node(attributes, token, glue))
    edges = list(sketch.fragment.edges)
    for index, edge in enumerate(edges):
        if "$" in edge.label:
            label = re.sub(r"\$(\w+)", lambda found: values[found[1]], edge.label)
            edges[index] = replace(edge, label=label)
    return Fragment(tuple(nodes), tuple(edges), sketch.fragment.exports)


def _rule_keys(grammar: CoreGrammar, instances: Sequence[Instance]) -> tuple[RuleKey, ...]:
    """Return what each rule is called; ``instances`` are those that the rules were made of.

    Words with one lemma, in one category of a lexicon, are told apart by how they are written, first in the source.
    Rules that differ in nothing but their graphs have one name.
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
    return " ".join(item.text for item in rule.templates[layer] if isinstance(item, Token))


def apply_weights(state: CompilerState) -> None:
    """Replace declared weights by those of files in force. Before: ``declared``. After: ``lowered``, unless errors."""
    lowered = state.declared
    declarations = state.names.of(s.Weights)
    if not declarations:
        state.lowered = lowered
        return
    errors = state.diagnostics.errors
    names = _WeightNames(lowered.rule_keys, state)
    grammar = lowered.grammar
    for declaration, scope in declarations:
        source = scope.read(declaration.path, MAX_TABLE)
        rows = read_weights(source, state.diagnostics) if source is not None else None
        grammar = _weighted(grammar, names.given(rows or (), declaration, grammar))
    if state.diagnostics.errors == errors:
        state.lowered = replace(lowered, grammar=grammar)


def _weighted(grammar: CoreGrammar, given: Mapping[int, float]) -> CoreGrammar:
    kept = [0.0] * len(grammar.categories)
    total = [0.0] * len(grammar.categories)
    for rule in grammar.rules:
        if rule.id in given:
            total[rule.lhs] += given[rule.id]
        else:
            kept[rule.lhs] += rule.weight
    rules = tuple(
        replace(rule, weight=given[rule.id] * (1.0 - kept[rule.lhs]) / total[rule.lhs]) if rule.id in given else rule
        for rule in grammar.rules
    )
    return replace(grammar, rules=rules)


class _WeightNames:
    """What the rows of a file of weights may speak of."""

    def __init__(self, keys: Sequence[RuleKey], state: CompilerState) -> None:
        self._state = state
        #: The rules by section, category and name, then by part.
        self._rules: dict[tuple[str, str, str], dict[str, list[int]]] = {}
        for rule, key in enumerate(keys):
            parts = self._rules.setdefault((key.section, key.category, key.name), {})
            parts.setdefault(key.part, []).append(rule)
        self._in_force = {(key.section, key.name) for key in keys}
        self._built = {key.category for key in keys}
        self._words = {(key.name, key.part) for key in keys if key.section == LEXICONS}
        # Also what a `when` switches off may be spoken of.
        names = state.names
        self._declared = {
            RULES: {rule.name.text for rule, _ in names.declared(s.Rule)},
            WORDS: {word.text.text for word, _ in names.declared(s.WordDecl)},
            LEXICONS: {lexicon.name.text for lexicon, _ in names.declared(s.Lexicon)},
        }
        self._categories: dict[str, bool] = {}
        #: Where each category was first read.
        self._given_by: dict[str, Span] = {}

    def given(self, rows: Sequence[WeightRow], declaration: s.Weights, grammar: CoreGrammar) -> dict[int, float]:
        """Return the weights that a file gives to rules; those that share one do so as declared weights do."""
        given: dict[int, float] = {}
        lacking: dict[str, list[s.Name]] = {}
        for category in {row.category.text: row.category for row in reversed(rows)}.values():
            earlier = self._given_by.setdefault(category.text, category.span)
            if earlier != category.span:
                message = f"`{category}` has weights from two files"
                hint = "keep it in one of the two, or give the declarations a `when`"
                self._state.error("SGL0711", category.span, message, hint, labels=[Label(earlier, "and from here")])
        for row in rows:
            text = row.weight.text
            weight = float(text) if _SCIENTIFIC.fullmatch(text) is not None else decimal(text)
            if not is_weight(weight):
                message = f"the weight of `{row.part or row.name}` is `{text}`, not a positive number"
                hint = "a rule that is not to be used is removed, or left out with `when`"
                self._state.error("SGL0701", row.weight.span, message, hint)
                continue
            if not self._means(row, declaration):
                continue
            parts = self._rules[row.section, row.category.text, row.name.text]
            name, part = row.name.text, row.part
            if part is None:
                rules = [rule for some in parts.values() for rule in some]
            else:
                rules = parts.get(part.text, [])
                if row.section == LEXICONS and (name, part.text) not in self._words:
                    lacking.setdefault(name, []).append(part)
            total = sum(grammar.rules[rule].weight for rule in rules)
            for rule in rules:
                given[rule] = weight * grammar.rules[rule].weight / total
        for name, words in lacking.items():
            shown = shortlist(f"`{word}`" for word in dict.fromkeys(word.text for word in words))
            hint = "the weights are older than the lexicon: estimate them again"
            self._state.warning("SGL0710", words[0].span, f"the lexicon `{name}` has no word {shown}", hint)
        return given

    def _means(self, row: WeightRow, declaration: s.Weights) -> bool:
        section, category, name = row.section, row.category.text, row.name.text
        if category not in self._categories:
            self._categories[category] = self._check_category(row.category)
        if not self._categories[category]:
            return False
        if (section, category, name) in self._rules:
            return True
        declared, called = self._declared[section], _CALLED[section]
        in_force = (section, name) in self._in_force
        if name not in declared and not in_force:
            message = f"there is no {called} `{name}`"
        elif in_force and category in self._built:
            message = f"the {called} `{name}` builds no `{category}`"
        else:
            return False
        beside = sorted(n for of, c, n in self._rules if (of, c) == (section, category))
        known = f"below `{category}` there may be: {shortlist(beside)}" if beside else ""
        labels = [Label(declaration.path.span, "the weights are asked for here")]
        self._state.error("SGL0709", row.name.span, message, suggest(name, declared - {name}) or known, labels=labels)
        return False

    def _check_category(self, name: s.Name) -> bool:
        signature, match = self._state.signature, _CATEGORY.fullmatch(name.text)
        base, inner = (match[1], match[2] or "") if match is not None else (name.text, "")
        info = signature.categories.get(base)
        if info is None:
            hint = suggest(base, signature.categories)
            self._state.error("SGL0709", name.span, f"there is no category `{base}`", hint)
            return False
        pairs = [pair.strip().partition("=") for pair in inner.split(",") if pair.strip()]
        if [feature for feature, _, _ in pairs] == list(info.features) and all(
            value in signature.features.get(feature, ()) for feature, _, value in pairs
        ):
            return True
        hint = f"it is written `{info.written('…' for _ in info.features)}`"
        self._state.error("SGL0709", name.span, f"`{name}` is no category of this grammar", hint)
        return False
