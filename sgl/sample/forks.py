"""Derivations drawn by following forks; those that differ in their words only end together.

Draws are counted, and a draw belongs to the same state in all derivations that have been
alike before.  So the states are expanded once for all of them, up to the next draw that
several kinds of alternatives are possible for, a *fork*::

    S                     draw 0 decides
      statement           draw 1 is the subject's noun, draw 2 decides about the verb phrase
        intransitive      draw 3 is the verb                                the end
        transitive        draw 3 is the verb, draw 4 decides about the object  ...
      question            ...

To follow forks takes two look-ups for each, whatever stands between them.  A *leaf* keeps
the rows of random numbers that end there, from which words are read in columns.

At first sixteen draws are made for a candidate.  Those that need more wait at *gates* until
the next eight are made for all of them.  Derivations of more than ``MOST_DRAWS`` draws are
left to the plain sampler.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sgl.sample.kinds import Choice, Kind, Kinds
from sgl.sample.lanes import DRAWS, KEY_BYTES, candidate_keys, pieces
from sgl.sample.random import candidate_key, number

#: The number of a candidate within its batch, and the highest bits of its draws.
Row = tuple[int, ...]

FIRST_DRAWS = 2 * DRAWS
MOST_DRAWS = 64

#: When there are more forks than these, they are forgotten and found again.
MOST_FORKS = 1 << 15


class Slot(NamedTuple):
    """Words of a derivation: the place of their draw in rows, the state and the kind."""

    place: int
    choice: Choice
    kind: Kind


class Path(NamedTuple):
    """What has been drawn, and the states that are still to be expanded, the next one last.

    The ``shape`` is the rule of each draw; of words it is the complement of their class.
    """

    shape: tuple[int, ...]
    slots: tuple[Slot, ...]
    stack: tuple[int, ...]


class Station(NamedTuple):
    """Where paths have come: at a choice, or at an end, which keeps the rows that end there.

    ``path`` is what they have in common; ``None`` if they have not been followed.
    """

    path: Path | None
    choice: Choice | None
    rows: list[Row]


class _Gate(NamedTuple):
    """Where rows wait for more draws before they go on to ``fork``."""

    fork: _Fork
    rows: list[Row]


class _Fork(NamedTuple):
    """Looks at a place of rows: the kind of each cell there, and where each kind leads to.

    A kind that no candidate had leads to ``None``.  Place 0 is an end.
    """

    place: int
    guide: Sequence[int]
    ways: list[_Fork | None]
    station: Station | _Gate


class Forks:
    """The forks of a stratum, as far as candidates have come."""

    def __init__(self, kinds: Kinds, start: int, key: int) -> None:
        """``start`` is the state to begin with, ``key`` that of the stream."""
        self._kinds = kinds
        self._start = start
        self._key = key
        self._forget()

    def _forget(self) -> None:
        self._found = 0
        self._long = Station(None, None, [])
        self._leaves = [self._long]
        #: Those that wait for the draws after the first, for the next, and so on.
        self._gates: list[list[_Gate]] = [[] for _ in range(_part(MOST_DRAWS))]
        self._root = self._advance(Path((), (), (self._start,)), 0)

    def draw(self, first: int, count: int) -> list[Station]:
        """Draw so many candidates of the stream, from ``first`` on; where they have ended."""
        if self._found > MOST_FORKS:
            self._forget()
        for leaf in self._leaves:
            leaf.rows.clear()
        keys = candidate_keys(self._key, first, count)
        drawn = zip(range(count), pieces(keys, 0), pieces(keys, DRAWS))
        self._follow(self._root, ((item, *low, *high) for item, low, high in drawn), first)
        for part, gates in enumerate(self._gates):
            self._open([gate for gate in gates if gate.rows], keys, part, first)
        return [leaf for leaf in self._leaves if leaf.rows]

    def _open(self, gates: list[_Gate], keys: bytes, part: int, first: int) -> None:
        """Let the rows at these gates go on, with more draws."""
        waiting = [row for gate in gates for row in gate.rows]
        starts = [KEY_BYTES * row[0] for row in waiting]
        keys = b"".join([keys[start : start + KEY_BYTES] for start in starts])
        more = pieces(keys, FIRST_DRAWS + part * DRAWS)
        for gate in gates:
            rows = [row + next(more) for row in gate.rows]
            gate.rows.clear()
            self._follow(gate.fork, rows, first)

    def _follow(self, start: _Fork, rows: Iterable[Row], first: int) -> None:
        for row in rows:
            fork = start
            place, guide, ways, station = start
            while place:
                found = ways[guide[row[place]]]
                fork = self._turn(fork, row, first) if found is None else found
                place, guide, ways, station = fork
            station.rows.append(row)

    def _turn(self, fork: _Fork, row: Row, first: int) -> _Fork:
        """Where a row leads to, if that is not known or its highest bits do not tell."""
        place, guide, ways, (path, choice, _) = fork
        kind = guide[row[place]]
        if kind == len(choice.kinds):
            kind = choice.kind_of[choice.exact(self.bits(first + row[0], place))]
        found = ways[kind]
        if found is None:
            taken = _taken(path, choice, choice.kinds[kind], place)
            found = ways[kind] = self._advance(taken, place)
        return found

    def bits(self, candidate: int, place: int) -> int:
        """The whole random number at a place of the row of a candidate."""
        return number(candidate_key(self._key, candidate), place - 1)

    def _advance(self, path: Path, place: int) -> _Fork:
        """Expand states without choice behind a place, up to a fork or the end."""
        begun = _part(place)
        while path.stack:
            if place + len(path.stack) > MOST_DRAWS:
                return _end(self._long)
            choice = self._kinds.choice(path.stack[-1])
            place += 1
            path = path._replace(stack=path.stack[:-1])
            if len(choice.kinds) != 1:
                ways: list[_Fork | None] = [None] * (len(choice.kinds) + 1)
                fork = _Fork(place, choice.guide, ways, Station(path, choice, []))
                self._found += 1
                break
            path = _taken(path, choice, choice.kinds[0], place)
        else:
            leaf = Station(path, None, [])
            self._leaves.append(leaf)
            fork = _end(leaf)
            place = max([slot.place for slot in path.slots], default=0)
        for part in range(_part(place), begun, -1):
            gate = _Gate(fork, [])
            self._gates[part - 1].append(gate)
            fork = _end(gate)
        return fork


def _part(place: int) -> int:
    """How many times draws are added until rows have this place."""
    return max(0, -((FIRST_DRAWS - place) // DRAWS))


def _end(station: Station | _Gate) -> _Fork:
    return _Fork(0, b"", [], station)


def _taken(path: Path, choice: Choice, kind: Kind, place: int) -> Path:
    """The path after a kind of the next state has been drawn."""
    if kind.words is None:
        return Path((*path.shape, kind.rule), path.slots, (*path.stack, *kind.children))
    slots = (*path.slots, Slot(place, choice, kind))
    return Path((*path.shape, ~kind.words.number), slots, path.stack)
