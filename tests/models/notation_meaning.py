"""What the sentences of a model in the short notation mean, written out by hand.

``notation_model.py`` draws a grammar; here every rule of it becomes one for each choice of
values, and these make all sentences, with their texts, graphs and probabilities::

    rule b2: B[num=n] -> V[num=n] obj:A  ~ 3 if n = sg, 1       3 × (sg), 1 × (pl)
      ja  obj V if n = sg                                       one order for each
      ja  V obj
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TypeVar

from notation_model import FEATURES, VALUES, WEIGHTS, Condition, Model, Row, Rule

_T = TypeVar("_T")

Edge = tuple[int, str, int]

#: More sentences than this are not listed.
MOST = 20_000


@dataclass(frozen=True)
class Choice:
    """Values of a rule's variables, the features of its children, and what they weigh."""

    values: Mapping[str, str]
    children: tuple[tuple[str, ...], ...]
    weight: float


@dataclass(frozen=True)
class Tree:
    """An application of a rule, or a word, to children."""

    rule: Rule | None
    values: Mapping[str, str]
    row: Row | None
    children: tuple[Tree, ...]
    probability: float


@dataclass
class Phrase:
    """What a tree means: words are (text, node), ``ports`` has the head and the open object."""

    en: list[tuple[str, int]]
    ja: list[str]
    edges: dict[str, set[Edge]]
    nodes: dict[int, tuple[str, str, str]]
    ports: dict[str, int]


def trees(model: Model) -> list[Tree]:
    """All sentences with their probabilities.

    Raises:
        OverflowError: some category has too many phrases.
    """

    @cache
    def phrases(category: str, values: tuple[str, ...]) -> tuple[Tree, ...]:
        features = dict(zip(FEATURES[category], values, strict=True))
        made: list[Tree] = []
        if category in model.lexicons:
            rows = model.lexicons[category]
            made = [Tree(None, features, row, (), 1 / len(rows)) for row in rows]
        for rule, choice in _weighted(model, category, features):
            pools = [phrases(c.category, v) for c, v in zip(rule.children, choice.children, strict=True)]
            for parts in product(*pools):
                probability = choice.weight * math.prod(part.probability for part in parts)
                made.append(Tree(rule, choice.values, None, parts, probability))
                if len(made) > MOST:
                    raise OverflowError
        return tuple(made)

    return list(phrases("S", ()))


def _weighted(model: Model, category: str, features: Mapping[str, str]) -> list[tuple[Rule, Choice]]:
    """The rules of a category with each choice of values and its probability."""
    found: list[tuple[Rule, Choice]] = []
    for rule in model.rules:
        groups: defaultdict[Condition, list[Choice]] = defaultdict(list)
        for choice in _choices(rule, features) if rule.category == category else ():
            groups[_case(rule.weights, choice.values)[0]].append(choice)
        for condition, number in rule.weights:
            total = sum(choice.weight for choice in groups[condition])
            found += [(rule, replace(choice, weight=number * choice.weight / total)) for choice in groups[condition]]
    whole = sum(choice.weight for _, choice in found)
    return [(rule, replace(choice, weight=choice.weight / whole)) for rule, choice in found]


def _choices(rule: Rule, features: Mapping[str, str]) -> Iterator[Choice]:
    """All choices of values for a left-hand side with these features."""
    bound = {variable: features[feature] for feature, variable in rule.features.items()}
    slots = [(child, f) for child in rule.children for f in FEATURES[child.category]]
    for chosen in product(*(VALUES[f] for _, f in slots)):
        values, weight, fits = dict(bound), 1.0, True
        seen: set[str] = set()
        for (child, feature), value in zip(slots, chosen, strict=True):
            said = child.features.get(feature, "")
            if said in VALUES[feature]:
                fits = fits and value == said
                continue
            if said.startswith(">"):
                # The variable is that of a child to the left.
                fits = fits and value > values[said[1:]]
            elif said:
                fits = fits and values.setdefault(said, value) == value
            if not said or said not in seen:
                weight *= WEIGHTS.get(value, 1.0)
            if not said.startswith(">"):
                seen.add(said)
        if fits:
            by = iter(chosen)
            children = tuple(tuple(next(by) for _ in FEATURES[c.category]) for c in rule.children)
            yield Choice(values, children, weight)


def _case(cases: Sequence[tuple[Condition, _T]], values: Mapping[str, str]) -> tuple[Condition, _T]:
    """The case that holds: one whose condition does, else the rest."""
    for case in cases:
        if case[0] is not None and values[case[0][0]] in case[0][1]:
            return case
    return next(case for case in cases if case[0] is None)


def meaning(tree: Tree, fresh: Iterator[int]) -> Phrase:
    """What a tree means."""
    if tree.rule is None:
        assert tree.row is not None
        node, number = next(fresh), tree.values["num"]
        word = tree.row.en + ("s" if number == "pl" else "")
        japanese = [tree.row.en + (tree.row.tail or "plain")]
        nodes = {node: (tree.row.en, "W", number)}
        return Phrase([(word, node)], japanese, {"syn": set(), "sem": set()}, nodes, {"head": node})
    rule = tree.rule
    parts = {c.role: meaning(t, fresh) for c, t in zip(rule.children, tree.children, strict=True)}
    nodes = {node: label for part in parts.values() for node, label in part.nodes.items()}
    heads = {role: part.ports["head"] for role, part in parts.items()}
    english = _case(rule.orders.get("en", ((None, ("V",)),)), tree.values)[1]
    japanese_order = _case(rule.orders.get("ja", ((None, ("V",)),)), tree.values)[1]
    if '"did"' in english:
        heads['"did"'] = next(fresh)
        nodes[heads['"did"']] = ("do", "AUX", "")
    ports = {"head": heads[rule.children[0].role]}
    if rule.category == "G":
        ports["obj"] = heads["obj"] = next(fresh)
    edges = {layer: {edge for part in parts.values() for edge in part.edges[layer]} for layer in ("syn", "sem")}
    for condition, layers, source, label, target in rule.edges:
        if condition is None or tree.values[condition[0]] in condition[1]:
            for layer in layers.split():
                edges[layer].add((heads[source], label, heads[target]))
    if rule.name == "b3":
        gap, filler = parts["G"].ports["obj"], heads["obj"]
        swap = {gap: filler}
        edges["syn"] = {(swap.get(s, s), e, swap.get(t, t)) for s, e, t in edges["syn"]}
    en = [pair for role in english for pair in (parts[role].en if role in parts else [("did", heads[role])])]
    ja = [word for role in japanese_order for word in (parts[role].ja if role in parts else ["タ"])]
    return Phrase(en, ja, edges, nodes, ports)


#: Both texts, what the nodes have, and the edges of both graphs.
Key = tuple[str, str, tuple[tuple[str, str, str], ...], frozenset[Edge], frozenset[Edge]]


def key_of_phrase(phrase: Phrase) -> Key:
    """Texts and graphs, with nodes called by their places."""
    place = {node: at for at, (_, node) in enumerate(phrase.en)}
    syn = frozenset((place[s], e, place[t]) for s, e, t in phrase.edges["syn"])
    sem = frozenset((place[s], e, place[t]) for s, e, t in phrase.edges["sem"])
    labels = tuple(phrase.nodes[node] for _, node in phrase.en)
    return " ".join(w for w, _ in phrase.en), " ".join(phrase.ja), labels, syn, sem


def has_walk(edges: frozenset[Edge], labels: Sequence[str]) -> bool:
    """Whether edges with these labels follow one another."""
    ends = {s for s, _, _ in edges}
    for label in labels:
        ends = {t for s, e, t in edges if s in ends and e == label}
    return bool(ends)


def parts_of(edges: frozenset[Edge]) -> dict[str, bool]:
    """To which streams of the dataset a sentence belongs."""
    p, q = has_walk(edges, "ab"), has_walk(edges, "bc")
    return {
        "train/in_distribution": not p and not q,
        "gen/p/0": p and not q and has_walk(edges, "c"),
        "gen/p/1": p and not q and not has_walk(edges, "c"),
        "gen/q/0": q and not p and has_walk(edges, "a"),
        "gen/q/1": q and not p and has_walk(edges, "aa"),
    }
