"""Forget the local nodes that a rule does not export.

No later rule can touch a forgotten node.  A match that still wants something of
it dies; path atoms are carried on to the nodes that remain, through the lengths
of the walks between local nodes.
"""

from __future__ import annotations

from enum import Enum

from sgl.automata.patterns.lengths import ZERO, Reach, WalkRelation
from sgl.automata.patterns.matches import (
    DONE,
    SATISFIED,
    UNASSIGNED,
    Lengths,
    Match,
    Progress,
    rename,
)
from sgl.automata.patterns.scene import Scene
from sgl.automata.patterns.schema import NO_PREDICATE, Clause, WalkGoal


class Outcome(Enum):
    """What can become of a match besides a match."""

    FOUND = "found"
    DEAD = "dead"


def forget(match: Match, scene: Scene) -> Match | Outcome:
    """The match over ports, or what became of it.

    It is found when nothing can make it fail any more, and dead when nothing
    can complete it.
    """
    schema = scene.schema
    if _stays(match, scene):
        return rename(match, scene.table)
    walks = _leave(schema.body, match, scene)
    if walks is None:
        return Outcome.DEAD
    kept: list[frozenset[Match]] = []
    for clause, extensions in zip(schema.withouts, match.extensions, strict=True):
        remaining: list[Match] = []
        for extension in extensions:
            advanced = _leave(clause, extension, scene)
            if advanced is None:
                continue
            if _settled(clause, extension, advanced, scene):
                return Outcome.DEAD
            remaining.append(Match(extension.assignment, extension.edges, advanced))
        kept.append(frozenset(remaining))
    if not any(kept) and _settled(schema.body, match, walks, scene):
        return Outcome.FOUND
    return rename(Match(match.assignment, match.edges, walks, tuple(kept)), scene.table)


def _stays(match: Match, scene: Scene) -> bool:
    """Whether all nodes of an incomplete match remain and nothing else can change."""
    if match.walks or match.extensions:
        return False
    complete = match.edges == scene.schema.body.all_edges
    for node in match.assignment:
        if node >= 0:
            if scene.table[node] == DONE:
                return False
        elif node == UNASSIGNED:
            complete = False
    return not complete


def _leave(clause: Clause, match: Match, scene: Scene) -> tuple[Progress, ...] | None:
    """The walks over the nodes that remain; ``None`` if a forgotten node is still needed."""
    for variable, node in enumerate(match.assignment):
        if node >= 0 and scene.table[node] == DONE and not _served(clause, match, variable, scene):
            return None
    if not clause.walks:
        return ()
    walks: list[Progress] = []
    for goal, progress in zip(clause.walks, match.walks, strict=True):
        ends = match.assignment[goal.source], match.assignment[goal.target]
        advanced = _advance(goal, progress, ends, scene)
        if advanced is None:
            return None
        walks.append(advanced)
    return tuple(walks)


def _served(clause: Clause, match: Match, variable: int, scene: Scene) -> bool:
    """Whether everything about a variable holds at the moment its node is forgotten."""
    node = match.assignment[variable]
    incident = clause.incident[variable]
    if match.edges & incident != incident:
        return False
    predicate = clause.predicates[variable]
    unlabelled = scene.labels[node] is None and predicate != NO_PREDICATE
    # No label will come any more: the tests see a node without attributes.
    if unlabelled and not scene.schema.unlabelled >> predicate & 1:
        return False
    counts = scene.counts[node]
    return all(goal.accepts(counts[goal.counter]) for goal in clause.degrees[variable])


def _settled(clause: Clause, match: Match, walks: tuple[Progress, ...], scene: Scene) -> bool:
    """Whether the match is complete and no later rule can change that."""
    if match.edges != clause.all_edges or not all(progress.satisfied for progress in walks):
        return False
    for variable, node in enumerate(match.assignment):
        if node == UNASSIGNED:
            return False
        if node != DONE and scene.table[node] != DONE:
            pending = scene.labels[node] is None and clause.predicates[variable] != NO_PREDICATE
            if pending or clause.degrees[variable]:
                return False
    return True


def _advance(
    goal: WalkGoal, progress: Progress, ends: tuple[int, int], scene: Scene
) -> Progress | None:
    """Carry a path atom on to the nodes that remain; ``None`` if it cannot hold any more."""
    if progress.satisfied:
        return SATISFIED
    source, target = ends
    relation = scene.schema.relations[goal.relation]
    reach = scene.reach[goal.relation]
    forward = _extend(relation, reach, _starting(source, progress.forward), forwards=True)
    backward = _extend(relation, reach, _starting(target, progress.backward), forwards=False)
    for node, lengths in forward.items():
        if relation.compose(lengths, backward.get(node, 0)) & goal.wanted:
            return SATISFIED
    onward = _remaining(forward, scene) if _is_done(source, scene) else None
    back = _remaining(backward, scene) if _is_done(target, scene) else None
    return None if onward == () or back == () else Progress(onward, back)


def _is_done(node: int, scene: Scene) -> bool:
    return node == DONE or (node >= 0 and scene.table[node] == DONE)


def _starting(end: int, known: Lengths | None) -> Lengths:
    """The lengths of walks from (or to) an end, before the rule's own walks."""
    if known is not None:
        return known
    return ((end, ZERO),) if end >= 0 else ()


def _extend(
    relation: WalkRelation, reach: Reach, lengths: Lengths, *, forwards: bool
) -> dict[int, int]:
    extended: dict[int, int] = {}
    known = dict(lengths)
    for (source, target), steps in reach.items() if known else ():
        here, there = (source, target) if forwards else (target, source)
        if here in known:
            walked = relation.compose(known[here], steps)
            extended[there] = extended.get(there, 0) | walked
    return {node: bits for node, bits in extended.items() if bits}


def _remaining(lengths: dict[int, int], scene: Scene) -> Lengths:
    return tuple((node, lengths[node]) for node in sorted(lengths) if scene.table[node] != DONE)
