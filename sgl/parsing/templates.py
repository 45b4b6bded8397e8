"""What parsing asks of the templates of a text layer, category by category.

A phrase may have several *parts*, each with a template of its own, and stands in one of two modes: a *raised* phrase,
which ``capital`` asks for, is one whose first word is raised.  Rules that begin with the same words share them::

    up to      "up" "to" NP            up -to-> ● up to
    up         "up"                    ●  up

What begins with a child is found by that child.  A part is *nullable* when it may have no words; a rule may then begin
with nothing.  Known as well is what the input does not show: what may stand in the place of a child that a template
drops.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import islice, takewhile
from math import prod
from typing import NamedTuple

import networkx as nx

from sgl.core.grammar import CoreGrammar, Cut, Rule, Slot, Token
from sgl.core.graph import parts_of
from sgl.core.interpret import capitalised


class UnparsableLayerError(Exception):
    """A text layer has templates that no parser can be built for; ``reason`` says why."""

    def __init__(self, layer: str, rule: str, reason: str) -> None:
        super().__init__(f"the layer {layer} cannot be parsed: rule {rule} {reason}")
        self.layer = layer
        self.rule = rule
        self.reason = reason


#: A part of a category, by numbers, and whether its first letter is raised.
Symbol = tuple[int, int, bool]


class Start(NamedTuple):
    """A rule for a symbol, which has a number: it begins where its first words (so many) or its first child stand."""

    number: int
    symbol: Symbol
    rule: Rule
    words: int


class Beginning:
    """What rules begin with these words: the ``starts`` that have no more, and beginnings with one more.

    ``symbols`` is the set, as bits, of those that have all these rules.
    """

    def __init__(self) -> None:
        self.starts: list[Start] = []
        self.after: dict[str, Beginning] = {}
        self.symbols = 0


class TemplateIndex:
    """The templates of a layer with what parsing asks of them.

    ``parts`` are the templates of each rule; ``nullable`` the parts of categories that may have no words.  The
    ``symbols`` that sentences may consist of have numbers.  Their rules are found by their first words, from the
    ``beginning`` on, or ``by_symbol`` that they begin with; what may begin with nothing is ``silent``.  ``corners``
    has for each symbol the set, as bits, of all that it may begin with, itself included.  ``vocabulary`` has every
    word, raised where it can be.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Collect it; raise ``UnparsableLayerError`` if a rule applies functions, or has an empty word."""
        self.grammar, self.layer = grammar, layer
        for rule in grammar.rules:
            reason = "applies functions: the layer is one-way" if rule.applies_functions(layer) else ""
            reason = "has an empty word" if Token("") in rule.templates[layer] else reason
            if reason:
                raise UnparsableLayerError(grammar.text_layers[layer].name, rule.name, reason)
        self.parts = [parts_of(rule.templates[layer], Cut()) for rule in grammar.rules]
        self.nullable = self._nullable()
        self.symbols: dict[Symbol, int] = {(grammar.start, 0, False): 0}
        self.beginning = Beginning()
        self.by_symbol: defaultdict[Symbol, list[Start]] = defaultdict(list)
        self.silent: list[Start] = []
        words, first = set[str](), dict[int, set[int]]()
        waiting = list(self.symbols)
        for symbol in waiting:
            number, met = self.symbols[symbol], len(self.symbols)
            first[number] = set()
            for rule in grammar.rules_of[symbol[0]]:
                first[number] |= self._enter(number, symbol, rule, words)
            waiting += islice(self.symbols, met, None)
        self.corners = dict(zip(self.symbols, closure(first), strict=True))
        self.vocabulary = frozenset(words)

    def _nullable(self) -> set[tuple[int, int]]:
        wordless = [
            (rule.lhs, part, {(rule.rhs[item.child], item.number) for item in template if isinstance(item, Slot)})
            for rule, parts in zip(self.grammar.rules, self.parts, strict=True)
            for part, template in enumerate(parts)
            if all(isinstance(item, Slot) for item in template)
        ]
        found, size = set[tuple[int, int]](), -1
        while size < (size := len(found)):
            found.update((category, part) for category, part, below in wordless if below <= found)
        return found

    def _enter(self, left: int, symbol: Symbol, rule: Rule, words: set[str]) -> set[int]:
        """Note how a rule begins, and all its words; return the symbols that it may begin with."""
        template, raised = self.parts[rule.id][symbol[1]], symbol[2]
        begins, corners = True, set[int]()
        for place, item in enumerate(template):
            # What stands behind children that may be empty is the first or not.
            for mode in {raised and begins, *([False] if place else [])}:
                if isinstance(item, Slot):
                    below = rule.rhs[item.child], item.number, item.capital or mode
                    number = self.symbols.setdefault(below, len(self.symbols))
                    corners |= {number} if begins else set()
                else:
                    words.add(capitalised(item.text) if mode else item.text)
            begins = begins and isinstance(item, Slot) and (rule.rhs[item.child], item.number) in self.nullable
        first, starts = template[0] if template else None, self.silent
        run = [item.text for item in takewhile(lambda item: isinstance(item, Token), template)]
        if isinstance(first, Slot) and (rule.rhs[first.child], first.number) not in self.nullable:
            starts = self.by_symbol[rule.rhs[first.child], first.number, first.capital or raised]
        elif run:
            node = self.beginning
            for place, word in enumerate(run):
                node = node.after.setdefault(capitalised(word) if raised and not place else word, Beginning())
                node.symbols |= 1 << left
            starts = node.starts
        starts.append(Start(left, symbol, rule, len(run)))
        return corners

    @cached_property
    def recurs(self) -> bool:
        """Whether a category can be rewritten into itself over the same words."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        for rule, parts in zip(self.grammar.rules, self.parts, strict=True):
            slots = {item for template in parts for item in template if isinstance(item, Slot)}
            worded = {item.child for item in slots if (rule.rhs[item.child], item.number) not in self.nullable}
            if all(isinstance(item, Slot) for template in parts for item in template):
                below = {item.child for item in slots if worded <= {item.child}}
                graph.add_edges_from((rule.lhs, rule.rhs[child]) for child in below)
        return any(circles_of(graph))

    def unseen(self, category: int, *, settled: bool) -> tuple[bool, Sequence[Rule]]:
        """Return whether only the likeliest rule of a dropped category counts, and its rules."""
        if not settled and category in self.ways:
            return False, self.grammar.rules_of[category]
        likeliest = self.likeliest.get(category)
        return True, () if likeliest is None else (likeliest,)

    @cached_property
    def ways(self) -> dict[int, int]:
        """The number of derivations of each category that has finitely many."""
        rules_of = self.grammar.rules_of
        ways: dict[int, int] = {}
        waiting = list(range(len(rules_of)))
        while ready := [c for c in waiting if all(ways.keys() >= {*r.rhs} for r in rules_of[c])]:
            for category in ready:
                ways[category] = sum(prod(ways[c] for c in r.rhs) for r in rules_of[category])
            waiting = [category for category in waiting if category not in ways]
        return ways

    @cached_property
    def likeliest(self) -> dict[int, Rule]:
        """The rule at the top of the likeliest derivation of each category that has one."""
        rules = self.grammar.rules
        uses: dict[int, list[Rule]] = {}
        for rule in rules:
            for child in set(rule.rhs):
                uses.setdefault(child, []).append(rule)
        missing = {rule.id: len(set(rule.rhs)) for rule in rules}
        best: dict[int, Rule] = {}
        #: The probability of the likeliest derivation, and how many rules it has.
        found: dict[int, tuple[float, int]] = {}
        heap = [(-rule.weight, 1, rule.id) for rule in rules if rule.lexical]
        heapify(heap)
        while heap:
            negative, size, number = heappop(heap)
            category = rules[number].lhs
            if category in best:
                continue
            best[category], found[category] = rules[number], (-negative, size)
            for rule in uses.get(category, ()):
                missing[rule.id] -= 1
                if not missing[rule.id]:
                    product = rule.weight * prod(found[child][0] for child in rule.rhs)
                    size = 1 + sum(found[child][1] for child in rule.rhs)
                    heappush(heap, (-product, size, rule.id))
        return best


def circles_of(graph: "nx.DiGraph[int]") -> Iterator[set[int]]:
    """Yield the nodes of a graph that lead back to themselves, those together that lead to one another."""
    for component in nx.strongly_connected_components(graph):
        if len(component) > 1 or any(graph.has_edge(node, node) for node in component):
            yield component


def closure(first: Mapping[int, set[int]]) -> list[int]:
    """Return for each number the bit set of all that can be reached from it, itself included."""
    reached = [1 << number for number in range(max(first, default=-1) + 1)]
    changed = True
    while changed:
        changed = False
        for number, others in first.items():
            united = reached[number]
            for other in others:
                united |= reached[other]
            changed = changed or united != reached[number]
            reached[number] = united
    return reached
