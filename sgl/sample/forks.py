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
from itertools import islice
from operator import add, itemgetter
from typing import NamedTuple, TypeVar

from sgl.sample.kinds import Choice, Kind, Kinds
from sgl.sample.lanes import DRAWS, KEY_BYTES, candidate_keys, pieces
from sgl.sample.random import number

_Item = TypeVar("_Item")

#: The highest bits of the draws of a candidate.
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


class Trail(NamedTuple):
    """What has been drawn, and the states that are still to be expanded, the next one last.

    The ``shape`` is the rule of each draw; of words it is the complement of their class.
    """

    shape: tuple[int, ...]
    slots: tuple[Slot, ...]
    stack: tuple[int, ...]


_NO_TRAIL = Trail((), (), ())


class Station(NamedTuple):
    """Where paths have come: to a choice, to an end, or to a gate.

    ``trail`` is what the candidates have in common that come here; it is empty if they have
    not been followed.  Where rows end there are the ``numbers`` of the candidates within their
    batch, and of each row what ``wanted`` takes: the pieces that words are chosen by.
    """

    trail: Trail
    choice: Choice | None
    wanted: Callable[[Row], Row]
    numbers: list[int]
    rows: list[Row]


class _Fork(NamedTuple):
    """Looks at a place of rows: the kind of each cell there, and where each kind leads to.

    A kind that no candidate had leads to ``None``.  Where the place is ``_END``, rows end.
    """

    place: int
    guide: Sequence[int]
    ways: list[_Fork | None]
    station: Station


class _Gate(NamedTuple):
    """Where rows wait for more draws before they go on to ``fork``."""

    fork: _Fork
    station: Station


_END = -1


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
        self._long = Station(_NO_TRAIL, None, _NOTHING, [], [])
        self._leaves = [self._long]
        #: Those that wait for the draws after the first, for the next, and so on.
        self._gates: list[list[_Gate]] = [[] for _ in range(_part(MOST_DRAWS - 1))]
        self._root = self._advance(Trail((), (), (self._start,)))

    def draw(self, key: int, first: int, count: int) -> list[Station]:
        """Draw so many candidates of a stream from ``first`` on; where they have ended."""
        if self._found > MOST_FORKS:
            self._forget()
        for leaf in self._leaves:
            leaf.numbers.clear()
            leaf.rows.clear()
        keys = self._keys = candidate_keys(key, first, count)
        self._follow(self._root, enumerate(map(add, pieces(keys, 0), pieces(keys, DRAWS))))
        for part, gates in enumerate(self._gates):
            self._open([gate for gate in gates if gate.station.rows], part)
        return [leaf for leaf in self._leaves if leaf.rows]

    def _open(self, gates: list[_Gate], part: int) -> None:
        """Let the rows at these gates go on, with more draws."""
        waiting = [self._key(item) for gate in gates for item in gate.station.numbers]
        more = pieces(b"".join(waiting), FIRST_DRAWS + part * DRAWS)
        for fork, (_, _, _, numbers, rows) in gates:
            longer = list(map(add, rows, islice(more, len(rows))))
            self._follow(fork, zip(numbers, longer))
            numbers.clear()
            rows.clear()

    def _follow(self, start: _Fork, rows: Iterable[tuple[int, Row]]) -> None:
        for candidate, row in rows:
            place, guide, ways, station = fork = start
            while place >= 0:
                found = ways[guide[row[place]]]
                fork = self._turn(fork, candidate, row) if found is None else found
                place, guide, ways, station = fork
            station.numbers.append(candidate)
            station.rows.append(station.wanted(row))

    def _turn(self, fork: _Fork, candidate: int, row: Row) -> _Fork:
        """Where a row leads to, if that is not known or its highest bits do not tell."""
        place, guide, ways, (trail, choice, _, _, _) = fork
        if choice is None:
            raise AssertionError("an end leads nowhere")
        kind = guide[row[place]]
        if kind == len(choice.kinds):
            kind = choice.kind_of[choice.exact(self.bits(candidate, place))]
        found = ways[kind]
        if found is None:
            shape, slots, stack = list(trail.shape), list(trail.slots), list(trail.stack)
            _take(choice, choice.kinds[kind], shape, slots, stack)
            found = ways[kind] = self._advance(_trail(shape, slots, stack))
        return found

    def bits(self, candidate: int, place: int) -> int:
        """The whole random number at a place of the row of a candidate of this batch."""
        return number(int.from_bytes(self._key(candidate), "little"), place)

    def _key(self, candidate: int) -> bytes:
        return self._keys[KEY_BYTES * candidate : KEY_BYTES * (candidate + 1)]

    def _advance(self, trail: Trail) -> _Fork:
        """Expand states without choice up to a fork or the end."""
        begun = _part(len(trail.shape) - 1)
        shape, slots, stack = list(trail.shape), list(trail.slots), list(trail.stack)
        while stack:
            if len(shape) + len(stack) > MOST_DRAWS:
                return _Fork(_END, b"", [], self._long)
            choice = self._kinds.choice(stack.pop())
            if len(choice.kinds) != 1:
                break
            _take(choice, choice.kinds[0], shape, slots, stack)
        else:
            places = [slot.place for slot in slots]
            leaf = Station(_trail(shape, slots, stack), None, picking(places), [], [])
            self._leaves.append(leaf)
            return self._behind_gates(_Fork(_END, b"", [], leaf), begun, max(places, default=0))
        self._found += 1
        place = len(shape)
        station = Station(_trail(shape, slots, stack), choice, _NOTHING, [], [])
        ways: list[_Fork | None] = [None] * (len(choice.kinds) + 1)
        return self._behind_gates(_Fork(place, choice.guide, ways, station), begun, place)

    def _behind_gates(self, fork: _Fork, begun: int, place: int) -> _Fork:
        """The gates before a fork that rows with draws for ``begun`` parts need this place for."""
        for part in range(_part(place), begun, -1):
            gate = _Gate(fork, Station(_NO_TRAIL, None, _ROW, [], []))
            self._gates[part - 1].append(gate)
            fork = _Fork(_END, b"", [], gate.station)
        return fork


#: Nothing of a row, and all of it.
_NOTHING, _ROW = itemgetter(slice(0)), itemgetter(slice(None))


def picking(places: Sequence[int]) -> Callable[[Sequence[_Item]], tuple[_Item, ...]]:
    """Picks the items at these places of a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    # At one place alone ``itemgetter`` would pick an item, and not a tuple.
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def _part(place: int) -> int:
    """How many times draws are added until rows have this place."""
    return max(0, (place - FIRST_DRAWS) // DRAWS + 1)


def _take(
    choice: Choice, kind: Kind, shape: list[int], slots: list[Slot], stack: list[int]
) -> None:
    """Go on behind a kind of a state that has been taken from the stack."""
    if kind.words is None:
        shape.append(kind.rule)
        stack.extend(kind.children)
    else:
        slots.append(Slot(len(shape), choice, kind))
        shape.append(~kind.words.number)


def _trail(shape: Sequence[int], slots: Sequence[Slot], stack: Sequence[int]) -> Trail:
    return Trail(tuple(shape), tuple(slots), tuple(stack))
