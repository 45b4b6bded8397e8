"""How many derivations a split has."""

from __future__ import annotations

from sgl.automata.components import components
from sgl.automata.split import SplitGrammar


def count_derivations(split: SplitGrammar) -> int | None:
    """The number of derivations of a split, or ``None`` if they are infinitely many."""
    successors = [
        [child for transition in transitions for child in transition.children]
        for transitions in split.transitions_of
    ]
    counts = [0] * len(successors)
    for component in components(successors):
        state = component[0]
        if len(component) > 1 or state in successors[state]:
            return None
        for transition in split.transitions_of[state]:
            ways = 1
            for child in transition.children:
                ways *= counts[child]
            counts[state] += ways
    return sum(counts[state] for state, _ in split.roots)
