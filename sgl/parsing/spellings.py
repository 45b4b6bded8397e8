"""Find which words can spell a text.

A text without separators can be divided in several ways, and if a layer has a finish (:mod:`sgl.core.spelling`), some
words are not written, some are written otherwise, or two as one.  So a text becomes a lattice.  A state is a place in
the text with whatever matters there about the words before it; a path is a sequence of words that spells the text, and
each such sequence has one path::

    ran .       0 -ran-> 1 -.-> end        1 -,-> 2 -.-> end       1 -,-> 2 -,-> 3 -.-> end

States are numbered so that every word leads to a higher number.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from heapq import heappop, heappush
from itertools import chain
from typing import NamedTuple, TypeVar

from sgl.core.grammar import TextLayer
from sgl.core.interpret import capitalised
from sgl.core.spelling import ANY_END, JOINTS, Finish, mutated, written
from sgl.foreign import limits


class TooLongError(Exception):
    """A sentence is not parsed, because it has too many words or takes too many steps."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not parsed: too long: {reason}")


#: The words at each position of an input, with their ends.
Arcs = Sequence[Sequence[tuple[str, int]]]

#: The most consecutive unwritten words; a text that needs more is not parsed.
MOST_ABSORBED = 16


class Lattice(NamedTuple):
    """The lattice of a text: words from each state, places in the text, and states that can absorb no more words."""

    arcs: Arcs
    places: Sequence[int]
    deepest: frozenset[int]


_Before = tuple[str, str, bool, str]


class _State(NamedTuple):
    """A place in a text: how far it is read, and how the words before it constrain the next one.

    ``right`` is how the second word of a piece is written, ``end`` where that piece ends: then the first word is
    read.  ``absorbed`` words in a row were not written, which the next word must want: ``wanted`` are all that it
    does.  ``before`` is the last word that was written, how, whether it can still be the first of a piece, and how it
    is written if what follows does not decide.  Before the text has ``begun``, words can be left out at its beginning,
    of which there were ``left``.  A ``glued`` word is directly behind the one before.
    """

    place: int
    left: int = 0
    end: int = 0
    absorbed: int = 0
    right: str = ""
    wanted: tuple[str, ...] = ()
    before: "_Before" = ("", "", False, "")
    begun: bool = False
    tight: bool = True
    glued: bool = False


#: Words, and the lengths of those that begin with a character.
_Lengths = tuple[Set[str], dict[str, list[int]]]

#: A word with the state that it leads to; None is the end.
_Arc = tuple[str, _State | None]
_Value = TypeVar("_Value")


class Spellings:
    """A finder of the word sequences that a text of a layer can spell."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self._layer, self._finish = layer, layer.finish or Finish()
        self.joints, words = sorted(words & {*JOINTS}), words - {*JOINTS}
        pairs = [(word, before) for word, before in self._finish.absorb if word in words]
        self._first = [word for word, before in pairs if not before]
        #: What is not written before a word; the forms of words, and the words of forms; halves of a piece.
        self._wanted = _grouped((before, word) for word, before in pairs if before)
        forms = {(form, word) for word, _, form in self._finish.forms if word in words}
        self._forms = _grouped((word, form) for form, word in sorted(forms))
        triggers = _triggers(words, self._finish)
        changed = {(mutated(self._finish, word, before), word) for before in ("", *triggers) for word in words}
        self._shown = _grouped(sorted(forms | changed))
        self._whole = {(left, right): text for left, right, text in self._finish.elisions}
        self._halves = _grouped((text, halves) for halves, text in self._whole.items())
        every = {*self._shown, *self._halves}
        raised = capitalised if self._finish.capital else str
        self._beginnings = _grouped((raised(piece), piece) for piece in sorted(every))
        self._pieces, self._raised = _by_first(every), _by_first({*self._beginnings})
        self._attached = _by_first(every & layer.attach)
        self._matter = {word for word, _ in pairs} | {word for _, word in forms} | triggers

    def lattice(self, text: str) -> Lattice:
        """Return the lattice of a text; raises ``TooLongError`` if it has too many states."""
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
        last, form, _, base = state.before
        for joint in self.joints if state.begun and not (state.right or state.absorbed or state.glued) else ():
            yield joint, state._replace(tight=True, glued=True)
        classes = set[tuple[str, ...]]()
        for word, after in self._kept(text, state):
            own = tuple(self._wanted.get(word, ()))
            if (state.glued or last not in own) and form in ("", written(self._finish, last, word, base)):
                classes.add(own)
                if not state.absorbed or own == state.wanted:
                    yield word, after
        for own in sorted({state.wanted} & classes if state.absorbed else classes):
            for word in own if state.absorbed < MOST_ABSORBED and not state.glued else ():
                yield word, state._replace(absorbed=state.absorbed + 1, wanted=own)

    def _kept(self, text: str, state: _State) -> Iterator[_Arc]:
        word, last, free, _ = state.before
        before = word if last else ""  # A word that was absorbed changes nothing.
        if state.right:
            whole = self._whole[last, state.right]
            for word, base in self._words(state.right, before):
                yield from self._after(text, (word, state.right, False, base), state.end, whole)
            return
        for word in self._first if not state.begun and state.left < MOST_ABSORBED else ():
            yield word, _State(state.place, state.left + 1, before=(word, "", False, ""))
        for piece, end in self._standing(text, state):
            for form, right in [(piece, ""), *(() if state.glued else self._halves.get(piece, ()))]:
                for word, base in self._words(form, before):
                    if free and not state.glued and (last, form) in self._whole:
                        continue
                    if not state.begun and word in self._first:
                        continue
                    if right:
                        inside = _State(state.place, state.left, end, right=right, begun=True)
                        yield word, inside._replace(before=(word, form, False, base))
                    else:
                        yield from self._after(text, (word, form, not state.glued, base), end, piece)

    def _words(self, form: str, before: str) -> Iterator[tuple[str, str]]:
        """Yield words that may be written so behind another one, and how they are unless what follows decides."""
        for word in self._shown.get(form, ()):
            base = mutated(self._finish, word, before)
            if form == base or (base == word and form in self._forms.get(word, ())):
                yield word, base

    def _after(self, text: str, before: _Before, end: int, piece: str) -> Iterator[_Arc]:
        word, form, free, base = before
        if end == len(text):
            if form == base:
                yield word, None
            return
        halves = {left for left, _ in self._whole} if free else ()
        kept = before if word in self._matter or form in halves else ("", "", False, "")
        tight = piece in self._finish.after
        yield word, _State(end, before=kept, begun=True, tight=tight)

    def _standing(self, text: str, state: _State) -> Iterator[tuple[str, int]]:
        """Yield the pieces at a state that are followed by the end of the text or by another piece."""
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
            close = self.joints or piece in self._finish.after or any(_standing(self._attached, text, end))
            if close or end == len(text) or text.startswith(join, end):
                yield piece, end


def _triggers(words: Set[str], finish: Finish) -> set[str]:
    """Return the words behind which others are written in another way."""
    after = {mutation[1] for mutation in finish.mutations}
    ends = tuple(trigger[1:] for trigger in after if trigger[:1] == ANY_END)
    return {word for word in words if word in after or word.endswith(ends)}


def _grouped(pairs: Iterable[tuple[str, _Value]]) -> dict[str, list[_Value]]:
    found: dict[str, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _by_first(words: Set[str]) -> _Lengths:
    return words, _grouped(sorted({(word[0], len(word)) for word in words}))


def _standing(words: _Lengths, text: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield the words that begin at ``start``, shorter ones first, with their ends."""
    known, lengths = words
    for length in lengths.get(text[start : start + 1], ()):
        word = text[start : start + length]
        if word in known and len(word) == length:
            yield word, start + length
