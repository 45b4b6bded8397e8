"""Realise the atoms of a match by a new edge of the graph.

An edge atom with both ends assigned is realised as soon as an edge fits.  If an
end has no node yet, the edge may give it one or may not, so that one match
becomes two::

    edge see -nsubj-> dog      { V -[nsubj]-> N }      V ?  N ?
                                                   →   V ?  N ?    and    V see  N dog
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from sgl.automata.patterns.matches import (
    UNASSIGNED,
    Match,
    assign,
    passes,
    with_extensions,
    with_node,
)
from sgl.automata.patterns.schema import Clause, Schema
from sgl.automata.patterns.symbols import LocalEdge

Labels = Sequence[int | None]


def realise(schema: Schema, match: Match, edge: LocalEdge, labels: Labels) -> list[Match]:
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
    clause: Clause, schema: Schema | None, edge: LocalEdge, labels: Labels, match: Match, goal: int
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


def _may_assign(clause: Clause, match: Match, variable: int, node: int, label: int | None) -> bool:
    return (
        match.assignment[variable] == UNASSIGNED
        and variable in clause.own
        and variable not in clause.eager
        and node not in match.assignment
        and passes(clause, variable, label)
    )
