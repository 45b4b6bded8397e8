"""Trim and minimise tree automata.

Two states of a category are equivalent if no context *of the grammar* tells them
apart (the Nerode relation, relative to the grammar).  This merges states that an
automaton for arbitrary trees would have to keep apart, and it is why the product
of dozens of constraints stays small: an automaton has more than one state only
where its structure has begun and is not yet complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton


def trim(automaton: TreeAutomaton) -> TreeAutomaton:
    """Drop the states that no accepted derivation visits.

    All states of ``automaton`` must be reachable.
    """
    useful = _co_reachable(automaton)
    if len(useful) == len(automaton.category):
        return automaton
    renamed = [DEAD] * len(automaton.category)
    for number, state in enumerate(sorted(useful)):
        renamed[state] = number
    # A transition into a useful state has useful children only.
    return _renamed(automaton, renamed, len(useful))


def _co_reachable(automaton: TreeAutomaton) -> set[int]:
    into: list[list[tuple[int, ...]]] = [[] for _ in automaton.category]
    for table in automaton.tables:
        for children, result in table.items():
            into[result].append(children)
    useful = set(automaton.accepting)
    agenda = sorted(useful)
    while agenda:
        for children in into[agenda.pop()]:
            for child in children:
                if child not in useful:
                    useful.add(child)
                    agenda.append(child)
    return useful


def minimise(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """Merge equivalent states: Moore's algorithm, category by category.

    A category is looked at again only when the states of a category above it
    have been split.
    """
    blocks = _initial_blocks(automaton)
    by_category: dict[int, list[int]] = {}
    for state, category in enumerate(automaton.category):
        by_category.setdefault(category, []).append(state)
    crowded = {category for category, states in by_category.items() if len(states) > 1}
    contexts = _contexts(automaton, crowded)
    below = _categories_below(index)
    count = {category: len({blocks[q] for q in states}) for category, states in by_category.items()}
    agenda = sorted(crowded, reverse=True)
    while agenda:
        category = agenda.pop()
        states = by_category[category]
        if count[category] == len(states):
            continue
        split = _split(states, blocks, contexts)
        if split > count[category]:
            count[category] = split
            agenda.extend(
                child for child in below[category] if child in crowded and child not in agenda
            )
    if all(count[category] == len(states) for category, states in by_category.items()):
        return automaton
    renamed, size = _number_blocks(automaton, blocks)
    return _renamed(automaton, renamed, size)


def _initial_blocks(automaton: TreeAutomaton) -> list[int]:
    return [1 if q in automaton.accepting else 0 for q in range(len(automaton.category))]


def _contexts(automaton: TreeAutomaton, crowded: set[int]) -> list[list[tuple[int, int]]]:
    """For each state of a crowded category: (context, result), sorted by context.

    A context is a rule, a position and the states at the other positions.
    """
    contexts: list[list[tuple[int, int]]] = [[] for _ in automaton.category]
    fresh = 0
    for table in automaton.tables:
        if not table:
            continue
        for position, child in enumerate(next(iter(table))):
            if automaton.category[child] not in crowded:
                continue
            number: dict[tuple[int, ...], int] = {}
            for children, result in table.items():
                others = children[:position] + children[position + 1 :]
                context = number.setdefault(others, fresh + len(number))
                contexts[children[position]].append((context, result))
            fresh += len(number)
    for row in contexts:
        row.sort()
    return contexts


def _categories_below(index: GrammarIndex) -> list[list[int]]:
    below: list[dict[int, None]] = [{} for _ in index.grammar.categories]
    for lhs, children in zip(index.lhs, index.rhs, strict=True):
        below[lhs].update(dict.fromkeys(children))
    return [list(children) for children in below]


def _split(states: Sequence[int], blocks: list[int], contexts: list[list[tuple[int, int]]]) -> int:
    """Refine the blocks of these states in place; return how many there are now."""
    signatures: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
    refined = []
    for state in states:
        row = tuple([(context, blocks[result]) for context, result in contexts[state]])
        refined.append(signatures.setdefault((blocks[state], row), len(signatures)))
    for state, block in zip(states, refined, strict=True):
        blocks[state] = block
    return len(signatures)


def _number_blocks(automaton: TreeAutomaton, blocks: list[int]) -> tuple[list[int], int]:
    numbers: dict[tuple[int, int], int] = {}
    renamed = [
        numbers.setdefault((category, block), len(numbers))
        for category, block in zip(automaton.category, blocks, strict=True)
    ]
    return renamed, len(numbers)


def _renamed(automaton: TreeAutomaton, renamed: list[int], size: int) -> TreeAutomaton:
    """Replace state ``q`` by ``renamed[q]``; transitions of dead states are dropped."""
    category = [0] * size
    for state, number in enumerate(renamed):
        if number != DEAD:
            category[number] = automaton.category[state]
    tables = tuple(
        {
            tuple([renamed[child] for child in children]): renamed[result]
            for children, result in table.items()
            if renamed[result] != DEAD
        }
        for table in automaton.tables
    )
    return TreeAutomaton(
        lexicon=automaton.lexicon,
        category=tuple(category),
        leaves=tuple([DEAD if q == DEAD else renamed[q] for q in automaton.leaves]),
        tables=tables,
        accepting=frozenset(renamed[q] for q in automaton.accepting),
    )
