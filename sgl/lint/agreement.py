"""Find features that a rule leaves open although it seems meant to make two places agree.

A *place* is a child of a rule or its left-hand side, with one of the features that its category carries.  It is *open*
if its brackets do not mention the feature.  Places of other rules are compared by their kind: the category, whether it
is built or a child, and the feature.

An open place may have a *partner*: a second place of the rule that also has the feature, without a fixed value.  Most
open places are right; one is suspicious

* if all other rules with such a child (or such a left-hand side) say something about the feature, and some make it
  agree with a partner of the same category;
* if no rule at all mentions the feature of such a child;
* if no rule and no word sets the feature of the category that is built, though rules ask for it, and a child has it;
* if all other rules with such a child at the end of an edge with this label say what its feature is, most of them the
  same value, and words inflect for it: government.

The lint ignores features that words do not have, a child if another child of its category agrees with the partner, a
child whose words do not inflect for the feature if the partner agrees with another child (*an old cat*), and places
where the author writes ``NP[num=_]``: any value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import chain, permutations
from typing import NamedTuple

from sgl.core.interpret import interpret
from sgl.core.rounds import Rounds
from sgl.core.smallest import SmallestTexts
from sgl.diagnostics import Label, Span
from sgl.frontend.elaborate.categories import ANY, Slotting
from sgl.frontend.lower.expand import Concrete, Instance
from sgl.frontend.lower.productions import Production
from sgl.lint.registry import Finding, Subject, of_grammar
from sgl.memory import kept

#: The number of the left-hand side among the places of a rule; children count from 0.
LEFT = -1


class FeaturePlace:
    """A place of a rule, with one of the features that its category carries, by its ``slot`` there.

    It is open if its ``pattern`` does not mention the feature, and told if the pattern gives it a ``variable`` or
    restricts its values.  ``beside`` lists all places of the rule.
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
        """Whether a child shares its value with the left-hand side."""
        return any(other.is_left and other.variable == self.variable for other in self.beside)

    def is_tied_with(self, partner: FeaturePlace) -> bool:
        """Return whether it agrees, in its own rule, with a place like the partner.

        A verb that agrees with what follows it (*there are dogs*) is not like one that gets its number from above
        (*they see dogs*).
        """
        return self.variable is not None and any(
            other.kind == partner.kind
            and other.variable == self.variable
            and (partner.variable is None or other.goes_up == partner.goes_up)
            for other in self.beside
            if other.number != self.number
        )

    def may_agree_with(self, partner: FeaturePlace) -> bool:
        """Return whether both could be meant to agree, given that no other place like this one does."""
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
        """The label of the edge to a child in the first graph, or "" if there is none."""
        fragments = self.production.versions[0].fragments
        if self.is_left or not fragments:
            return ""
        fragment = fragments[0]
        heads = [n for n, node in enumerate(fragment.nodes) if (self.number, 0) in node.glue]
        return next((edge.label for edge in fragment.edges if edge.target in heads), "")


def places_of(production: Production) -> list[FeaturePlace]:
    """Return all places of a rule or word."""
    found: list[FeaturePlace] = []
    for number, pattern in enumerate((production.lhs, *production.rhs), LEFT):
        for slot in range(len(pattern.slots)):
            found.append(FeaturePlace(production, number, slot, found))
    return found


class Places:
    """The places of some rules, and the features that words give to categories."""

    def __init__(self, rules: Sequence[Production], words: Sequence[Production]) -> None:
        self._words = words
        self.of_rules = [places_of(rule) for rule in rules]
        # One word of each kind, with a category and values for certain features, is enough.
        kinds = {(w.lhs.info.name, w.lhs.mentioned, w.lhs.free): w for w in reversed(words)}
        told = [place for word in kinds.values() for place in places_of(word)]
        self.by_kind: dict[tuple[str, bool, str], list[FeaturePlace]] = {}
        for place in chain(*self.of_rules, told):
            self.by_kind.setdefault(place.kind, []).append(place)
        #: The features of categories that come from words.
        self.of_words = self._risen({place.carried for place in told if place.is_told})

    @cached_property
    def inflected(self) -> set[tuple[str, str]]:
        """The features of categories in which the forms of one lemma differ."""
        return self._risen(kept("inflected", tuple(self._words), None, self._differing))

    def _differing(self) -> set[tuple[str, str]]:
        """Return the features in which words of one lemma and category differ."""
        values: dict[tuple[tuple[str, str], object], set[Slotting]] = {}
        for word in self._words:
            fragments = word.versions[0].fragments
            for place in places_of(word) if fragments else ():
                if place.is_told:
                    lemma = dict(fragments[0].nodes[0].attributes or ()).get("lemma", "")
                    values.setdefault((place.carried, lemma), set()).add(place.pattern.slots[place.slot])
        return {carried for (carried, _), forms in values.items() if len(forms) > 1}

    def by_label(self) -> dict[tuple[tuple[str, str], str], list[FeaturePlace]]:
        """Return children whose words inflect for a feature, by that feature and the label of the edge to them."""
        found: dict[tuple[tuple[str, str], str], list[FeaturePlace]] = {}
        for place in chain.from_iterable(self.of_rules):
            if (label := place.label) and place.carried in self.inflected:
                found.setdefault((place.carried, label), []).append(place)
        return found

    def _risen(self, features: set[tuple[str, str]]) -> set[tuple[str, str]]:
        """Return these features and those that higher categories take from them."""
        found = set(features)
        rounds = Rounds([place.carried for place in places if not place.is_left] for places in self.of_rules)
        for places in map(self.of_rules.__getitem__, rounds):
            for carried in _taken_up(places, found) - found:
                rounds.grew(carried)
                found.add(carried)
        return found


def _taken_up(places: Sequence[FeaturePlace], below: Set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the features that the left-hand side of a rule shares with those below."""
    variables = {place.variable for place in places if not place.is_left and place.carried in below} - {None}
    return {place.carried for place in places if place.is_left and place.variable in variables}


class Suspect(NamedTuple):
    """An open place with a partner that it may have to agree with, and ``why``.

    ``tied_at`` is where other rules differ, and ``elsewhere`` says how.  If ``nobody`` asks for a feature, or sets it,
    that is reported once.  For government, the partner is the place itself: other rules have a ``value`` at the end of
    an edge with its label.
    """

    place: FeaturePlace
    partner: FeaturePlace
    why: str
    elsewhere: str = ""
    tied_at: tuple[Span, ...] = ()
    value: str = ""
    nobody: bool = False


class Choice(NamedTuple):
    """A rule of the core grammar with its values at the open place and the partner, and the ``rest`` of its categories.

    It is ``even`` if all other places with the feature have the partner's value.
    """

    rule: int
    value: str
    partner: str
    even: bool
    rest: tuple[Concrete, ...]


@of_grammar("SGL0405")
def open_features(subject: Subject) -> Iterator[Finding]:
    """Find the suspicious places of all reachable rules, one for each rule and feature."""
    if not (found := _open(subject)):
        return
    texts = SmallestTexts(subject.declared.grammar)
    for suspect, choices in found:
        place = suspect.place
        what = f"the rule `{place.production.name}` leaves `{place.feature}` of `{place.category}` open"
        witness, same = _witness(choices, subject, texts)
        mentions, any_value = _written(suspect), place.pattern.having(place.feature, ANY)
        yield Finding(
            place.pattern.span,
            f"{what}, so that {_consequence(suspect, same)}",
            f"write {' and '.join(f'`{mention}`' for mention in mentions)}; if you mean any value, `{any_value}`",
            label=f"any value of `{place.feature}`",
            labels=tuple(Label(span, suspect.elsewhere) for span in suspect.tied_at[:1]),
            notes=tuple(note for note in (suspect.why, witness) if note),
        )


def _open(subject: Subject) -> list[tuple[Suspect, tuple[Choice, ...]]]:
    found: dict[tuple[int, str], tuple[Suspect, tuple[Choice, ...]]] = {}
    told: set[tuple[str, tuple[str, bool, str]]] = set()
    for suspect in _all_suspects(subject):
        place, key = suspect.place, (id(suspect.place.production), suspect.place.feature)
        if key in found or (suspect.elsewhere, place.kind) in told:
            continue
        choices = _choices(suspect, subject.instances_of[key[0]])
        if len({choice.value for choice in choices}) > 1:
            found[key] = suspect, choices
            if suspect.nobody:
                told |= {(suspect.elsewhere, place.kind), (suspect.elsewhere, suspect.partner.kind)}
    return sorted(found.values(), key=lambda pair: pair[0].place.pattern.span)


def _all_suspects(subject: Subject) -> Iterator[Suspect]:
    words = [word for word in subject.productions if not word.rhs]
    places = Places([rule for rule in subject.productions if rule.rhs and id(rule) in subject.instances_of], words)
    # The most certain come first: of features nobody asks for, both places are open; otherwise only one is.
    yield from sorted(_suspects(places), key=lambda x: x.partner.is_open != x.nobody)
    yield from _governed(places)


def _suspects(places: Places) -> Iterator[Suspect]:
    for place, partner in chain.from_iterable(permutations(beside, 2) for beside in places.of_rules):
        if place.is_open and place.may_agree_with(partner) and _is_felt(place, partner, places):
            yield from _tied_elsewhere(place, partner, places)
            if all(other.is_open for other in places.by_kind[place.kind]):
                yield from (_never_set if place.is_left else _never_asked)(place, partner, places)


def _is_felt(place: FeaturePlace, partner: FeaturePlace, places: Places) -> bool:
    """Return whether words would show that the two do not agree."""
    if not all(one.is_left or one.carried in places.of_words for one in (place, partner)):
        return False
    return not place.is_provided_by(partner) or place.carried in places.inflected


def _tied_elsewhere(place: FeaturePlace, partner: FeaturePlace, places: Places) -> Iterator[Suspect]:
    others = [o for o in places.by_kind[place.kind] if o.production is not place.production and o.production.rhs]
    spans = tuple(other.pattern.span for other in others if other.is_tied_with(partner))
    if spans and all(other.is_told for other in others):
        more = f"so it does in {len(spans) - 1:,} other {'rule' if len(spans) == 2 else 'rules'}" if spans[1:] else ""
        yield Suspect(place, partner, more, f"here it agrees with `{partner.category}`", spans)


def _never_asked(place: FeaturePlace, partner: FeaturePlace, places: Places) -> Iterator[Suspect]:
    # The gender of a noun phrase is not forgotten in relative clauses if none of its sisters elsewhere has a gender.
    alone = partner.variable is not None and partner.goes_up
    if not alone or all(any(map(one.may_agree_with, one.beside)) for one in places.by_kind[place.kind]):
        yield Suspect(place, partner, f"no rule asks for the `{place.feature}` of `{place.category}`", nobody=True)


def _never_set(place: FeaturePlace, partner: FeaturePlace, places: Places) -> Iterator[Suspect]:
    asked = places.by_kind.get((place.category, False, place.feature), [])
    if spans := tuple(other.pattern.span for other in asked if other.is_told):
        why = f"nothing sets the `{place.feature}` of `{place.category}`"
        yield Suspect(place, partner, why, "asked for here", spans, nobody=True)


def _governed(places: Places) -> Iterator[Suspect]:
    for same in places.by_label().values():
        silent = [place for place in same if not place.is_told]
        value, spans = _usual([place for place in same if place.is_told])
        if value and len(silent) == 1 and silent[0].is_open:
            place = silent[0]
            why = f"the other rules say `{place.pattern.having(place.feature, value)}` of `{place.label}`"
            yield Suspect(place, place, why, "said here", spans, value)


#: The number of other rules that must fix a feature before a rule that does not is suspicious.
_GOVERNORS = 2


def _usual(told: Sequence[FeaturePlace]) -> tuple[str, tuple[Span, ...]]:
    """Return the value that at least half of the places fix, with the spans; none if most fix no value."""
    fixed = [place for place in told if len(place.fixed) == 1]
    if not _GOVERNORS <= len(told) <= 2 * len(fixed):
        return "", ()
    ((value, count),) = Counter(value for place in fixed for value in place.fixed).most_common(1)
    spans = tuple(place.pattern.span for place in fixed if value in place.fixed)
    return (value, spans) if 2 * count >= len(told) else ("", ())


def _choices(suspect: Suspect, instances: Sequence[tuple[int, Instance]]) -> tuple[Choice, ...]:
    place, partner = suspect.place, suspect.partner
    numbers = (place.number, partner.number)
    further = [p for p in place.beside if p.feature == place.feature and p.number not in numbers]
    found = []
    for number, instance in instances:
        # The categories with their values, the left-hand side first.
        concrete = [instance.lhs, *instance.rhs]
        value, other, *more = (concrete[p.number - LEFT][1][p.slot] for p in (place, partner, *further))
        name, values = concrete[place.number - LEFT]
        concrete[place.number - LEFT] = name, (*values[: place.slot], *values[place.slot + 1 :])
        even = all(one == other for one in more)
        found.append(Choice(number, value, suspect.value or other, even, tuple(concrete)))
    return tuple(found)


def _witness(choices: Sequence[Choice], subject: Subject, texts: SmallestTexts) -> tuple[str, bool]:
    """Return a text in which the two disagree, next to one in which they agree, and whether both texts are the same."""
    grammar = subject.declared.grammar
    said = [tuple(interpret(grammar, texts.of(rule)).texts for rule in pair) for pair in _pairs(choices)]
    source = grammar.text_layer(subject.signature.source.name)
    for layer in sorted(range(len(grammar.text_layers)), key=lambda layer: layer != source):
        of = "" if layer == source else f" (`{grammar.text_layers[layer].name}`)"
        for wrong, right in said:
            if wrong[layer] != right[layer]:
                return f'witness: "{wrong[layer]}", beside "{right[layer]}"{of}', False
    if said:
        return f'witness: "{said[0][0][source]}" has several derivations', True
    first = next(choice for choice in choices if choice.value != choice.partner)
    return f'witness: "{interpret(grammar, texts.of(first.rule)).texts[source]}"', False


#: The most pairs of choices to try for a witness.
_TRIED = 200


def _pairs(choices: Sequence[Choice]) -> list[tuple[int, int]]:
    """Return pairs of a rule that does not agree and a rule that does and differs in nothing else."""
    ordered = sorted(choices, key=lambda choice: not choice.even)
    agreeing = {choice.rest: choice.rule for choice in ordered if choice.value == choice.partner}
    differing = [choice for choice in ordered if choice.value != choice.partner and choice.rest in agreeing]
    return [(choice.rule, agreeing[choice.rest]) for choice in differing[:_TRIED]]


def _consequence(suspect: Suspect, same: bool) -> str:
    if suspect.value:
        return f"any `{suspect.place.feature}` can stand here"
    return "it says the same in several ways" if same else f"it need not agree with `{suspect.partner.category}`"


def _written(suspect: Suspect) -> tuple[str, ...]:
    """Return the mentions to write if the two agree."""
    place, partner = suspect.place, suspect.partner
    value = suspect.value or partner.variable
    mentions = (place,) if value else (place, partner)
    return tuple(mention.pattern.having(place.feature, value or _new_variable(place)) for mention in mentions)


def _new_variable(place: FeaturePlace) -> str:
    """Return a variable that the rule does not use: a prefix of the feature's name."""
    taken = {*place.production.domains, *place.pattern.slots[place.slot]}
    beginnings = (place.feature[:end] for end in range(1, len(place.feature) + 1))
    return next((name for name in beginnings if name not in taken), place.feature)
