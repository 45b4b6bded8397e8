"""Derivations drawn by following forks; those that differ in their words only end together.

Draws are counted, and a draw belongs to the same state in all derivations that have been
alike before.  So the states are expanded once for all of them, up to the next draw that
several kinds of alternatives are possible for, a *fork*::

    S                     draw 0 decides
      statement           draw 1 is the subject's noun, draw 2 decides about the verb phrase
        intransitive      draw 3 is the verb                                the end
        transitive        draw 3 is the verb, draw 4 decides about the object  ...
      question            ...

All candidates of a batch that come to a fork are sent on together, each into the list of
those that wait where its kind of alternative leads to.  This takes two look-ups for each
of them: the piece of its draw in the column of that draw, the kind in the guide of the fork.
At an *end* words are read, one column of pieces after the other.

At first sixteen draws are made for a candidate, or more if that was not enough for most.
Those that need others are gathered in a smaller batch that has twice as many.  Derivations
of more than ``MOST_DRAWS`` draws are left to the plain sampler.

This module needs nothing but the standard library of Python 3.9, because the standalone
sampler contains it as it is.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, compress, count
from operator import itemgetter
from typing import NamedTuple, TypeVar

from sgl.sampling.kinds import Choice, Entry, Kind, Kinds
from sgl.sampling.lanes import DRAWS, KEY_BYTES, candidate_keys, columns
from sgl.sampling.random import number

_Item = TypeVar("_Item")

FIRST_DRAWS = 2 * DRAWS
MOST_DRAWS = 128

#: When there are more forks than these, they are forgotten and found again.
MOST_FORKS = 1 << 15

#: More draws are made for all at once if more than one of so many candidates needed them.
_FEW = 4


class Alike(NamedTuple):
    """Candidates of a batch that differ in their words only.

    The ``shape`` has the rule of each draw; of words it has the complement of their class.
    ``words`` are the entries of each of the words, in the order of ``numbers``.
    """

    shape: tuple[int, ...]
    numbers: list[int]
    words: list[list[Entry]]


class _Slot(NamedTuple):
    """Words of a derivation: the place of their draw, the state and the kind."""

    place: int
    choice: Choice
    kind: Kind


class _Trail(NamedTuple):
    """What has been drawn, and the states that are still to be expanded, the next one last."""

    shape: tuple[int, ...]
    slots: tuple[_Slot, ...]
    stack: tuple[int, ...]


class _Stop(NamedTuple):
    """Where candidates stop: at a fork, or at an end.

    ``place`` is the draw that is needed to go on, at an end the last of its words.  The
    ``numbers`` are those of the candidates that are here.  At a fork there are for each kind
    of the ``choice`` those that are ``going`` on with it, and where it leads to, if that is
    known; the last of ``going`` have to be decided by their whole number.  At an end there is
    where candidates are collected that are ``alike``.
    """

    place: int
    numbers: list[int]
    trail: _Trail
    choice: Choice | None
    going: list[list[int]]
    ways: list[_Stop | None]
    alike: Alike | None


#: Where a way leads to that one candidate has gone, and that is not known yet.
_SEEN = _Stop(-1, [], _Trail((), (), ()), None, [], [], None)


class _Cohort(NamedTuple):
    """Candidates that have the same number of draws: their numbers in the batch, their keys."""

    numbers: Sequence[int]
    keys: bytes
    pieces: list[array[int]]

    def bits(self, place: int, candidate: int) -> int:
        """The whole random number of a candidate, by its place in the cohort."""
        return number(int.from_bytes(self.key(candidate), "little"), place)

    def key(self, candidate: int) -> bytes:
        """The key of a candidate, by its place in the cohort."""
        return self.keys[KEY_BYTES * candidate : KEY_BYTES * (candidate + 1)]


class Forks:
    """The forks behind a state, as far as candidates have come."""

    def __init__(self, kinds: Kinds, start: int) -> None:
        """``start`` is the state to begin with."""
        self._kinds = kinds
        self._start = start
        self._first_draws = FIRST_DRAWS
        self._forget()

    def _forget(self) -> None:
        self._found = 0
        #: Candidates of the batch by their shapes; those that are too long have none.
        self._alike: dict[tuple[int, ...], Alike] = {}
        self._drawn: list[Alike] = []
        self._root = self._stop([], [], [self._start], [])

    def draw(self, key: int, first: int, size: int) -> list[Alike]:
        """Draw so many candidates of a stream from ``first`` on.

        Those whose derivations are too long are together under an empty shape.
        """
        if self._found + len(self._alike) > MOST_FORKS:
            self._forget()
        for alike in self._drawn:
            alike.numbers.clear()
            for of_word in alike.words:
                of_word.clear()
        keys = candidate_keys(key, first, size)
        cohort = _cohort(range(size), keys, self._first_draws)
        self._root.numbers.extend(range(size))
        waiting = self._follow([self._root], cohort)
        if sum(len(stop.numbers) for stop in waiting) * _FEW > size:
            self._first_draws = min(MOST_DRAWS, self._first_draws + DRAWS)
        while waiting:
            cohort = _with_more(cohort, waiting)
            waiting = self._follow(waiting, cohort)
        self._drawn = [alike for alike in self._alike.values() if alike.numbers]
        return self._drawn

    def _follow(self, agenda: list[_Stop], cohort: _Cohort) -> list[_Stop]:
        """Let candidates go on from these stops; where some need more draws."""
        waiting: list[_Stop] = []
        pieces = cohort.pieces
        while agenda:
            stop = agenda.pop()
            if len(stop.numbers) == 1:
                self._alone(stop, cohort, waiting)
                continue
            place, numbers, _, choice, going, ways, _ = stop
            if place >= len(pieces):
                waiting.append(stop)
                continue
            if choice is None:
                _collect(stop, cohort)
                continue
            guide, column = choice.guide, pieces[place]
            for candidate in numbers:
                going[guide[column[candidate]]].append(candidate)
            numbers.clear()
            for candidate in going[-1]:
                going[choice.exact_kind(cohort.bits(place, candidate))].append(candidate)
            going[-1].clear()
            for kind in compress(count(), going):
                way = ways[kind]
                if way is None and len(going[kind]) == 1:
                    self._first(stop, kind, going[kind].pop(), cohort, waiting)
                elif way is None or way is _SEEN:
                    agenda.append(self._way(stop, choice, kind))
                else:
                    agenda.append(way)
        return waiting

    def _alone(self, stop: _Stop, cohort: _Cohort, waiting: list[_Stop]) -> None:
        """Let the only candidate at a stop go on."""
        pieces, candidate = cohort.pieces, stop.numbers.pop()
        place, _, _, choice, _, ways, alike = stop
        while place < len(pieces):
            if choice is None:
                _collect_one(stop.trail.slots, alike, candidate, cohort)
                return
            kind = choice.guide[pieces[place][candidate]]
            if kind == len(ways):
                kind = choice.exact_kind(cohort.bits(place, candidate))
            way = ways[kind]
            if way is None:
                self._first(stop, kind, candidate, cohort, waiting)
                return
            stop = way if way is not _SEEN else self._way(stop, choice, kind)
            place, _, _, choice, _, ways, alike = stop
        stop.numbers.append(candidate)
        waiting.append(stop)

    def _first(
        self, fork: _Stop, kind: int, candidate: int, cohort: _Cohort, waiting: list[_Stop]
    ) -> None:
        """Let a candidate that is the first to have a kind of alternatives go on by itself.

        Often there is no second one, so that a stop is made for that.
        """
        pieces, kinds, choice = cohort.pieces, self._kinds, fork.choice
        shape, slots, stack = list(fork.trail.shape), list(fork.trail.slots), list(fork.trail.stack)
        fork.ways[kind] = _SEEN
        while choice is not None:
            _take(choice, choice.kinds[kind], shape, slots, stack)
            if len(shape) + len(stack) > MOST_DRAWS:
                shape, slots, stack = [], [], []
            if not stack:
                break
            place, choice, kind = len(shape), kinds.choice(stack.pop()), 0
            if place >= len(pieces):
                if not fork.numbers:
                    waiting.append(fork)
                fork.numbers.append(candidate)
                return
            if len(choice.kinds) > 1:
                kind = choice.guide[pieces[place][candidate]]
                if kind == len(choice.kinds):
                    kind = choice.exact_kind(cohort.bits(place, candidate))
        _collect_one(slots, self._alike_of(tuple(shape), len(slots)), candidate, cohort)

    def _way(self, fork: _Stop, choice: Choice, kind: int) -> _Stop:
        """Where a kind of alternatives leads to, when a candidate has it for the first time."""
        shape, slots, stack = list(fork.trail.shape), list(fork.trail.slots), list(fork.trail.stack)
        _take(choice, choice.kinds[kind], shape, slots, stack)
        way = fork.ways[kind] = self._stop(shape, slots, stack, fork.going[kind])
        return way

    def _stop(
        self, shape: list[int], slots: list[_Slot], stack: list[int], numbers: list[int]
    ) -> _Stop:
        """Expand states without choice up to a fork or an end."""
        while stack:
            if len(shape) + len(stack) > MOST_DRAWS:
                return self._end((), (), numbers)
            choice = self._kinds.choice(stack.pop())
            if len(choice.kinds) != 1:
                break
            _take(choice, choice.kinds[0], shape, slots, stack)
        else:
            return self._end(tuple(shape), tuple(slots), numbers)
        self._found += 1
        trail = _Trail(tuple(shape), tuple(slots), tuple(stack))
        going: list[list[int]] = [[] for _ in range(len(choice.kinds) + 1)]
        ways: list[_Stop | None] = [None] * len(choice.kinds)
        return _Stop(len(shape), numbers, trail, choice, going, ways, None)

    def _end(self, shape: tuple[int, ...], slots: tuple[_Slot, ...], numbers: list[int]) -> _Stop:
        last = slots[-1].place if slots else -1
        alike = self._alike_of(shape, len(slots))
        return _Stop(last, numbers, _Trail(shape, slots, ()), None, [], [], alike)

    def _alike_of(self, shape: tuple[int, ...], words: int) -> Alike:
        alike = self._alike.get(shape)
        if alike is None:
            alike = self._alike[shape] = Alike(shape, [], [[] for _ in range(words)])
        return alike


def _take(
    choice: Choice, kind: Kind, shape: list[int], slots: list[_Slot], stack: list[int]
) -> None:
    """Go on behind a kind of a state that has been taken from the stack."""
    if kind.words is None:
        shape.append(kind.rule)
        stack.extend(kind.children)
    else:
        slots.append(_Slot(len(shape), choice, kind))
        shape.append(~kind.words.number)


def _cohort(numbers: Sequence[int], keys: bytes, draws: int) -> _Cohort:
    pieces = [columns(keys, drawn) for drawn in range(0, draws, DRAWS)]
    return _Cohort(numbers, keys, list(chain.from_iterable(pieces)))


def _with_more(cohort: _Cohort, waiting: Sequence[_Stop]) -> _Cohort:
    """Those that wait at stops as a cohort of their own, which has more draws.

    All draws are made again, which takes less time than to find the old ones.
    """
    places = list(chain.from_iterable(stop.numbers for stop in waiting))
    begin = 0
    for _, numbers, *_ in waiting:
        numbers[:] = range(begin, begin + len(numbers))
        begin += len(numbers)
    return _cohort(
        [cohort.numbers[place] for place in places],
        b"".join(map(cohort.key, places)),
        min(MOST_DRAWS, 2 * len(cohort.pieces)),
    )


def _collect(end: _Stop, cohort: _Cohort) -> None:
    """Put candidates that have come to an end with those that are like them."""
    numbers, alike = end.numbers, end.alike
    if alike is None:
        raise AssertionError("at an end candidates are collected")
    pick = picking(numbers)
    alike.numbers.extend(pick(cohort.numbers))
    for (place, choice, kind), of_word in zip(end.trail.slots, alike.words):
        found = list(map(kind.cells.__getitem__, pick(cohort.pieces[place])))
        if not all(found):
            found = [
                entry or choice.entry(cohort.bits(place, candidate))
                for candidate, entry in zip(numbers, found)
            ]
        of_word.extend(found)
    numbers.clear()


def picking(places: Sequence[int]) -> Callable[[Sequence[_Item]], Sequence[_Item]]:
    """Picks the items at these places of a sequence."""
    if len(places) > 1:
        return itemgetter(*places)
    # At one place alone ``itemgetter`` would pick an item, and not a sequence.
    return itemgetter(slice(places[0], places[0] + 1) if places else slice(0))


def _collect_one(
    slots: Iterable[_Slot], alike: Alike | None, candidate: int, cohort: _Cohort
) -> None:
    """The same for one candidate with these words."""
    if alike is None:
        raise AssertionError("at an end candidates are collected")
    alike.numbers.append(cohort.numbers[candidate])
    for (place, choice, kind), of_word in zip(slots, alike.words):
        entry = kind.cells[cohort.pieces[place][candidate]]
        of_word.append(entry or choice.entry(cohort.bits(place, candidate)))
