"""Split a structure into what decides its automaton and what does not.

The automaton of a structure does not depend on which words its node tests name
or which labels its edges have, only on which nodes share a test and which edges
exist.  A structure is therefore split in three::

    { V -[obj]-> N[lemma=dog|cat] } without { N -[amod]-> A }

    predicates   0: lemma=dog|cat
    labels       body 0: obj    without 0: amod
    schema       body     variables V N     V -[0]-> N     N passes predicate 0
                 without  variables V N A   N -[0]-> A

Structures of one form share one automaton, whatever their words and labels.  In a
``without`` clause the variables of the body come first and its own follow.

A variable is *eager* when a match must say from the moment a node is created
whether the variable is that node: variables that path atoms, degree tests or
``without`` bodies mention, and isolated ones.  All others get their node from
the first edge that realises one of their edge atoms.

Lengths of walks are bit sets: bit ``i`` says that some walk has length ``i``.  A path atom
with the bounds ``{2,4}`` never needs lengths above 4, and ``{2,}`` cannot tell 2 from 3,
so that every set fits in ``cap + 1`` bits::

    {2,4}   cap 4             lengths above 4 are dropped
    {2,}    cap 2, saturates  bit 2 means "2 or more"
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sgl.core.structure import (
    Body,
    DegreeTest,
    EdgeAtom,
    LabelTest,
    NodeTest,
    PathAtom,
    Structure,
)

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
        """Return the relation in which a path atom is decided."""
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
    """Return the lengths that satisfy a path atom, in its own relation."""
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


#: In :attr:`BodySchema.predicates`: the variable has no node test.
NO_PREDICATE = -1

Predicate = tuple[NodeTest, ...]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class EdgeGoal:
    """An edge atom between variables."""

    source: int
    target: int


@dataclass(frozen=True, slots=True)
class WalkGoal:
    """A path atom: some walk from source to target has a ``wanted`` length."""

    source: int
    relation: int
    target: int
    wanted: int


@dataclass(frozen=True, slots=True)
class DegreeGoal:
    """A degree test; ``accepted`` is the bit set of the values of its counter that pass."""

    counter: int
    accepted: int

    def accepts(self, count: int) -> bool:
        """Return whether a node with this count passes."""
        return bool(self.accepted >> count & 1)


@dataclass(frozen=True, slots=True)
class BodySchema:
    """The body of a structure, or one ``without`` body.

    ``width`` is the number of variables, those of the body included, and
    ``own`` are the ones that the clause itself assigns.  ``predicates``,
    ``incident`` (bit set of the edge goals at the variable) and ``degrees`` are
    indexed by variable.
    """

    width: int
    own: tuple[int, ...]
    eager: tuple[int, ...]
    predicates: tuple[int, ...]
    edges: tuple[EdgeGoal, ...]
    incident: tuple[int, ...]
    walks: tuple[WalkGoal, ...]
    degrees: tuple[tuple[DegreeGoal, ...], ...]

    @property
    def all_edges(self) -> int:
        """The bit set of all edge goals."""
        return (1 << len(self.edges)) - 1


@dataclass(frozen=True, slots=True)
class Schema:
    """A structure without the contents of its node tests and its edge labels.

    ``counters`` count the outgoing edges of a node that pass a label test; each
    number is the count from which on a counter says "so many or more".
    ``unlabelled`` is the bit set of the predicates that a node without
    attributes passes.
    """

    body: BodySchema
    withouts: tuple[BodySchema, ...]
    relations: tuple[WalkRelation, ...]
    counters: tuple[int, ...]
    unlabelled: int

    @property
    def eager(self) -> bool:
        """Whether some variable gets its node when the node is created."""
        return any(clause.eager for clause in (self.body, *self.withouts))


@dataclass(frozen=True, slots=True)
class LabelTests:
    """The label tests of a structure.

    ``goals[i]`` belong to the edge goals of clause ``i`` (the body first),
    ``relations`` and ``counters`` to those of the schema.
    """

    goals: tuple[tuple[LabelTest, ...], ...]
    relations: tuple[LabelTest, ...]
    counters: tuple[LabelTest, ...]


@dataclass(frozen=True, slots=True)
class Query:
    """A structure, split into its schema, its predicates and its label tests."""

    structure: Structure
    schema: Schema
    predicates: tuple[Predicate, ...]
    labels: LabelTests


def query_of(structure: Structure) -> Query:
    """Split a structure into schema, predicates and label tests."""
    bodies = (structure.body, *structure.without)
    predicates = _distinct(
        variable.tests for body in bodies for variable in body.variables if variable.tests
    )
    counters = _counters(bodies)
    relations = _distinct(
        (path.labels, WalkRelation.of(path)) for body in bodies for path in body.paths
    )
    shared = _Shared(predicates, counters, relations)
    names = tuple(variable.name for variable in structure.body.variables)
    bound = frozenset(
        name for body in structure.without for name in _constrained(body) if name in names
    )
    schema = Schema(
        body=_clause(structure.body, (), bound, shared),
        withouts=tuple(_clause(body, names, frozenset(), shared) for body in structure.without),
        relations=tuple(relation for _, relation in relations),
        counters=tuple(counters.values()),
        unlabelled=sum(
            1 << index
            for index, tests in enumerate(predicates)
            if all(test.accepts("") for test in tests)
        ),
    )
    labels = LabelTests(
        goals=tuple(tuple(edge.labels for edge in body.edges) for body in bodies),
        relations=tuple(labels for labels, _ in relations),
        counters=tuple(counters),
    )
    return Query(structure, schema, predicates, labels)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all clauses of a structure refer to by index; ``counters`` are label tests with caps."""

    predicates: tuple[Predicate, ...]
    counters: Mapping[LabelTest, int]
    relations: tuple[tuple[LabelTest, WalkRelation], ...]

    def degree_goal(self, test: DegreeTest) -> DegreeGoal:
        passing = (n for n in range(self.counters[test.labels] + 1) if test.accepts(n))
        return DegreeGoal(list(self.counters).index(test.labels), sum(1 << n for n in passing))

    def walk_goal(self, path: PathAtom, source: int, target: int) -> WalkGoal:
        relation = self.relations.index((path.labels, WalkRelation.of(path)))
        return WalkGoal(source, relation, target, wanted_lengths(path))


def _distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))


def _counters(bodies: Iterable[Body]) -> dict[LabelTest, int]:
    """Return the cap of the counter for each label test: it tells the largest number from more."""
    caps: dict[LabelTest, int] = {}
    for body in bodies:
        for variable in body.variables:
            for test in variable.degrees:
                caps[test.labels] = max(caps.get(test.labels, 0), test.number + 1)
    return caps


def _connected(body: Body) -> set[int]:
    """Return the variables that an edge or a path mentions."""
    atoms: tuple[EdgeAtom | PathAtom, ...] = (*body.edges, *body.paths)
    return {end for atom in atoms for end in (atom.source, atom.target)}


def _constrained(body: Body) -> list[str]:
    """Return the variables about which a ``without`` body says anything."""
    connected = _connected(body)
    return [
        variable.name
        for index, variable in enumerate(body.variables)
        if index in connected or variable.tests or variable.degrees
    ]


def _clause(
    body: Body, outer: tuple[str, ...], bound: frozenset[str], shared: _Shared
) -> BodySchema:
    """Return the schema of ``body``, its variables numbered after those of ``outer``."""
    own = [variable for variable in body.variables if variable.name not in outer]
    names = (*outer, *(variable.name for variable in own))
    number = [names.index(variable.name) for variable in body.variables]
    connected = _connected(body)
    in_path = {end for path in body.paths for end in (path.source, path.target)}
    eager: list[int] = []
    predicates = [NO_PREDICATE] * len(names)
    degrees: list[tuple[DegreeGoal, ...]] = [()] * len(names)
    for index, variable in enumerate(body.variables):
        if variable.tests:
            predicates[number[index]] = shared.predicates.index(variable.tests)
        degrees[number[index]] = tuple(map(shared.degree_goal, variable.degrees))
        tracked = index in in_path or index not in connected or variable.degrees
        if variable in own and (tracked or variable.name in bound):
            eager.append(number[index])
    edges = tuple(EdgeGoal(number[e.source], number[e.target]) for e in body.edges)
    return BodySchema(
        width=len(names),
        own=tuple(range(len(outer), len(names))),
        eager=tuple(eager),
        predicates=tuple(predicates),
        edges=edges,
        incident=tuple(
            sum(1 << k for k, edge in enumerate(edges) if v in (edge.source, edge.target))
            for v in range(len(names))
        ),
        walks=tuple(
            shared.walk_goal(path, number[path.source], number[path.target]) for path in body.paths
        ),
        degrees=tuple(degrees),
    )
