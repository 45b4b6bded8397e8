"""Places of rules, and what the brackets there say of a feature.

::

    rule clause:  S -> NP[num=n] VP[num=n]     place 0 is tied with place 1 by the variable n
    rule today:   S -> "today" NP VP[num=n]    place 0 is open
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sgl.frontend.productions import CategoryPattern, Production

#: The number of the left-hand side among the places of a rule; children have 0, 1, ….
LEFT = -1


class Place(NamedTuple):
    """A place of a rule that has the feature in question; ``slot`` is its index there."""

    production: Production
    number: int
    feature: str
    slot: int

    @property
    def pattern(self) -> CategoryPattern:
        """What the rule has in this place."""
        production = self.production
        return production.lhs if self.number == LEFT else production.rhs[self.number]

    @property
    def category(self) -> str:
        """The name of the category in this place."""
        return self.pattern.info.name

    @property
    def kind(self) -> tuple[str, bool, str]:
        """What places of other rules are compared by."""
        return self.category, self.number == LEFT, self.feature

    @property
    def variable(self) -> str | None:
        """The variable that stands here, if one does."""
        slot = self.pattern.slots[self.slot]
        return slot if isinstance(slot, str) else None

    @property
    def is_open(self) -> bool:
        """Whether the brackets say nothing about the feature."""
        return self.feature not in self.pattern.mentioned

    @property
    def is_told(self) -> bool:
        """Whether the brackets have a variable, or values that are not all there are."""
        return self.feature not in self.pattern.free


def places_of(production: Production) -> Iterator[Place]:
    """The left-hand side and the children, once for each of their features."""
    for number, pattern in enumerate((production.lhs, *production.rhs), LEFT):
        for slot, feature in enumerate(pattern.info.features):
            yield Place(production, number, feature, slot)


def is_tied_with(place: Place, partner: Place) -> bool:
    """Whether a place agrees, in its own rule, with a place like the partner.

    A verb that agrees with what follows it (*there are dogs*) is not like one that takes
    its number from above (*they see dogs*).
    """
    return place.variable is not None and any(
        other.kind == partner.kind
        and other.variable == place.variable
        and (partner.variable is None or goes_up(other) == goes_up(partner))
        for other in places_of(place.production)
        if other.number != place.number
    )


def goes_up(place: Place) -> bool:
    """Whether a child has its value in common with the left-hand side."""
    return any(
        other.number == LEFT and other.variable == place.variable
        for other in places_of(place.production)
    )
