"""Find the derivation of a split nearest to a given one, by the number of rules that differ.

Rules at corresponding places that the two derivations do not share are *dropped* or *new*.  Places correspond as in the
constrained edit distance of trees (Zhang 1996).  For a phrase *v* of the item and a state *q* of the split, the least
distance ``D(v, q)`` of *v* from a phrase derived by *q* is the least of

* keeping the rule of *v*, with a transition of *q*: the sum over its children;
* dropping the rule of *v* and all its children but one: ``D(v_i, q)`` plus the dropped rules;
* putting a new rule around *v*: ``D(v, q_j)`` plus the smallest phrases for its other children;
* replacing the rule of *v* by a new one, whose children are made of some children of *v*, in any order;
* dropping all of *v* and taking the smallest phrase of *q*.

Phrases are processed from the smallest up, and for one phrase the states by Dijkstra's algorithm.  Among equal
distances, the derivation that *raises* fewer phrases (the second way) wins, then the likelier one.  A cost is one
number: a rule counts more than all phrases that can be raised, and a raised phrase more than the improbability of any
derivation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from math import fsum, inf, log
from typing import NamedTuple

from sgl.automata.weights.split import SplitGrammar, Transition
from sgl.core.interpret import Derivation, fold
from sgl.values import dataclass

#: The cost of a dropped or new rule, and of a phrase that replaces the one around it.
RULE, RAISED = 2.0**26, 2.0**14


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


#: A rule of the result: its state, the rule, and the node of the item from which it is kept.
_ResultRule = tuple[int, int, int | None]


class _ItemPhrase(NamedTuple):
    """A node of the item: its rule, its children by number, and its number of rules."""

    rule: int
    children: tuple[int, ...]
    size: int


class _Edit(NamedTuple):
    """A way to turn a phrase into one of a state.

    ``transition`` is None if the rule of the phrase is dropped; ``sources`` are the nodes from which the new children,
    or the phrase without its rule, are made, None for nothing.  ``kept`` says whether the rule stays.
    """

    transition: Transition | None
    sources: tuple[int | None, ...]
    kept: bool = False


class NearestFinder:
    """A finder of nearest derivations in one split; no sentence repeats any of the rules' ``lemmas``."""

    def __init__(self, split: SplitGrammar, lemmas: Sequence[Sequence[str]]) -> None:
        self._split = split
        self._lemmas = lemmas
        self._arity = split.grammar.arity
        self._of_rule: dict[int, list[Transition]] = {}
        likeliest: list[Transition] = []
        for transitions in split.transitions_of:
            for transition in transitions:
                self._of_rule.setdefault(transition.rule, []).append(transition)
            if words := [t for t in transitions if not t.children]:
                likeliest.append(max(words, key=lambda word: word.probability))
        self._find_smallest(sorted([*split.phrases, *likeliest], key=lambda transition: transition.state))
        # For each state, the rules it can be a child of: cost of the rest, transition, place.
        self._around: list[list[tuple[float, Transition, int]]] = [[] for _ in split.transitions_of]
        for t in split.phrases:
            for place, child in enumerate(t.children):
                others = t.children[:place] + t.children[place + 1 :]
                rest = _new(t) + fsum(self._smallest[other] for other in others)
                self._around[child].append((rest, t, place))

    def _find_smallest(self, transitions: Sequence[Transition]) -> None:
        """Find for each state the cost of its smallest phrase, and that phrase's first transition."""
        self._smallest = [inf] * len(self._split.transitions_of)
        self._smallest_choice: dict[int, Transition] = {}
        changed = True
        while changed:
            changed = False
            for t in transitions:
                cost = _new(t) + fsum(self._smallest[child] for child in t.children)
                if cost < self._smallest[t.state]:
                    self._smallest[t.state], self._smallest_choice[t.state] = cost, t
                    changed = True

    def find(self, derivation: Derivation) -> Nearest | None:
        """Return the nearest derivation of the split, or None if the split has none.

        New words are dropped ones that fit, or else the likeliest whose lemmas the sentence does not have.
        """
        phrases: list[_ItemPhrase] = []

        def number(rule: int, children: tuple[int, ...]) -> int:
            size = 1 + sum(phrases[child].size for child in children)
            phrases.append(_ItemPhrase(rule, children, size))
            return len(phrases) - 1

        fold(derivation, self._arity, number)
        costs: list[list[float]] = []
        choices: list[dict[int, _Edit]] = []
        for place in range(len(phrases)):
            found, chosen = self._phrase(place, phrases, costs)
            costs.append(found)
            choices.append(chosen)
        roots = [(costs[-1][state] - log(probability), state) for state, probability in self._split.roots]
        if not roots:
            return None
        places = list(self._places(len(phrases) - 1, min(roots)[1], choices))
        return self._result(phrases, places)

    # ---- one phrase of the item

    def _phrase(
        self, number: int, phrases: Sequence[_ItemPhrase], costs: Sequence[Sequence[float]]
    ) -> tuple[list[float], dict[int, _Edit]]:
        phrase = phrases[number]
        best = [cost + RULE * phrase.size for cost in self._smallest]
        chosen: dict[int, _Edit] = {}

        def offer(state: int, cost: float, choice: _Edit) -> None:
            if cost < best[state]:
                best[state], chosen[state] = cost, choice

        for transition in self._of_rule.get(phrase.rule, ()):
            parts = zip(phrase.children, transition.children, strict=True)
            cost = fsum(costs[child][to] for child, to in parts) - log(transition.probability)
            offer(transition.state, cost, _Edit(transition, phrase.children, kept=True))
        for child in phrase.children:
            dropped = RULE * (phrase.size - phrases[child].size) + RAISED
            for state, cost in enumerate(costs[child]):
                offer(state, cost + dropped, _Edit(None, (child,)))
        if phrase.children:
            self._replace(phrase, phrases, costs, best, offer)
        self._embed(number, best, offer)
        return best, chosen

    def _embed(self, number: int, best: Sequence[float], offer: Callable[[int, float, _Edit], None]) -> None:
        """Put new rules around the results for a phrase, as long as that is cheaper."""
        queue = [(cost, state) for state, cost in enumerate(best) if cost < inf]
        heapify(queue)
        while queue:
            cost, state = heappop(queue)
            for rest, transition, place in self._around[state] if cost <= best[state] else ():
                total, parent = cost + rest, transition.state
                if total < best[parent]:
                    around: list[int | None] = [None] * len(transition.children)
                    around[place] = number
                    offer(parent, total, _Edit(transition, tuple(around)))
                    heappush(queue, (total, parent))

    def _replace(
        self,
        phrase: _ItemPhrase,
        phrases: Sequence[_ItemPhrase],
        costs: Sequence[Sequence[float]],
        best: Sequence[float],
        offer: Callable[[int, float, _Edit], None],
    ) -> None:
        """Replace the phrase's rule by each rule of the split, and match their children."""
        # What a child saves a state, compared with dropping the child and taking the smallest phrase of the state.
        saved = {
            child: [
                new + RULE * phrases[child].size - cost for new, cost in zip(self._smallest, costs[child], strict=True)
            ]
            for child in phrase.children
        }
        most = [max((own[state], child) for child, own in saved.items()) for state in range(len(best))]
        for transition in self._split.phrases:
            states = transition.children
            whole = RULE * phrase.size + _new(transition) + fsum(self._smallest[state] for state in states)
            if whole - fsum(most[state][0] for state in states) < best[transition.state]:
                wanted = [child if saving else None for saving, child in (most[state] for state in states)]
                sources = _matched(saved, states, wanted)
                parts = zip(sources, states, strict=True)
                cost = whole - fsum(saved[child][state] for child, state in parts if child is not None)
                offer(transition.state, cost, _Edit(transition, sources))

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


def _matched(
    saved: Mapping[int, Sequence[float]], states: Sequence[int], wanted: Sequence[int | None]
) -> tuple[int | None, ...]:
    """Return the children, or None, from which states are made, so that they save most; each child serves only once.

    ``wanted`` has what would be best for each state alone.
    """
    used = [child for child in wanted if child is not None]
    if len(set(used)) == len(used):
        return tuple(wanted)

    import networkx as nx  # slow to load

    graph: nx.Graph[int] = nx.Graph()
    # Places are negative, children are not.
    for place, state in enumerate(states):
        for child, own in saved.items():
            if own[state]:
                graph.add_edge(~place, child, weight=own[state])
    of_place = dict(sorted(pair) for pair in nx.max_weight_matching(graph))
    return tuple(of_place.get(~place) for place in range(len(states)))


def _new(transition: Transition) -> float:
    return RULE - log(transition.probability)
