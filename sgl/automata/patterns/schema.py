"""What the automaton of a structure sees of the structure, and of the rules of a grammar.

It depends on which nodes share a test and which edges exist, not on the words and labels.
Structures of one *schema* share one automaton::

    { V -[obj]-> N[lemma=dog|cat] }    predicates  0: lemma=dog|cat     labels  0: obj
                                       schema      V -[0]-> N           N passes predicate 0

A variable is *eager* when a match must say from the moment a node is created whether the variable
is that node: those of path atoms, degree tests and ``without`` bodies, and isolated ones.  All
others get their node from the first edge that realises one of their edge atoms.

Lengths of walks are bit sets, cut off at a cap: ``{2,4}`` never needs lengths above 4, and ``{2,}``
cannot tell 2 from 3.

Of a rule's fragment a schema sees only how the ports of the children are glued, which predicates the new nodes pass,
and the edges that some atom could use.  Rules that agree in this are one *symbol*: under ``{ V -[obj]-> N }`` all nouns
are one.  The labels of nodes are numbered, and a set of labels is a mask, so that a node test on thousands of words is
decided for all at once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sgl.automata.common import Mask, Numbering, Numbers, UnsupportedStructure, as_numbers
from sgl.core.grammar import HEAD, CoreGrammar, Edge, Rule
from sgl.core.joint import seen_by
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

    ``outer`` is the number of variables that belong to the body around it, which come first.  ``edges`` are the source
    and the target of each edge atom.  ``predicates``, ``incident`` (bit set of the edges at the variable) and
    ``degrees`` are indexed by variable.
    """

    outer: int
    eager: tuple[int, ...]
    predicates: tuple[int, ...]
    edges: tuple[tuple[int, int], ...]
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
    predicates = tuple(dict.fromkeys(variable.tests for variable in variables if variable.tests))
    relations = tuple(dict.fromkeys((path.labels, WalkRelation.of(path)) for path in paths))
    # What all clauses refer to by index.
    shared = predicates, caps, relations
    names = tuple(variable.name for variable in structure.body.variables)
    # The variables of the body about which a `without` says anything.
    bound = frozenset(
        variable.name
        for body in structure.without
        for index, variable in enumerate(body.variables)
        if index in _connected(body) or variable.tests or variable.degrees
    ).intersection(names)
    unlabelled = [all(test.accepts("") for test in tests) for tests in predicates]
    schema = Schema(
        clauses=(
            _clause(structure.body, (), bound, shared),
            *(_clause(body, names, frozenset(), shared) for body in structure.without),
        ),
        relations=tuple(relation for _, relation in relations),
        counters=tuple(caps.values()),
        unlabelled=sum(1 << index for index, passes in enumerate(unlabelled) if passes),
    )
    return Query(
        structure,
        schema,
        predicates,
        goals=tuple(tuple(edge.labels for edge in body.edges) for body in bodies),
        relations=tuple(labels for labels, _ in relations),
        counters=tuple(caps),
    )


#: Predicates, counters (label tests with their caps) and relations.
_Shared = tuple[tuple[Predicate, ...], Mapping[LabelTest, int], tuple[tuple[LabelTest, WalkRelation], ...]]


def _connected(body: Body) -> set[int]:
    return {end for atom in body.links for end in (atom.source, atom.target)}


def _clause(body: Body, outer: tuple[str, ...], bound: frozenset[str], shared: _Shared) -> BodySchema:
    predicates_of_all, counters, relations = shared
    names = (*outer, *(v.name for v in body.variables if v.name not in outer))
    number = [names.index(variable.name) for variable in body.variables]
    connected = _connected(body)
    in_path = {end for path in body.paths for end in (path.source, path.target)}
    eager: list[int] = []
    predicates = [NO_PREDICATE] * len(names)
    degrees: list[tuple[DegreeGoal, ...]] = [()] * len(names)
    for index, variable in enumerate(body.variables):
        if variable.tests:
            predicates[number[index]] = predicates_of_all.index(variable.tests)
        for test in variable.degrees:
            passing = sum(1 << n for n in range(counters[test.labels] + 1) if test.accepts(n))
            degrees[number[index]] += (DegreeGoal(list(counters).index(test.labels), passing),)
        tracked = index in in_path or index not in connected or variable.degrees
        if variable.name not in outer and (tracked or variable.name in bound):
            eager.append(number[index])
    edges = tuple((number[edge.source], number[edge.target]) for edge in body.edges)
    walks = []
    for path in body.paths:
        relation = WalkRelation.of(path)
        place = relations.index((path.labels, relation))
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


class Effect(NamedTuple):
    """What an edge label means to a schema.

    ``goals[i]`` are the edge goals it satisfies in clause ``i`` (the body first),
    ``relations`` and ``counters`` those that it takes part in; all by index.  An edge that is
    counted has its ``label``, since it counts once even if several rules write it.
    """

    goals: tuple[tuple[int, ...], ...]
    relations: tuple[int, ...]
    counters: tuple[int, ...]
    label: str


class LocalEdge(NamedTuple):
    """An edge between local nodes, with its effect."""

    source: int
    effect: Effect
    target: int


class Symbol(NamedTuple):
    """A fragment as a schema sees it.

    ``ports[c][p]`` is the local node of port ``p`` of child ``c``; ``labels[x]`` the bit set of the predicates that
    the label of local node ``x`` passes, or ``None`` if the rule does not label it; ``fresh`` the nodes that no child
    contributes to; ``exports[p]`` the local node of the rule's port ``p``.
    """

    ports: tuple[tuple[int, ...], ...]
    labels: tuple[int | None, ...]
    fresh: tuple[int, ...]
    edges: tuple[LocalEdge, ...]
    exports: tuple[int, ...]


class Frame(NamedTuple):
    """A symbol with labels of edges instead of effects, and of nodes which of ``size`` local ones are ``labelled``."""

    ports: tuple[tuple[int, ...], ...]
    size: int
    labelled: tuple[int, ...]
    fresh: tuple[int, ...]
    edges: tuple[Edge, ...]
    exports: tuple[int, ...]


def frame_of(grammar: CoreGrammar, rule: Rule, layer: int) -> Frame:
    """Find the local node of every port of every child in a graph layer; raises ``UnsupportedStructure``.

    A port that the fragment does not mention gets a local node, which is forgotten at once.
    """
    fragment = rule.fragments[layer]
    if len(set(fragment.exports)) < len(fragment.exports):
        raise UnsupportedStructure(f"rule {rule.name} gives one node two ports")
    name = grammar.graph_layers[layer].name
    ports = [[-1] * len(grammar.categories[child].ports_in(name)) for child in rule.rhs]
    for local, node in enumerate(fragment.nodes):
        if len({child for child, _ in node.glue}) < len(node.glue):
            raise UnsupportedStructure(f"rule {rule.name} merges two ports of one child")
        for child, port in node.glue:
            ports[child][port] = local
    size = len(fragment.nodes)
    for row in ports:
        for port, local in enumerate(row):
            if local < 0:
                row[port] = size
                size += 1
    nodes = list(enumerate(fragment.nodes))
    # The head of a phrase that has no words is no node, but for its place.
    own = zip(fragment.exports, grammar.categories[rule.lhs].ports_in(name), strict=True)
    heads = {node for node, port in own if port.rpartition(".")[2] == HEAD}
    return Frame(
        ports=tuple(map(tuple, ports)),
        size=size,
        labelled=tuple(local for local, node in nodes if node.attributes is not None),
        fresh=tuple(
            local for local, node in nodes if not node.glue and (node.attributes is not None or local not in heads)
        ),
        edges=tuple(dict.fromkeys(fragment.edges)),
        exports=fragment.exports,
    )


class FragmentIndex:
    """The fragments of all rules in one graph layer, with their frames and labels numbered."""

    def __init__(self, grammar: CoreGrammar, layer: str) -> None:
        grammar = seen_by(grammar, layer)
        number = grammar.graph_layer(layer)
        frames: Numbering[Frame] = Numbering()
        labels: Numbering[tuple[tuple[str, str], ...]] = Numbering()
        self._frame_of = [frames.number(frame_of(grammar, r, number)) for r in grammar.rules]
        self._frames, self._labels = frames.values, labels.values
        self._edge_labels = {edge.label for frame in frames.values for edge in frame.edges}
        self._labels_of: list[list[int]] = []
        for rule in grammar.rules:
            attributes = [node.attributes for node in rule.fragments[number].nodes]
            self._labels_of.append([labels.number(a) for a in attributes if a is not None])
        # A column for each place; a label that a rule does not have comes after all.
        width = max(map(len, self._labels_of), default=0)
        rows = [(own + [len(self._labels)] * width)[:width] for own in self._labels_of]
        self._columns = np.array(rows, np.intp).reshape(len(rows), width).T
        self._values: dict[str, tuple[dict[str, int], Numbers]] = {}
        self._passing: dict[Predicate, Mask] = {}

    def symbols(self, query: Query, number: Callable[[Symbol], int]) -> list[int]:
        """Return the number of each rule's symbol, as ``query`` reads the rule."""

        def accepting(tests: Sequence[LabelTest], label: str) -> tuple[int, ...]:
            return tuple([index for index, test in enumerate(tests) if test.accepts(label)])

        effects = {}
        for label in self._edge_labels:
            goals = tuple([accepting(tests, label) for tests in query.goals])
            relations = accepting(query.relations, label)
            counters = accepting(query.counters, label)
            if any(goals) or relations or counters:
                effects[label] = Effect(goals, relations, counters, label if counters else "")
        # What no rule has, the last label, passes nothing.
        passing = [np.append(self._passes(predicate), False) for predicate in query.predicates]
        kinds = np.array(self._frame_of, np.intp)
        if passing:
            # Eight masks are one number for each label.
            blocks = as_numbers([*np.packbits(passing, axis=0).astype(np.intp)], 256)
            kinds = as_numbers((kinds, *blocks[self._columns]), int(blocks.max()) + 1)
        _, first, kind_of = np.unique(kinds, return_index=True, return_inverse=True)
        numbers = []
        for rule in first.tolist():
            frame = self._frames[self._frame_of[rule]]
            labels: list[int | None] = [None] * frame.size
            for node, label in zip(frame.labelled, self._labels_of[rule], strict=True):
                labels[node] = sum(1 << place for place, mask in enumerate(passing) if mask[label])
            edges = [
                LocalEdge(edge.source, effects[edge.label], edge.target)
                for edge in frame.edges
                if edge.label in effects
            ]
            symbol = Symbol(frame.ports, tuple(labels), frame.fresh, tuple(edges), frame.exports)
            numbers.append(number(symbol))
        return [numbers[kind] for kind in kind_of.tolist()]

    def _passes(self, predicate: Predicate) -> Mask:
        """Return the labels that pass a predicate; not to be changed."""
        if predicate not in self._passing:
            passing = []
            for test in predicate:
                if test.attribute not in self._values:
                    numbers: dict[str, int] = {}
                    found = [dict(label).get(test.attribute, "") for label in self._labels]
                    column = np.array([numbers.setdefault(v, len(numbers)) for v in found], np.intp)
                    self._values[test.attribute] = numbers, column
                values, column = self._values[test.attribute]
                accepted = np.full(len(values), test.negated)
                accepted[[values[value] for value in test.values if value in values]] = not test.negated
                passing.append(accepted[column])
            self._passing[predicate] = np.logical_and.reduce(passing)
        return self._passing[predicate]
