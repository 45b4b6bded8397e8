"""Glue the ports of children into local nodes, and forget those that a rule does not export.

What a phrase shows of its graph, whatever matches it contains, is its *outline*:
the nodes at its ports, and the lengths of the walks between them.  The outlines
of the children and the rule's own fragment make the *scene* in which matches are
joined, grow and are forgotten; the scene's ports are the outline of the result::

    children    NP  head: noun                scene   0: V  1: N  2: forgotten nodes of NP
                V   head: verb      V ─obj→ NP        V ─obj→ N, V reaches N in 1 step
                                              outline head: verb

Phrases have few outlines, so that few scenes serve all transitions of an automaton.

No later rule can touch a forgotten node.  A match that still needs something of it is dead;
path atoms are carried on to the nodes that remain, through the lengths of the walks between
local nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sgl.automata.patterns.matches import (
    DONE,
    SATISFIED,
    UNASSIGNED,
    Lengths,
    Match,
    WalkProgress,
    rename,
)
from sgl.automata.patterns.schema import (
    NO_PREDICATE,
    ZERO,
    BodySchema,
    Reach,
    Schema,
    WalkGoal,
    WalkRelation,
    close,
)
from sgl.automata.patterns.symbols import Symbol


@dataclass(frozen=True, slots=True)
class PortInfo:
    """What is known about the node at a port.

    ``label`` is the bit set of the predicates it passes, ``None`` while it is a
    placeholder; ``counts`` its outgoing edges for each counter.
    """

    label: int | None
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """``reach[r]`` lists (from port, to port, lengths) for relation ``r``."""

    ports: tuple[PortInfo, ...]
    reach: tuple[tuple[tuple[int, int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """The local nodes of a rule after gluing.

    ``labels`` and ``counts`` are indexed by local node, ``reach`` by relation;
    ``table`` renames local nodes to ports, forgotten ones to ``DONE``.
    """

    schema: Schema
    labels: tuple[int | None, ...]
    counts: tuple[tuple[int, ...], ...]
    reach: tuple[Reach, ...]
    table: tuple[int, ...]


def scene_of(schema: Schema, symbol: Symbol, outlines: Sequence[Outline]) -> Scene:
    """Glue the outlines of the children as the symbol says and add its edges."""
    table = [DONE] * len(symbol.labels)
    for port, node in enumerate(symbol.exports):
        table[node] = port
    return Scene(
        schema=schema,
        labels=_labels(symbol, outlines),
        counts=_counts(schema, symbol, outlines),
        reach=tuple(
            _reach(schema, symbol, outlines, relation) for relation in range(len(schema.relations))
        ),
        table=(*table, DONE, UNASSIGNED),
    )


def outline_of(scene: Scene, exports: Sequence[int]) -> Outline:
    """Return what remains visible of a scene when all nodes but ``exports`` are forgotten."""
    return Outline(
        ports=tuple(PortInfo(scene.labels[node], scene.counts[node]) for node in exports),
        reach=tuple(_between_ports(reach, scene) for reach in scene.reach),
    )


def _labels(symbol: Symbol, outlines: Sequence[Outline]) -> tuple[int | None, ...]:
    labels = list(symbol.labels)
    for ports, outline in zip(symbol.ports, outlines, strict=True):
        for node, info in zip(ports, outline.ports, strict=True):
            if info.label is not None:
                labels[node] = info.label
    return tuple(labels)


def _counts(
    schema: Schema, symbol: Symbol, outlines: Sequence[Outline]
) -> tuple[tuple[int, ...], ...]:
    """Outgoing edges of each local node, for each counter, up to its cap."""
    if not schema.counters:
        return ((),) * len(symbol.labels)
    counts = [[0] * len(schema.counters) for _ in symbol.labels]
    for ports, outline in zip(symbol.ports, outlines, strict=True):
        for node, info in zip(ports, outline.ports, strict=True):
            for counter, number in enumerate(info.counts):
                counts[node][counter] += number
    for edge in symbol.edges:
        for counter in edge.effect.counters:
            counts[edge.source][counter] += 1
    return tuple(
        tuple(min(number, cap) for number, cap in zip(row, schema.counters, strict=True))
        for row in counts
    )


def _reach(schema: Schema, symbol: Symbol, outlines: Sequence[Outline], relation: int) -> Reach:
    """Lengths of the walks between local nodes: the least closed set that has all steps."""
    walks = schema.relations[relation]
    reach: Reach = {(node, node): ZERO for node in range(len(symbol.labels))}
    steps = [
        (ports[source], ports[target], lengths)
        for ports, outline in zip(symbol.ports, outlines, strict=True)
        for source, target, lengths in outline.reach[relation]
    ]
    steps += [
        (edge.source, edge.target, walks.edge)
        for edge in symbol.edges
        if relation in edge.effect.relations
    ]
    for source, target, lengths in steps:
        reach[source, target] = reach.get((source, target), 0) | lengths
    close(walks, reach)
    return reach


def _between_ports(reach: Reach, scene: Scene) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        sorted(
            (scene.table[source], scene.table[target], lengths)
            for (source, target), lengths in reach.items()
            if lengths and scene.table[source] != DONE and scene.table[target] != DONE
        )
    )


class MatchFate(Enum):
    """What can become of a match besides a match."""

    FOUND = "found"
    DEAD = "dead"


def forget(match: Match, scene: Scene) -> Match | MatchFate:
    """Return the match over ports, or what became of it.

    It is found when nothing can make it fail any more, and dead when nothing
    can complete it.
    """
    schema = scene.schema
    if _stays(match, scene):
        return rename(match, scene.table)
    walks = _leave(schema.body, match, scene)
    if walks is None:
        return MatchFate.DEAD
    kept: list[frozenset[Match]] = []
    for clause, extensions in zip(schema.withouts, match.extensions, strict=True):
        remaining: list[Match] = []
        for extension in extensions:
            advanced = _leave(clause, extension, scene)
            if advanced is None:
                continue
            if _settled(clause, extension, advanced, scene):
                return MatchFate.DEAD
            remaining.append(Match(extension.assignment, extension.edges, advanced))
        kept.append(frozenset(remaining))
    if not any(kept) and _settled(schema.body, match, walks, scene):
        return MatchFate.FOUND
    return rename(Match(match.assignment, match.edges, walks, tuple(kept)), scene.table)


def _stays(match: Match, scene: Scene) -> bool:
    """Return whether all nodes of an incomplete match remain and nothing else can change."""
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


def _leave(clause: BodySchema, match: Match, scene: Scene) -> tuple[WalkProgress, ...] | None:
    """Return the walks over the nodes that remain; ``None`` if a forgotten node is still needed."""
    for variable, node in enumerate(match.assignment):
        if node >= 0 and scene.table[node] == DONE and not _served(clause, match, variable, scene):
            return None
    if not clause.walks:
        return ()
    walks: list[WalkProgress] = []
    for goal, progress in zip(clause.walks, match.walks, strict=True):
        ends = match.assignment[goal.source], match.assignment[goal.target]
        advanced = _advance(goal, progress, ends, scene)
        if advanced is None:
            return None
        walks.append(advanced)
    return tuple(walks)


def _served(clause: BodySchema, match: Match, variable: int, scene: Scene) -> bool:
    """Return whether everything about a variable holds at the moment its node is forgotten."""
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


def _settled(
    clause: BodySchema, match: Match, walks: tuple[WalkProgress, ...], scene: Scene
) -> bool:
    """Return whether the match is complete and no later rule can change that."""
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
    goal: WalkGoal, progress: WalkProgress, ends: tuple[int, int], scene: Scene
) -> WalkProgress | None:
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
    return None if onward == () or back == () else WalkProgress(onward, back)


def _is_done(node: int, scene: Scene) -> bool:
    return node == DONE or (node >= 0 and scene.table[node] == DONE)


def _starting(end: int, known: Lengths | None) -> Lengths:
    """Return the lengths of walks from (or to) an end, before the rule's own walks."""
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
