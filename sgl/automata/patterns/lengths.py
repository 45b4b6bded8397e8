"""Sets of walk lengths as bit sets.

Bit ``i`` of a set says that some walk has length ``i``.  A path atom with the
bounds ``{2,4}`` never needs lengths above 4, and ``{2,}`` cannot tell 2 from 3,
so that every set fits in ``cap + 1`` bits::

    {2,4}   cap 4             lengths above 4 are dropped
    {2,}    cap 2, saturates  bit 2 means "2 or more"
"""

from __future__ import annotations

from dataclasses import dataclass

from sgl.core.structure import PathAtom

#: The set of lengths that contains 0 only, and the one that contains 1 only.
ZERO, ONE = 1, 2

#: Lengths of the walks between pairs of nodes; pairs without a walk are absent.
Reach = dict[tuple[int, int], int]


@dataclass(frozen=True, slots=True)
class WalkRelation:
    """Walks over the edges that pass a label test, with lengths up to ``cap``."""

    cap: int
    saturates: bool

    @classmethod
    def of(cls, atom: PathAtom) -> WalkRelation:
        """The relation in which a path atom is decided."""
        if atom.high is None:
            return cls(max(atom.low, 1), saturates=True)
        return cls(atom.high, saturates=False)

    @property
    def edge(self) -> int:
        """The lengths of a single edge."""
        return ONE if self.cap >= 1 else 0

    def compose(self, first: int, second: int) -> int:
        """Lengths of a walk of ``first`` followed by a walk of ``second``."""
        total = 0
        shift = 0
        while first >> shift:
            if first >> shift & 1:
                total |= second << shift
            shift += 1
        within = total & ((1 << (self.cap + 1)) - 1)
        if self.saturates and total >> (self.cap + 1):
            within |= 1 << self.cap
        return within


def wanted_lengths(atom: PathAtom) -> int:
    """The lengths that satisfy a path atom, in its own relation."""
    cap = WalkRelation.of(atom).cap
    return sum(1 << length for length in range(atom.low, cap + 1))


def close(relation: WalkRelation, reach: Reach) -> None:
    """Add to ``reach`` all walks that are composed of those in it."""
    changed = True
    while changed:
        changed = False
        for (source, middle), first in list(reach.items()):
            for (start, target), second in list(reach.items()):
                if start == middle:
                    old = reach.get((source, target), 0)
                    new = old | relation.compose(first, second)
                    if new != old:
                        reach[source, target] = new
                        changed = True
