"""Realise the atoms of a match by a new edge of the graph.

An edge atom with both ends assigned is realised as soon as an edge fits.  If an
end has no node yet, the edge may give it one or may not, so that one match
becomes two::

    edge see -nsubj-> dog      { V -[nsubj]-> N }      V ?  N ?
                                                   →   V ?  N ?    and    V see  N dog
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.automata.matches import UNASSIGNED, Match, assign, passes, with_node
from sgl.automata.schema import Clause, Schema
from sgl.automata.symbols import LocalEdge

Labels = Sequence[int | None]


def realise(schema: Schema, match: Match, edge: LocalEdge, labels: Labels) -> list[Match]:
    """All matches that ``match`` becomes when ``edge`` is added."""
    if any(edge.effect.goals[1:]):
        match = match._replace(
            extensions=tuple(
                _realise_extensions(clause, extensions, edge, goals, labels)
                for clause, extensions, goals in zip(
                    schema.withouts, match.extensions, edge.effect.goals[1:], strict=True
                )
            )
        )
    group = [match]
    for goal in _bits(edge.effect.goals[0]):
        grown: list[Match] = []
        for member in group:
            realised = _realise_goal(schema.body, schema, member, goal, edge, labels)
            if realised is None or realised.assignment != member.assignment:
                grown.append(member)
            if realised is not None:
                grown.append(realised)
        group = grown
    return group


def _realise_extensions(
    clause: Clause, extensions: frozenset[Match], edge: LocalEdge, goals: int, labels: Labels
) -> frozenset[Match]:
    group = set(extensions)
    for goal in _bits(goals):
        grown: set[Match] = set()
        for member in group:
            realised = _realise_goal(clause, None, member, goal, edge, labels)
            if realised is None or realised.assignment != member.assignment:
                grown.add(member)
            if realised is not None:
                grown.add(realised)
        group = grown
    return frozenset(group)


def _realise_goal(
    clause: Clause, schema: Schema | None, match: Match, goal: int, edge: LocalEdge, labels: Labels
) -> Match | None:
    """Let ``edge`` realise one goal, or ``None`` if it cannot.

    ``schema`` is given for a match of the body, whose extensions follow it.
    """
    if match.edges >> goal & 1:
        return None
    atom = clause.edges[goal]
    for variable, node in ((atom.source, edge.source), (atom.target, edge.target)):
        current = match.assignment[variable]
        if current == node:
            continue
        if not _may_assign(clause, match, variable, node, labels[node]):
            return None
        if schema is None:
            match = with_node(match, variable, node)
        else:
            match = assign(schema, match, variable, node, labels[node])
    return match._replace(edges=match.edges | 1 << goal)


def _may_assign(clause: Clause, match: Match, variable: int, node: int, label: int | None) -> bool:
    return (
        match.assignment[variable] == UNASSIGNED
        and variable in clause.own
        and variable not in clause.eager
        and node not in match.assignment
        and passes(clause, variable, label)
    )


def _bits(mask: int) -> list[int]:
    return [index for index in range(mask.bit_length()) if mask >> index & 1]
