"""How many derivations a split has, in all and of each length, and how high they are.

With ``c(q, n)`` the number of derivations of state *q* with *n* source tokens,

    c(q, n) = sum over q -> r(q1 ... qk) and n1 + ... + nk = n - tokens(r)
              of c(q1, n1) ... c(qk, nk)

is computed length by length in whole numbers.  The automata are deterministic, so every derivation
is counted once.  The probability that at most *h* rules are above one another is the *h*-th Kleene
iterate of the equations of the inside weights, with the probabilities of the split.
"""

from collections import Counter
from collections.abc import Sequence
from math import prod
from operator import mul

import numpy as np

from sgl.automata.common import UnsupportedStructure
from sgl.automata.weights.inside import components
from sgl.automata.weights.split import SplitGrammar
from sgl.core.grammar import CoreGrammar, Rule, TokenCounts

#: Heights are followed until no more than this probability is left, or so far.
LEFT_OUT = 1e-6
HIGHEST = 200


def count_derivations(split: SplitGrammar) -> int | None:
    """Return the number of derivations of a split, or ``None`` if they are infinitely many."""
    successors = [[child for t in own for child in t.children] for own in split.transitions_of]
    counts = [0] * len(successors)
    for component in components(successors):
        state = component[0]
        if len(component) > 1 or state in successors[state]:
            return None
        own = split.transitions_of[state]
        counts[state] = sum(prod([counts[child] for child in t.children]) for t in own)
    return sum(counts[state] for state, _ in split.roots)


def endless_rule(split: SplitGrammar) -> Rule:
    """Return a rule by which a split with infinitely many derivations makes phrases in phrases."""
    below = [{child for t in own for child in t.children} for own in split.transitions_of]
    place = {state: n for n, own in enumerate(components(below)) for state in own}
    rules = (
        t.rule
        for state, own in enumerate(split.transitions_of)
        for t in own
        if place[state] in {place[child] for child in t.children}
    )
    return split.grammar.rules[next(rules)]


def count_by_length(split: SplitGrammar, longest: int) -> tuple[int, ...] | None:
    """Return the numbers of derivations with 0 to ``longest`` source tokens; ``None`` if one is infinite."""
    tokens = split.grammar.source_tokens
    # The words of each state by their tokens, and (tokens of the rule, children) of phrases.
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
    """Return the states, first those that others need at the same length; ``None`` if states need each other."""
    empty = {state for state, lengths in enumerate(words) if 0 in lengths}
    silent = [[children for tokens, children in own if not tokens] for own in phrases]
    grown = True
    while grown:
        before = len(empty)
        empty.update(s for s, own in enumerate(silent) if any(map(empty.issuperset, own)))
        grown = len(empty) > before
    needs = [
        [
            child
            for children in own
            for place, child in enumerate(children)
            if empty.issuperset(children[:place] + children[place + 1 :])
        ]
        for own in silent
    ]
    order = components(needs)
    if any(len(component) > 1 or component[0] in needs[component[0]] for component in order):
        return None
    return [component[0] for component in order]


def _ways(rows: Sequence[Sequence[int]], length: int) -> int:
    product, *rest = rows
    for row in rest[:-1]:
        product = [sum(map(mul, product, row[total::-1])) for total in range(length + 1)]
    return sum(map(mul, product, rest[-1][length::-1])) if rest else product[length]


def height_distribution(split: SplitGrammar) -> tuple[float, ...]:
    """Return the probabilities of the heights 0, 1, 2, ... of the derivations of a split."""
    at_most = [0.0]
    inside = np.append(np.zeros(len(split.category)), 1.0)
    while 1.0 - at_most[-1] > LEFT_OUT and len(at_most) <= HIGHEST and not split.empty:
        inside = split.equations.apply(inside)
        at_most.append(sum(share * float(inside[state]) for state, share in split.roots))
    below = [0.0, *at_most]
    return tuple(now - before for now, before in zip(at_most, below, strict=False))


def longest_text(split: SplitGrammar, layer: str) -> int | Rule:
    """Return the number of words of a split's longest text; if there is none, a rule of phrases that grow by it."""
    grammar, rules = split.grammar, split.grammar.rules
    counts = grammar.token_counts(layer)
    # Own words, and children with how often they are used, for each transition of each state.
    steps: list[list[tuple[int, int, list[tuple[int, int]]]]] = []
    for transitions in split.transitions_of:
        steps.append([])
        for rule, below, _ in transitions:
            uses = _uses(grammar, layer, counts[rule], rules[rule])
            words = sum(number for number, _ in counts[rule])
            steps[-1].append((rule, words, [*zip(below, uses, strict=True)]))
    longest = [0] * len(steps)
    used = [[q for _, _, children in own for q, n in children if n] for own in steps]
    for component in components(used):
        inside = set(component)
        # Phrases that contain one another and never grow are as long as what they begin with.
        outside = [
            words + sum(n * longest[q] for q, n in children)
            for state in component
            for _, words, children in steps[state]
            if inside.isdisjoint(q for q, n in children if n)
        ]
        for state in component:
            longest[state] = max(outside, default=0)
        for rule, words, children in (step for state in component for step in steps[state]):
            again = [q for q, n in children if n and q in inside]
            grows = words + sum(n * longest[q] for q, n in children) > longest[component[0]]
            if again and grows:
                return rules[rule]
    return max([longest[state] for state, _ in split.roots], default=0)


def _uses(grammar: CoreGrammar, layer: str, counts: TokenCounts, rule: Rule) -> list[int]:
    used = Counter(pair for _, below in counts for pair in below)
    found = []
    for place, child in enumerate(rule.rhs):
        parts = sum(part.partition(".")[0] == layer for part in grammar.categories[child].parts)
        least, *others = {used[place, part] for part in range(parts + 1)}
        if others:
            raise UnsupportedStructure(f"rule {rule.name} copies or drops a part of a phrase alone")
        found.append(least)
    return found
