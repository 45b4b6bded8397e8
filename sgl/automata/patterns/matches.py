"""Track partial matches of a structure in a graph that is still growing.

A rule's graph is glued into larger graphs only at its ports.  So all that matters later about a partial match is, for
each variable, whether it is unassigned, *done* (its node is forgotten), or at a port::

    { V -[nsubj]-> N; N -[nmod]-> M }   in   "dog in the house", port head = dog

    V: unassigned   N: head   M: done   edges realised: N -[nmod]-> M

If an end of an edge atom has no node yet, a fitting edge may supply one or not, and one match becomes two.  A match of
the body carries the partial matches of the ``without`` bodies that extend it, clause by clause: clause 0 is the body.
Nodes are local to one rule unless a comment says ports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from sgl.automata.patterns.query import BodySchema, Schema
from sgl.automata.patterns.symbols import LocalEdge

#: Values of an assignment that are not nodes.  As indices from the end, they select themselves from a renaming table
#: that ends in (DONE, UNASSIGNED).
UNASSIGNED, DONE = -1, -2

Lengths = tuple[tuple[int, int], ...]
NodeLabels = Sequence[int | None]


class WalkProgress(NamedTuple):
    """The progress of a path atom that does not hold yet.

    ``forward`` has pairs (node, lengths of walks from the source) once the source is done, ``backward`` has (node,
    lengths of walks to the target) once the target is.  Walks between ends at ports follow from those between the
    ports.
    """

    forward: Lengths | None = None
    backward: Lengths | None = None
    satisfied: bool = False

    def joined(self, other: WalkProgress) -> WalkProgress:
        """Combine the progress of both sides."""
        if self.satisfied or other.satisfied:
            return SATISFIED
        forward = other.forward if self.forward is None else self.forward
        return WalkProgress(forward, other.backward if self.backward is None else self.backward)


SATISFIED = WalkProgress(satisfied=True)


class Match(NamedTuple):
    """A partial match of a structure.

    ``assignment[v]`` is a node, ``DONE`` or ``UNASSIGNED``; ``edges`` the bit set of realised edge goals; ``walks`` the
    progress of each walk goal.  ``extensions[i]`` are the partial matches of clause ``i + 1`` that extend this one;
    their assignments begin with this one's.
    """

    assignment: tuple[int, ...]
    edges: int
    walks: tuple[WalkProgress, ...]
    extensions: tuple[frozenset[Match], ...] = ()

    def complete(self, clause: BodySchema) -> bool:
        """Return whether every variable has a node and every atom holds, ignoring extensions."""
        return (
            self.edges == (1 << len(clause.edges)) - 1
            and UNASSIGNED not in self.assignment
            and all(progress.satisfied for progress in self.walks)
        )

    def with_node(self, variable: int, node: int) -> Match:
        """Return the match with a node for one more variable and unchanged extensions."""
        assignment = (*self.assignment[:variable], node, *self.assignment[variable + 1 :])
        return Match(assignment, self.edges, self.walks, self.extensions)

    def extended(self, step: Callable[[int, Match], Iterable[Match]]) -> Match:
        """Return the match with each extension replaced by the results of ``step``, given its clause."""
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
    """Return the match that restricts to ``first`` and ``second``, which overlap in ``shared``, or None."""
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
        # An eager variable at a shared node must have been there on both sides: otherwise one side has missed the
        # extensions and walks that use it.
        apart = any((first.assignment[v] == node) != (second.assignment[v] == node) for v in clause.eager)
        if apart or assignment.count(node) > 1:
            return None
    walks = [*map(WalkProgress.joined, first.walks, second.walks)]
    return Match(tuple(assignment), first.edges | second.edges, tuple(walks))


def keep_passing(schema: Schema, match: Match, labels: NodeLabels) -> Match | None:
    """Return the match if its nodes pass their tests now that labels are known, with the extensions that do."""

    def kept(number: int, member: Match) -> list[Match]:
        passes = schema.clauses[number].passes
        assigned = enumerate(member.assignment)
        return [member] if all(n < 0 or passes(v, labels[n]) for v, n in assigned) else []

    return match.extended(kept) if kept(0, match) else None


def place(schema: Schema, match: Match, node: int, label: int | None) -> Iterable[Match]:
    """Return the match and each way to assign an eager variable to the new node ``node``."""

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
    """Return all matches that ``match`` becomes when ``edge`` is added; a choice gives both."""

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
