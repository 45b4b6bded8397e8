"""Condition the author's distribution on a constraint: the grammar of a split.

Its states are pairs of a category and a state of the constraint's automaton.  With the inside weight W of each state,
expanding state ``q`` by a transition with probability

    w(r) W(q1) ... W(qk) / W(q)

derives every text that satisfies the constraint with exactly the probability that it has under the author's grammar
given the constraint, since the products telescope.  So sampling needs no rejection, however improbable the constraint.
There are thousands of transitions, so they are kept as columns.

Derivations are counted in whole numbers, length by length; the automata are deterministic, so each is counted once.
The probability of a height of at most *h* rules is the *h*-th Kleene iterate of the equations of the inside weights,
with the probabilities of the split.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from math import prod
from operator import itemgetter, mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.automata.algebra.tree_automaton import DEAD, TreeAutomaton
from sgl.automata.common import Mask, UnsupportedStructure
from sgl.automata.weights.inside import EquationSystem, Moments, Vector, components, inside_weights
from sgl.core.grammar import CoreGrammar, Rule
from sgl.values import dataclass

#: Replaces a missing child.
NO_CHILD = -1

#: Heights are computed until at most this probability is left, or up to this height.
LEFT_OUT, HIGHEST = 1e-6, 200

#: A phrasal transition, for going through a split from the words upwards: the number of its component (``None`` if its
#: phrases cannot contain one another), its rule, its state, and a function that picks the children's values from a list
#: by state.
Step = tuple[int | None, int, int, Callable[[Sequence[Any]], Any]]


class Transition(NamedTuple):
    """A rule over child states, with its probability given the parent's ``state``."""

    state: int
    rule: int
    children: tuple[int, ...]
    probability: float


@dataclass(frozen=True, eq=False)
class Transitions:
    """The transitions of all states as columns, sorted by state, rule and children."""

    states: NDArray[np.intp]
    rules: NDArray[np.intp]
    children: NDArray[np.intp]
    probabilities: Vector

    def rows(self) -> Iterable[Transition]:
        """Return the transitions as separate values."""
        arity = (self.children != NO_CHILD).sum(axis=0).tolist()
        rows = zip(self.children.T.tolist(), arity, strict=True)
        children = [tuple(row[:number]) if number else () for row, number in rows]
        return map(Transition, self.states.tolist(), self.rules.tolist(), children, self.probabilities.tolist())

    def chosen(self, rows: Mask) -> "Transitions":
        """Return the transitions in a mask."""
        return Transitions(self.states[rows], self.rules[rows], self.children[:, rows], self.probabilities[rows])


@dataclass(frozen=True, eq=False)
class SplitGrammar:
    """A grammar whose derivations satisfy a constraint, with exact probabilities.

    ``category`` has the category of each state; ``roots`` are the states of whole texts, with probabilities that sum to
    1; ``mass`` is the probability of the constraint under the original grammar.  If items are drawn as instances in
    contexts, ``found`` has the states whose phrases are instances.
    """

    grammar: CoreGrammar
    category: tuple[int, ...]
    transitions: Transitions
    roots: tuple[tuple[int, float], ...]
    mass: float
    found: frozenset[int] = frozenset()

    @property
    def empty(self) -> bool:
        """Whether no text satisfies the constraint."""
        return not self.roots

    @cached_property
    def transitions_of(self) -> tuple[tuple[Transition, ...], ...]:
        """The transitions of each state, by rule and children."""
        rows = [*self.transitions.rows()]
        bounds = np.searchsorted(self.transitions.states, np.arange(len(self.category) + 1))
        return tuple([tuple(rows[start:end]) for start, end in pairwise(bounds.tolist())])

    @cached_property
    def phrasal(self) -> Transitions:
        """The transitions with children."""
        return self.transitions.chosen((self.transitions.children != NO_CHILD).any(axis=0))

    @cached_property
    def phrases(self) -> list[Transition]:
        """The transitions with children, as separate values."""
        return [*self.phrasal.rows()]

    @cached_property
    def lexical(self) -> Transitions:
        """The transitions to words."""
        return self.transitions.chosen((self.transitions.children == NO_CHILD).all(axis=0))

    @cached_property
    def endless(self) -> bool:
        """Whether phrases can contain one another, so that there are infinitely many derivations."""
        rows, finite, before = self.phrasal, np.zeros(len(self.category) + 1, np.bool_), -1
        finite[NO_CHILD] = True
        while before < (before := int(np.count_nonzero(finite))):
            endless = rows.states[~finite[rows.children].all(axis=0)]
            finite[:] = True
            finite[endless] = False
        return not finite.all()

    @cached_property
    def moments(self) -> Moments:
        """The expected number of children in each state of each state."""
        return Moments.of(len(self.category), self.phrases)

    @cached_property
    def component_of(self) -> dict[int, int]:
        """The number of the component of each state."""
        return {state: number for number, own in enumerate(self.moments.components) for state in own}

    @cached_property
    def steps(self) -> list[Step]:
        """The phrasal transitions, in the order of the components of the split."""
        place = self.component_of
        loops = {place[t.state] for t in self.phrases if place[t.state] in map(place.__getitem__, t.children)}
        found = [(place[t.state], t.rule, t.state, itemgetter(*t.children)) for t in self.phrases]
        return [
            (number if number in loops else None, rule, state, children_of)
            for number, rule, state, children_of in sorted(found, key=itemgetter(0))
        ]

    @cached_property
    def places_of(self) -> dict[int, list[int]]:
        """The indices of each rule's transitions among the steps."""
        places: dict[int, list[int]] = {}
        for place, (_, rule, *_) in enumerate(self.steps):
            places.setdefault(rule, []).append(place)
        return places

    @cached_property
    def words_in(self) -> dict[int, list[tuple[int, bytes]]]:
        """The states of each category that have words, with the ids of the words as the bytes of an array."""
        words = self.lexical
        states, starts = np.unique(words.states, return_index=True)
        bounds = pairwise([*starts.tolist(), len(words.rules)])
        found: dict[int, list[tuple[int, bytes]]] = {}
        for state, (start, end) in zip(states.tolist(), bounds, strict=True):
            found.setdefault(self.category[state], []).append((state, words.rules[start:end].tobytes()))
        return found

    @property
    def spectral_radius(self) -> float:
        """The spectral radius of the first-moment matrix."""
        return self.moments.radius.value

    @cached_property
    def expected_rules(self) -> tuple[float, ...]:
        """The expected number of uses of each rule of the grammar in a text."""
        visits = np.array(self.moments.expected_visits(self.roots), np.float64)
        uses = visits[self.transitions.states] * self.transitions.probabilities
        # ``bincount`` adds in the order of the transitions.
        expected = np.bincount(self.transitions.rules, uses, minlength=len(self.grammar.rules))
        return tuple(expected.tolist())

    @cached_property
    def expected_tokens(self) -> float:
        """The expected number of tokens of a text in the first text layer."""
        tokens, expected = np.array(self.grammar.source_tokens), np.array(self.expected_rules)
        used = (tokens > 0) & (expected > 0.0)
        # ``accumulate`` adds in the order of the rules.
        return float(np.add.accumulate(np.append(0.0, tokens[used] * expected[used]))[-1])

    @cached_property
    def used_rules(self) -> frozenset[int]:
        """The rules that some text uses."""
        return frozenset(self.transitions.rules.tolist())


def split_grammar(automaton: TreeAutomaton) -> SplitGrammar:
    """Return the grammar of the derivations that a trim automaton accepts."""
    system, inside, mass = _solved(automaton)
    weights: list[float] = inside.tolist()
    roots = sorted(automaton.accepting) if mass > 0.0 else []
    index, terms = automaton.index, system.terms(np.append(inside, 1.0))
    live = (automaton.words != DEAD) & (index.word_weights > 0.0)
    words = automaton.words[live]
    used = terms / inside[automaton.results] > 0.0
    children = automaton.children[:, used]
    states = np.concatenate((words, automaton.results[used]))
    rules = np.concatenate((index.words[live], index.phrasal[automaton.rules[used]]))
    probabilities = np.concatenate((index.word_weights[live], terms[used])) / inside[states]
    leaves = np.full((index.width, len(words)), NO_CHILD, np.intp)
    columns = np.hstack((leaves, np.where(children == automaton.size, NO_CHILD, children)))
    order = np.lexsort((rules, states))
    return SplitGrammar(
        grammar=index.grammar,
        category=automaton.category,
        transitions=Transitions(states[order], rules[order], columns[:, order], probabilities[order]),
        roots=tuple((state, weights[state] / mass) for state in roots),
        mass=mass,
    )


def acceptance_probability(automaton: TreeAutomaton) -> float:
    """Return the probability under the grammar that a trim automaton accepts a derivation."""
    return 0.0 if automaton.empty else _solved(automaton)[2]


def _solved(automaton: TreeAutomaton) -> tuple[EquationSystem, Vector, float]:
    """Return the equations of an automaton, the inside weights of its states, and the sum over accepted states."""
    index, states = automaton.index, automaton.words
    live = states != DEAD
    # ``bincount`` adds in the order of the rules.
    constant = np.bincount(states[live], index.word_weights[live], minlength=automaton.size)
    system = EquationSystem(
        size=automaton.size,
        state=automaton.results,
        weight=index.weights[automaton.rules],
        children=automaton.children,
        constant=constant.astype(np.float64),
    )
    inside = inside_weights(system)
    mass = 0.0
    for weight in inside[automaton.final].tolist():
        mass += weight
    return system, inside, mass


def count_derivations(split: SplitGrammar) -> int | None:
    """Return the number of derivations of a split, or ``None`` if it is infinite."""
    if split.endless:
        return None
    counts: list[int] = np.bincount(split.lexical.states, minlength=len(split.category)).tolist()
    # By components, the parts of a phrase come before it.
    for phrase in sorted(split.phrases, key=lambda phrase: split.component_of[phrase.state]):
        counts[phrase.state] += prod([counts[child] for child in phrase.children])
    return sum(counts[state] for state, _ in split.roots)


def endless_rule(split: SplitGrammar) -> Rule:
    """Return a rule with which a split with infinitely many derivations nests phrases."""
    place = split.component_of
    rules = (t.rule for t in split.phrases if place[t.state] in map(place.__getitem__, t.children))
    return split.grammar.rules[next(rules)]


def count_by_length(split: SplitGrammar, longest: int) -> tuple[int, ...] | None:
    """Return the numbers of derivations with 0 to ``longest`` source tokens, or ``None`` if one is infinite."""
    tokens = split.grammar.source_tokens
    # The words of each state counted by their tokens, and the phrases as (tokens of the rule, children).
    words = [Counter(tokens[t.rule] for t in own if not t.children) for own in split.transitions_of]
    phrases = [[(tokens[t.rule], t.children) for t in own if t.children] for own in split.transitions_of]
    order = _same_length_order(words, phrases)
    if order is None:
        return None
    counts: list[list[int]] = [[] for _ in words]
    for length in range(longest + 1):
        for row in counts:
            row.append(0)
        for state in order:
            ways = [
                _ways([counts[child] for child in children], length - own)
                for own, children in phrases[state]
                if own <= length
            ]
            counts[state][length] = words[state][length] + sum(ways)
    roots = [counts[state] for state, _ in split.roots]
    return tuple(sum(row[length] for row in roots) for length in range(longest + 1))


def _same_length_order(
    words: Sequence[Counter[int]], phrases: Sequence[Sequence[tuple[int, tuple[int, ...]]]]
) -> list[int] | None:
    """Return the states, first those that others need at the same length, or ``None`` if states need each other."""
    silent = [[children for tokens, children in own if not tokens] for own in phrases]
    empty = _can_be_empty({state for state, lengths in enumerate(words) if 0 in lengths}, silent)
    needs: list[list[int]] = [[] for _ in silent]
    for state, own in enumerate(silent):
        for children in own:
            # A child is as long as its phrase if all others can be empty.
            needs[state] += [
                child
                for place, child in enumerate(children)
                if empty.issuperset(children[:place] + children[place + 1 :])
            ]
    order = components(needs)
    if any(len(component) > 1 or component[0] in needs[component[0]] for component in order):
        return None
    return [component[0] for component in order]


def _can_be_empty(words: set[int], silent: Sequence[Sequence[tuple[int, ...]]]) -> set[int]:
    """Return the states with an empty text: states of ``words``, and phrases of such states under silent rules."""
    empty, before = set(words), -1
    while len(empty) > before:
        before = len(empty)
        empty.update(state for state, own in enumerate(silent) if any(map(empty.issuperset, own)))
    return empty


def _ways(rows: Sequence[Sequence[int]], length: int) -> int:
    product, *rest = rows
    for row in rest[:-1]:
        product = [sum(map(mul, product, row[total::-1])) for total in range(length + 1)]
    return sum(map(mul, product, rest[-1][length::-1])) if rest else product[length]


def height_distribution(split: SplitGrammar) -> tuple[float, ...]:
    """Return the probabilities of the heights 0, 1, 2, ... of the derivations of a split."""
    rows, size = split.transitions, len(split.category)
    children = np.where(rows.children == NO_CHILD, size, rows.children)
    equations = EquationSystem(size, rows.states, rows.probabilities, children, constant=np.zeros(size))
    at_most = [0.0]
    inside = np.append(np.zeros(size), 1.0)
    while 1.0 - at_most[-1] > LEFT_OUT and len(at_most) <= HIGHEST and not split.empty:
        inside = equations.apply(inside)
        at_most.append(sum(share * float(inside[state]) for state, share in split.roots))
    below = [0.0, *at_most]
    return tuple(now - before for now, before in zip(at_most, below, strict=False))


class _Expansion(NamedTuple):
    """A transition: its rule, the number of its own words, and how often it uses the words of each state below."""

    rule: int
    words: int
    uses: dict[int, int]

    def length(self, lengths: Sequence[int]) -> int:
        """Return the number of words of a phrase whose parts have these ``lengths`` by state."""
        return self.words + sum(number * lengths[state] for state, number in self.uses.items())


def _expansions(split: SplitGrammar, layer: str) -> list[list[_Expansion]]:
    """Return the transitions of each state; raises ``UnsupportedStructure`` if one uses parts of a phrase unequally."""
    grammar, counts = split.grammar, split.grammar.token_counts(layer)
    parts = [sum(p.partition(".")[0] == layer for p in c.parts) for c in grammar.categories]
    steps: list[list[_Expansion]] = []
    for transitions in split.transitions_of:
        steps.append([])
        for transition in transitions:
            rule = grammar.rules[transition.rule]
            used = Counter(pair for _, own in counts[rule.id] for pair in own)
            uses: Counter[int] = Counter()
            for place, (category, child) in enumerate(zip(rule.rhs, transition.children, strict=True)):
                number, *others = {used[place, part] for part in range(parts[category] + 1)}
                if others:
                    raise UnsupportedStructure(f"rule {rule.name} copies or drops a part of a phrase alone")
                uses[child] += number
            steps[-1].append(_Expansion(rule.id, sum(n for n, _ in counts[rule.id]), +uses))  # only those used at all
    return steps


def longest_text(split: SplitGrammar, layer: str) -> int | Rule:
    """Return the number of words of a split's longest text, or a rule that makes texts grow without limit."""
    steps = _expansions(split, layer)
    longest = [0] * len(steps)
    for component in components([[q for step in own for q in step.uses] for own in steps]):
        inside = set(component)
        own = [(state, step) for state in component for step in steps[state]]
        # Phrases that contain one another without growing are as long as their longest start.
        outside = [step.length(longest) for _, step in own if inside.isdisjoint(step.uses)]
        for state in component:
            longest[state] = max(outside, default=0)
        for state, step in own:
            if not inside.isdisjoint(step.uses) and step.length(longest) > longest[state]:
                return split.grammar.rules[step.rule]
    return max([longest[state] for state, _ in split.roots], default=0)
