"""Partial matches of a structure into a graph that is still growing.

A rule's graph is glued into larger graphs at its ports only.  So all that matters later about a partial match is, per
variable, whether it has no node yet, is *done* (its node is forgotten), or sits at a port::

    { V -[nsubj]-> N; N -[nmod]-> M }   in   "dog in the house", port head = dog

    V: unassigned   N: head   M: done   edges realised: N -[nmod]-> M

If an end of an edge atom has no node yet, a fitting edge may give it one or may not, and one match becomes two.  A
match of the body carries the partial matches of the ``without`` bodies that extend it, clause by clause: clause 0 is
the body.  Nodes are local to one rule unless a comment says ports.

What a phrase shows of its graph, whatever matches it contains, is its *outline*: the nodes at its ports, and the
lengths of the walks between them.  The outlines of the children and the rule's own fragment make the *scene* in which
matches are joined, grow and are forgotten; the scene's ports are the outline of the result.  Phrases have few outlines,
so few scenes serve all transitions.

No later rule can touch a forgotten node.  A match that still needs something of it is dead; path atoms are carried on
to the nodes that remain, through the lengths of the walks between them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from sgl.automata.patterns.schema import NO_PREDICATE, ONE, ZERO, BodySchema, LocalEdge, Reach, Schema, Symbol, WalkGoal

#: Values of an assignment that are not nodes.  As indices from the end they pick
#: themselves out of a renaming table that ends in (DONE, UNASSIGNED).
UNASSIGNED, DONE = -1, -2

Lengths = tuple[tuple[int, int], ...]
NodeLabels = Sequence[int | None]


class WalkProgress(NamedTuple):
    """What is known of a path atom that does not hold yet.

    ``forward`` are pairs (node, lengths of walks from the source) if the source is done, ``backward`` (node, lengths
    of walks to the target) if the target is.  Walks between ends at ports can be read off those between the ports.
    """

    forward: Lengths | None = None
    backward: Lengths | None = None
    satisfied: bool = False


SATISFIED = WalkProgress(satisfied=True)


class Match(NamedTuple):
    """A partial match.

    ``assignment[v]`` is a node, ``DONE`` or ``UNASSIGNED``; ``edges`` the bit set of realised edge
    goals; ``walks`` the progress of each walk goal. ``extensions[i]`` are the partial matches of
    clause ``i + 1`` that extend this one; their assignments begin with this one's.
    """

    assignment: tuple[int, ...]
    edges: int
    walks: tuple[WalkProgress, ...]
    extensions: tuple[frozenset[Match], ...] = ()

    def complete(self, clause: BodySchema) -> bool:
        """Return whether every variable has its node and every atom holds; extensions aside."""
        return (
            self.edges == (1 << len(clause.edges)) - 1
            and UNASSIGNED not in self.assignment
            and all(progress.satisfied for progress in self.walks)
        )

    def with_node(self, variable: int, node: int) -> Match:
        """Return the match with one more node, its extensions as they were."""
        assignment = (*self.assignment[:variable], node, *self.assignment[variable + 1 :])
        return Match(assignment, self.edges, self.walks, self.extensions)

    def extended(self, step: Callable[[int, Match], Iterable[Match]]) -> Match:
        """Return the match with what ``step`` makes of each extension, given its clause."""
        if not self.extensions:
            return self
        extensions = tuple(
            frozenset(new for extension in members for new in step(clause, extension))
            for clause, members in enumerate(self.extensions, 1)
        )
        return self._replace(extensions=extensions)


def empty_match(schema: Schema) -> Match:
    """Return the match in which no variable has a node."""
    clauses = [(len(clause.predicates), len(clause.walks)) for clause in schema.clauses]
    body, *withouts = [Match((UNASSIGNED,) * size, 0, (WalkProgress(),) * walks) for size, walks in clauses]
    return body._replace(extensions=tuple(frozenset({match}) for match in withouts))


def rename(match: Match, table: Sequence[int]) -> Match:
    """Replace every node ``x`` by ``table[x]``; ``table`` ends in (DONE, UNASSIGNED)."""
    assignment = tuple([table[node] for node in match.assignment])
    if not match.walks and not match.extensions:
        return Match(assignment, match.edges, ())

    def renamed(lengths: Lengths | None) -> Lengths | None:
        return lengths and tuple((table[node], bits) for node, bits in lengths)

    return Match(
        assignment,
        match.edges,
        tuple([WalkProgress(renamed(w[0]), renamed(w[1]), w[2]) for w in match.walks]),
        tuple([frozenset([rename(e, table) for e in members]) for members in match.extensions]),
    )


def join(schema: Schema, first: Match, second: Match, shared: Sequence[int]) -> Match | None:
    """Return the match that restricts to ``first`` and ``second``, which overlap in ``shared``."""
    joined = _join(schema.clauses[0], first, second, shared)
    if joined is None or not first.extensions:
        return joined
    pairs = zip(schema.clauses[1:], first.extensions, second.extensions, strict=True)
    extensions = tuple(
        frozenset(
            both for left in lefts for right in rights if (both := _join(clause, left, right, shared)) is not None
        )
        for clause, lefts, rights in pairs
    )
    return joined._replace(extensions=extensions)


def _join(clause: BodySchema, first: Match, second: Match, shared: Sequence[int]) -> Match | None:
    assignment: list[int] = []
    for left, right in zip(first.assignment, second.assignment, strict=True):
        if left == UNASSIGNED:
            assignment.append(right)
        elif right == UNASSIGNED or (left == right and left >= 0):
            assignment.append(left)
        else:
            return None
    for node in shared:
        if assignment.count(node) > 1:
            return None
        # An eager variable at a shared node must have been there on both sides:
        # otherwise one side has not seen the extensions and walks that use it.
        for variable in clause.eager:
            if (first.assignment[variable] == node) != (second.assignment[variable] == node):
                return None
    walks = [
        SATISFIED
        if one.satisfied or other.satisfied
        else WalkProgress(
            other.forward if one.forward is None else one.forward,
            other.backward if one.backward is None else one.backward,
        )
        for one, other in zip(first.walks, second.walks, strict=True)
    ]
    return Match(tuple(assignment), first.edges | second.edges, tuple(walks))


def keep_passing(schema: Schema, match: Match, labels: NodeLabels) -> Match | None:
    """Check the tests of all assigned nodes, after labels have become known."""

    def kept(number: int, member: Match) -> list[Match]:
        passes = schema.clauses[number].passes
        assigned = enumerate(member.assignment)
        return [member] if all(n < 0 or passes(v, labels[n]) for v, n in assigned) else []

    return match.extended(kept) if kept(0, match) else None


def place(schema: Schema, match: Match, node: int, label: int | None) -> Iterable[Match]:
    """All ways in which eager variables may be the new node ``node``."""

    def free(number: int, member: Match) -> Iterator[int]:
        clause = schema.clauses[number]
        for variable in clause.eager:
            if member.assignment[variable] == UNASSIGNED and clause.passes(variable, label):
                yield variable

    def placed(number: int, extension: Match) -> Iterator[Match]:
        yield extension
        if node not in extension.assignment:
            for variable in free(number, extension):
                yield extension.with_node(variable, node)

    choices = [match, *(_assign(schema, match, v, node, label) for v in free(0, match))]
    return [choice.extended(placed) for choice in choices]


def _assign(schema: Schema, match: Match, variable: int, node: int, label: int | None) -> Match:
    def followed(number: int, extension: Match) -> Iterator[Match]:
        passes = schema.clauses[number].passes(variable, label)
        if passes and node not in extension.assignment:
            yield extension.with_node(variable, node)

    return match.with_node(variable, node).extended(followed)


def realise(schema: Schema, match: Match, edge: LocalEdge, labels: NodeLabels) -> Sequence[Match]:
    """All matches that ``match`` becomes when ``edge`` is added: both where there is a choice."""

    def grown(number: int, member: Match) -> Sequence[Match]:
        group = [member]
        for goal in edge.effect.goals[number]:
            before, group = group, []
            for old in before:
                new = _realise_goal(schema, number, edge, labels, old, goal)
                if new is None or new.assignment != old.assignment:
                    group.append(old)
                if new is not None:
                    group.append(new)
        return group

    return grown(0, match.extended(grown))


def _realise_goal(
    schema: Schema, number: int, edge: LocalEdge, labels: NodeLabels, match: Match, goal: int
) -> Match | None:
    if match.edges >> goal & 1:
        return None
    clause = schema.clauses[number]
    for variable, node in zip(clause.edges[goal], (edge.source, edge.target), strict=True):
        if match.assignment[variable] == node:
            continue
        if (
            match.assignment[variable] != UNASSIGNED
            or variable < clause.outer
            or variable in clause.eager
            or node in match.assignment
            or not clause.passes(variable, labels[node])
        ):
            return None
        match = _assign(schema, match, variable, node, labels[node])
    return Match(match.assignment, match.edges | 1 << goal, match.walks, match.extensions)


class PortInfo(NamedTuple):
    """What is known about the node at a port.

    ``label`` is the bit set of the predicates it passes, ``None`` while it is a placeholder;
    ``counts`` its edges to forgotten nodes for each counter.
    """

    label: int | None
    counts: tuple[int, ...]


class Outline(NamedTuple):
    """What a phrase shows of its graph.

    ``reach[r]`` lists (from port, to port, lengths) for relation ``r``, ``counted`` the edges
    between ports that some counter counts: another rule may write the same edge again.
    """

    ports: tuple[PortInfo, ...]
    reach: tuple[tuple[tuple[int, int, int], ...], ...]
    counted: tuple[LocalEdge, ...]


#: In place of a match that is found: nothing can make it fail any more.
FOUND_MATCH = Match((), -1, ())


class Scene:
    """The local nodes of a rule after gluing, by which ``labels`` and ``counts`` are indexed.

    ``reach`` is indexed by relation; ``table`` renames local nodes to ports, forgotten ones to
    ``DONE``.  ``named``: some node that a child had no label for has one now.
    """

    def __init__(self, schema: Schema, symbol: Symbol, outlines: Sequence[Outline]) -> None:
        self._schema = schema
        port_of = {node: port for port, node in enumerate(symbol.exports)}
        table = [port_of.get(node, DONE) for node in range(len(symbol.labels))]
        self._table = (*table, DONE, UNASSIGNED)
        self.labels = list(symbol.labels)
        left = [[0] * len(schema.counters) for _ in symbol.labels]
        counted = {edge for edge in symbol.edges if edge.effect.counters}
        unnamed = []
        for ports, outline in zip(symbol.ports, outlines, strict=True):
            for node, info in zip(ports, outline.ports, strict=True):
                if info.label is None:
                    unnamed.append(node)
                else:
                    self.labels[node] = info.label
                for counter, number in enumerate(info.counts):
                    left[node][counter] += number
            counted |= {LocalEdge(ports[a], effect, ports[b]) for a, effect, b in outline.counted}
        self.named = any(self.labels[node] is not None for node in unnamed)
        staying = {e for e in counted if DONE not in (table[e.source], table[e.target])}
        for edge in counted - staying:
            for counter in edge.effect.counters:
                left[edge.source][counter] += 1
        shown = [PortInfo(self.labels[x], tuple(map(min, left[x], schema.counters))) for x in symbol.exports]
        for edge in staying:
            for counter in edge.effect.counters:
                left[edge.source][counter] += 1
        self._counts = [tuple(map(min, row, schema.counters)) for row in left]
        self._reach = [self._walks(symbol, outlines, r) for r in range(len(schema.relations))]
        self.outline = Outline(
            ports=tuple(shown),
            reach=tuple([self._between_ports(reach) for reach in self._reach]),
            counted=tuple(sorted([LocalEdge(table[a], effect, table[b]) for a, effect, b in staying])),
        )

    def _walks(self, symbol: Symbol, outlines: Sequence[Outline], relation: int) -> Reach:
        """Lengths of the walks between local nodes: the least closed set that has all steps."""
        walks = self._schema.relations[relation]
        steps = [(node, node, ZERO) for node in range(len(symbol.labels))]
        for ports, outline in zip(symbol.ports, outlines, strict=True):
            steps += [(ports[a], ports[b], lengths) for a, b, lengths in outline.reach[relation]]
        one = walks.compose(ZERO, ONE)
        edges = (edge for edge in symbol.edges if relation in edge.effect.relations)
        steps += [(edge.source, edge.target, one) for edge in edges]
        reach: Reach = {}
        for source, target, lengths in steps:
            reach[source, target] = reach.get((source, target), 0) | lengths
        walks.close(reach)
        return reach

    def _between_ports(self, reach: Reach) -> tuple[tuple[int, int, int], ...]:
        steps = [(self._table[a], self._table[b], lengths) for (a, b), lengths in reach.items()]
        return tuple(sorted([s for s in steps if s[2] and DONE not in s[:2]]))

    def forget(self, match: Match) -> Match | None:
        """Return the match over ports, ``FOUND_MATCH``, or ``None`` if nothing can complete it."""
        clauses = self._schema.clauses
        body = self._leave(clauses[0], match)
        if body is None:
            return None
        kept: list[frozenset[Match]] = []
        for clause, extensions in zip(clauses[1:], match.extensions, strict=True):
            left = [self._leave(clause, extension) for extension in extensions]
            remaining = frozenset([extension for extension in left if extension is not None])
            if any(self._settled(clause, extension) for extension in remaining):
                return None
            kept.append(remaining)
        if not any(kept) and self._settled(clauses[0], body):
            return FOUND_MATCH
        return rename(body._replace(extensions=tuple(kept)), self._table)

    def _leave(self, clause: BodySchema, match: Match) -> Match | None:
        for variable, node in enumerate(match.assignment):
            if node >= 0 and self._table[node] == DONE and not self._served(clause, match, variable):
                return None
        if not clause.walks:
            return match
        goals = zip(clause.walks, match.walks, strict=True)
        walks = tuple([w for goal, walk in goals if (w := self._advance(goal, walk, match)) is not None])
        return match._replace(walks=walks) if len(walks) == len(clause.walks) else None

    def _served(self, clause: BodySchema, match: Match, variable: int) -> bool:
        node = match.assignment[variable]
        if clause.incident[variable] & ~match.edges:
            return False
        # No label will come any more: the tests see a node without attributes.
        if self.labels[node] is None and not clause.passes(variable, self._schema.unlabelled):
            return False
        counts = self._counts[node]
        return all(goal.accepted >> counts[goal.counter] & 1 for goal in clause.degrees[variable])

    def _settled(self, clause: BodySchema, match: Match) -> bool:
        """Return whether the match is complete and no later rule can change that."""
        if not match.complete(clause):
            return False
        for variable, node in enumerate(match.assignment):
            if node != DONE and self._table[node] != DONE:
                pending = self.labels[node] is None and clause.predicates[variable] != NO_PREDICATE
                if pending or clause.degrees[variable]:
                    return False
        return True

    def _advance(self, goal: WalkGoal, progress: WalkProgress, match: Match) -> WalkProgress | None:
        if progress.satisfied:
            return SATISFIED
        relation = self._schema.relations[goal.relation]
        source, target = match.assignment[goal.source], match.assignment[goal.target]
        forward = self._walked(goal.relation, source, progress.forward, backwards=False)
        backward = self._walked(goal.relation, target, progress.backward, backwards=True)
        for node, lengths in forward.items():
            if relation.compose(lengths, backward.get(node, 0)) & goal.wanted:
                return SATISFIED

        def remaining(end: int, walked: dict[int, int]) -> Lengths | None:
            staying = (pair for pair in walked.items() if self._table[pair[0]] != DONE)
            return None if end == UNASSIGNED or self._table[end] != DONE else tuple(sorted(staying))

        onward, back = remaining(source, forward), remaining(target, backward)
        return None if () in (onward, back) else WalkProgress(onward, back)

    def _walked(self, relation: int, end: int, known: Lengths | None, *, backwards: bool) -> dict[int, int]:
        if known is None:
            known = ((end, ZERO),) if end >= 0 else ()
        before = dict(known)
        walked: dict[int, int] = {}
        for (source, target), steps in self._reach[relation].items() if before else ():
            here, there = (target, source) if backwards else (source, target)
            if here in before:
                lengths = self._schema.relations[relation].compose(before[here], steps)
                walked[there] = walked.get(there, 0) | lengths
        return {node: lengths for node, lengths in walked.items() if lengths}
