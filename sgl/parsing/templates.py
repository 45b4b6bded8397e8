"""The templates of a text layer as one prefix tree, indexed for parsing.

Rules whose templates begin alike share their first steps::

    transitive   VT NP              root -VT-> o -NP-> ● transitive
    said_that    VT "that" S              └─ -that-> o -S-> ● said_that

A step is a word or a *symbol*: a category in one of two modes.  A raised phrase, which ``capital``
asks for, is one whose first word is raised, so its template stands in the tree a second time.

A category is *nullable* when it derives the empty sequence of words.  A template is in the tree
once for each number of first children that may all be empty (its *lead*), and later ones are
skipped. Known as well is what the input does not show: which categories can be rewritten into
themselves over the same words, and what may stand in the place of a child that a template drops.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain
from math import prod

import networkx as nx

from sgl.core.grammar import CoreGrammar, Rule, Slot, Token
from sgl.core.interpret import capitalised


class UnparsableLayerError(Exception):
    """A text layer has templates that no parser can be built for; ``reason`` says why."""

    def __init__(self, layer: str, rule: str, reason: str) -> None:
        super().__init__(f"the layer {layer} cannot be parsed: rule {rule} {reason}")
        self.layer = layer
        self.rule = rule
        self.reason = reason


#: The number of the root.
ROOT = 0

#: A word, or the symbol of a child.
Step = str | int


def symbol(category: int, raised: bool) -> int:
    """Return the number of a category in one of its modes."""
    return 2 * category + raised


class Unseen:
    """What the input does not show of a grammar: what may stand for a child that is dropped."""

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Raise ``UnparsableLayerError`` for a layer whose rules apply functions."""
        for rule in (rule for rule in grammar.rules if rule.applies_functions(layer)):
            name = grammar.text_layers[layer].name
            raise UnparsableLayerError(name, rule.name, "applies functions: the layer is one-way")
        self.grammar = grammar
        self.layer = layer

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


class TemplateIndex(Unseen):
    """The prefix tree of a text layer with what parsing asks of it, by node or symbol.

    Attributes:
        parent: the node that ``step`` leads from.
        words: the steps over words; ``slots`` those over symbols.
        ends: the symbols of the rules that end at a node.
        rules: those rules with their leads, by node and symbol.
        skips: the nodes that a node but the root reaches over a child that may be empty.
        below: the bit set of the symbols whose rules end at a node or after it.
        starts: where the root's steps over symbols lead, with what is ``below``.
        corners: the bit set of the symbols that a phrase can begin with, itself
            included.
        nullable: the categories that derive no words, with the rules that do so.
        vocabulary: every word, raised where it can be.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Build the tree; raise ``UnparsableLayerError`` for a template with an empty word."""
        super().__init__(grammar, layer)
        self.parent = [ROOT]
        self.step: list[Step] = [""]
        self.rules: dict[tuple[int, int], list[tuple[Rule, int]]] = {}
        self.nullable = _nullable(grammar, layer)
        self._after: list[dict[Step, int]] = [{}]
        first: dict[int, set[int]] = {}
        waiting = [symbol(grammar.start, False)]
        while waiting:
            left = waiting.pop()
            if left in first:
                continue
            first[left] = set()
            for rule in grammar.rules_of[left // 2]:
                for lead, path in self._paths(rule, raised=left % 2 == 1):
                    self.rules.setdefault((self._insert(path), left), []).append((rule, lead))
                    waiting += [step for step in path if isinstance(step, int)]
                    if isinstance(path[0], int):
                        first[left].add(path[0])
        self.corners = closure(first)
        self.words = [{s: n for s, n in a.items() if isinstance(s, str)} for a in self._after]
        self.slots = [[(s, n) for s, n in a.items() if isinstance(s, int)] for a in self._after]
        self.ends: list[tuple[int, ...]] = [() for _ in self.parent]
        for node, left in self.rules:
            self.ends[node] += (left,)
        self.below = [sum(1 << left for left in ends) for ends in self.ends]
        for node in range(len(self.parent) - 1, ROOT, -1):
            self.below[self.parent[node]] |= self.below[node]
        self.skips = [[n for step, n in s if step // 2 in self.nullable] for s in self.slots]
        self.skips[ROOT] = []
        self.starts = {step: (node, self.below[node]) for step, node in self.slots[ROOT]}
        self.vocabulary = frozenset(word for words in self.words for word in words)

    def _paths(self, rule: Rule, *, raised: bool) -> Iterator[tuple[int, list[Step]]]:
        template = rule.constituents(self.layer)
        if any(isinstance(item, Token) and not item.text for item in template):
            name = self.grammar.text_layers[self.layer].name
            raise UnparsableLayerError(name, rule.name, "has an empty word")
        steps = [_step(rule, item, raised=False) for item in template]
        for lead, item in enumerate(template):
            yield lead, [_step(rule, item, raised=raised), *steps[lead + 1 :]]
            if isinstance(item, Token) or rule.rhs[item.child] not in self.nullable:
                return

    def _insert(self, path: list[Step]) -> int:
        node = ROOT
        for step in path:
            after = self._after[node].get(step)
            if after is None:
                after = self._after[node][step] = len(self.parent)
                self.parent.append(node)
                self.step.append(step)
                self._after.append({})
            node = after
        return node

    @cached_property
    def recurring(self) -> frozenset[int]:
        """The categories that can be rewritten into themselves over the same words."""
        graph: nx.DiGraph[int] = nx.DiGraph()
        for rule in self.grammar.rules:
            template = rule.templates[self.layer]
            slots = [rule.rhs[item.child] for item in template if isinstance(item, Slot)]
            if len(slots) < len(template):
                continue
            for place, child in enumerate(slots):
                if self.nullable.keys() >= {*slots[:place], *slots[place + 1 :]}:
                    graph.add_edge(rule.lhs, child)
        return frozenset(chain.from_iterable(circles_of(graph)))


def circles_of(graph: "nx.DiGraph[int]") -> Iterator[set[int]]:
    """Yield the nodes of a graph that lead back to themselves, those together that lead to one another."""
    for component in nx.strongly_connected_components(graph):
        if len(component) > 1 or any(graph.has_edge(node, node) for node in component):
            yield component


def _step(rule: Rule, item: Token | Slot, *, raised: bool) -> Step:
    if isinstance(item, Slot):
        return symbol(rule.rhs[item.child], item.capital or raised)
    return capitalised(item.text) if raised else item.text


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


def _nullable(grammar: CoreGrammar, layer: int) -> dict[int, list[Rule]]:
    wordless = [
        (rule, {rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot)})
        for rule in grammar.rules
        if all(isinstance(item, Slot) for item in rule.templates[layer])
    ]
    nullable: dict[int, list[Rule]] = {}
    size = -1
    while size < len(nullable):
        size = len(nullable)
        for rule, children in wordless:
            if nullable.keys() >= children:
                nullable.setdefault(rule.lhs, [])
    for rule, children in wordless:
        if nullable.keys() >= children:
            nullable[rule.lhs].append(rule)
    return nullable
