"""Reduce a structure to what its automaton depends on.

That is which nodes share a test and which edges exist, not the words and labels.  Structures of one *schema* share one
automaton::

    { V -[obj]-> N[lemma=dog|cat] }    predicates  0: lemma=dog|cat     labels  0: obj
                                       schema      V -[0]-> N           N passes predicate 0

A variable is *eager* if a match must decide as soon as a node is created whether the variable is that node: variables
of path atoms, degree tests and ``without`` bodies, and isolated ones.  All others get their node from the first edge
that realises one of their edge atoms.

Lengths of walks are bit sets, cut off at a cap: ``{2,4}`` never needs lengths above 4, and ``{2,}`` cannot distinguish
2 from 3.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sgl.core.structure import Body, LabelTest, Link, NodeTest, Structure, Variable
from sgl.values import dataclass

#: The set of lengths {0}, and the set {1}.
ZERO, ONE = 1, 2

#: The lengths of walks between pairs of nodes; pairs without a walk are absent.
Reach = dict[tuple[int, int], int]


@dataclass(frozen=True)
class WalkRelation:
    """Walks over the edges that pass a label test, with lengths up to ``cap``."""

    cap: int
    saturates: bool

    @classmethod
    def of(cls, atom: Link) -> "WalkRelation":
        """Return the relation that decides a path atom."""
        if atom.high is None:
            return cls(max(atom.low, 1), saturates=True)
        return cls(atom.high, saturates=False)

    def compose(self, first: int, second: int) -> int:
        """Return the lengths of a walk of ``first`` followed by a walk of ``second``."""
        total = 0
        for length in range(first.bit_length()):
            if first >> length & 1:
                total |= second << length
        within = total & ((1 << (self.cap + 1)) - 1)
        if self.saturates and total >> (self.cap + 1):
            within |= 1 << self.cap
        return within

    def close(self, reach: Reach) -> None:
        """Add to ``reach`` all walks composed of those in it."""
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


def bits(flags: Iterable[bool]) -> int:
    """Return the bit set of the indices of true flags.

    >>> bits([True, False, True])
    5
    """
    return sum(1 << place for place, flag in enumerate(flags) if flag)


#: In :attr:`BodySchema.predicates`, the variable has no node test.
NO_PREDICATE = -1

Predicate = tuple[NodeTest, ...]


class WalkGoal(NamedTuple):
    """A path atom: some walk from source to target has a ``wanted`` length."""

    source: int
    relation: int
    target: int
    wanted: int


class DegreeGoal(NamedTuple):
    """A degree test; ``accepted`` is the bit set of counter values that pass."""

    counter: int
    accepted: int


@dataclass(frozen=True)
class BodySchema:
    """The body of a structure, or one ``without`` body.

    ``outer`` counts the variables of the enclosing body, which come first.  ``edges`` has the source and target of each
    edge atom.  ``predicates``, ``incident`` (bit set of the edges at the variable) and ``degrees`` are indexed by
    variable.
    """

    outer: int
    eager: tuple[int, ...]
    predicates: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
    incident: tuple[int, ...]
    walks: tuple[WalkGoal, ...]
    degrees: tuple[tuple[DegreeGoal, ...], ...]

    def passes(self, variable: int, label: int | None) -> bool:
        """Return whether a node may be the variable; an unknown label may still pass."""
        predicate = self.predicates[variable]
        return predicate == NO_PREDICATE or label is None or bool(label >> predicate & 1)


@dataclass(frozen=True)
class Schema:
    """A structure without the contents of its node tests and edge labels.

    ``clauses`` has the body, then the ``without`` bodies.  Each of ``counters`` counts the outgoing edges of a node
    that pass a label test; its number is the cap at which it means "this many or more".  ``unlabelled`` is the bit set
    of the predicates that a node without attributes passes.
    """

    clauses: tuple[BodySchema, ...]
    relations: tuple[WalkRelation, ...]
    counters: tuple[int, ...]
    unlabelled: int


class Effect(NamedTuple):
    """The effect of an edge label on a schema.

    ``goals[i]`` are the edge goals it satisfies in clause ``i`` (the body first), ``relations`` and ``counters`` those
    that it belongs to; all by index.  A counted edge keeps its ``label``, since it counts once even if several rules
    write it.
    """

    goals: tuple[tuple[int, ...], ...]
    relations: tuple[int, ...]
    counters: tuple[int, ...]
    label: str


@dataclass(frozen=True)
class Query:
    """A structure, split into its schema, its predicates and its label tests.

    ``goals[i]`` tests the edge goals of clause ``i``; ``relations`` and ``counters`` have the tests of those in the
    schema.
    """

    structure: Structure
    schema: Schema
    predicates: tuple[Predicate, ...]
    goals: tuple[tuple[LabelTest, ...], ...]
    relations: tuple[LabelTest, ...]
    counters: tuple[LabelTest, ...]

    def effect(self, label: str) -> Effect | None:
        """Return the effect of an edge with this label, or None if it has none."""

        def accepting(tests: Sequence[LabelTest]) -> tuple[int, ...]:
            return tuple([index for index, test in enumerate(tests) if test.accepts(label)])

        goals, relations = tuple(map(accepting, self.goals)), accepting(self.relations)
        counters = accepting(self.counters)
        if not (any(goals) or relations or counters):
            return None
        return Effect(goals, relations, counters, label if counters else "")


def query_of(structure: Structure) -> Query:
    """Split a structure into schema, predicates and label tests."""
    bodies = (structure.body, *structure.without)
    tables = _Tables.of(bodies)
    names = tuple(variable.name for variable in structure.body.variables)
    bound = frozenset[str]().union(*map(_described, structure.without)).intersection(names)
    withouts = [_clause(body, names, frozenset(), tables) for body in structure.without]
    schema = Schema(
        clauses=(_clause(structure.body, (), bound, tables), *withouts),
        relations=tuple(relation for _, relation in tables.relations),
        counters=tuple(tables.caps.values()),
        unlabelled=bits(all(test.accepts("") for test in tests) for tests in tables.predicates),
    )
    return Query(
        structure,
        schema,
        tables.predicates,
        goals=tuple(tuple(edge.labels for edge in body.edges) for body in bodies),
        relations=tuple(labels for labels, _ in tables.relations),
        counters=tuple(tables.caps),
    )


@dataclass(frozen=True)
class _Tables:
    """The tables that all clauses index: predicates, counters (label tests with their caps) and relations."""

    predicates: tuple[Predicate, ...]
    caps: dict[LabelTest, int]
    relations: tuple[tuple[LabelTest, WalkRelation], ...]

    @classmethod
    def of(cls, bodies: Sequence[Body]) -> "_Tables":
        variables = [variable for body in bodies for variable in body.variables]
        caps: dict[LabelTest, int] = {}
        for test in (test for variable in variables for test in variable.degrees):
            # A counter must distinguish the largest number in a test from larger ones.
            caps[test.labels] = max(caps.get(test.labels, 0), test.number + 1)
        predicates = dict.fromkeys(variable.tests for variable in variables if variable.tests)
        relations = dict.fromkeys((path.labels, WalkRelation.of(path)) for body in bodies for path in body.paths)
        return cls(tuple(predicates), caps, tuple(relations))

    def predicate(self, variable: Variable | None) -> int:
        return self.predicates.index(variable.tests) if variable and variable.tests else NO_PREDICATE

    def degrees(self, variable: Variable | None) -> tuple[DegreeGoal, ...]:
        counters = list(self.caps)
        return tuple(
            DegreeGoal(counters.index(test.labels), bits(map(test.accepts, range(self.caps[test.labels] + 1))))
            for test in (variable.degrees if variable else ())
        )

    def walk(self, path: Link, number: Sequence[int]) -> WalkGoal:
        relation = WalkRelation.of(path)
        wanted = bits(length >= path.low for length in range(relation.cap + 1))
        return WalkGoal(number[path.source], self.relations.index((path.labels, relation)), number[path.target], wanted)


def _ends(links: Iterable[Link]) -> set[int]:
    return {end for link in links for end in (link.source, link.target)}


def _described(body: Body) -> Iterable[str]:
    """Return the names of the variables that a ``without`` body says anything about."""
    connected = _ends(body.links)
    return [v.name for index, v in enumerate(body.variables) if index in connected or v.tests or v.degrees]


def _tracked(body: Body) -> set[str]:
    """Return the names of the variables that an edge atom alone cannot assign."""
    in_path, connected = _ends(body.paths), _ends(body.links)
    return {v.name for index, v in enumerate(body.variables) if index in in_path or index not in connected or v.degrees}


def _clause(body: Body, outer: tuple[str, ...], bound: Collection[str], tables: _Tables) -> BodySchema:
    own = {variable.name: variable for variable in body.variables}
    names = list(dict.fromkeys((*outer, *own)))
    described = [own.get(name) for name in names]
    number = [names.index(name) for name in own]
    tracked = _tracked(body).union(bound)
    edges = tuple((number[edge.source], number[edge.target]) for edge in body.edges)
    return BodySchema(
        outer=len(outer),
        eager=tuple(names.index(name) for name in names[len(outer) :] if name in tracked),
        predicates=tuple(map(tables.predicate, described)),
        edges=edges,
        incident=tuple(bits(place in edge for edge in edges) for place in range(len(names))),
        walks=tuple(tables.walk(path, number) for path in body.paths),
        degrees=tuple(map(tables.degrees, described)),
    )
