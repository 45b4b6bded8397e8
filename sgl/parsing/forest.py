"""Represent all readings of an input as a packed forest, with each constituent once.

A node of the forest is a constituent with its *alternatives*: rules over the nodes of their children::

    (VP, 2, 9)   V NP PP: (V 2 3) (NP 3 5) (PP 5 9)     saw [the dog] [near Emma]
                 V NP:    (V 2 3) (NP 3 9)              saw [the dog near Emma]

Questions about readings take one pass over the nodes, whose number is polynomial in the length of the input.  In
``Forest.nodes`` children come before their parents, and no node is below itself: if a category can be rewritten into
itself over the same words, which gives infinitely many trees, the forest leaves out that repetition.
"""

from collections.abc import Iterator
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain, product
from math import exp, inf, log, prod
from typing import NamedTuple, Protocol

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.values import dataclass


class Alternative(NamedTuple):
    """A rule, by id, over the nodes of its children, by index."""

    rule: int
    children: tuple[int, ...]


class Node(NamedTuple):
    """A category with its spans in the input.

    There is one span, none for a child that a template drops, and several for a child that it repeats.
    ``alternatives`` are sorted by rule, then by the spans of the children.
    """

    category: int
    spans: tuple[tuple[int, int], ...]
    alternatives: tuple[Alternative, ...]


class Automaton(Protocol):
    """A deterministic bottom-up tree automaton over the rules of the grammar."""

    def step(self, rule: int, children: tuple[int, ...]) -> int:
        """Return the state of a phrase from its rule and the states of its children."""


@dataclass(frozen=True)
class Forest:
    """The readings of one input; the last of ``nodes`` covers all of it."""

    grammar: CoreGrammar
    nodes: tuple[Node, ...]

    @classmethod
    def of_one(cls, grammar: CoreGrammar, derivation: Derivation) -> "Forest":
        """Return the forest of one reading, without spans."""
        nodes: list[Node] = []
        stack: list[int] = []
        for rule in reversed(derivation):
            children = tuple([stack.pop() for _ in grammar.rules[rule].rhs])
            stack.append(len(nodes))
            nodes.append(Node(grammar.rules[rule].lhs, (), (Alternative(rule, children),)))
        return cls(grammar, tuple(nodes))

    @property
    def root(self) -> Node:
        """The node that covers the whole input."""
        return self.nodes[-1]

    @property
    def count(self) -> int:
        """The exact number of readings."""
        return self._counts[-1]

    def reading(self, number: int) -> Derivation:
        """Return reading ``number``, counting from 0 in the order of alternatives; raises ``IndexError``."""
        if not 0 <= number < self.count:
            raise IndexError(f"there is no reading {number} of {self.count}")
        rules: list[int] = []
        stack = [(len(self.nodes) - 1, number)]
        while stack:
            node, number = stack.pop()
            for alternative in self.nodes[node].alternatives:
                ways = prod([self._counts[child] for child in alternative.children])
                if number < ways:
                    break
                number -= ways
            rules.append(alternative.rule)
            for child in reversed(alternative.children):
                number, place = divmod(number, self._counts[child])
                stack.append((child, place))
        return tuple(rules)

    def readings(self, limit: int) -> Iterator[Derivation]:
        """Return the first ``limit`` readings in the order of alternatives."""
        return (self.reading(number) for number in range(min(limit, self.count)))

    def states(self, automaton: Automaton) -> frozenset[int]:
        """Return the states of all readings: a structure is in some reading if one state accepts, in each if all do."""
        return frozenset(self.examples(automaton))

    def examples(self, automaton: Automaton) -> dict[int, Derivation]:
        """Return the states of all readings, each with one reading that reaches it."""
        examples: list[dict[int, Derivation]] = []
        for node in self.nodes:
            found: dict[int, Derivation] = {}
            for rule, children in node.alternatives:
                for below in product(*[examples[child].items() for child in children]):
                    state = automaton.step(rule, tuple([state for state, _ in below]))
                    if state not in found:
                        found[state] = (rule, *chain(*[reading for _, reading in below]))
            examples.append(found)
        return examples[-1]

    @cached_property
    def _counts(self) -> list[int]:
        counts: list[int] = []
        for node in self.nodes:
            counts.append(sum(prod([counts[child] for child in a.children]) for a in node.alternatives))
        return counts


#: Larger numbers of readings are written as a power of ten.
_EXACT = 10**60


def number_of(readings: int) -> str:
    """Format a number of readings for people, who do not read thousands of digits."""
    return f"{readings:,}" if readings < _EXACT else f"some 10^{int(log(readings) / log(10))}"


class Ranked(NamedTuple):
    """A reading with its probability under the weights of the grammar."""

    probability: float
    derivation: Derivation


class _Choice(NamedTuple):
    """An alternative, by index, over the readings of its children, by rank."""

    cost: float
    alternative: int
    ranks: tuple[int, ...]


def best_readings(forest: Forest, limit: int) -> tuple[Ranked, ...]:
    """Return the ``limit`` likeliest readings of a forest, the likeliest first."""
    used = {alternative.rule for node in forest.nodes for alternative in node.alternatives}
    weights = {rule: forest.grammar.rules[rule].weight for rule in used}
    costs = {rule: -log(weight) if weight > 0 else inf for rule, weight in weights.items()}
    choices: list[list[_Choice]] = []
    for node in forest.nodes:
        choices.append(_choose(node, choices, costs, limit))
    ranked: list[Ranked] = []
    for number, best in enumerate(choices[-1]):
        rules: list[int] = []
        stack = [(len(forest.nodes) - 1, number)]
        while stack:
            at, rank = stack.pop()
            choice = choices[at][rank]
            alternative = forest.nodes[at].alternatives[choice.alternative]
            rules.append(alternative.rule)
            stack.extend(reversed(list(zip(alternative.children, choice.ranks, strict=True))))
        factor = forest.grammar.namer.share(rules) if forest.grammar.namer else 1.0
        ranked.append(Ranked(factor * exp(-best.cost), tuple(rules)))
    # Readings with fewer names are likelier than their rules say.
    return tuple(sorted(ranked, key=lambda one: -one.probability) if forest.grammar.namer else ranked)


def _choose(node: Node, below: list[list[_Choice]], costs: dict[int, float], limit: int) -> list[_Choice]:

    def choice(number: int, ranks: tuple[int, ...]) -> _Choice:
        alternative = node.alternatives[number]
        cost = costs[alternative.rule]
        for child, rank in zip(alternative.children, ranks, strict=True):
            cost += below[child][rank].cost
        return _Choice(cost, number, ranks)

    heap = [choice(i, (0,) * len(a.children)) for i, a in enumerate(node.alternatives)]
    heapify(heap)
    met = {found[1:] for found in heap}
    best: list[_Choice] = []
    while heap and len(best) < limit:
        found = heappop(heap)
        best.append(found)
        children = node.alternatives[found.alternative].children
        for place, child in enumerate(children):
            ranks = (*found.ranks[:place], found.ranks[place] + 1, *found.ranks[place + 1 :])
            if ranks[place] < len(below[child]) and (found.alternative, ranks) not in met:
                met.add((found.alternative, ranks))
                heappush(heap, choice(found.alternative, ranks))
    return best
