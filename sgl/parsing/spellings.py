"""The words that a text can be the spelling of, as a lattice that the chart goes through.

A text without separators can be divided in several ways.  Where a text layer has a finish (:mod:`sgl.core.spelling`),
words and text differ: some words are not written, some are written otherwise, or two as one.  A state of the lattice
is a place in the text with what matters there of the words before it; a path is a sequence of words whose spelling is
the text, and each such sequence is one path::

    ran .       0 -ran-> 1 -.-> end        1 -,-> 2 -.-> end       1 -,-> 2 -,-> 3 -.-> end

States are numbered so that every word leads to a greater number.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from heapq import heappop, heappush
from itertools import chain
from typing import NamedTuple, TypeVar

from sgl.core.grammar import TextLayer
from sgl.core.interpret import capitalised
from sgl.core.spelling import Finish, written
from sgl.foreign import limits
from sgl.parsing.chart import Arcs, TooLongError

#: Words in a row that are not written, of which readings are found; beyond it nothing is parsed.
MOST_ABSORBED = 16


class Lattice(NamedTuple):
    """What a text spells: words from each state, its place; the last is the end, ``deepest`` absorb no further word."""

    arcs: Arcs
    places: Sequence[int]
    deepest: frozenset[int]


class _State(NamedTuple):
    """A place in a text: how far it is read, and what the words before it ask of the next one.

    ``right`` is how the second word of a piece is written, ``end`` where that piece ends: then the first word is
    read.  ``absorbed`` words in a row were not written, which the next word must want: ``wanted`` are all that it
    does.  ``before`` is the last word that was written, how, and whether it can still be the first of a piece.
    Before the text has ``begun``, words can be left out at its beginning, of which there were ``left``.
    """

    place: int
    left: int = 0
    end: int = 0
    absorbed: int = 0
    right: str = ""
    wanted: tuple[str, ...] = ()
    before: tuple[str, str, bool] = ("", "", False)
    begun: bool = False
    tight: bool = True


#: Words, and the lengths of those with one first character.
_Lengths = tuple[Set[str], dict[str, list[int]]]

#: A word with the state where it leads; None is the end.
_Arc = tuple[str, _State | None]
_Value = TypeVar("_Value")


class Spellings:
    """Finds the words whose spelling a text of a layer is."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self._layer, self._finish = layer, layer.finish or Finish()
        pairs = [(word, before) for word, before in self._finish.absorb if word in words]
        self._first = [word for word, before in pairs if not before]
        #: What is not written before a word; the words that are written so; halves of a piece.
        self._wanted = _grouped((before, word) for word, before in pairs if before)
        forms = {(form, word) for word, _, form in self._finish.forms if word in words}
        self._shown = _grouped(sorted(forms | {(word, word) for word in words}))
        self._whole = {(left, right): text for left, right, text in self._finish.elisions}
        self._halves = _grouped((text, halves) for halves, text in self._whole.items())
        every = {*self._shown, *self._halves}
        raised = capitalised if self._finish.capital else str
        self._beginnings = _grouped((raised(piece), piece) for piece in sorted(every))
        self._pieces, self._raised = _by_first(every), _by_first({*self._beginnings})
        self._attached = _by_first(every & layer.attach)
        self._matter = {word for word, _ in pairs} | {word for _, word in forms}

    def lattice(self, text: str) -> Lattice:
        """Return the lattice of a text; raise ``TooLongError`` if it has too many states."""
        waiting: list[_State] = [_State(0)]
        arcs: dict[_State | None, list[_Arc]] = {}
        while waiting:
            state = heappop(waiting)
            if state in arcs:
                continue
            arcs[state] = list(dict.fromkeys(self._arcs(text, state)))
            if len(arcs) > limits().steps:
                raise TooLongError("it can be spelt in too many ways")
            for _, after in arcs[state]:
                if after is not None and after not in arcs:
                    heappush(waiting, after)
        arcs[None] = []
        number = {state: n for n, state in enumerate(arcs)}
        return Lattice(
            [[(word, number[after]) for word, after in own] for own in arcs.values()],
            [len(text) if state is None else state.place for state in arcs],
            frozenset(number[s] for s in arcs if s and MOST_ABSORBED in (s.absorbed, s.left)),
        )

    def _arcs(self, text: str, state: _State) -> Iterator[_Arc]:
        last, form, _ = state.before
        classes = set[tuple[str, ...]]()
        for word, after in self._kept(text, state):
            own = tuple(self._wanted.get(word, ()))
            if last not in own and form in ("", written(self._finish, last, word)):
                classes.add(own)
                if not state.absorbed or own == state.wanted:
                    yield word, after
        for own in sorted({state.wanted} & classes if state.absorbed else classes):
            for word in own if state.absorbed < MOST_ABSORBED else ():
                yield word, state._replace(absorbed=state.absorbed + 1, wanted=own)

    def _kept(self, text: str, state: _State) -> Iterator[_Arc]:
        _, last, free = state.before
        if state.right:
            for word in self._shown.get(state.right, ()):
                piece = self._whole[last, state.right]
                yield from self._after(text, (word, state.right, False), state.end, piece)
            return
        for word in self._first if not state.begun and state.left < MOST_ABSORBED else ():
            yield word, _State(state.place, state.left + 1, before=(word, "", False))
        for piece, end in self._standing(text, state):
            for form, right in [(piece, ""), *self._halves.get(piece, ())]:
                for word in self._shown.get(form, ()):
                    if free and (last, form) in self._whole:
                        continue
                    if not state.begun and word in self._first:
                        continue
                    if right:
                        inside = _State(state.place, state.left, end, right=right, begun=True)
                        yield word, inside._replace(before=(word, form, False))
                    else:
                        yield from self._after(text, (word, form, True), end, piece)

    def _after(self, text: str, before: tuple[str, str, bool], end: int, piece: str) -> Iterator[_Arc]:
        word, form, free = before
        if end == len(text):
            if form == word:
                yield word, None
            return
        halves = {left for left, _ in self._whole} if free else ()
        kept = before if word in self._matter or form in halves else ("", "", False)
        tight = piece in self._finish.after
        yield word, _State(end, before=kept, begun=True, tight=tight)

    def _standing(self, text: str, state: _State) -> Iterator[tuple[str, int]]:
        """Yield the pieces that stand at a state and have behind them the end of the text, or another piece."""
        join, place, attach = self._layer.join, state.place, self._layer.attach
        found: Iterator[tuple[str, int]]
        if not state.begun:
            found = ((piece, end) for x, end in _standing(self._raised, text, place) for piece in self._beginnings[x])
        elif state.tight or not join:
            found = _standing(self._pieces, text, place)
        elif text.startswith(join, place):
            apart = _standing(self._pieces, text, place + len(join))
            found = chain(_standing(self._attached, text, place), (x for x in apart if x[0] not in attach))
        else:
            found = _standing(self._attached, text, place)
        for piece, end in found:
            close = piece in self._finish.after or any(_standing(self._attached, text, end))
            if close or end == len(text) or text.startswith(join, end):
                yield piece, end


def _grouped(pairs: Iterable[tuple[str, _Value]]) -> dict[str, list[_Value]]:
    found: dict[str, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _by_first(words: Set[str]) -> _Lengths:
    """Return words with the lengths of those that begin with a character."""
    lengths: dict[str, set[int]] = {}
    for word in words:
        lengths.setdefault(word[0], set()).add(len(word))
    return words, {first: sorted(found) for first, found in lengths.items()}


def _standing(words: _Lengths, text: str, start: int) -> Iterator[tuple[str, int]]:
    """Return the words that stand at ``start``, shorter ones first, with their ends."""
    known, lengths = words
    for length in lengths.get(text[start : start + 1], ()):
        end = start + length
        word = text[start:end]
        if word in known and end <= len(text):
            yield word, end
