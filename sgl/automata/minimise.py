"""Trim and minimise tree automata.

Two states of a category are equivalent if no context *of the grammar* tells them
apart (the Nerode relation, relative to the grammar).  This merges states that an
automaton for arbitrary trees would have to keep apart, and it is why the product
of dozens of constraints stays small: an automaton has more than one state only
where its structure has begun and is not yet complete.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from sgl.automata.numbering import Numbering
from sgl.automata.tree_automaton import DEAD, GrammarIndex, TreeAutomaton

#: For each context that a state occurs in: the context by number, and the category
#: and the state that it leads to.
_Row = list[tuple[int, int, int]]


def trim(automaton: TreeAutomaton) -> TreeAutomaton:
    """Drop the states that no accepted derivation visits."""
    return trimmed_to(automaton, [set(range(size)) for size in automaton.sizes])


def trimmed_to(automaton: TreeAutomaton, reachable: Sequence[set[int]]) -> TreeAutomaton:
    """Drop all states but those that accepted derivations visit.

    Args:
        automaton: an automaton whose states may be unreachable.
        reachable: the states of each category that are not.
    """
    useful = _co_reachable(automaton, reachable)
    names: dict[int, list[int]] = {}
    for category, size in enumerate(automaton.sizes):
        if len(useful[category]) < size:
            names[category] = row = [DEAD] * size
            for number, state in enumerate(sorted(useful[category])):
                row[state] = number
    return automaton.renamed(names) if names else automaton


def _co_reachable(automaton: TreeAutomaton, reachable: Sequence[set[int]]) -> list[set[int]]:
    index = automaton.index
    useful: list[set[int]] = [set() for _ in automaton.sizes]
    useful[index.start] |= automaton.final & reachable[index.start]

    def exhausted(rule: int) -> bool:
        """Mark the children of the transitions into useful states; whether that was all."""
        above, rhs = useful[index.lhs[rule]], index.rhs[rule]
        table = automaton.open_tables.get(rule)
        if table is None:
            if above and all([reachable[child] for child in rhs]):
                for child in rhs:
                    useful[child].add(0)
            return bool(above)
        if not above:
            return False
        below = [(reachable[child], useful[child]) for child in rhs]
        every = True
        for children, result in table.items():
            if result not in above:
                every = False
            elif all([q in live for q, (live, _) in zip(children, below, strict=True)]):
                for q, (_, marked) in zip(children, below, strict=True):
                    marked.add(q)
        return every

    pending: Sequence[int] = index.downwards
    before, count = -1, 0
    while count > before:
        pending = [rule for rule in pending if not exhausted(rule)]
        before, count = count, sum(map(len, useful))
    return useful


def minimise(index: GrammarIndex, automaton: TreeAutomaton) -> TreeAutomaton:
    """Merge equivalent states: Moore's algorithm, category by category.

    A category is looked at again only when the states of a category above it
    have been split.
    """
    contexts = _contexts(automaton)
    blocks = [[0] * size for size in automaton.sizes]
    blocks[index.start] = _numbered([q in automaton.final for q in range(len(blocks[index.start]))])
    agenda = sorted(contexts, reverse=True)
    while agenda:
        category = agenda.pop()
        before = max(blocks[category])
        if before + 1 == automaton.sizes[category]:
            continue
        rows = [
            (block, tuple([(context, blocks[lhs][result]) for context, lhs, result in row]))
            for block, row in zip(blocks[category], contexts[category], strict=True)
        ]
        blocks[category] = _numbered(rows)
        if max(blocks[category]) > before:
            agenda.extend(
                child for child in index.below[category] if child in contexts and child not in agenda
            )
    merged = {c: blocks[c] for c in contexts if max(blocks[c]) + 1 < automaton.sizes[c]}
    return automaton.renamed(merged) if merged else automaton


def _numbered(signatures: Iterable[Hashable]) -> list[int]:
    """Equal signatures get equal numbers."""
    numbers: Numbering[Hashable] = Numbering()
    return [numbers.number(signature) for signature in signatures]


def _contexts(automaton: TreeAutomaton) -> dict[int, list[_Row]]:
    """The rows of the states of each category that has several.

    A context is a rule, a position and the states at the other positions.
    """
    index = automaton.index
    rows: dict[int, list[_Row]] = {
        category: [[] for _ in range(size)]
        for category, size in enumerate(automaton.sizes)
        if size > 1
    }
    fresh = 0
    for rule, table in automaton.open_tables.items():
        lhs = index.lhs[rule]
        for position, category in enumerate(index.rhs[rule]):
            if category not in rows:
                continue
            number: dict[tuple[int, ...], int] = {}
            own = rows[category]
            for children, result in table.items():
                others = children[:position] + children[position + 1 :]
                context = number.setdefault(others, fresh + len(number))
                own[children[position]].append((context, lhs, result))
            fresh += len(number)
    for category_rows in rows.values():
        for row in category_rows:
            row.sort()
    return rows
