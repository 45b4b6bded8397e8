"""What a rule makes of the partial matches of its children.

A rule treats every match by itself: whether a match of one child can be joined
with a match of another depends on those two and on how the ports are glued, and
what becomes of the two together on the scene; never on the other matches that the
children may have.  Each such step is therefore computed once, on numbers in place
of matches, and the transitions of an automaton, which differ in *sets* of matches,
are mostly looked up::

    child 0   {∅, V head}  ╮   ∅ with ∅, ∅ with N head, V head with ∅, V head with N head
    child 1   {∅, N head}  ╯   the last, with the edge V ─obj→ N, becomes N done, V head

No match is dropped in favour of a "better" one: two children that both did so
could not be joined any more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from sgl.automata.common import BudgetSpent, Numbering
from sgl.automata.patterns.matches import (
    DONE,
    UNASSIGNED,
    Match,
    empty_match,
    join,
    keep_passing,
    place,
    realise,
    rename,
)
from sgl.automata.patterns.scene import MatchFate, Outline, forget, outline_of, scene_of
from sgl.automata.patterns.schema import Schema
from sgl.automata.patterns.symbols import Symbol

#: In place of the number of a match: the two cannot be joined.
_APART = -1


class Work:
    """Counts elementary steps, so that a caller can stop a hopeless compilation."""

    def __init__(self, budget: int) -> None:
        self.left = budget

    def spend(self, steps: int) -> None:
        """Raise ``BudgetSpent`` when the budget is used up."""
        self.left -= steps
        if self.left < 0:
            raise BudgetSpent


class Joining:
    """Joins matches of children whose ports are glued in one way.

    ``ports`` are those of a symbol.  Matches are given by their numbers in
    ``matches``; those of children are over ports, joined ones over local nodes.
    """

    def __init__(
        self, schema: Schema, ports: Sequence[tuple[int, ...]], matches: Numbering[Match]
    ) -> None:
        self._schema = schema
        self.matches = matches
        self._tables = [(*row, DONE, UNASSIGNED) for row in ports]
        self._shared = [
            [node for node in row if any(node in earlier for earlier in ports[:child])]
            for child, row in enumerate(ports)
        ]
        # The same sets of matches are met again and again, and so are their members.
        self._renamed: list[dict[int, int]] = [{} for _ in ports]
        self._locals: list[dict[frozenset[int], frozenset[int]]] = [{} for _ in ports]
        self._joined: list[dict[tuple[int, int], int]] = [{} for _ in ports]
        self._grown: list[dict[frozenset[int], dict[int, frozenset[int]]]] = [{} for _ in ports]

    def result(self, children: Sequence[frozenset[int]], work: Work) -> Iterable[int]:
        """All compatible combinations of one match of each child, joined.

        Raises:
            BudgetSpent: if ``work`` is used up.
        """
        if not children:
            return [self.matches.number(empty_match(self._schema))]
        joined = self._local(0, children[0])
        for child in range(1, len(children)):
            members = self._local(child, children[child])
            known = self._grown[child].setdefault(members, {})
            for left in joined:
                if left not in known:
                    known[left] = self._join_all(child, left, members, work)
            joined = frozenset().union(*[known[left] for left in joined])
        return joined

    def _local(self, child: int, matches: frozenset[int]) -> frozenset[int]:
        """Return the matches of a child, over local nodes."""
        local = self._locals[child].get(matches)
        if local is None:
            local = frozenset([self._rename(child, match) for match in matches])
            self._locals[child][matches] = local
        return local

    def _rename(self, child: int, match: int) -> int:
        """Return a match of a child, over local nodes."""
        known = self._renamed[child]
        if match not in known:
            value = rename(self.matches.values[match], self._tables[child])
            known[match] = self.matches.number(value)
        return known[match]

    def _join_all(
        self, child: int, left: int, members: Collection[int], work: Work
    ) -> frozenset[int]:
        """Join a match of earlier children with each one of ``child`` that it can be joined to."""
        work.spend(len(members))
        known = self._joined[child]
        grown: set[int] = set()
        for right in members:
            both = known.get((left, right))
            if both is None:
                both = known[left, right] = self._join(child, left, right, work)
            grown.add(both)
        grown.discard(_APART)
        return frozenset(grown)

    def _join(self, child: int, left: int, right: int, work: Work) -> int:
        """Join a match of earlier children with one of ``child``."""
        earlier, own = self.matches.values[left], self.matches.values[right]
        work.spend(_size(self._schema, [earlier]) * _size(self._schema, [own]))
        both = join(self._schema, earlier, own, self._shared[child])
        return _APART if both is None else self.matches.number(both)


class Gluing:
    """A symbol over children with given outlines; ``outline`` is that of the result."""

    def __init__(
        self, joining: Joining, schema: Schema, symbol: Symbol, outlines: Sequence[Outline]
    ) -> None:
        self._joining = joining
        self._matches = joining.matches
        self._schema = schema
        # The new nodes that matches may take up at once, and the edges that they want.
        self._fresh = symbol.fresh if schema.eager else ()
        self._edges = [edge for edge in symbol.edges if any(edge.effect.goals)]
        self._scene = scene_of(schema, symbol, outlines)
        # Whether a node that a child had no label for has one now.
        self._named = any(
            info.label is None and self._scene.labels[node] is not None
            for ports, outline in zip(symbol.ports, outlines, strict=True)
            for node, info in zip(ports, outline.ports, strict=True)
        )
        self._outcomes: dict[int, frozenset[int] | None] = {}
        self.outline = outline_of(self._scene, symbol.exports)

    def result(self, children: Sequence[frozenset[int]], work: Work) -> frozenset[int] | None:
        """Return the matches of a phrase from those of its children; ``None`` if one is found.

        Raises:
            BudgetSpent: if ``work`` is used up.
        """
        result: set[int] = set()
        for match in self._joining.result(children, work):
            if match not in self._outcomes:
                self._outcomes[match] = self._outcome(match, work)
            outcome = self._outcomes[match]
            if outcome is None:
                return None
            result |= outcome
        return frozenset(result)

    def _outcome(self, number: int, work: Work) -> frozenset[int] | None:
        """Return what becomes of one match of all children; ``None`` if the structure is found."""
        match: Match | None = self._matches.values[number]
        if self._named and match is not None:
            match = keep_passing(self._schema, match, self._scene.labels)
        if match is None:
            return frozenset()
        outcome: set[int] = set()
        for grown in self._grown(match, work):
            remaining = forget(grown, self._scene)
            if remaining is MatchFate.FOUND:
                return None
            if isinstance(remaining, Match):
                outcome.add(self._matches.number(remaining))
        return frozenset(outcome)

    def _grown(self, match: Match, work: Work) -> Collection[Match]:
        """Return the match with the new nodes and edges, in all ways."""
        if not self._fresh and not self._edges:
            return (match,)
        schema, labels = self._schema, self._scene.labels
        grown: Collection[Match] = (match,)
        for node in self._fresh:
            placed = [new for old in grown for new in place(schema, old, node, labels[node])]
            grown = dict.fromkeys(placed)
            work.spend(_size(schema, grown))
        for edge in self._edges:
            realised = [new for old in grown for new in realise(schema, old, edge, labels)]
            grown = dict.fromkeys(realised)
            work.spend(_size(schema, grown))
        return grown


def _size(schema: Schema, matches: Collection[Match]) -> int:
    """Return the number of matches, their extensions included."""
    if not schema.withouts:
        return len(matches)
    return sum(1 + sum(map(len, match.extensions)) for match in matches)
