"""Glue the graphs of a rule's children together, and follow the matches in them.

The *outline* of a phrase is what it shows of its graph, whatever matches it contains: the nodes at its ports, and the
lengths of the walks between them.  The outlines of the children and the rule's own fragment make the *scene* in which
matches are joined, grow and are forgotten; the scene's ports are the outline of the result.  Phrases have few outlines,
so few scenes serve all transitions.

No later rule can touch a forgotten node.  A match that still needs something from it is dead; path atoms are carried
over to the remaining nodes through the lengths of the walks between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add
from typing import NamedTuple

from sgl.automata.patterns.matches import DONE, SATISFIED, UNASSIGNED, Lengths, Match, WalkProgress, rename
from sgl.automata.patterns.query import NO_PREDICATE, ONE, ZERO, BodySchema, Reach, Schema, WalkGoal
from sgl.automata.patterns.symbols import LocalEdge, Symbol


class PortInfo(NamedTuple):
    """The state of the node at a port.

    ``label`` is the bit set of the predicates it passes, or ``None`` while it is a placeholder; ``counts`` has, for
    each counter, its number of edges to forgotten nodes.
    """

    label: int | None
    counts: tuple[int, ...]


class Outline(NamedTuple):
    """The visible part of a phrase's graph.

    ``reach[r]`` lists (from port, to port, lengths) for relation ``r``, ``counted`` the edges between ports that some
    counter counts, as another rule may write the same edge again.
    """

    ports: tuple[PortInfo, ...]
    reach: tuple[tuple[tuple[int, int, int], ...], ...]
    counted: tuple[LocalEdge, ...]


#: Replaces a match that is found and that nothing can undo.
FOUND_MATCH = Match((), -1, ())


class Scene:
    """The local nodes of a rule after gluing, which index ``labels`` and ``counts``.

    ``reach`` is indexed by relation; ``table`` renames local nodes to ports, and forgotten ones to ``DONE``.  ``named``
    says whether a node that had no label in some child has one now.
    """

    def __init__(self, schema: Schema, symbol: Symbol, outlines: Sequence[Outline]) -> None:
        self._schema = schema
        port_of = {node: port for port, node in enumerate(symbol.exports)}
        self._table = (*[port_of.get(node, DONE) for node in range(len(symbol.labels))], DONE, UNASSIGNED)
        below = [*zip(symbol.ports, outlines, strict=True)]
        glued = [pair for ports, outline in below for pair in zip(ports, outline.ports, strict=True)]
        self.labels = list(symbol.labels)
        for node, info in glued:
            self.labels[node] = self.labels[node] if info.label is None else info.label
        self.named = any(info.label is None and self.labels[node] is not None for node, info in glued)
        self._reach = [self._walks(symbol, outlines, r) for r in range(len(schema.relations))]
        self._counts, self.outline = self._counted(symbol, glued, _counted_edges(symbol, below))

    def _counted(
        self, symbol: Symbol, glued: Sequence[tuple[int, PortInfo]], edges: set[LocalEdge]
    ) -> tuple[list[tuple[int, ...]], Outline]:
        """Return the counts of local nodes, and the outline, whose counts leave out edges between ports."""
        caps, table = self._schema.counters, self._table
        counts = [[0] * len(caps) for _ in symbol.labels]
        for node, info in glued:
            counts[node] = [*map(add, counts[node], info.counts)]
        staying = {edge for edge in edges if DONE not in (table[edge.source], table[edge.target])}
        _count(counts, edges - staying)
        outline = Outline(
            ports=tuple([PortInfo(self.labels[x], tuple(map(min, counts[x], caps))) for x in symbol.exports]),
            reach=tuple([self._between_ports(reach) for reach in self._reach]),
            counted=tuple(sorted([LocalEdge(table[a], effect, table[b]) for a, effect, b in staying])),
        )
        _count(counts, staying)
        return [tuple(map(min, row, caps)) for row in counts], outline

    def _walks(self, symbol: Symbol, outlines: Sequence[Outline], relation: int) -> Reach:
        """Return the lengths of the walks between local nodes, the least closed set that has all steps."""
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
        # No label will follow: the tests see a node without attributes.
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


def _counted_edges(symbol: Symbol, below: Iterable[tuple[tuple[int, ...], Outline]]) -> set[LocalEdge]:
    """Return the edges, between local nodes, of the symbol and of its children that some counter counts."""
    edges = {edge for edge in symbol.edges if edge.effect.counters}
    for ports, outline in below:
        edges |= {LocalEdge(ports[a], effect, ports[b]) for a, effect, b in outline.counted}
    return edges


def _count(counts: list[list[int]], edges: Iterable[LocalEdge]) -> None:
    for edge in edges:
        for counter in edge.effect.counters:
            counts[edge.source][counter] += 1
