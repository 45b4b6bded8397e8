"""A structure as the automaton sees it.

The automaton of a structure does not depend on which words its node tests name,
only on which nodes share a test.  A structure is therefore split in two::

    { V -[obj]-> N[lemma=dog|cat] } without { N -[amod]-> A }

    predicates   0: lemma=dog|cat
    schema       body     variables V N     V -[obj]-> N     N passes predicate 0
                 without  variables V N A   N -[amod]-> A

so that patterns that differ in their target words share one automaton.  In a
``without`` clause the variables of the body come first; its own follow.

A variable is *eager* when a match must say from the moment a node is created
whether the variable is that node: variables that path atoms, degree tests or
``without`` bodies mention, and isolated ones.  All others get their node from
the first edge that realises one of their edge atoms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from sgl.automata.lengths import WalkRelation, wanted_lengths
from sgl.core.structure import (
    Body,
    DegreeTest,
    EdgeAtom,
    LabelTest,
    NodeTest,
    PathAtom,
    Structure,
)

#: In :attr:`Clause.predicates`: the variable has no node test.
NO_PREDICATE = -1

Predicate = tuple[NodeTest, ...]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class EdgeGoal:
    """An edge atom between variables."""

    source: int
    labels: LabelTest
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
    """A degree test, on the counter with this index."""

    counter: int
    test: DegreeTest


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts outgoing edges whose label passes, up to ``cap``."""

    labels: LabelTest
    cap: int


@dataclass(frozen=True, slots=True)
class Clause:
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
    """A structure without the contents of its node tests.

    ``unlabelled`` is the bit set of the predicates that a node without
    attributes passes.
    """

    body: Clause
    withouts: tuple[Clause, ...]
    relations: tuple[WalkRelation, ...]
    counters: tuple[Counter, ...]
    unlabelled: int


@dataclass(frozen=True, slots=True)
class Query:
    """A structure, split into its schema and its predicates."""

    structure: Structure
    schema: Schema
    predicates: tuple[Predicate, ...]


def query_of(structure: Structure) -> Query:
    """Split a structure into schema and predicates."""
    bodies = (structure.body, *structure.without)
    predicates = _distinct(
        variable.tests for body in bodies for variable in body.variables if variable.tests
    )
    counters = _counters(bodies)
    relations = _distinct(WalkRelation.of(path) for body in bodies for path in body.paths)
    shared = _Shared(predicates, counters, relations)
    names = tuple(variable.name for variable in structure.body.variables)
    bound = frozenset(
        name for body in structure.without for name in _constrained(body) if name in names
    )
    schema = Schema(
        body=_clause(structure.body, (), bound, shared),
        withouts=tuple(_clause(body, names, frozenset(), shared) for body in structure.without),
        relations=relations,
        counters=counters,
        unlabelled=sum(
            1 << index
            for index, tests in enumerate(predicates)
            if all(test.accepts("") for test in tests)
        ),
    )
    return Query(structure, schema, predicates)


@dataclass(frozen=True, slots=True)
class _Shared:
    """What all clauses of a structure refer to by index."""

    predicates: tuple[Predicate, ...]
    counters: tuple[Counter, ...]
    relations: tuple[WalkRelation, ...]

    def counter(self, labels: LabelTest) -> int:
        return [counter.labels for counter in self.counters].index(labels)


def _distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))


def _counters(bodies: Iterable[Body]) -> tuple[Counter, ...]:
    """One counter for each label test; it tells the largest number tested from more."""
    caps: dict[LabelTest, int] = {}
    for body in bodies:
        for variable in body.variables:
            for test in variable.degrees:
                caps[test.labels] = max(caps.get(test.labels, 0), test.number + 1)
    return tuple(Counter(labels, cap) for labels, cap in caps.items())


def _connected(body: Body) -> set[int]:
    """The variables that an edge or a path mentions."""
    atoms: tuple[EdgeAtom | PathAtom, ...] = (*body.edges, *body.paths)
    return {end for atom in atoms for end in (atom.source, atom.target)}


def _constrained(body: Body) -> list[str]:
    """The variables about which a ``without`` body says anything."""
    connected = _connected(body)
    return [
        variable.name
        for index, variable in enumerate(body.variables)
        if index in connected or variable.tests or variable.degrees
    ]


def _clause(body: Body, outer: tuple[str, ...], bound: frozenset[str], shared: _Shared) -> Clause:
    """Number the variables of ``body`` after those of ``outer`` and sort out its atoms."""
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
        degrees[number[index]] = tuple(
            DegreeGoal(shared.counter(test.labels), test) for test in variable.degrees
        )
        tracked = index in in_path or index not in connected or variable.degrees
        if variable in own and (tracked or variable.name in bound):
            eager.append(number[index])
    edges = tuple(EdgeGoal(number[e.source], e.labels, number[e.target]) for e in body.edges)
    return Clause(
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
            WalkGoal(
                number[path.source],
                shared.relations.index(WalkRelation.of(path)),
                number[path.target],
                wanted_lengths(path),
            )
            for path in body.paths
        ),
        degrees=tuple(degrees),
    )
