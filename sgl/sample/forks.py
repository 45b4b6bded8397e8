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

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from sgl.sample.kinds import Choice, Kind, Kinds
from sgl.sample.lanes import DRAWS, KEY_BYTES, candidate_keys, pieces
from sgl.sample.random import number

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


class End(NamedTuple):
    """Where rows end, for good or until more draws are made.

    Of each row it keeps what ``wanted`` takes: the number of the candidate, and the pieces
    that its words are chosen by.  ``path`` is what these candidates have in common; ``None``
    if they have not been followed.
    """

    path: Path | None
    wanted: Callable[[Row], Row]
    rows: list[Row]


class _Junction(NamedTuple):
    """The paths that come to a fork, and the choice that it is."""

    path: Path
    choice: Choice


class _Fork(NamedTuple):
    """Looks at a place of rows: the kind of each cell there, and where each kind leads to.

    A kind that no candidate had leads to ``None``.  At place 0 is an end.
    """

    place: int
    guide: Sequence[int]
    ways: list[_Fork | None]
    end: End
    junction: _Junction | None = None


class _Gate(NamedTuple):
    """Where rows wait for more draws before they go on to ``fork``."""

    fork: _Fork
    rows: list[Row]


class Forks:
    """The forks behind a state, as far as candidates have come."""

    def __init__(self, kinds: Kinds, start: int) -> None:
        """``start`` is the state to begin with."""
        self._kinds = kinds
        self._start = start
        #: The keys of the candidates of the last batch.
        self._keys = b""
        self._forget()

    def _forget(self) -> None:
        self._found = 0
        self._long = End(None, _NUMBER, [])
        self._leaves = [self._long]
        #: Those that wait for the draws after the first, for the next, and so on.
        self._gates: list[list[_Gate]] = [[] for _ in range(_part(MOST_DRAWS))]
        self._root = self._advance(Path((), (), (self._start,)), 0)

    def draw(self, key: int, first: int, count: int) -> list[End]:
        """Draw so many candidates of a stream from ``first`` on; where they have ended."""
        if self._found > MOST_FORKS:
            self._forget()
        for leaf in self._leaves:
            leaf.rows.clear()
        keys = self._keys = candidate_keys(key, first, count)
        drawn = zip(range(count), pieces(keys, 0), pieces(keys, DRAWS))
        self._follow(self._root, ((item, *low, *high) for item, low, high in drawn))
        for part, gates in enumerate(self._gates):
            self._open([gate for gate in gates if gate.rows], part)
        return [leaf for leaf in self._leaves if leaf.rows]

    def _open(self, gates: list[_Gate], part: int) -> None:
        """Let the rows at these gates go on, with more draws."""
        waiting = [self._key(row[0]) for gate in gates for row in gate.rows]
        more = pieces(b"".join(waiting), FIRST_DRAWS + part * DRAWS)
        for gate in gates:
            rows = [row + next(more) for row in gate.rows]
            gate.rows.clear()
            self._follow(gate.fork, rows)

    def _follow(self, start: _Fork, rows: Iterable[Row]) -> None:
        for row in rows:
            fork = start
            place, guide, ways, end, _ = start
            while place:
                found = ways[guide[row[place]]]
                fork = self._turn(fork, row) if found is None else found
                place, guide, ways, end, _ = fork
            end.rows.append(end.wanted(row))

    def _turn(self, fork: _Fork, row: Row) -> _Fork:
        """Where a row leads to, if that is not known or its highest bits do not tell."""
        place, guide, ways, _, junction = fork
        if junction is None:
            raise AssertionError("an end leads nowhere")
        path, choice = junction
        kind = guide[row[place]]
        if kind == len(choice.kinds):
            kind = choice.kind_of[choice.exact(self.bits(row[0], place))]
        found = ways[kind]
        if found is None:
            taken = _taken(path, choice, choice.kinds[kind], place)
            found = ways[kind] = self._advance(taken, place)
        return found

    def bits(self, item: int, place: int) -> int:
        """The whole random number at a place of the row of a candidate of this batch."""
        return number(int.from_bytes(self._key(item), "little"), place - 1)

    def _key(self, item: int) -> bytes:
        return self._keys[KEY_BYTES * item : KEY_BYTES * (item + 1)]

    def _advance(self, path: Path, place: int) -> _Fork:
        """Expand states without choice behind a place, up to a fork or the end."""
        begun = _part(place)
        while path.stack:
            if place + len(path.stack) > MOST_DRAWS:
                return _Fork(0, b"", [], self._long)
            choice = self._kinds.choice(path.stack[-1])
            place += 1
            path = path._replace(stack=path.stack[:-1])
            if len(choice.kinds) != 1:
                self._found += 1
                ways: list[_Fork | None] = [None] * (len(choice.kinds) + 1)
                fork = _Fork(place, choice.guide, ways, _NO_END, _Junction(path, choice))
                break
            path = _taken(path, choice, choice.kinds[0], place)
        else:
            places = [slot.place for slot in path.slots]
            leaf = End(path, itemgetter(0, *places) if places else _NUMBER, [])
            self._leaves.append(leaf)
            fork = _Fork(0, b"", [], leaf)
            place = max(places, default=0)
        for part in range(_part(place), begun, -1):
            gate = _Gate(fork, [])
            self._gates[part - 1].append(gate)
            fork = _Fork(0, b"", [], End(None, _ROW, gate.rows))
        return fork


#: Of a row its number, as a row; and all of it.
_NUMBER, _ROW = itemgetter(slice(0, 1)), itemgetter(slice(None))

_NO_END = End(None, _NUMBER, [])


def _part(place: int) -> int:
    """How many times draws are added until rows have this place."""
    return max(0, -((FIRST_DRAWS - place) // DRAWS))


def _taken(path: Path, choice: Choice, kind: Kind, place: int) -> Path:
    """The path after a kind of the next state has been drawn."""
    if kind.words is None:
        return Path((*path.shape, kind.rule), path.slots, (*path.stack, *kind.children))
    slots = (*path.slots, Slot(place, choice, kind))
    return Path((*path.shape, ~kind.words.number), slots, path.stack)
