"""States of the automaton of a structure, and its transition function.

The state of a phrase is all that matters about its graph for the structure: what
is known about the nodes at its ports, how they are connected by walks, and the
set of all partial matches::

    { V -[nsubj]-> N; N -[nmod]-> M }

    dog                   {∅}
    dog in the house      {∅, N=head M done}
    … slept               {∅}  plus  FOUND, because V, N and M are all there

The set of matches of a phrase depends on its derivation only through the states
of its parts (the boundary lemma: a rule's graph meets the graphs of its children
at their ports only), so that this is a deterministic bottom-up tree automaton.
Once the structure is found it stays found.  No match is dropped in favour of a
"better" one: two children that both did so could not be joined any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sgl.automata.errors import BudgetSpent
from sgl.automata.forget import Outcome, Scene, forget
from sgl.automata.lengths import ZERO, Reach, close
from sgl.automata.matches import (
    DONE,
    UNASSIGNED,
    Match,
    empty_match,
    join,
    keep_passing,
    place,
    rename,
)
from sgl.automata.realise import realise
from sgl.automata.schema import Schema
from sgl.automata.symbols import Symbol


@dataclass(frozen=True, slots=True)
class PortInfo:
    """What is known about the node at a port.

    ``label`` is the bit set of the predicates it passes, ``None`` while it is a
    placeholder; ``counts`` its outgoing edges for each counter.
    """

    label: int | None
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A state; ``reach[r]`` lists (from port, to port, lengths) for relation ``r``."""

    ports: tuple[PortInfo, ...]
    reach: tuple[tuple[tuple[int, int, int], ...], ...]
    matches: frozenset[Match]
    found: bool = False


#: The state of every phrase that contains the structure.
FOUND = State((), (), frozenset(), found=True)


class Work:
    """Counts elementary steps, so that a caller can stop a hopeless compilation."""

    def __init__(self, budget: int) -> None:
        self.left = budget

    def spend(self, steps: int) -> None:
        """Raise ``BudgetSpent`` when the budget is used up."""
        self.left -= steps
        if self.left < 0:
            raise BudgetSpent


def transition(schema: Schema, symbol: Symbol, children: Sequence[State], work: Work) -> State:
    """The state of a phrase from the states of its children."""
    if any(child.found for child in children):
        return FOUND
    labels, news = _labels(symbol, children)
    matches = _joined(schema, symbol, children, work)
    if news:
        checked = (keep_passing(schema, match, labels) for match in matches)
        matches = {match for match in checked if match is not None}
    for node in symbol.fresh:
        matches = {
            placed for match in matches for placed in place(schema, match, node, labels[node])
        }
        work.spend(_size(matches))
    for edge in symbol.edges:
        if any(edge.effect.goals):
            matches = {grown for match in matches for grown in realise(schema, match, edge, labels)}
            work.spend(_size(matches))
    scene = _scene(schema, symbol, children, labels)
    remaining: set[Match] = set()
    for match in matches:
        outcome = forget(match, scene)
        if outcome is Outcome.FOUND:
            return FOUND
        if isinstance(outcome, Match):
            remaining.add(outcome)
    return State(
        ports=tuple(PortInfo(labels[node], scene.counts[node]) for node in symbol.exports),
        reach=tuple(_between_ports(reach, scene) for reach in scene.reach),
        matches=frozenset(remaining),
    )


def closed(schema: Schema, state: State) -> bool:
    """Whether a whole text in this state contains the structure.

    All its ports are forgotten; extensions that are incomplete then stay so.
    """
    if state.found:
        return True
    nodes = tuple(range(len(state.ports)))
    end = Symbol(ports=(nodes,), labels=(None,) * len(nodes), fresh=(), edges=(), exports=())
    last = transition(schema, end, [state], Work(0))
    return last.found or any(_complete(schema, match) for match in last.matches)


def _complete(schema: Schema, match: Match) -> bool:
    return (
        match.edges == schema.body.all_edges
        and UNASSIGNED not in match.assignment
        and all(progress.satisfied for progress in match.walks)
    )


def _size(matches: Collection[Match]) -> int:
    """The number of matches, their extensions included."""
    return sum(1 + sum(map(len, match.extensions)) for match in matches)


def _labels(symbol: Symbol, children: Sequence[State]) -> tuple[tuple[int | None, ...], bool]:
    """The labels of the local nodes, and whether one was unknown to some child."""
    labels = list(symbol.labels)
    for ports, child in zip(symbol.ports, children, strict=True):
        for node, info in zip(ports, child.ports, strict=True):
            if info.label is not None:
                labels[node] = info.label
    news = any(
        info.label is None and labels[node] is not None
        for ports, child in zip(symbol.ports, children, strict=True)
        for node, info in zip(ports, child.ports, strict=True)
    )
    return tuple(labels), news


def _joined(schema: Schema, symbol: Symbol, children: Sequence[State], work: Work) -> set[Match]:
    """One match from each child, joined in all compatible ways."""
    joined: set[Match] | None = None
    seen: set[int] = set()
    for ports, child in zip(symbol.ports, children, strict=True):
        table = (*ports, DONE, UNASSIGNED)
        renamed = {rename(match, table) for match in child.matches}
        if joined is None:
            joined = renamed
        else:
            work.spend(_size(joined) * _size(renamed))
            shared = [node for node in ports if node in seen]
            pairs = (join(schema, left, right, shared) for left in joined for right in renamed)
            joined = {match for match in pairs if match is not None}
        seen.update(ports)
    return {empty_match(schema)} if joined is None else joined


def _scene(
    schema: Schema,
    symbol: Symbol,
    children: Sequence[State],
    labels: tuple[int | None, ...],
) -> Scene:
    size = len(symbol.labels)
    table = [DONE] * size
    for port, node in enumerate(symbol.exports):
        table[node] = port
    return Scene(
        schema=schema,
        labels=labels,
        counts=_counts(schema, symbol, children),
        reach=tuple(
            _reach(schema, symbol, children, relation) for relation in range(len(schema.relations))
        ),
        table=(*table, DONE, UNASSIGNED),
    )


def _counts(
    schema: Schema, symbol: Symbol, children: Sequence[State]
) -> tuple[tuple[int, ...], ...]:
    """Outgoing edges of each local node, for each counter, up to its cap."""
    counts = [[0] * len(schema.counters) for _ in symbol.labels]
    for ports, child in zip(symbol.ports, children, strict=True):
        for node, info in zip(ports, child.ports, strict=True):
            for counter, number in enumerate(info.counts):
                counts[node][counter] += number
    for edge in symbol.edges:
        for counter in edge.effect.counters:
            counts[edge.source][counter] += 1
    return tuple(
        tuple(
            min(number, counter.cap) for number, counter in zip(row, schema.counters, strict=True)
        )
        for row in counts
    )


def _reach(schema: Schema, symbol: Symbol, children: Sequence[State], relation: int) -> Reach:
    """Lengths of the walks between local nodes: the least closed set that has all steps."""
    walks = schema.relations[relation]
    reach: Reach = {(node, node): ZERO for node in range(len(symbol.labels))}
    steps = [
        (ports[source], ports[target], lengths)
        for ports, child in zip(symbol.ports, children, strict=True)
        for source, target, lengths in child.reach[relation]
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
