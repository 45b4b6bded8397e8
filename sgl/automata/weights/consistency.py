"""Does sampling from a grammar end?

A grammar whose rules expand a category, on average, into one or more phrases of
the same category keeps growing: some of its derivations never end, and those
that do no longer have probabilities that sum to 1 (Booth & Thompson 1973).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sgl.automata.weights.inside import Monomial, System, inside_weights
from sgl.automata.weights.moments import Moments, Radius, spectral_radius
from sgl.core.grammar import CoreGrammar

#: Rounding may keep a probability that is 1 this far below it.
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Consistency:
    """Whether derivations end.

    Attributes:
        spectral_radius: growth from one level of a derivation to the next.
        cycle: indices of categories, each above the next and the last above
            the first, through which most of the growth goes; empty if no
            category is below itself.
        termination: the probability that a derivation from the start ends.
    """

    spectral_radius: float
    cycle: tuple[int, ...]
    termination: float

    @property
    def proper(self) -> bool:
        """Whether derivations end and have a finite expected size."""
        return self.spectral_radius < 1.0 - TOLERANCE and self.termination > 1.0 - TOLERANCE


def consistency(grammar: CoreGrammar) -> Consistency:
    """Spectral radius, heaviest recursion and termination of a grammar.

    Only categories that the start category reaches count.
    """
    reachable = _reachable(grammar)
    rules = [rule for rule in grammar.rules if rule.lhs in reachable and rule.weight > 0.0]
    size = len(grammar.categories)
    system = System.of(size, [Monomial(rule.lhs, rule.weight, rule.rhs) for rule in rules])
    moments = Moments.of(size, [(rule.lhs, rule.weight, rule.rhs) for rule in rules])
    radius = spectral_radius(moments)
    return Consistency(
        spectral_radius=radius.value,
        cycle=_heaviest_cycle(moments.rows, radius),
        termination=float(inside_weights(system)[grammar.start]),
    )


def _reachable(grammar: CoreGrammar) -> set[int]:
    reachable = {grammar.start}
    agenda = [grammar.start]
    while agenda:
        for rule in grammar.rules_of[agenda.pop()]:
            for child in rule.rhs:
                if child not in reachable:
                    reachable.add(child)
                    agenda.append(child)
    return reachable


def _heaviest_cycle(rows: Sequence[Mapping[int, float]], radius: Radius) -> tuple[int, ...]:
    """Follow from each category the child with the most descendants until one repeats."""
    if not radius.component:
        return ()
    growth = dict(zip(radius.component, radius.growth, strict=True))
    state = max(radius.component, key=lambda category: growth[category])
    path: list[int] = []
    while state not in path:
        path.append(state)
        children = [child for child in rows[state] if child in growth]
        row = rows[state]
        state = max(sorted(children), key=lambda child: row[child] * growth[child])
    return tuple(path[path.index(state) :])
