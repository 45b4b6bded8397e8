"""Split a structure into what decides its automaton and what does not.

The automaton depends on which nodes share a test and which edges exist, not on the words and
labels.  Structures of one schema share one automaton::

    { V -[obj]-> N[lemma=dog|cat] }    predicates  0: lemma=dog|cat     labels  0: obj
                                       schema      V -[0]-> N           N passes predicate 0

A variable is *eager* when a match must say from the moment a node is created whether the variable
is that node: those of path atoms, degree tests and ``without`` bodies, and isolated ones.  All
others get their node from the first edge that realises one of their edge atoms.

Lengths of walks are bit sets, cut off at a cap: ``{2,4}`` never needs lengths above 4, and ``{2,}``
cannot tell 2 from 3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from sgl.core.structure import Body, LabelTest, Link, NodeTest, Structure

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
    def of(cls, atom: Link) -> "WalkRelation":
        """Return the relation in which a path atom is decided."""
        if atom.high is None:
            return cls(max(atom.low, 1), saturates=True)
        return cls(atom.high, saturates=False)

    def compose(self, first: int, second: int) -> int:
        """Lengths of a walk of ``first`` followed by a walk of ``second``."""
        total = 0
        for length in range(first.bit_length()):
            if first >> length & 1:
                total |= second << length
        within = total & ((1 << (self.cap + 1)) - 1)
        if self.saturates and total >> (self.cap + 1):
            within |= 1 << self.cap
        return within

    def close(self, reach: Reach) -> None:
        """Add to ``reach`` all walks that are composed of those in it."""
        changed = True
        while changed:
            changed = False
            for (source, middle), first in list(reach.items()):
                for (start, target), second in list(reach.items()):
                    if start == middle:
                        old = reach.get((source, target), 0)
                        new = old | self.compose(first, second)
                        if new != old:
                            reach[source, target] = new
                            changed = True


#: In :attr:`BodySchema.predicates`: the variable has no node test.
NO_PREDICATE = -1

Predicate = tuple[NodeTest, ...]


class EdgeGoal(NamedTuple):
    """An edge atom between variables."""

    source: int
    target: int


class WalkGoal(NamedTuple):
    """A path atom: some walk from source to target has a ``wanted`` length."""

    source: int
    relation: int
    target: int
    wanted: int


class DegreeGoal(NamedTuple):
    """A degree test; ``accepted`` is the bit set of the values of its counter that pass."""

    counter: int
    accepted: int


@dataclass(frozen=True, slots=True)
class BodySchema:
    """The body of a structure, or one ``without`` body.

    ``outer`` is the number of variables that belong to the body around it, which come first. ``predicates``,
    ``incident`` (bit set of the edge goals at the variable) and ``degrees`` are indexed by variable.
    """

    outer: int
    eager: tuple[int, ...]
    predicates: tuple[int, ...]
    edges: tuple[EdgeGoal, ...]
    incident: tuple[int, ...]
    walks: tuple[WalkGoal, ...]
    degrees: tuple[tuple[DegreeGoal, ...], ...]

    def passes(self, variable: int, label: int | None) -> bool:
        """Return whether a node may be the variable; a label that is not known yet may pass."""
        predicate = self.predicates[variable]
        return predicate == NO_PREDICATE or label is None or bool(label >> predicate & 1)


@dataclass(frozen=True, slots=True)
class Schema:
    """A structure without the contents of its node tests and its edge labels.

    ``clauses`` are the body and after it the ``without`` bodies.  ``counters`` count the outgoing edges of a node
    that pass a label test; each number is the count from which on a counter says "so many or more".  ``unlabelled``
    is the bit set of the predicates that a node without attributes passes.
    """

    clauses: tuple[BodySchema, ...]
    relations: tuple[WalkRelation, ...]
    counters: tuple[int, ...]
    unlabelled: int


@dataclass(frozen=True, slots=True)
class Query:
    """A structure, split into its schema, its predicates and its label tests.

    ``goals[i]`` tests the edge goals of clause ``i``; ``relations`` and ``counters`` as in the schema.
    """

    structure: Structure
    schema: Schema
    predicates: tuple[Predicate, ...]
    goals: tuple[tuple[LabelTest, ...], ...]
    relations: tuple[LabelTest, ...]
    counters: tuple[LabelTest, ...]


def query_of(structure: Structure) -> Query:
    """Split a structure into schema, predicates and label tests."""
    bodies = (structure.body, *structure.without)
    variables = [variable for body in bodies for variable in body.variables]
    paths = [path for body in bodies for path in body.paths]
    caps: dict[LabelTest, int] = {}
    for test in (test for variable in variables for test in variable.degrees):
        # A counter tells the largest number that is asked about from more.
        caps[test.labels] = max(caps.get(test.labels, 0), test.number + 1)
    shared = _Shared(
        tuple(dict.fromkeys(variable.tests for variable in variables if variable.tests)),
        caps,
        tuple(dict.fromkeys((path.labels, WalkRelation.of(path)) for path in paths)),
    )
    names = tuple(variable.name for variable in structure.body.variables)
    # The variables of the body about which a `without` says anything.
    bound = frozenset(
        variable.name
        for body in structure.without
        for index, variable in enumerate(body.variables)
        if index in _connected(body) or variable.tests or variable.degrees
    ).intersection(names)
    unlabelled = [all(test.accepts("") for test in tests) for tests in shared.predicates]
    schema = Schema(
        clauses=(
            _clause(structure.body, (), bound, shared),
            *(_clause(body, names, frozenset(), shared) for body in structure.without),
        ),
        relations=tuple(relation for _, relation in shared.relations),
        counters=tuple(caps.values()),
        unlabelled=sum(1 << index for index, passes in enumerate(unlabelled) if passes),
    )
    return Query(
        structure,
        schema,
        shared.predicates,
        goals=tuple(tuple(edge.labels for edge in body.edges) for body in bodies),
        relations=tuple(labels for labels, _ in shared.relations),
        counters=tuple(caps),
    )


class _Shared(NamedTuple):
    """What all clauses of a structure refer to by index; ``counters`` are label tests with caps."""

    predicates: tuple[Predicate, ...]
    counters: Mapping[LabelTest, int]
    relations: tuple[tuple[LabelTest, WalkRelation], ...]


def _connected(body: Body) -> set[int]:
    return {end for atom in body.links for end in (atom.source, atom.target)}


def _clause(body: Body, outer: tuple[str, ...], bound: frozenset[str], shared: _Shared) -> BodySchema:
    names = (*outer, *(v.name for v in body.variables if v.name not in outer))
    number = [names.index(variable.name) for variable in body.variables]
    connected = _connected(body)
    in_path = {end for path in body.paths for end in (path.source, path.target)}
    eager: list[int] = []
    predicates = [NO_PREDICATE] * len(names)
    degrees: list[tuple[DegreeGoal, ...]] = [()] * len(names)
    for index, variable in enumerate(body.variables):
        if variable.tests:
            predicates[number[index]] = shared.predicates.index(variable.tests)
        for test in variable.degrees:
            passing = [n for n in range(shared.counters[test.labels] + 1) if test.accepts(n)]
            counter = list(shared.counters).index(test.labels)
            degrees[number[index]] += (DegreeGoal(counter, sum(1 << n for n in passing)),)
        tracked = index in in_path or index not in connected or variable.degrees
        if variable.name not in outer and (tracked or variable.name in bound):
            eager.append(number[index])
    edges = tuple(EdgeGoal(number[edge.source], number[edge.target]) for edge in body.edges)
    walks = []
    for path in body.paths:
        relation = WalkRelation.of(path)
        place = shared.relations.index((path.labels, relation))
        wanted = sum(1 << length for length in range(path.low, relation.cap + 1))
        walks.append(WalkGoal(number[path.source], place, number[path.target], wanted))
    return BodySchema(
        outer=len(outer),
        eager=tuple(eager),
        predicates=tuple(predicates),
        edges=edges,
        incident=tuple(
            sum(1 << goal for goal, edge in enumerate(edges) if variable in edge) for variable in range(len(names))
        ),
        walks=tuple(walks),
        degrees=tuple(degrees),
    )
