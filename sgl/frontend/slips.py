"""Find what is allowed and hardly meant: features left open, twin rules, weights without effect.

Each makes a grammar that compiles, is proved and verified, and is not the author's: a rule that is there twice makes
all its sentences ambiguous, so that they are rejected; a weight that competes with nothing changes no probability; a
rule may leave a feature open although it looks as if it should make two places agree.

A *place* is a child of a rule or its left-hand side; it is *open* in a feature that its brackets do
not mention, and it has a *partner* in a second place of the rule that has the feature too, and no
fixed value.  Most open places are right; one is suspicious

* if all other rules with such a child (or such a left-hand side) say something about the
  feature, and some of them makes it agree with a partner of the same category;
* if no rule at all says anything about the feature of such a child;
* if no rule and no word sets the feature of the category that is built, though rules ask for it, and a child has it;
* if all other rules with such a child at the end of an edge with this label say what its
  feature is, most of them the same value, and words inflect for it: government.

Nothing is said of features that words do not have, nor of a child if another one of its category
agrees with the partner, nor of a child whose words do not inflect for the feature if the partner
agrees with another child (*an old cat*), nor where the author writes ``NP[num=_]``: any value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain, permutations
from typing import NamedTuple

from sgl.core.grammar import Rule
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label, Span, shortlist
from sgl.frontend.elaborate.categories import ANY, Slotting
from sgl.frontend.lower.expand import Concrete, Instance
from sgl.frontend.lower.grammar import Expanded
from sgl.frontend.lower.productions import Production
from sgl.lang import syntax as s


class Reason(Enum):
    """Why an open place is suspicious."""

    TIED_ELSEWHERE = "tied elsewhere"
    NEVER_ASKED = "never asked for"
    NEVER_SET = "never set"
    GOVERNED_ELSEWHERE = "governed elsewhere"


class TieChoice(NamedTuple):
    """A rule of the core grammar with its values in the open place and the partner, and the ``rest`` of its categories.

    It is ``even`` if all further places with the feature have the value of the partner.
    """

    rule: int
    value: str
    partner: str
    even: bool
    rest: tuple[Concrete, ...]


@dataclass(frozen=True, slots=True)
class OpenTie:
    """A rule that leaves a feature open, with its instances.

    It is open at ``place``, where there is a ``category``; the partner is of the category ``partner_category``, or
    the value that other rules have, with the label of the edge. ``tied_at`` is where rules do otherwise.
    ``agreeing`` are the mentions to be written if they agree, ``any_value`` the one that says that they do not.
    """

    rule: str
    feature: str
    reason: Reason
    category: str
    partner_category: str
    agreeing: tuple[str, ...]
    any_value: str
    place: Span
    tied_at: tuple[Span, ...]
    choices: tuple[TieChoice, ...]


def find_open_ties(state: Expanded) -> tuple[OpenTie, ...]:
    """Find the suspicious places of all rules that take part, one for each rule and feature."""
    numbered: dict[int, list[tuple[int, Instance]]] = {}
    for number, instance in enumerate(state.instances):
        if instance.rhs:
            numbered.setdefault(id(instance.production), []).append((number, instance))
    rules = [production for production in state.productions if id(production) in numbered]
    usage = _Usage(rules, [production for production in state.productions if not production.rhs])
    found: dict[tuple[int, str], OpenTie] = {}
    told: set[tuple[Reason, tuple[str, bool, str]]] = set()
    # Most certain first: of what nobody asks for, both places are open; else one alone is.
    for suspect in sorted(usage.suspects(), key=lambda x: x.partner.is_open == (x.reason is Reason.TIED_ELSEWHERE)):
        place, partner = suspect.place, suspect.partner
        once = (suspect.reason, place.kind)
        if suspect.reason is not Reason.TIED_ELSEWHERE and once in told:
            continue
        choices = _choices(place, partner, numbered[id(place.production)])
        key = (id(place.production), place.feature)
        if len({choice.value for choice in choices}) < 2 or key in found:
            continue
        told |= {once, (suspect.reason, partner.kind)}
        found[key] = _open_tie(suspect, choices)
    for governed in usage.governed():
        place = governed.place
        key = (id(place.production), place.feature)
        choices = _choices(place, place, numbered[id(place.production)])
        choices = tuple(choice._replace(partner=governed.value) for choice in choices)
        if key not in found and len({choice.value for choice in choices}) > 1:
            found[key] = _open_tie(governed, choices)
    return tuple(sorted(found.values(), key=lambda tie: tie.place))


#: The number of the left-hand side among the places of a rule; children have 0, 1, ….
LEFT = -1


class FeaturePlace:
    """A place of a rule, with one of the features that its category carries, by its ``slot`` there.

    It is open if its ``pattern`` says nothing about the feature, and told if that has a ``variable``, or not all
    values.  Places of other rules are compared by their ``kind``; ``beside`` are all places of this rule.
    """

    def __init__(self, production: Production, number: int, slot: int, beside: list[FeaturePlace]) -> None:
        pattern = (production.lhs, *production.rhs)[number - LEFT]
        self.production, self.number, self.beside = production, number, beside
        self.pattern, self.slot = pattern, slot
        self.feature, written = pattern.info.features[slot], pattern.slots[slot]
        self.variable = written if isinstance(written, str) else None
        self.is_open = self.feature not in pattern.mentioned
        self.is_told = self.feature not in pattern.free
        self.fixed = frozenset[str]() if isinstance(written, str) else written
        self.carried = (pattern.info.name, self.feature)
        self.kind = (pattern.info.name, number == LEFT, self.feature)

    def goes_up(self) -> bool:
        """Return whether a child has its value in common with the left-hand side."""
        return any(other.number == LEFT and other.variable == self.variable for other in self.beside)

    def is_tied_with(self, partner: FeaturePlace) -> bool:
        """Return whether it agrees, in its own rule, with a place like the partner.

        A verb that agrees with what follows it (*there are dogs*) is not like one that takes
        its number from above (*they see dogs*).
        """
        return self.variable is not None and any(
            other.kind == partner.kind
            and other.variable == self.variable
            and (partner.variable is None or other.goes_up() == partner.goes_up())
            for other in self.beside
            if other.number != self.number
        )

    def may_agree_with(self, partner: FeaturePlace) -> bool:
        """Return whether both could be meant to agree, as no others like this one do."""
        if partner.feature != self.feature or partner.number == self.number:
            return False
        if not partner.is_open and partner.variable is None:
            return False
        alike = [other.variable for other in self.beside if other.number != self.number and other.kind == self.kind]
        return all(variable is None or variable != partner.variable for variable in alike)


def _places_of(production: Production) -> list[FeaturePlace]:
    found: list[FeaturePlace] = []
    for number, pattern in enumerate((production.lhs, *production.rhs), LEFT):
        for slot in range(len(pattern.slots)):
            found.append(FeaturePlace(production, number, slot, found))
    return found


class _Suspect(NamedTuple):
    """An open place with a partner that it may have to agree with.

    Of government that is the place itself: at the end of an edge with this ``label`` other rules have a ``value``.
    """

    place: FeaturePlace
    partner: FeaturePlace
    reason: Reason
    tied_at: tuple[Span, ...] = ()
    label: str = ""
    value: str = ""


class _Usage:
    """What the rules say about the features of the categories that they mention."""

    def __init__(self, rules: Sequence[Production], words: Sequence[Production]) -> None:
        self._words = words
        self._rules = [_places_of(rule) for rule in rules]
        # One word of each kind is enough: of a category, with values for the same features.
        kinds = {(w.lhs.info.name, w.lhs.mentioned, w.lhs.free): w for w in reversed(words)}
        told = [place for word in kinds.values() for place in _places_of(word)]
        self._every: dict[tuple[str, bool, str], list[FeaturePlace]] = {}
        for place in (*(place for places in self._rules for place in places), *told):
            self._every.setdefault(place.kind, []).append(place)
        #: The features of categories that come from words.
        self._of_words = self._risen({place.carried for place in told if place.is_told})

    @cached_property
    def _inflected(self) -> set[tuple[str, str]]:
        """The features of categories by which the forms of one lemma differ."""
        values: dict[tuple[tuple[str, str], object], set[Slotting]] = {}
        for word in self._words:
            fragments = word.versions[0].fragments
            for place in _places_of(word) if fragments else ():
                if place.is_told:
                    lemma = dict(fragments[0].nodes[0].attributes or ()).get("lemma", "")
                    forms = values.setdefault((place.carried, lemma), set())
                    forms.add(place.pattern.slots[place.slot])
        return self._risen({carried for (carried, _), forms in values.items() if len(forms) > 1})

    def _risen(self, features: set[tuple[str, str]]) -> set[tuple[str, str]]:
        found = set(features)
        rounds = Rounds([place.carried for place in places if place.number != LEFT] for places in self._rules)
        for places in map(self._rules.__getitem__, rounds):
            below = {p.variable for p in places if p.number != LEFT and p.carried in found} - {None}
            above = {p.carried for p in places if p.number == LEFT and p.variable in below}
            for carried in above - found:
                rounds.grew(carried)
            found |= above
        return found

    def suspects(self) -> Iterator[_Suspect]:
        for place, partner in chain.from_iterable(permutations(r, 2) for r in self._rules):
            if (
                place.is_open
                and all(p.number == LEFT or p.carried in self._of_words for p in (place, partner))
                and place.may_agree_with(partner)
                and not self._is_provided(place, partner)
            ):
                yield from self._judged(place, partner)

    def _is_provided(self, place: FeaturePlace, partner: FeaturePlace) -> bool:
        if LEFT in (place.number, partner.number) or partner.variable is None:
            return False
        children = [other for other in place.beside if other.number not in (LEFT, partner.number)]
        tied = any(other.variable == partner.variable for other in children)
        return tied and place.carried not in self._inflected

    def governed(self) -> Iterator[_Suspect]:
        alike: dict[tuple[tuple[str, str], str], list[FeaturePlace]] = {}
        for place in chain.from_iterable(self._rules):
            label = _label_to(place)
            if label and place.carried in self._inflected:
                alike.setdefault((place.carried, label), []).append(place)
        for (_, label), places in alike.items():
            told = [place for place in places if place.is_told]
            for place in places if len(told) == len(places) - 1 else ():
                fixed = [other for other in told if len(other.fixed) == 1]
                if place.is_open and fixed and _GOVERNORS <= len(told) <= 2 * len(fixed):
                    values = Counter(value for other in fixed for value in other.fixed)
                    ((value, count),) = values.most_common(1)
                    if 2 * count >= len(told):
                        spans = tuple(p.pattern.span for p in fixed if value in p.fixed)
                        reason = Reason.GOVERNED_ELSEWHERE
                        yield _Suspect(place, place, reason, spans, label, value)

    def _judged(self, place: FeaturePlace, partner: FeaturePlace) -> Iterator[_Suspect]:
        everywhere = self._every[place.kind]
        elsewhere = (other for other in everywhere if other.production is not place.production)
        others = [other for other in elsewhere if other.production.rhs]
        tying = [other for other in others if other.is_tied_with(partner)]
        if tying and all(other.is_told for other in others):
            spans = tuple(other.pattern.span for other in tying)
            yield _Suspect(place, partner, Reason.TIED_ELSEWHERE, spans)
        if not all(other.is_open for other in everywhere):
            return
        if place.number != LEFT:
            # The gender of a noun phrase is not forgotten in relative clauses if nothing that
            # it stands beside elsewhere has a gender.
            alone = partner.variable is not None and partner.goes_up()
            if not alone or all(any(map(p.may_agree_with, p.beside)) for p in everywhere):
                yield _Suspect(place, partner, Reason.NEVER_ASKED)
            return
        category, feature = place.carried
        asked = self._every.get((category, False, feature), [])
        tied_at = tuple(other.pattern.span for other in asked if other.is_told)
        if tied_at:
            yield _Suspect(place, partner, Reason.NEVER_SET, tied_at)


#: So many other rules must say what a feature is before one that does not is suspicious.
_GOVERNORS = 2


def _label_to(place: FeaturePlace) -> str:
    fragments = place.production.versions[0].fragments
    if place.number == LEFT or not fragments:
        return ""
    fragment = fragments[0]
    heads = [n for n, node in enumerate(fragment.nodes) if (place.number, 0) in node.glue]
    return next((edge.label for edge in fragment.edges if edge.target in heads), "")


def _choices(
    place: FeaturePlace, partner: FeaturePlace, instances: Sequence[tuple[int, Instance]]
) -> tuple[TieChoice, ...]:
    numbers = (place.number, partner.number)
    further = [p for p in place.beside if p.feature == place.feature and p.number not in numbers]
    found = []
    for number, instance in instances:
        # Categories with their values, the left-hand side first.
        concrete = [instance.lhs, *instance.rhs]
        value, other, *more = (concrete[p.number - LEFT][1][p.slot] for p in (place, partner, *further))
        name, values = concrete[place.number - LEFT]
        concrete[place.number - LEFT] = name, (*values[: place.slot], *values[place.slot + 1 :])
        even = all(one == other for one in more)
        found.append(TieChoice(number, value, other, even, tuple(concrete)))
    return tuple(found)


def _open_tie(suspect: _Suspect, choices: tuple[TieChoice, ...]) -> OpenTie:
    place, partner = suspect.place, suspect.partner
    # A variable that is none yet is called by the beginning of the feature's name.
    taken = {*place.production.domains, *place.pattern.slots[place.slot]}
    beginnings = (place.feature[:end] for end in range(1, len(place.feature) + 1))
    new = next((name for name in beginnings if name not in taken), place.feature)
    value = suspect.value or partner.variable or new
    mentions = (place,) if suspect.value or partner.variable else (place, partner)
    return OpenTie(
        rule=place.production.name,
        feature=place.feature,
        reason=suspect.reason,
        category=place.pattern.info.name,
        partner_category=suspect.label or partner.pattern.info.name,
        agreeing=tuple(mention.pattern.having(place.feature, value) for mention in mentions),
        any_value=place.pattern.having(place.feature, ANY),
        place=place.pattern.span,
        tied_at=suspect.tied_at,
        choices=choices,
    )


def find_slips(state: Expanded) -> None:
    """Warn about twin rules and idle weights."""
    lowered = state.declared
    placed = zip(lowered.grammar.rules, lowered.rule_spans, strict=True)
    phrasal = [(rule, span) for rule, span in placed if rule.rhs]
    _find_twins(phrasal, state)
    _find_idle_weights(phrasal, state)


def _find_twins(phrasal: Sequence[tuple[Rule, Span]], state: Expanded) -> None:
    first: dict[Rule, tuple[Rule, Span]] = {}
    first_at: dict[Span, Rule] = {}
    twins: dict[tuple[Span, Span], list[Rule]] = {}
    every: dict[Span, int] = {}
    for rule, span in phrasal:
        every[span] = every.get(span, 0) + 1
        made = replace(rule, id=0, name="", weight=0.0, origin=None, keep=False)
        other, place = first.setdefault(made, (rule, span))
        first_at.setdefault(place, other)
        if other is not rule and place != span:
            twins.setdefault((span, place), []).append(rule)
    categories = state.declared.grammar.categories
    for (span, place), rules in twins.items():
        other = first_at[place]
        names = shortlist((categories[rule.lhs].name for rule in rules), 3)
        partly = f" for {names}" if len(rules) < every[span] else ""
        message = f"the rule `{rules[0].name}` makes the same as `{other.name}`{partly}"
        hint = "remove one of the two; a weight makes a phrase more frequent"
        notes = ("a sentence with such a phrase has two readings, each with its weight",)
        state.warning("SGL0406", span, message, hint, labels=[Label(place, "the same rule")], notes=notes)


def _find_idle_weights(phrasal: Sequence[tuple[Rule, Span]], state: Expanded) -> None:
    """Warn about weights of rules that are the only ones of all their categories, under any setting."""
    grammar = state.declared.grammar
    # A category may have thousands of rules, and the grammar thousands of idle weights.
    several = [len({rule.name for rule in rules}) > 1 for rules in grammar.rules_of]
    competing = {span for rule, span in phrasal if several[rule.lhs]}
    made = {span: rule for rule, span in reversed(phrasal)}
    named: dict[str, set[str]] = {}
    for rule in grammar.rules:
        named.setdefault(grammar.categories[rule.lhs].base, set()).add(rule.name)
    sorted_names = {base: sorted(names) for base, names in named.items()}
    here = {id(rule) for rule, _ in state.names.of(s.Rule)}
    declared = (rule for rule, _ in state.names.declared(s.Rule))
    off = {rule.lhs.name.text for rule in declared if id(rule) not in here}
    for declaration, _ in state.names.of(s.Rule):
        # Several weights of one rule compete with one another.
        span, weights = declaration.name.span, declaration.weights
        weight = weights[0].weight if len(weights) == 1 else None
        if weight is None or span in competing or span not in made or declaration.lhs.name.text in off:
            continue
        category = grammar.categories[made[span].lhs]
        others = [f"`{name}`" for name in sorted_names[category.base][:5] if name != made[span].name]
        why = f"with these features; others come from {shortlist(others, 3)}" if others else "at all"
        message = f"the weight of `{made[span].name}` has no effect: it competes with nothing"
        hint = "remove it; the values of a feature have weights: `feature x = a ~ 9 | b`"
        state.warning("SGL0713", weight.span, message, hint, label=f"no other rule makes a `{category.base}` {why}")
