"""Draw derivations of a language at random, whatever the weights of its grammar.

To show what a language is like before sampling, sentences must come at once, and stay the same as long as the grammar
keeps its shape.  So a walk goes from the root to the words and takes at every state any rule that still fits: the
smallest derivation of each state says how much room a phrase needs, and the rest is shared at random.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

import numpy as np

from sgl.automata.algebra.tree_automaton import SmallestDerivations, TreeAutomaton
from sgl.automata.common import Mask
from sgl.core.interpret import Derivation

#: The most source tokens plus rules by which a derivation exceeds the smallest one.
_ROOM = 24

#: The transitions of each rule into a state: the smallest size that each derives, and its children.
_Ways = list[tuple[int, list[tuple[int, tuple[int, ...]]]]]


class Walks:
    """A random drawer of derivations of an automaton; equal automata give the same."""

    def __init__(self, automaton: TreeAutomaton) -> None:
        self._automaton = automaton
        self._smallest = SmallestDerivations(automaton)
        self._least: list[int] = self._smallest.sizes.tolist()
        self._order = np.argsort(automaton.results, kind="stable")
        self._starts = np.searchsorted(automaton.results[self._order], np.arange(automaton.size + 1))
        self._ways = cache(self._ways_into)
        #: Whether a state has derivations of several sizes.
        self._grows = self._growing()

    def _growing(self) -> Mask:
        automaton, smallest = self._automaton, self._smallest
        grows = np.zeros(automaton.size + 1, np.bool_)
        grows[automaton.results[smallest.totals > smallest.sizes[automaton.results]]] = True
        before = 0
        while before < (before := int(np.count_nonzero(grows))):
            grows[automaton.results[grows[automaton.children].any(axis=0)]] = True
        return grows

    def derivations(self, seed: int = 1) -> Iterator[Derivation]:
        """Yield derivations for ever, or none if the language is empty."""
        random = Random(seed)  # noqa: S311 - for people to look at, and the same every time
        roots = sorted(self._automaton.accepting)
        while roots:
            root = random.choice(roots)
            yield self._walk(random, root, self._least[root] + random.randrange(_ROOM))

    def _walk(self, random: Random, root: int, room: int) -> Derivation:
        derivation: list[int] = []
        stack = [(root, room)]
        while stack:
            state, room = stack.pop()
            fitting = [way for way in self._ways(state) if way[1][0][0] <= room]
            rule, transitions = random.choice(fitting)
            least, children = random.choice([one for one in transitions if one[0] <= room])
            derivation.append(rule)
            stack += reversed(self._shared(random, children, room - least))
        return tuple(derivation)

    def _shared(self, random: Random, children: Sequence[int], left: int) -> list[tuple[int, int]]:
        """Return the children with their room: what each needs, plus a part of the rest if it can be larger."""
        larger = [place for place, child in enumerate(children) if self._grows[child]]
        cuts = sorted([random.randrange(left + 1) for _ in larger[1:]])
        parts = dict(zip(larger, map(int.__sub__, [*cuts, left], [0, *cuts]), strict=False))
        return [(child, self._least[child] + parts.get(place, 0)) for place, child in enumerate(children)]

    def _ways_into(self, state: int) -> _Ways:
        automaton, index = self._automaton, self._automaton.index
        words = np.flatnonzero(automaton.words == state)
        pairs = zip(index.words[words].tolist(), index.word_costs[words].tolist(), strict=True)
        ways: dict[int, list[tuple[int, tuple[int, ...]]]] = {word: [(cost, ())] for word, cost in pairs}
        rows = self._order[self._starts[state] : self._starts[state + 1]]
        columns = automaton.rules[rows], self._smallest.totals[rows], *automaton.children[:, rows]
        for rule, least, *children in zip(*[column.tolist() for column in columns], strict=True):
            own = tuple(children[: len(index.rhs[rule])])
            ways.setdefault(int(index.phrasal[rule]), []).append((least, own))
        return [(rule, sorted(transitions)) for rule, transitions in ways.items()]
