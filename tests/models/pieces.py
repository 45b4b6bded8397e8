"""What is left of a structure when one link is removed: the *pieces* of docs/guarantees.md.

A structure is a graph of *places*: a variable in a layer is a place, and two places of one word are linked
by the edge ``&`` of the joint graph (docs/structures.md).  From this everything follows::

    pieces(whole)         the structures that are left, none of them twice up to the names of variables
    name_of(structure)    the same text for structures that differ only in the names of variables

Both the structures of ``claims_structures.py`` and those that the compiler answers with are read into this form,
and a piece is written as a structure of the model again, so that ``contains()`` can look for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import permutations, product
from typing import NamedTuple

from claims_structures import Body, Labels, Link, Structure
from sgl.core import structure as core

#: The attribute of the joint graph that says in which layer a place is.
LAYER = "graph.layer"
#: A count of one is no link: the page's table takes greater counts apart, and says nothing of this one.
SMALLEST = 2


class Tie(NamedTuple):
    """What is said of two places: a walk, or, with no labels, that they are one word."""

    source: str
    labels: Labels | None
    low: int
    high: int | None
    target: str

    @property
    def ends(self) -> frozenset[str]:
        """The two places."""
        return frozenset((self.source, self.target))

    def renamed(self, new: Mapping[str, str]) -> Tie:
        """The same between places of other names; one word is said of two places in any order."""
        ends = new.get(self.source, self.source), new.get(self.target, self.target)
        source, target = sorted(ends) if self.labels is None else ends
        return self._replace(source=source, target=target)


@dataclass(frozen=True)
class Place:
    """A variable in a layer with its tests, and its counts of edges."""

    layer: str
    tests: frozenset[tuple[str, bool, tuple[str, ...]]] = frozenset()
    counts: tuple[tuple[Labels, str, int], ...] = ()

    @property
    def tested(self) -> bool:
        """Whether anything is asked of it alone."""
        return bool(self.tests or self.counts)


@dataclass(frozen=True)
class Joint:
    """Places with their ties; ``without`` bodies share the places of the match by name."""

    places: Mapping[str, Place]
    ties: tuple[Tie, ...]
    without: tuple[Joint, ...] = ()
    lengths: frozenset[tuple[str, str, int]] = field(default_factory=frozenset)


# ---- the definition


def pieces(whole: Joint) -> list[Joint]:
    """The pieces of a structure, each once."""
    found = list(_measures(whole))
    for rest in _smaller(whole):
        found += [piece for names in _connected(rest) for piece in _kept(whole, rest, names)]
    return list({name_of(piece): piece for piece in found}.values())


def _measures(whole: Joint) -> Iterator[Joint]:
    """Each measure alone is a piece, if there is anything beside it (docs/measures.md)."""
    if whole.places or len(whole.lengths) > 1:
        for length in whole.lengths:
            yield Joint({}, (), lengths=frozenset({length}))


def _smaller(whole: Joint) -> Iterator[Joint]:
    """The structure with one link less; of one with measures what is left is its graph."""
    if whole.lengths:
        yield replace(whole, lengths=frozenset())
        return
    for ends in {tie.ends for tie in whole.ties}:
        own = [tie for tie in whole.ties if tie.ends == ends]
        shorter = [tie._replace(low=tie.low - 1, high=tie.low - 1) for tie in own if len(own) == 1 and tie.low > 1]
        yield replace(whole, ties=(*(tie for tie in whole.ties if tie.ends != ends), *shorter))
    for name, place in whole.places.items():
        for at, (labels, sign, number) in enumerate(place.counts):
            if sign in ("=", ">=") and number >= SMALLEST:
                counts = (*place.counts[:at], (labels, sign, number - 1), *place.counts[at + 1 :])
                yield replace(whole, places={**whole.places, name: replace(place, counts=counts)})


def _connected(own: Joint) -> list[frozenset[str]]:
    """The places of each connected part."""
    parts = [frozenset({name}) for name in own.places]
    for tie in own.ties:
        touched = [part for part in parts if part & tie.ends]
        parts = [part for part in parts if part not in touched] + [frozenset().union(*touched)]
    return parts


def _kept(whole: Joint, rest: Joint, names: frozenset[str]) -> Iterator[Joint]:
    """One connected part, unless it is a single place without a test; with each ``without`` whose places it has."""
    if len(names) == 1 and not rest.places[min(names)].tested:
        return
    without = tuple(body for body in whole.without if mentioned(body) & whole.places.keys() <= names)
    ties = tuple(tie for tie in rest.ties if tie.ends <= names)
    yield Joint({name: place for name, place in rest.places.items() if name in names}, ties, without)


def mentioned(body: Joint) -> set[str]:
    """The places that a body says something of."""
    return {*body.places, *(end for tie in body.ties for end in tie.ends)}


# ---- names


def name_of(joint: Joint) -> str:
    """The smallest of all texts that the structure has with other names of places."""
    return min(_text(joint, names) for names in _namings(joint.places, "m"))


def _namings(places: Mapping[str, Place], prefix: str) -> Iterator[dict[str, str]]:
    """The names that places can get, where those that look different keep their order."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name, place in places.items():
        alike[_look(place)].append(name)
    for orders in product(*(permutations(alike[look]) for look in sorted(alike))):
        yield {name: f"{prefix}{at}" for at, name in enumerate(name for order in orders for name in order)}


def _look(place: Place) -> str:
    return str((place.layer, sorted(map(str, place.tests)), sorted(map(str, place.counts))))


def _text(joint: Joint, names: Mapping[str, str]) -> str:
    without = []
    for body in joint.without:
        own = {name: place for name, place in body.places.items() if name not in joint.places}
        without.append(min(_said(body, {**names, **more}) for more in _namings(own, "w")))
    return f"{_said(joint, names)} without {sorted(set(without))} {sorted(joint.lengths)}"


def _said(joint: Joint, names: Mapping[str, str]) -> str:
    # Of a place of the match a ``without`` body may say nothing but that it is an end of a tie.
    places = sorted(
        (names[name], _look(place)) for name, place in joint.places.items() if place.tested or names[name][0] == "w"
    )
    return f"{places} {sorted({str(tie.renamed(names)) for tie in joint.ties})}"


# ---- structures of the model


def read(structure: Structure) -> Joint:
    """A structure of the model; a depth is the walk that it means."""
    places: dict[str, Place] = {}
    ties: list[Tie] = []
    lengths = frozenset(length for part in structure.parts for length in part.lengths)
    for part in structure.parts:
        body, layer = part.body, part.layer
        if part.depth is not None:
            labels, _, number = part.depth
            body = Body(("A", "B"), {}, {}, (Link("A", labels, number, number, "B"),))
        more, own = _read_body(body, layer)
        places |= more
        ties += own
    for name, other in product(places, places):
        if name < other and name.split("@")[0] == other.split("@")[0]:
            ties.append(Tie(name, None, 1, 1, other))
    without = tuple(_read_without(body, part.layer, places) for part in structure.parts for body in part.without)
    return Joint(places, tuple(ties), without, lengths)


def _read_body(body: Body, layer: str) -> tuple[dict[str, Place], list[Tie]]:
    places = {
        f"{name}@{layer}": Place(
            layer,
            frozenset({_test(*body.tests[name])} if name in body.tests else ()),
            ((_labels(body.degrees[name][0]), *body.degrees[name][1:]),) if name in body.degrees else (),
        )
        for name in body.variables
    }
    ties = [
        Tie(f"{own.source}@{layer}", _labels(own.labels), own.low, own.high, f"{own.target}@{layer}")
        for own in body.links
    ]
    return places, ties


def _read_without(body: Body, layer: str, known: Mapping[str, Place]) -> Joint:
    """A ``without`` body; a place that is another layer's word in the match is tied to this word."""
    places, ties = _read_body(body, layer)
    for name, other in product(places.keys() - known.keys(), known):
        if name.split("@")[0] == other.split("@")[0]:
            ties.append(Tie(min(name, other), None, 1, 1, max(name, other)))
    return Joint(places, tuple(ties))


def _test(attribute: str, negated: bool, values: tuple[str, ...]) -> tuple[str, bool, tuple[str, ...]]:
    return attribute, negated, tuple(sorted(set(values)))


def _labels(labels: Labels) -> Labels:
    return Labels(labels.negated, tuple(sorted(set(labels.names))))


def written(joint: Joint) -> Structure:
    """A piece as a structure of the model: places that are tied as one word get one name."""
    words = {name: name.replace("@", "_") for name in joint.places}
    for tie in joint.ties:
        if tie.labels is None:
            words |= dict.fromkeys(tie.ends, min(tie.ends).split("@")[0] + "_w")
    # A ``without`` may speak of a layer that nothing else is said of.
    known = {*(place.layer for place in joint.places.values()), *map(_layer_of, joint.without)}
    layers = sorted(known, key=("syn", "sem", "dep").index)
    parts = [
        Structure(
            _written_body(joint, words, layer),
            tuple(_written_without(body, words, layer) for body in joint.without if _layer_of(body) == layer),
            layer=layer,
        )
        for layer in layers or ("syn",)
    ]
    return replace(parts[0], lengths=tuple(sorted(joint.lengths)), more=tuple(parts[1:]))


def _layer_of(body: Joint) -> str:
    return next(iter(body.places.values())).layer


def _written_without(body: Joint, words: Mapping[str, str], layer: str) -> Body:
    names = {name: words.get(name, name.replace("@", "_")) for name in body.places}
    for tie in body.ties:
        if tie.labels is None:
            (known,) = tie.ends - body.places.keys()
            names[min(tie.ends & body.places.keys())] = words[known]
    return _written_body(body, names, layer)


def _written_body(joint: Joint, words: Mapping[str, str], layer: str) -> Body:
    own = {words[name]: place for name, place in joint.places.items() if place.layer == layer}
    return Body(
        tuple(own),
        {name: test for name, place in own.items() for test in place.tests},
        {name: count for name, place in own.items() for count in place.counts},
        tuple(
            Link(words[tie.source], tie.labels, tie.low, tie.high, words[tie.target])
            for tie in sorted(joint.ties, key=lambda tie: (tie.low, tie.high) != (1, 1))
            if tie.labels is not None and joint.places[tie.source].layer == layer
        ),
    )


# ---- answers of the compiler


def answered(structure: core.Structure) -> Joint:
    """A structure of the compiler."""
    layer = "" if "+" in structure.layer else structure.layer
    main = _answered_body(structure.body, layer, {})
    without = tuple(_answered_body(body, layer, main.places) for body in structure.without)
    lengths = frozenset((test.layer, test.comparison, test.number) for test in structure.body.lengths)
    return Joint(main.places, main.ties, without, lengths)


def _answered_body(body: core.Body, layer: str, known: Mapping[str, Place]) -> Joint:
    places = {}
    for variable in body.variables:
        tests = {test.attribute: test for test in variable.tests}
        at = known[variable.name].layer if variable.name in known else layer
        if LAYER in tests:
            (at,) = tests.pop(LAYER).values
        places[variable.name] = Place(
            at,
            frozenset(_test(test.attribute, test.negated, tuple(test.values)) for test in tests.values()),
            tuple((_tested(test.labels), test.comparison, test.number) for test in variable.degrees),
        )
    names = [variable.name for variable in body.variables]
    return Joint(places, tuple(_answered_tie(link, names) for link in body.links))


def _answered_tie(link: core.Link, names: list[str]) -> Tie:
    source, target = names[link.source], names[link.target]
    if link.labels.labels == {"&"} and not link.labels.negated:
        return Tie(min(source, target), None, 1, 1, max(source, target))
    return Tie(source, _tested(link.labels), link.low, link.high, target)


def _tested(labels: core.LabelTest) -> Labels:
    # In the joint graph "any other label" is no tie of one word.
    return Labels(labels.negated, tuple(sorted(labels.labels - {"&"})))
