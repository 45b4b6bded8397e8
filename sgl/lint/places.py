"""Features at the places of rules: who agrees with whom, and who is left open.

A *place* is a child of a rule or its left-hand side, with one of the features that its category carries.  It is *open*
if its brackets do not mention the feature.  Places of other rules are compared by their kind: the category, whether it
is built or a child, and the feature.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import cached_property
from itertools import chain

from sgl.core.rounds import Rounds
from sgl.frontend.elaborate.categories import Slotting
from sgl.frontend.lower.productions import Production

#: The number of the left-hand side among the places of a rule; children have 0, 1, ….
LEFT = -1


class FeaturePlace:
    """A place of a rule, with one of the features that its category carries, by its ``slot`` there.

    It is open if its ``pattern`` says nothing about the feature, and told if that has a ``variable``, or not all
    values.  ``beside`` are all places of this rule.
    """

    def __init__(self, production: Production, number: int, slot: int, beside: list[FeaturePlace]) -> None:
        pattern = (production.lhs, *production.rhs)[number - LEFT]
        self.production, self.number, self.beside = production, number, beside
        self.pattern, self.slot = pattern, slot
        self.feature, written = pattern.info.features[slot], pattern.slots[slot]
        self.category, self.is_left = pattern.info.name, number == LEFT
        self.variable = written if isinstance(written, str) else None
        self.is_open = self.feature not in pattern.mentioned
        self.is_told = self.feature not in pattern.free
        self.fixed = frozenset[str]() if isinstance(written, str) else written
        self.carried = (self.category, self.feature)
        self.kind = (self.category, self.is_left, self.feature)

    @property
    def goes_up(self) -> bool:
        """Whether a child has its value in common with the left-hand side."""
        return any(other.is_left and other.variable == self.variable for other in self.beside)

    def is_tied_with(self, partner: FeaturePlace) -> bool:
        """Return whether it agrees, in its own rule, with a place like the partner.

        A verb that agrees with what follows it (*there are dogs*) is not like one that takes
        its number from above (*they see dogs*).
        """
        return self.variable is not None and any(
            other.kind == partner.kind
            and other.variable == self.variable
            and (partner.variable is None or other.goes_up == partner.goes_up)
            for other in self.beside
            if other.number != self.number
        )

    def may_agree_with(self, partner: FeaturePlace) -> bool:
        """Return whether both could be meant to agree, as no others like this one do."""
        if partner.feature != self.feature or partner.number == self.number:
            return False
        if partner.variable is None:
            return partner.is_open
        alike = (other for other in self.beside if other.number != self.number and other.kind == self.kind)
        return all(other.variable != partner.variable for other in alike)

    def is_provided_by(self, partner: FeaturePlace) -> bool:
        """Return whether another child agrees with the partner, and so shows its value."""
        if self.is_left or partner.is_left or partner.variable is None:
            return False
        children = (other for other in self.beside if other.number not in (LEFT, partner.number))
        return any(other.variable == partner.variable for other in children)

    @property
    def label(self) -> str:
        """The label of the edge that leads to a child in the first graph; nothing if there is none."""
        fragments = self.production.versions[0].fragments
        if self.is_left or not fragments:
            return ""
        fragment = fragments[0]
        heads = [n for n, node in enumerate(fragment.nodes) if (self.number, 0) in node.glue]
        return next((edge.label for edge in fragment.edges if edge.target in heads), "")


def places_of(production: Production) -> list[FeaturePlace]:
    """Return all places of a rule or a word."""
    found: list[FeaturePlace] = []
    for number, pattern in enumerate((production.lhs, *production.rhs), LEFT):
        for slot in range(len(pattern.slots)):
            found.append(FeaturePlace(production, number, slot, found))
    return found


class Places:
    """The places of some rules, and what words say about the features of categories."""

    def __init__(self, rules: Sequence[Production], words: Sequence[Production]) -> None:
        self._words = words
        self.of_rules = [places_of(rule) for rule in rules]
        # One word of each kind is enough: of a category, with values for the same features.
        kinds = {(w.lhs.info.name, w.lhs.mentioned, w.lhs.free): w for w in reversed(words)}
        told = [place for word in kinds.values() for place in places_of(word)]
        self.by_kind: dict[tuple[str, bool, str], list[FeaturePlace]] = {}
        for place in chain(*self.of_rules, told):
            self.by_kind.setdefault(place.kind, []).append(place)
        #: The features of categories that come from words.
        self.of_words = self._risen({place.carried for place in told if place.is_told})

    @cached_property
    def inflected(self) -> set[tuple[str, str]]:
        """The features of categories by which the forms of one lemma differ."""
        values: dict[tuple[tuple[str, str], object], set[Slotting]] = {}
        for word in self._words:
            fragments = word.versions[0].fragments
            for place in places_of(word) if fragments else ():
                if place.is_told:
                    lemma = dict(fragments[0].nodes[0].attributes or ()).get("lemma", "")
                    values.setdefault((place.carried, lemma), set()).add(place.pattern.slots[place.slot])
        return self._risen({carried for (carried, _), forms in values.items() if len(forms) > 1})

    def by_label(self) -> dict[tuple[tuple[str, str], str], list[FeaturePlace]]:
        """Return children whose words inflect for a feature, by this and by the label of the edge to them."""
        found: dict[tuple[tuple[str, str], str], list[FeaturePlace]] = {}
        for place in chain.from_iterable(self.of_rules):
            if (label := place.label) and place.carried in self.inflected:
                found.setdefault((place.carried, label), []).append(place)
        return found

    def _risen(self, features: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return these features with those that categories above take from them."""
        found = set(features)
        rounds = Rounds([place.carried for place in places if not place.is_left] for places in self.of_rules)
        for places in map(self.of_rules.__getitem__, rounds):
            for carried in _taken_up(places, found) - found:
                rounds.grew(carried)
                found.add(carried)
        return found


def _taken_up(places: Sequence[FeaturePlace], below: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the features that the left-hand side of a rule has in common with those below."""
    variables = {place.variable for place in places if not place.is_left and place.carried in below} - {None}
    return {place.carried for place in places if place.is_left and place.variable in variables}
