"""The local nodes of a rule, after the ports of its children have been glued.

What a phrase shows of its graph, whatever matches it contains, is its *outline*:
the nodes at its ports, and the lengths of the walks between them.  The outlines
of the children and the rule's own fragment make the *scene* in which matches are
joined, grow and are forgotten; the scene's ports are the outline of the result::

    children    NP  head: noun                scene   0: V  1: N  2: forgotten nodes of NP
                V   head: verb      V ─obj→ NP        V ─obj→ N, V reaches N in 1 step
                                              outline head: verb

Phrases have few outlines, so that few scenes serve all transitions of an automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.automata.patterns.lengths import ZERO, Reach, close
from sgl.automata.patterns.matches import DONE, UNASSIGNED
from sgl.automata.patterns.schema import Schema
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
    """What remains visible of a scene when all nodes but ``exports`` are forgotten."""
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
