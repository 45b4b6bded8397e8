"""Find the smallest text with a given rule, the witness that an author sees.

The smallest phrase of each category is found from the words up, and its smallest surroundings from the start down.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import Derivation
from sgl.core.rounds import Rounds


class SmallestTexts:
    """The smallest texts of a grammar, one for each rule."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._rules = grammar.rules
        #: The number of rules in a smallest phrase of each category, and its top rule.
        self._sizes: dict[int, int] = {}
        self._tops: dict[int, Rule] = {}
        self._measure_phrases()
        #: The number of rules around a phrase of each category in a smallest text, and the rule and place above it.
        self._rest = {grammar.start: 0}
        self._above: dict[int, tuple[Rule, int]] = {}
        self._measure_surroundings()

    def _measure_phrases(self) -> None:
        rounds = Rounds(rule.rhs for rule in self._rules)
        for rule in map(self._rules.__getitem__, rounds):
            if all(child in self._sizes for child in rule.rhs):
                size = self._size(rule)
                if size < self._sizes.get(rule.lhs, size + 1):
                    self._sizes[rule.lhs], self._tops[rule.lhs] = size, rule
                    rounds.grew(rule.lhs)

    def _measure_surroundings(self) -> None:
        rounds = Rounds([rule.lhs] for rule in self._rules)
        for rule in map(self._rules.__getitem__, rounds):
            for place, child in enumerate(rule.rhs if rule.lhs in self._rest else ()):
                rest = self._rest[rule.lhs] + self._size(rule) - self._sizes[child]
                if rest < self._rest.get(child, rest + 1):
                    self._rest[child], self._above[child] = rest, (rule, place)
                    rounds.grew(child)

    def _size(self, rule: Rule) -> int:
        return 1 + sum(self._sizes[child] for child in rule.rhs)

    def _phrases(self, categories: Sequence[int]) -> Iterator[int]:
        stack = [*reversed(categories)]
        while stack:
            rule = self._tops[stack.pop()]
            stack += reversed(rule.rhs)
            yield rule.id

    def of(self, number: int) -> Derivation:
        """Return a smallest text that uses this rule."""
        rule = self._rules[number]
        before, after, category = list[tuple[int, ...]](), list[int](), rule.lhs
        while category in self._above:
            above, place = self._above[category]
            before.append((above.id, *self._phrases(above.rhs[:place])))
            after += self._phrases(above.rhs[place + 1 :])
            category = above.lhs
        return *chain.from_iterable(reversed(before)), number, *self._phrases(rule.rhs), *after

    def of_all(self, *, phrases: bool = False) -> Iterator[Derivation]:
        """Yield smallest texts that together use all rules, or with ``phrases`` all rules with children."""
        used = set[int]()
        for rule in self._rules:
            if rule.id not in used and (rule.rhs or not phrases):
                derivation = self.of(rule.id)
                used.update(derivation)
                yield derivation
