"""Prepare a text layer for parsing: how its rules begin.

A phrase may have several *parts*, each with a template of its own, and occurs in one of two modes: in a *raised*
phrase, which ``capital`` asks for, the first word is raised.  Rules that begin with the same words share them::

    up to      "up" "to" NP            up -to-> ● up to
    up         "up"                    ●  up

A rule that begins with a child is found by that child.  A part is *nullable* if it can have no words; a rule may then
begin with nothing.  The index also has what the input does not show: the possible derivations of a child that a
template drops.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice, takewhile
from math import inf, prod
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Cut, Rule, Slot, Token
from sgl.core.graph import parts_of
from sgl.core.graphs import circles
from sgl.core.interpret import capitalised
from sgl.core.rounds import Rounds
from sgl.values import dataclass, field


class UnparsableLayerError(Exception):
    """No parser can be built for the templates of a text layer; the message says why."""

    def __init__(self, layer: str, rule: str, reason: str) -> None:
        super().__init__(f"the layer {layer} cannot be parsed: rule {rule} {reason}")


#: A category, one of its parts, and whether the first letter is raised.
Symbol = tuple[int, int, bool]


class Start(NamedTuple):
    """A rule for a numbered symbol; it begins at its first ``words`` words, or at its first child."""

    number: int
    symbol: Symbol
    rule: Rule
    words: int


@dataclass(eq=False, slots=True)
class Beginning:
    """The rules that begin with these words: ``starts`` have no further words, ``after`` has longer beginnings.

    ``symbols`` is the set, as bits, of the symbols that have these rules; ``starts`` are by the number of theirs.
    """

    starts: dict[int, list[Start]] = field(default_factory=dict)
    after: "dict[str, Beginning]" = field(default_factory=dict)
    symbols: int = 0


class TemplateIndex:
    """The templates of a layer, indexed for parsing.

    ``parts`` has the templates of each rule; ``nullable`` the parts of categories that can have no words.  The
    ``symbols`` that sentences may consist of are numbered.  Their rules are found by their first words, from
    ``beginning`` on, or ``by_symbol`` of the first child; rules that may begin with nothing are ``silent``.
    ``corners`` has for each symbol the set, as bits, of all symbols that it may begin with, including itself.
    ``vocabulary`` has every word, raised where it can be.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Index a layer; raises ``UnparsableLayerError`` if a rule applies functions or has an empty word."""
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
        """Record how a rule begins and all its words; return the symbols that it may begin with."""
        template, raised = self.parts[rule.id][symbol[1]], symbol[2]
        begins, corners = True, set[int]()
        for place, item in enumerate(template):
            # After children that may be empty, an item may or may not be the first.
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
            starts = node.starts.setdefault(left, [])
        starts.append(Start(left, symbol, rule, len(run)))
        return corners

    @cached_property
    def recurs(self) -> bool:
        """Whether a category can be rewritten into itself over the same words."""
        below: dict[int, list[int]] = {}
        for rule, parts in zip(self.grammar.rules, self.parts, strict=True):
            slots = {item for template in parts for item in template if isinstance(item, Slot)}
            worded = {item.child for item in slots if (rule.rhs[item.child], item.number) not in self.nullable}
            if all(isinstance(item, Slot) for template in parts for item in template):
                passed = {item.child for item in slots if worded <= {item.child}}
                below.setdefault(rule.lhs, []).extend(rule.rhs[child] for child in passed)
        return any(circles(below))

    def unseen(self, category: int, *, settled: bool) -> tuple[bool, Sequence[Rule]]:
        """Return whether only the likeliest rule of a dropped category counts, and the rules that count."""
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
        """The top rule of the likeliest derivation of each category that has one."""
        rules = self.grammar.rules
        #: For each category the negated probability of its likeliest derivation, its number of rules, and its top rule.
        found: dict[int, tuple[float, int, int]] = {}
        rounds = Rounds(rule.rhs for rule in rules)
        for rule in map(rules.__getitem__, rounds):
            if all(child in found for child in rule.rhs):
                below = [found[child] for child in rule.rhs]
                own = -rule.weight * prod(-one[0] for one in below), 1 + sum(one[1] for one in below), rule.id
                if own < found.get(rule.lhs, (inf,)):
                    found[rule.lhs] = own
                    rounds.grew(rule.lhs)
        return {category: rules[number] for category, (_, _, number) in found.items()}


def closure(first: Mapping[int, set[int]]) -> list[int]:
    """Return for each number the bit set of all numbers that can be reached from it, including itself."""
    reached, before = [1 << number for number in range(max(first, default=-1) + 1)], list[int]()
    while before != reached:
        before = [*reached]
        for number, others in first.items():
            for other in others:
                reached[number] |= reached[other]
    return reached
