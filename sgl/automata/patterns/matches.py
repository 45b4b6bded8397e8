"""Partial matches of a clause into a graph that is still growing.

A rule's graph is glued into larger graphs at its ports only.  All that the rest
of the derivation can know about a partial match is therefore, per variable,
whether it has no node yet, is *done* (its node is forgotten), or sits at a port::

    { V -[nsubj]-> N; N -[nmod]-> M }   in   "dog in the house", port head = dog

    V: unassigned   N: head   M: done   edges realised: N -[nmod]-> M

An edge atom with both ends assigned is realised as soon as an edge fits.  If an
end has no node yet, the edge may give it one or may not, so that one match
becomes two::

    edge see -nsubj-> dog      { V -[nsubj]-> N }      V ?  N ?
                                                   →   V ?  N ?    and    V see  N dog

The functions are pure; nodes are local nodes of one rule unless a comment says ports.  They
take the clause that the match belongs to, so that one set of functions serves the body of a
structure and its ``without`` bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from sgl.automata.patterns.schema import NO_PREDICATE, BodySchema, Schema
from sgl.automata.patterns.symbols import LocalEdge

#: Values of an assignment that are not nodes.  As indices from the end they pick
#: themselves out of a renaming table that ends in (DONE, UNASSIGNED).
UNASSIGNED = -1
DONE = -2

Lengths = tuple[tuple[int, int], ...]


class WalkProgress(NamedTuple):
    """What is known of a path atom that does not hold yet.

    ``forward`` are pairs (node, lengths of walks from the source) if the source
    is done, ``backward`` (node, lengths of walks to the target) if the target
    is.  Walks between ends at ports need not be kept: they can be read off the
    walks between the ports.
    """

    forward: Lengths | None = None
    backward: Lengths | None = None
    satisfied: bool = False


OPEN = WalkProgress()
SATISFIED = WalkProgress(satisfied=True)


class Match(NamedTuple):
    """A partial match.

    ``assignment[v]`` is a node, ``DONE`` or ``UNASSIGNED``; ``edges`` the bit
    set of realised edge goals; ``walks`` the progress of each walk goal.
    ``extensions[i]`` are the partial matches of ``without`` body ``i`` that
    extend this one; their assignments begin with this one's.
    """

    assignment: tuple[int, ...]
    edges: int
    walks: tuple[WalkProgress, ...]
    extensions: tuple[frozenset[Match], ...] = ()


def empty_match(schema: Schema) -> Match:
    """Return the match in which no variable has a node."""
    extensions = tuple(frozenset({_empty(clause)}) for clause in schema.withouts)
    return with_extensions(_empty(schema.body), extensions)


def complete(schema: Schema, match: Match) -> bool:
    """Return whether every variable has its node and every atom holds; extensions aside."""
    return (
        match.edges == schema.body.all_edges
        and UNASSIGNED not in match.assignment
        and all(progress.satisfied for progress in match.walks)
    )


def _empty(clause: BodySchema) -> Match:
    return Match((UNASSIGNED,) * clause.width, 0, (OPEN,) * len(clause.walks))


def rename(match: Match, table: Sequence[int]) -> Match:
    """Replace every node ``x`` by ``table[x]``; ``table`` ends in (DONE, UNASSIGNED)."""
    assignment = tuple([table[node] for node in match.assignment])
    if not match.walks and not match.extensions:
        return Match(assignment, match.edges, ())
    return Match(
        assignment,
        match.edges,
        tuple([_rename_progress(progress, table) for progress in match.walks]),
        tuple(
            [
                frozenset([rename(extension, table) for extension in extensions])
                for extensions in match.extensions
            ]
        ),
    )


def _rename_progress(progress: WalkProgress, table: Sequence[int]) -> WalkProgress:
    if progress.forward is None and progress.backward is None:
        return progress

    def renamed(lengths: Lengths | None) -> Lengths | None:
        return None if lengths is None else tuple((table[node], bits) for node, bits in lengths)

    return WalkProgress(renamed(progress.forward), renamed(progress.backward))


def passes(clause: BodySchema, variable: int, label: int | None) -> bool:
    """Return whether a node may be the variable; a label that is not known yet may pass."""
    predicate = clause.predicates[variable]
    return predicate == NO_PREDICATE or label is None or bool(label >> predicate & 1)


# --- joining the children ----------------------------------------------------------------


def join(schema: Schema, first: Match, second: Match, shared: Sequence[int]) -> Match | None:
    """Return the match that restricts to ``first`` and ``second``, which overlap in ``shared``."""
    joined = _join(schema.body, first, second, shared)
    if joined is None or not schema.withouts:
        return joined
    extensions = tuple(
        frozenset(
            both
            for left in lefts
            for right in rights
            if (both := _join(clause, left, right, shared)) is not None
        )
        for clause, lefts, rights in zip(
            schema.withouts, first.extensions, second.extensions, strict=True
        )
    )
    return with_extensions(joined, extensions)


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
    return Match(
        tuple(assignment),
        first.edges | second.edges,
        tuple([_join_progress(*pair) for pair in zip(first.walks, second.walks, strict=True)]),
    )


def _join_progress(first: WalkProgress, second: WalkProgress) -> WalkProgress:
    if first.satisfied or second.satisfied:
        return SATISFIED
    return WalkProgress(
        first.forward if first.forward is not None else second.forward,
        first.backward if first.backward is not None else second.backward,
    )


def keep_passing(schema: Schema, match: Match, labels: Sequence[int | None]) -> Match | None:
    """Check the tests of all assigned nodes, after labels have become known."""
    if not _all_pass(schema.body, match, labels):
        return None
    if not schema.withouts:
        return match
    extensions = tuple(
        frozenset(e for e in extensions if _all_pass(clause, e, labels))
        for clause, extensions in zip(schema.withouts, match.extensions, strict=True)
    )
    return with_extensions(match, extensions)


def _all_pass(clause: BodySchema, match: Match, labels: Sequence[int | None]) -> bool:
    return all(
        node < 0 or passes(clause, variable, labels[node])
        for variable, node in enumerate(match.assignment)
    )


# --- assigning nodes ---------------------------------------------------------------------


def place(schema: Schema, match: Match, node: int, label: int | None) -> Iterable[Match]:
    """All ways in which eager variables may be the new node ``node``."""
    choices = [match]
    choices += [
        assign(schema, match, variable, node, label)
        for variable in schema.body.eager
        if match.assignment[variable] == UNASSIGNED and passes(schema.body, variable, label)
    ]
    if not any(clause.eager for clause in schema.withouts):
        return choices
    return [_place_extensions(schema, choice, node, label) for choice in choices]


def _place_extensions(schema: Schema, match: Match, node: int, label: int | None) -> Match:
    extended: list[frozenset[Match]] = []
    for clause, extensions in zip(schema.withouts, match.extensions, strict=True):
        placed = set(extensions)
        for extension in extensions:
            if node in extension.assignment:
                continue
            for variable in clause.eager:
                if extension.assignment[variable] == UNASSIGNED and passes(clause, variable, label):
                    placed.add(with_node(extension, variable, node))
        extended.append(frozenset(placed))
    return with_extensions(match, tuple(extended))


def assign(schema: Schema, match: Match, variable: int, node: int, label: int | None) -> Match:
    """Make ``node`` the node of a variable of the body, in the extensions too."""
    if not schema.withouts:
        return with_node(match, variable, node)
    extensions = tuple(
        frozenset(
            with_node(extension, variable, node)
            for extension in extensions
            if node not in extension.assignment and passes(clause, variable, label)
        )
        for clause, extensions in zip(schema.withouts, match.extensions, strict=True)
    )
    return with_extensions(with_node(match, variable, node), extensions)


def with_node(match: Match, variable: int, node: int) -> Match:
    """Return the match with one more node, its extensions as they were."""
    assignment = match.assignment
    grown = (*assignment[:variable], node, *assignment[variable + 1 :])
    return Match(grown, match.edges, match.walks, match.extensions)


def with_extensions(match: Match, extensions: tuple[frozenset[Match], ...]) -> Match:
    """Return the match with other extensions."""
    return Match(match.assignment, match.edges, match.walks, extensions)


NodeLabels = Sequence[int | None]


def realise(schema: Schema, match: Match, edge: LocalEdge, labels: NodeLabels) -> list[Match]:
    """All matches that ``match`` becomes when ``edge`` is added."""
    goals = edge.effect.goals
    if schema.withouts and any(goals[1:]):
        extensions = []
        for clause, members, own in zip(schema.withouts, match.extensions, goals[1:], strict=True):
            step = partial(_realise_goal, clause, None, edge, labels)
            extensions.append(frozenset(_realise_all(members, own, step)))
        match = with_extensions(match, tuple(extensions))
    step = partial(_realise_goal, schema.body, schema, edge, labels)
    return _realise_all([match], goals[0], step)


def _realise_all(
    members: Iterable[Match], goals: Sequence[int], step: Callable[[Match, int], Match | None]
) -> list[Match]:
    """Realise each goal in each match where it can be; both ways where there is a choice."""
    group = list(members)
    for goal in goals:
        grown: list[Match] = []
        for member in group:
            realised = step(member, goal)
            if realised is None or realised.assignment != member.assignment:
                grown.append(member)
            if realised is not None:
                grown.append(realised)
        group = grown
    return group


def _realise_goal(
    clause: BodySchema,
    schema: Schema | None,
    edge: LocalEdge,
    labels: NodeLabels,
    match: Match,
    goal: int,
) -> Match | None:
    """Let ``edge`` realise one goal, or ``None`` if it cannot.

    ``schema`` is given for a match of the body, whose extensions follow it.
    """
    if match.edges >> goal & 1:
        return None
    atom = clause.edges[goal]
    for variable, node in ((atom.source, edge.source), (atom.target, edge.target)):
        if match.assignment[variable] == node:
            continue
        if not _may_assign(clause, match, variable, node, labels[node]):
            return None
        if schema is None:
            match = with_node(match, variable, node)
        else:
            match = assign(schema, match, variable, node, labels[node])
    return Match(match.assignment, match.edges | 1 << goal, match.walks, match.extensions)


def _may_assign(
    clause: BodySchema, match: Match, variable: int, node: int, label: int | None
) -> bool:
    return (
        match.assignment[variable] == UNASSIGNED
        and variable in clause.own
        and variable not in clause.eager
        and node not in match.assignment
        and passes(clause, variable, label)
    )
