"""Boolean operations on tree automata.

Intersection follows the transitions of its larger operand and asks the smaller
one, so that combinations of children that the first rules out cost nothing.
Union has to follow what either can still accept: a state of the union is a pair
in which one side may have failed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from sgl.automata.minimise import minimise, trim
from sgl.automata.numbering import Numbering
from sgl.automata.tree_automaton import (
    DEAD,
    GrammarIndex,
    TreeAutomaton,
    check_size,
    explore,
)


def everything(index: GrammarIndex) -> TreeAutomaton:
    """The automaton that accepts every derivation of the grammar."""
    return trim(explore(index, index.lexicon, lambda _: 0, lambda _, __: 0, lambda _: True))


def complement(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """Accept what a *total* automaton rejects."""
    roots = {q for q, category in enumerate(automaton.category) if category == index.start}
    return trim(
        replace(automaton, accepting=frozenset(roots - automaton.accepting)),
    )


def uses_rule(index: GrammarIndex, rules: Iterable[int]) -> TreeAutomaton:
    """Accept the derivations that use one of these rules; total."""
    wanted = frozenset(rules)
    lexicon = index.lexicon.refined([rule in wanted for rule in index.lexicon.rules])
    return explore(
        index,
        lexicon,
        leaf=lambda k: lexicon.first[k] in wanted,
        step=lambda i, children: index.phrasal[i] in wanted or any(children),
        accepts=bool,
    )


def union(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what one of two automata accepts; total and minimal."""
    first, second = _aligned(first, second)

    def step(rule: int, children: tuple[tuple[int, int], ...]) -> tuple[int, int]:
        return (
            first.tables[rule].get(tuple([child[0] for child in children]), DEAD),
            second.tables[rule].get(tuple([child[1] for child in children]), DEAD),
        )

    united = explore(
        index,
        first.lexicon,
        leaf=lambda k: (first.leaves[k], second.leaves[k]),
        step=step,
        accepts=lambda pair: pair[0] in first.accepting or pair[1] in second.accepting,
    )
    return minimise(index, united)


def intersection(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """Accept what both accept; trim and minimal."""
    first, second = _aligned(first, second)
    if first.size < second.size:
        first, second = second, first
    return minimise(index, trim(_pairs(index, first, second)))


def _aligned(first: TreeAutomaton, second: TreeAutomaton) -> tuple[TreeAutomaton, TreeAutomaton]:
    """Both automata over one lexicon."""
    lexicon = first.lexicon.common(second.lexicon)
    return first.over(lexicon), second.over(lexicon)


def _pairs(index: GrammarIndex, first: TreeAutomaton, second: TreeAutomaton) -> TreeAutomaton:
    """The reachable pairs of states."""
    pairs: Numbering[tuple[int, int]] = Numbering()
    leaves = tuple(
        [
            DEAD if DEAD in pair else pairs.number(pair)
            for pair in zip(first.leaves, second.leaves, strict=True)
        ]
    )
    tables: list[dict[tuple[int, ...], int]] = [{} for _ in index.phrasal]
    # The pairs taken up so far, by their first component.
    partners: list[list[int]] = [[] for _ in first.category]
    current = 0
    while current < len(pairs):
        check_size(len(pairs))
        left = pairs.values[current][0]
        earlier = list(partners[left])
        partners[left].append(current)
        for rule, position, children, result in first.occurrences[left]:
            table, other = tables[rule], second.tables[rule]
            # Before ``position`` only pairs taken up earlier: each combination once.
            choices = [
                earlier if i < position and child == left else partners[child]
                for i, child in enumerate(children)
            ]
            choices[position] = [current]
            for combination in product(*choices):
                right = other.get(tuple([pairs.values[number][1] for number in combination]))
                if right is not None:
                    table[combination] = pairs.number((result, right))
        current += 1
    accepting = frozenset(
        number
        for number, (left, right) in enumerate(pairs.values)
        if left in first.accepting and right in second.accepting
    )
    category = tuple([first.category[left] for left, _ in pairs.values])
    return TreeAutomaton(first.lexicon, category, leaves, tuple(tables), accepting)
