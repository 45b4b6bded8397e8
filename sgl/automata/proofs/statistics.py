"""How large, how long and how deep a distribution is: computed, not sampled.

The height of a derivation is the number of rules above one another.  The
probability that it is at most *h* is the *h*-th Kleene iterate of the equations
of the inside weights, taken with the conditional probabilities of the split:

    P(height <= 0) = 0        P(height <= h + 1) = F(P(height <= h))
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sgl.automata.proofs.compiler import StructureCompiler
from sgl.automata.proofs.findings import GRAMMAR
from sgl.automata.weights.counting import count_by_length, count_derivations
from sgl.automata.weights.inside import EquationSystem, Monomial, extended
from sgl.automata.weights.split import SplitGrammar
from sgl.core.plan import Constraint, Plan

#: Derivations are counted for each length up to this number of tokens.
LONGEST_COUNTED = 12

#: Heights are followed until no more than this probability is left, or so far.
LEFT_OUT = 1e-6
HIGHEST = 200


@dataclass(frozen=True, slots=True)
class StratumStatistics:
    """StratumStatistics of one distribution over derivations.

    ``mass`` is its probability under the author's grammar.  ``derivations`` is the
    number of its derivations, ``None`` if there is no end of them; ``by_length[n]``
    are those of ``n`` source tokens (``None``: a length without end).  ``heights[h]``
    is the probability of a derivation of height ``h``.
    """

    stream: str
    mass: float
    spectral_radius: float
    expected_tokens: float
    derivations: int | None
    by_length: tuple[int, ...] | None
    heights: tuple[float, ...]

    @property
    def up_to_longest(self) -> int | None:
        """The number of derivations of at most ``LONGEST_COUNTED`` tokens."""
        return None if self.by_length is None else sum(self.by_length)

    def height_at(self, share: float) -> int:
        """Return the least height that this share of the derivations does not exceed."""
        total = 0.0
        for height, probability in enumerate(self.heights):
            total += probability
            if total >= share:
                return height
        return len(self.heights)


def statistics_of(compiler: StructureCompiler, plan: Plan) -> tuple[StratumStatistics, ...]:
    """Return the figures of the author's grammar and of every stratum."""
    constraints = [(GRAMMAR, Constraint())]
    constraints += [(stratum.stream, stratum.constraint) for stratum in plan.strata]
    known: dict[Constraint, StratumStatistics] = {}
    found = []
    for stream, constraint in constraints:
        twin = known.get(constraint)
        if twin is None:
            twin = known[constraint] = _figures(stream, compiler.split(constraint))
        found.append(twin if twin.stream == stream else replace(twin, stream=stream))
    return tuple(found)


def _figures(stream: str, split: SplitGrammar) -> StratumStatistics:
    return StratumStatistics(
        stream=stream,
        mass=split.mass,
        spectral_radius=split.spectral_radius,
        expected_tokens=split.expected_tokens,
        derivations=count_derivations(split),
        by_length=count_by_length(split, LONGEST_COUNTED),
        heights=height_distribution(split),
    )


def height_distribution(split: SplitGrammar) -> tuple[float, ...]:
    """Return the probabilities of the heights 0, 1, 2, ... of the derivations of a split."""
    system = EquationSystem.of(
        len(split.category),
        [
            Monomial(state, transition.probability, transition.children)
            for state, transitions in enumerate(split.transitions_of)
            for transition in transitions
        ],
    )
    at_most = [0.0]
    inside = extended(np.zeros(system.size))
    while 1.0 - at_most[-1] > LEFT_OUT and len(at_most) <= HIGHEST and not split.empty:
        inside = system.apply(inside)
        at_most.append(sum(share * float(inside[state]) for state, share in split.roots))
    below = [0.0, *at_most]
    return tuple(now - before for now, before in zip(at_most, below, strict=False))
