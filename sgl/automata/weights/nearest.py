"""The derivation of a split that is nearest to a given one, by the number of rules that differ.

What two derivations do not share at corresponding places is *dropped* or *new*.  Places correspond as in the
constrained edit distance of trees (Zhang 1996).  So for a phrase *v* of the item and a state *q* of the split, the
least distance ``D(v, q)`` of *v* from a phrase that *q* derives is the least of

* keeping the rule of *v*, with a transition of *q*: the sum over its children;
* dropping the rule of *v* and all its children but one: ``D(v_i, q)`` and what is dropped;
* a new rule around: ``D(v, q_j)``, and the smallest phrases for its other children;
* a new rule in place of that of *v*, its children made of some of those of *v*, in any order;
* dropping all of *v* and taking the smallest phrase of *q*.

Phrases are done from the smallest up, and for one phrase the states by Dijkstra's algorithm.  Of
equal distances the one is taken that *raises* fewer phrases (the second way), then the likelier.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import inf, log
from operator import itemgetter
from typing import NamedTuple

from sgl.automata.weights.split import SplitGrammar, Transition
from sgl.core.interpret import Derivation, fold


class Cost(NamedTuple):
    """What is minimised, the most important first.

    ``rules`` are dropped or new, ``raised`` phrases take the place of the one around them;
    ``surprise`` is minus the logarithm of the probability of what is derived.
    """

    rules: int | float = 0
    raised: int | float = 0
    surprise: float = 0.0

    def plus(self, *others: "Cost") -> "Cost":
        """All together."""
        rules, raised, surprise = self
        for other in others:
            rules += other.rules
            raised += other.raised
            surprise += other.surprise
        return Cost(rules, raised, surprise)


IMPOSSIBLE = Cost(inf, inf, inf)


@dataclass(frozen=True)
class Nearest:
    """The nearest derivation, and the rules by which it differs, each in preorder."""

    derivation: Derivation
    dropped: tuple[int, ...]
    new: tuple[int, ...]

    @property
    def distance(self) -> int:
        """The number of rules by which the two derivations differ."""
        return len(self.dropped) + len(self.new)


#: A rule of the result: its state, the rule, and the node of the item that it is kept from.
_ResultRule = tuple[int, int, int | None]


class _ItemPhrase(NamedTuple):
    """A node of the item: its rule, its children by number, the rules in it."""

    rule: int
    children: tuple[int, ...]
    size: int


class _Edit(NamedTuple):
    """How a phrase becomes one of a state.

    ``transition`` is None where the rule of the phrase is dropped; ``sources`` are the nodes that its children, or
    the phrase without its rule, are made of, None for nothing.  ``kept``: the rule stays.
    """

    transition: Transition | None
    sources: tuple[int | None, ...]
    kept: bool = False


class NearestFinder:
    """Finds nearest derivations in one split; no sentence repeats one of the rules' ``lemmas``."""

    def __init__(self, split: SplitGrammar, lemmas: Sequence[Sequence[str]]) -> None:
        self._split = split
        self._lemmas = lemmas
        self._arity = split.grammar.arity
        self._of_rule: dict[int, list[tuple[int, Transition]]] = {}
        self._phrasal: list[tuple[int, Transition]] = []
        likeliest: list[tuple[int, Transition]] = []
        for state, transitions in enumerate(split.transitions_of):
            for transition in transitions:
                self._of_rule.setdefault(transition.rule, []).append((state, transition))
            self._phrasal += [(state, t) for t in transitions if t.children]
            words = [t for t in transitions if not t.children]
            if words:
                likeliest.append((state, max(words, key=lambda word: word.probability)))
        self._find_smallest(sorted([*self._phrasal, *likeliest], key=itemgetter(0)))
        # For each state where it can be a child: parent, cost of the rest, transition, place.
        self._around: list[list[tuple[int, Cost, Transition, int]]]
        self._around = [[] for _ in split.transitions_of]
        for state, t in self._phrasal:
            for place, child in enumerate(t.children):
                others = t.children[:place] + t.children[place + 1 :]
                rest = _new(t).plus(*[self._smallest[other] for other in others])
                self._around[child].append((state, rest, t, place))

    def _find_smallest(self, transitions: Iterable[tuple[int, Transition]]) -> None:
        """Find for each state the cost of its smallest phrase, and the first transition of it."""
        transitions = list(transitions)
        self._smallest = [IMPOSSIBLE] * len(self._split.transitions_of)
        self._smallest_choice: dict[int, Transition] = {}
        changed = True
        while changed:
            changed = False
            for state, t in transitions:
                cost = _new(t).plus(*[self._smallest[child] for child in t.children])
                if cost < self._smallest[state]:
                    self._smallest[state], self._smallest_choice[state] = cost, t
                    changed = True

    def find(self, derivation: Derivation) -> Nearest | None:
        """Return the nearest derivation of the split; None if it has none at all.

        New words are dropped ones where these fit, else the likeliest whose lemmas the sentence has not.
        """
        phrases: list[_ItemPhrase] = []

        def number(rule: int, children: tuple[int, ...]) -> int:
            size = 1 + sum(phrases[child].size for child in children)
            phrases.append(_ItemPhrase(rule, children, size))
            return len(phrases) - 1

        fold(derivation, self._arity, number)
        costs: list[list[Cost]] = []
        choices: list[dict[int, _Edit]] = []
        for place in range(len(phrases)):
            found, chosen = self._phrase(place, phrases, costs)
            costs.append(found)
            choices.append(chosen)
        roots = [(costs[-1][state].plus(_likely(probability)), state) for state, probability in self._split.roots]
        if not roots:
            return None
        places = list(self._places(len(phrases) - 1, min(roots)[1], choices))
        return self._result(phrases, places)

    # ---- one phrase of the item

    def _phrase(
        self, number: int, phrases: Sequence[_ItemPhrase], costs: Sequence[Sequence[Cost]]
    ) -> tuple[list[Cost], dict[int, _Edit]]:
        phrase = phrases[number]
        best = [cost.plus(Cost(phrase.size)) for cost in self._smallest]
        chosen: dict[int, _Edit] = {}

        def offer(state: int, cost: Cost, choice: _Edit) -> None:
            if cost < best[state]:
                best[state], chosen[state] = cost, choice

        for state, transition in self._of_rule.get(phrase.rule, ()):
            parts = zip(phrase.children, transition.children, strict=True)
            cost = Cost().plus(*[costs[child][to] for child, to in parts])
            surprise = _likely(transition.probability)
            offer(state, cost.plus(surprise), _Edit(transition, phrase.children, kept=True))
        for child in phrase.children:
            dropped = Cost(phrase.size - phrases[child].size, raised=1)
            for state, cost in enumerate(costs[child]):
                offer(state, cost.plus(dropped), _Edit(None, (child,)))
        for state, transition in self._phrasal if phrase.children else ():
            cost, sources = self._matched(phrase, transition, phrases, costs)
            offer(state, cost, _Edit(transition, sources))
        self._embed(number, best, offer)
        return best, chosen

    def _embed(self, number: int, best: Sequence[Cost], offer: Callable[[int, Cost, _Edit], None]) -> None:
        """Put new rules around what a phrase has become, as long as that is cheaper."""
        queue = [(cost, state) for state, cost in enumerate(best) if cost < IMPOSSIBLE]
        heapify(queue)
        while queue:
            cost, state = heappop(queue)
            for parent, rest, transition, place in self._around[state] if cost <= best[state] else ():
                total = cost.plus(rest)
                if total < best[parent]:
                    around: list[int | None] = [None] * len(transition.children)
                    around[place] = number
                    offer(parent, total, _Edit(transition, tuple(around)))
                    heappush(queue, (total, parent))

    def _matched(
        self,
        phrase: _ItemPhrase,
        transition: Transition,
        phrases: Sequence[_ItemPhrase],
        costs: Sequence[Sequence[Cost]],
    ) -> tuple[Cost, tuple[int | None, ...]]:
        """Return a new rule in place of the phrase's, with the cheapest matching of their children."""
        table: dict[frozenset[int], tuple[Cost, tuple[int | None, ...]]] = {
            frozenset(): (_new(transition).plus(Cost(1)), ())
        }
        for state in transition.children:
            grown: dict[frozenset[int], tuple[Cost, tuple[int | None, ...]]] = {}
            for used, (cost, sources) in table.items():
                options: list[tuple[frozenset[int], Cost, int | None]] = [(used, self._smallest[state], None)]
                options += [
                    (used | {child}, costs[child][state], child) for child in phrase.children if child not in used
                ]
                for key, more, source in options:
                    total = cost.plus(more), (*sources, source)
                    if key not in grown or total[0] < grown[key][0]:
                        grown[key] = total
            table = grown
        complete = []
        for used, (cost, sources) in table.items():
            left = [phrases[child].size for child in phrase.children if child not in used]
            complete.append((cost.plus(Cost(sum(left))), sources))
        return min(complete, key=lambda pair: pair[0])

    # ---- the result

    def _places(self, root: int, state: int, choices: Sequence[Mapping[int, _Edit]]) -> Iterator[_ResultRule]:
        stack: list[tuple[int | None, int]] = [(root, state)]
        while stack:
            number, state = stack.pop()
            choice = None if number is None else choices[number].get(state)
            if choice is None:
                transition = self._smallest_choice[state]
                choice = _Edit(transition, (None,) * len(transition.children))
            if choice.transition is None:
                stack.append((choice.sources[0], state))
                continue
            yield state, choice.transition.rule, number if choice.kept else None
            pairs = zip(choice.sources, choice.transition.children, strict=True)
            stack.extend(reversed(list(pairs)))

    def _result(self, phrases: Sequence[_ItemPhrase], places: Sequence[_ResultRule]) -> Nearest:
        kept = {node for *_, node in places}
        dropped = [n for n in reversed(range(len(phrases))) if n not in kept]
        spare = [phrases[n].rule for n in dropped]
        taken = {lemma for _, rule, node in places if node is not None for lemma in self._lemmas[rule]}
        rules, new = [], []
        for state, written, node in places:
            is_word = node is None and not self._arity[written]
            rule = self._word(state, spare, taken) if is_word else written
            rules.append(rule)
            if node is None:
                taken.update(self._lemmas[rule])
                new.append(rule)
        return Nearest(tuple(rules), tuple(phrases[n].rule for n in dropped), tuple(new))

    def _word(self, state: int, spare: list[int], taken: set[str]) -> int:
        words = [t for t in self._split.transitions_of[state] if not t.children]
        free = [t for t in words if taken.isdisjoint(self._lemmas[t.rule])] or words
        for transition in free:
            if transition.rule in spare:
                spare.remove(transition.rule)
                return transition.rule
        return max(free, key=lambda transition: transition.probability).rule


def _new(transition: Transition) -> Cost:
    return Cost(1).plus(_likely(transition.probability))


def _likely(probability: float) -> Cost:
    return Cost(surprise=-log(probability))
