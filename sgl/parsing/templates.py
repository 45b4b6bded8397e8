"""The templates of a text layer as one prefix tree, indexed for parsing.

Rules whose templates begin alike share their first steps, and all rules of a
lexicon with one word are one step from the root::

    transitive   VT NP              root -VT-> o -NP-> ● transitive
    said_that    VT "that" S              └─ -that-> o -S-> ● said_that
    saw          "saw"              root -saw-> ● saw

A step is a word or a *symbol*: a category in one of two modes.  In the raised mode
the first letter is raised, which is what ``capital`` asks of a child; a raised
phrase is one whose first word is raised, and so its template stands in the tree a
second time, with its first step raised.

A category is *nullable* when it derives the empty sequence of words.  Empty
children leave nothing in the input; a template is in the tree once for each number
of first children that may all be empty (its *lead*), and later ones are skipped.

What the input does not show is known here as well: which categories can be rewritten into
themselves over the same words (:func:`recurring`), and what may stand in the place of a child
that a template drops (:class:`Dropped`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from heapq import heapify, heappop, heappush
from math import prod

import networkx as nx

from sgl.core.grammar import CoreGrammar, Rule, Slot, Template
from sgl.core.interpret import capitalised


class UnparsableLayerError(Exception):
    """A text layer has templates that no parser can be built for.

    ``layer`` names the layer, ``rule`` the rule, ``reason`` says what is wrong.
    """

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


class TemplateIndex:
    """The prefix tree of a text layer with what parsing asks of it, by node or symbol.

    Attributes:
        parent: the node that ``step`` leads from.
        words: the steps over words; ``slots`` those over symbols.
        ends: the symbols of the rules that end at a node.
        rules: those rules with their leads, by node and symbol.
        skips: the nodes that a node reaches over a child that may be empty.
        below: the bit set of the symbols whose rules end at a node or after it.
        starts: where the root's steps over symbols lead, with what is ``below``.
        corners: the bit set of the symbols that a phrase can begin with, itself
            included.
        nullable: the categories that derive no words, ``nullable_rules`` how.
        vocabulary: every word, raised where it can be.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Build the tree; raise ``UnparsableLayerError`` for a template with an empty word."""
        self.grammar = grammar
        self.layer = layer
        self.parent = [ROOT]
        self.step: list[Step] = [""]
        self.words: list[dict[str, int]] = [{}]
        self.rules: dict[tuple[int, int], list[tuple[Rule, int]]] = {}
        self.nullable, self.nullable_rules = _nullable(grammar, layer)
        self._slots: list[dict[int, int]] = [{}]
        first = self._insert_reachable()
        self.corners = _closure(first)
        self.slots = [tuple(slots.items()) for slots in self._slots]
        self.ends: list[tuple[int, ...]] = [() for _ in self.parent]
        for node, left in self.rules:
            self.ends[node] += (left,)
        self.below = self._below()
        self.skips = self._skips()
        self.starts = {step: (node, self.below[node]) for step, node in self.slots[ROOT]}
        self.vocabulary = frozenset(word for words in self.words for word in words)

    def _insert_reachable(self) -> dict[int, set[int]]:
        """Insert the rules of all symbols below the start; what each may begin with."""
        first: dict[int, set[int]] = {}
        waiting = [symbol(self.grammar.start, False)]
        while waiting:
            left = waiting.pop()
            if left in first:
                continue
            first[left] = set()
            for rule in self.grammar.rules_of[left // 2]:
                template = self._checked(rule)
                for lead in self._leads(rule, template):
                    path = list(self._path(rule, template, lead, left % 2 == 1))
                    self._insert(path, rule, left, lead)
                    waiting += [step for step in path if isinstance(step, int)]
                    if isinstance(path[0], int):
                        first[left].add(path[0])
        return first

    def _checked(self, rule: Rule) -> Template:
        template = rule.templates[self.layer]
        if any(not isinstance(item, Slot) and not item.text for item in template):
            name = self.grammar.text_layers[self.layer].name
            raise UnparsableLayerError(name, rule.name, "has an empty word")
        return template

    def _leads(self, rule: Rule, template: Template) -> Iterator[int]:
        """Return the positions that a template may begin at, all before being empty."""
        for position, item in enumerate(template):
            yield position
            if not isinstance(item, Slot) or rule.rhs[item.child] not in self.nullable:
                return

    def _path(self, rule: Rule, template: Template, lead: int, raised: bool) -> Iterator[Step]:
        for position, item in enumerate(template[lead:]):
            first = raised and position == 0
            if isinstance(item, Slot):
                yield symbol(rule.rhs[item.child], item.capital or first)
            else:
                yield capitalised(item.text) if first else item.text

    def _insert(self, path: list[Step], rule: Rule, left: int, lead: int) -> None:
        node = ROOT
        for step in path:
            if isinstance(step, str):
                after = self.words[node].get(step)
            else:
                after = self._slots[node].get(step)
            node = self._new(node, step) if after is None else after
        self.rules.setdefault((node, left), []).append((rule, lead))

    def _new(self, parent: int, step: Step) -> int:
        node = len(self.parent)
        self.parent.append(parent)
        self.step.append(step)
        self.words.append({})
        self._slots.append({})
        if isinstance(step, str):
            self.words[parent][step] = node
        else:
            self._slots[parent][step] = node
        return node

    def _below(self) -> list[int]:
        below = [sum(1 << left for left in ends) for ends in self.ends]
        for node in range(len(self.parent) - 1, ROOT, -1):
            below[self.parent[node]] |= below[node]
        return below

    def _skips(self) -> list[tuple[int, ...]]:
        """For each node but the root what it reaches over an empty child."""
        steps = (
            tuple(after for step, after in slots.items() if step // 2 in self.nullable)
            for slots in self._slots
        )
        return [() if node == ROOT else after for node, after in enumerate(steps)]


def _closure(first: dict[int, set[int]]) -> list[int]:
    """Return the bit set of all first symbols below each symbol, itself included."""
    corners = [0] * (max(first) + 1)
    for left, symbols in first.items():
        corners[left] = 1 << left | sum(1 << step for step in symbols)
    changed = True
    while changed:
        changed = False
        for left, symbols in first.items():
            united = corners[left]
            for step in symbols:
                united |= corners[step]
            changed = changed or united != corners[left]
            corners[left] = united
    return corners


def _nullable(grammar: CoreGrammar, layer: int) -> tuple[frozenset[int], dict[int, list[Rule]]]:
    """Return the categories that derive no words, and for each the rules that can do so."""
    wordless = [
        (rule, {rule.rhs[item.child] for item in rule.templates[layer] if isinstance(item, Slot)})
        for rule in grammar.rules
        if all(isinstance(item, Slot) for item in rule.templates[layer])
    ]
    nullable: set[int] = set()
    size = -1
    while size < len(nullable):
        size = len(nullable)
        nullable.update(rule.lhs for rule, children in wordless if children <= nullable)
    rules: dict[int, list[Rule]] = {category: [] for category in nullable}
    for rule, children in wordless:
        if children <= nullable:
            rules[rule.lhs].append(rule)
    return frozenset(nullable), rules


def recurring(index: TemplateIndex) -> frozenset[int]:
    """Return the categories that can be rewritten into themselves over the same words."""
    grammar: CoreGrammar = index.grammar
    graph: nx.DiGraph[int] = nx.DiGraph()
    for rule in grammar.rules:
        template = rule.templates[index.layer]
        slots = [rule.rhs[item.child] for item in template if isinstance(item, Slot)]
        if len(slots) < len(template):
            continue
        for place, child in enumerate(slots):
            if index.nullable.issuperset(slots[:place] + slots[place + 1 :]):
                graph.add_edge(rule.lhs, child)
    return frozenset(
        category
        for component in nx.strongly_connected_components(graph)
        for category in component
        if len(component) > 1 or graph.has_edge(category, category)
    )


class Dropped:
    """What is known of the categories of dropped children, computed when first asked for."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar

    def finite(self, category: int) -> bool:
        """Return whether a category has finitely many derivations."""
        return category in self._finite

    def likeliest(self, category: int) -> Rule | None:
        """Return the rule at the top of the likeliest derivation, or None if there is none."""
        return self._likeliest.get(category)

    @cached_property
    def _finite(self) -> frozenset[int]:
        """The categories with finitely many derivations."""
        finite: set[int] = set()
        waiting = list(range(len(self._grammar.categories)))
        settled = True
        while settled:
            rest = [c for c in waiting if not self._ends_in(c, finite)]
            settled = len(rest) < len(waiting)
            finite.update(set(waiting) - set(rest))
            waiting = rest
        return frozenset(finite)

    def _ends_in(self, category: int, finite: set[int]) -> bool:
        return all(finite.issuperset(rule.rhs) for rule in self._grammar.rules_of[category])

    @cached_property
    def _likeliest(self) -> dict[int, Rule]:
        """The rule of ``likeliest`` for each category that has derivations."""
        uses: dict[int, list[Rule]] = {}
        for rule in self._grammar.rules:
            for child in set(rule.rhs):
                uses.setdefault(child, []).append(rule)
        missing = {rule.id: len(set(rule.rhs)) for rule in self._grammar.rules}
        best: dict[int, Rule] = {}
        probability: dict[int, float] = {}
        size: dict[int, int] = {}
        heap = [(-rule.weight, 1, rule.id) for rule in self._grammar.rules if rule.lexical]
        heapify(heap)
        while heap:
            negative, rules, number = heappop(heap)
            category = self._grammar.rules[number].lhs
            if category in best:
                continue
            best[category] = self._grammar.rules[number]
            probability[category], size[category] = -negative, rules
            for rule in uses.get(category, ()):
                missing[rule.id] -= 1
                if not missing[rule.id]:
                    product = rule.weight * prod(probability[child] for child in rule.rhs)
                    rules = 1 + sum(size[child] for child in rule.rhs)
                    heappush(heap, (-product, rules, rule.id))
        return best
