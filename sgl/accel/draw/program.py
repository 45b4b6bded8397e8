"""Assemble the tables into a program for the kernel that draws derivations.

Every alternative of a state has *code*: one instruction for each child of its rule, with the words before that child as
a *piece* of one array of bytes, which is written first::

    NP -> the N      LAST_WORD "the " N
    S  -> ~NP VP .   CALL "" NP°     CALL "" VP     RETURN "[back 1]. "

``JUMP`` calls a last child, after which there is nothing to return to.  ``WORD`` draws a state that becomes only words.
A state after ``capital`` occurs twice, the second time as ``NP°`` with the first letter of its first word raised.
Where a capital goes, and whether an attached word has something before it, depends on what is certain about the words
of a state: is one of them *sure* not to be empty, and can they be *initial*, the first of a sentence?

To choose among *n* alternatives, the first bits of the random number are looked up in a *guide* (Chen & Asau 1974),
which gives the first alternative that they leave possible.  From there, bounds are compared.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import StringPool
from sgl.core.graph import CUT
from sgl.core.interpret import capitalised
from sgl.sampling.engine import State, Tables, joined
from sgl.sampling.engine import capitalised as raised

#: The operations of instructions; the argument, a state, is in the bits above these.
WORD, LAST_WORD, CALL, JUMP, GO_ON, RETURN = range(6)
OPERATION_BITS = 3

#: The columns of ``Program.states``: first alternative, first entry of the guide, the shift of the random bits that
#: indexes it (``SINGLE`` if there is one alternative), and the scale.
FIRST, GUIDE, SHIFT, TOTAL = range(4)
STATE_COLUMNS = 4
SINGLE = -1

#: The columns of ``Program.alternatives``: the code, or the piece if the state becomes only words; and the rule.
TARGET, RULE = range(2)
ALTERNATIVE_COLUMNS = 2

#: The most bytes of a piece, which one instruction writes; a piece has a start, a length and a number of bytes to take
#: back.
LONGEST_PIECE = 32
LENGTH, BACK = 32, 56

_BITS = 64

#: With two bits fewer, more choices take a second step, and drawing takes a tenth more time.
_GUIDE_BITS = 3


class Program(NamedTuple):
    """The states of all strata as arrays.

    ``code`` alternates an operation with its argument and a piece.  ``starts[s]`` is the instruction that draws from
    state ``s`` of the tables, if a stratum starts there.  If ``written`` is false, the code only draws and writes no
    text.
    """

    states: NDArray[np.int64]
    bounds: NDArray[np.int64]
    alternatives: NDArray[np.int64]
    guides: NDArray[np.int32]
    code: NDArray[np.int64]
    pool: NDArray[np.uint8]
    starts: NDArray[np.int64]
    separator: int
    written: bool


class _Undecided(Exception):
    """The text of a phrase depends on what is drawn elsewhere."""


class _Target(NamedTuple):
    """A state, and whether its first letter is raised."""

    state: int
    raised: bool


def program_of(tables: Tables) -> Program:
    """Return the program that draws from ``tables``, and writes the texts if possible."""
    try:
        if any(CUT in template for template in tables.source.templates):
            raise _Undecided
        return _Assembler(tables, written=True).program()
    except _Undecided:
        return _Assembler(tables, written=False).program()


class _Assembler:
    """An assembler of the code of all reachable alternatives."""

    def __init__(self, tables: Tables, *, written: bool) -> None:
        self._tables = tables
        self._text = tables.source
        if written and tables.source.finish is not None:
            raise _Undecided
        self._written = written
        self._sure, self._initial = certain_states(tables) if written else (set[int](), set[int]())
        short = {rule for rule, arity in enumerate(tables.arity) if not arity and self._fits(rule)}
        #: Whether a state becomes only words, with one piece for each alternative.
        self._lexical = [not any(state.children) and short.issuperset(state.rules) for state in tables.states]
        self._pool = StringPool()
        self._row: dict[_Target, int] = {}
        self._targets: list[_Target] = []
        self._code: list[tuple[int, int]] = []
        self._address: dict[tuple[tuple[int, int], ...], int] = {}

    def program(self) -> Program:
        starts = np.zeros(len(self._tables.states), np.int64)
        for start in {stratum.start for stratum in self._tables.strata}:
            if self._tables.states[start].rules:
                starts[start] = self._draw(_Target(start, raised=False), last=True)
        states: list[tuple[int, int, int, int]] = []
        bounds: list[int] = []
        guides: list[int] = [0]
        alternatives: list[tuple[int, int]] = []
        while len(states) < len(self._targets):
            target = self._targets[len(states)]
            state = self._tables.states[target.state]
            shift, guide = guide_of(state.bounds)
            states.append((len(bounds), len(guides), shift, state.bounds[-1]))
            bounds += state.bounds
            guides += guide
            alternatives += self._alternatives(target, state)
        return Program(
            states=np.array(states, np.int64).reshape(-1),
            bounds=np.array(bounds, np.int64),
            alternatives=np.array(alternatives, np.int64).reshape(-1),
            guides=np.array(guides, np.int32),
            code=np.array(self._code or [(RETURN, 0)], np.int64).reshape(-1),
            pool=self._pool.packed(),
            starts=starts,
            separator=len(self._text.join.encode()),
            written=self._written,
        )

    def _draw(self, target: _Target, *, last: bool) -> int:
        row = self._row.setdefault(target, len(self._row))
        if row == len(self._targets):
            self._targets.append(target)
        operation = (LAST_WORD if last else WORD) if self._lexical[target.state] else JUMP if last else CALL
        return operation | row << OPERATION_BITS

    def _alternatives(self, target: _Target, state: State) -> Iterator[tuple[int, int]]:
        for rule, children in zip(state.rules, state.children, strict=True):
            if self._lexical[target.state]:
                words = self._words(rule)
                (piece,) = self._pieces(raised(words) if target.raised else words)
                yield piece, rule
                continue
            code = tuple(self._instructions(target, rule, children[::-1]))
            address = self._address.setdefault(code, 2 * len(self._code))
            if address == 2 * len(self._code):
                self._code += code
            yield address, rule

    def _instructions(self, target: _Target, rule: int, children: Sequence[int]) -> Iterator[tuple[int, int]]:
        words: list[str] = []
        capital = target.raised
        begun = False
        template = self._template(rule, len(children))
        for place, item in enumerate(template, start=1):
            if isinstance(item, str):
                first, begun = not begun, True
                words.append(capitalised(item) if capital else item)
                capital = capital and not item
                if first and self._attaches(words) and target.state in self._initial:
                    raise _Undecided
                continue
            child = _Target(children[item if item >= 0 else ~item], capital or item < 0)
            if child.raised and child.state not in self._sure:
                raise _Undecided
            capital = False
            begun = begun or child.state in self._sure
            yield from self._after(words, self._draw(child, last=place == len(template)))
            words = []
        if not template or isinstance(template[-1], str):
            yield from self._after(words, RETURN)

    def _after(self, words: Sequence[str], instruction: int) -> Iterator[tuple[int, int]]:
        *before, piece = self._pieces(words)
        yield from ((GO_ON, other) for other in before)
        yield instruction, piece

    def _template(self, rule: int, children: int) -> Sequence[str | int]:
        if not self._written:
            return range(children)
        template = self._text.templates[rule]
        slots = [item if item >= 0 else ~item for item in template if isinstance(item, int)]
        if slots != list(range(children)):
            raise _Undecided
        return template

    def _words(self, rule: int) -> list[str]:
        template = self._text.templates[rule] if self._written else ()
        return [item for item in template if isinstance(item, str)]

    def _fits(self, rule: int) -> bool:
        """Return whether the words of a rule fit into one piece, with and without a capital."""
        return all(
            len(self._closed(form)) <= LONGEST_PIECE and not self._attaches(form)
            for form in (self._words(rule), raised(self._words(rule)))
        )

    def _pieces(self, words: Sequence[str]) -> list[int]:
        content = self._closed(words)
        back = len(self._text.join.encode()) if self._attaches(words) else 0
        cuts = range(0, max(len(content), 1), LONGEST_PIECE)
        pieces = [self._pool.add(content[cut : cut + LONGEST_PIECE]) for cut in cuts]
        pieces[0] |= back << BACK
        return pieces

    def _closed(self, words: Sequence[str]) -> bytes:
        """Return the words as one string with a separator after each, the last included."""
        return (joined(self._text, words) + self._text.join).encode() if words else b""

    def _attaches(self, words: Sequence[str]) -> bool:
        return bool(words and self._text.join) and words[0] in self._text.attach


def guide_of(bounds: Sequence[int]) -> tuple[int, list[int]]:
    """Return the shift of the random bits that indexes the guide, and the guide.

    It has at least eight entries for each alternative, so that most entries leave only one.
    """
    if len(bounds) < 2:
        return SINGLE, []
    bits = (len(bounds) - 1).bit_length() + _GUIDE_BITS
    total = bounds[-1]
    shift = _BITS - bits
    return shift, [bisect_right(bounds, (entry << shift) * total >> _BITS) for entry in range(1 << bits)]


def certain_states(tables: Tables) -> tuple[set[int], set[int]]:
    """Return the states that always have a non-empty word, and those whose words can come first."""

    def shows(item: str | int) -> bool:
        return bool(item) if isinstance(item, str) else item in sure

    phrases = [_phrases(tables, state) for state in tables.states]
    sure = set[int]()
    while found := [
        number
        for number, alternatives in enumerate(phrases)
        if number not in sure and all(any(map(shows, items)) for items in alternatives)
    ]:
        sure.update(found)
    initial = {stratum.start for stratum in tables.strata}
    waiting = list(initial)
    while waiting:
        for items in phrases[waiting.pop()]:
            before = len([*takewhile(lambda item: not shows(item), items)])
            fresh = {item for item in items[: before + 1] if isinstance(item, int)} - initial
            initial |= fresh
            waiting += fresh
    return sure, initial


def _phrases(tables: Tables, state: State) -> list[list[str | int]]:
    return [
        [
            item if isinstance(item, str) else children[~item if item >= 0 else item]
            for item in tables.source.templates[rule]
        ]
        for rule, children in zip(state.rules, state.children, strict=True)
    ]
