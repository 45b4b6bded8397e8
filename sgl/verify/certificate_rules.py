"""What the rules of a certificate do: symbols, ingredients, graphs, and the lengths of texts.

A rule adds its own words to those of its children, each as often as its template has the child.
Numbers from some number on are one, since no test of a structure tells them apart.
"""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

Json = Any  # a part of a certificate
SIGNS = ("=", ">=", "<=", "!=")


def lengths_shown(body: Json, name: Callable[[str], str]) -> list[str]:
    """Return the tests on lengths in the notation; ``name`` refuses what can be no name."""
    tests = body.get("lengths", ())
    if any(sign not in SIGNS for _, sign, _ in tests):
        raise ValueError("a length is compared in no known way")
    return [f"length {name(layer)} {sign} {number}" for layer, sign, number in tests]


class Lengths:
    """The lengths of phrases as a structure with these bodies sees them.

    ``effects`` say what each rule adds, and how often it has each child, for every layer that is
    tested; ``layers`` are these, with the number that stands for all that follow.
    """

    def __init__(self, grammar: Json, bodies: Json) -> None:
        if any("lengths" in body or not bodies[0]["variables"] for body in bodies[1:]):
            raise ValueError("a `without` is about no lengths, and about nodes")
        self.tests, self.layers = bodies[0].get("lengths", ()), dict[str, int]()
        for layer, _, number in self.tests:
            self.layers[layer] = max(self.layers.get(layer, 0), number + 1)
        names = [name for name, *_ in grammar["text"]]
        if any(own[3:] and own[3][1] for own in grammar["text"] if own[0] in self.layers):
            raise ValueError("lengths of a layer that absorbs words cannot be counted")
        numbers = [names.index(layer) for layer in self.layers]
        self.effects = [tuple(effect(rule[5][layer]) for layer in numbers) for rule in grammar["rules"]]

    def of(self, effects: Json, children: Json) -> Json:
        """Return the lengths of all parts of a phrase from its rule and those of its children."""
        return tuple(
            tuple(min(cap, own + sum(children[c][at][part] for c, part in used)) for own, used in x)
            for at, (cap, x) in enumerate(zip(self.layers.values(), effects, strict=True))
        )

    def met(self, lengths: Json) -> bool:
        """Return whether a text of these lengths passes all tests."""
        of = dict(zip(self.layers, map(sum, lengths), strict=True))
        return all(
            {"=": of[x] == n, "!=": of[x] != n, ">=": of[x] >= n, "<=": of[x] <= n}[sign] for x, sign, n in self.tests
        )


def effect(template: Json) -> Json:
    """Return for each part of a template its words, and the parts of children that it uses."""
    parts: list[Json] = [(0, ())]
    for kind, *item in template:
        own, used = parts[-1]
        if kind == "cut":
            parts.append((0, ()))
        elif kind == "word":
            parts[-1] = own + 1, used
        elif item[3:]:
            raise ValueError("lengths of a layer with functions cannot be counted")
        else:
            parts[-1] = own, (*used, (item[0], max(item[2] - 1, 0) if item[2:] else 0))
    return tuple(parts)


def fresh(choices: list[Json], before: list[int]) -> Iterator[Json]:
    """Yield the rows of choices, without those of the first ``before`` of each."""
    known = [[*own] for own in choices]
    if not before:
        yield from product(*known)
    for place, number in enumerate(before):
        yield from product(*known[:place], known[place][number:], *known[place + 1 :])
        del known[place][number:]


def symbols_of(rules: Json, symbols: Json) -> tuple[Json, Json]:
    """Return the categories of each symbol, its own and of its children, and its rules."""
    ends, rules_of = dict[int, Json](), dict[int, list[int]]()
    for number, (rule, symbol) in enumerate(zip(rules, symbols, strict=True)):
        rules_of.setdefault(symbol, []).append(number)
        if ends.setdefault(symbol, rule[1:3]) != rule[1:3]:
            raise ValueError(f"rule {rule[0]} has other categories than its symbol {symbol}")
    return ends, rules_of


def ingredients(core: Json, rule: Json) -> frozenset[tuple[str, str]]:
    """Return the words, entries and forms, or the words and the rule, that a text has by it."""
    name, lhs, children, _, _, templates, fragments = rule
    grammar, plan = core["grammar"], core["plan"]
    graphs, texts = ([name for name, *_ in grammar[layer]] for layer in ("graph", "text"))
    lemma_layer, target = plan["lemma_layer"], plan["target"]
    nodes = fragments[graphs.index(lemma_layer)]["nodes"] if lemma_layer else []
    lemmas = {lemma for label, *_ in nodes if (lemma := dict(label or ()).get("lemma"))}
    found = {("word", lemma) for lemma in lemmas}
    if children:
        return frozenset({*found, ("rule", name)})
    category = grammar["categories"][lhs][0].partition("[")[0]
    items = templates[texts.index(target)] if target in texts else []
    form = " ".join(item[1] for item in items if item[0] == "word")
    found |= {("entry", f"{category}: {lemma}") for lemma in lemmas}
    return frozenset({*found, ("form", form)} if form else found)
