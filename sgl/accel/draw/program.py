"""Tables as a program for the kernel that draws derivations.

Every alternative of a state has *code*: one instruction for each child of its rule, with
the words before that child as a *piece* of one array of bytes, which is written first::

    NP -> the N      LAST_WORD "the " N
    S  -> ~NP VP .   CALL "" NP°     CALL "" VP     RETURN "[back 1]. "

``CALL`` draws an alternative of a state and goes on with its code; before the last child of
a rule it is ``JUMP``, which has nothing to come back to.  A state that becomes words only is
drawn by ``WORD``: its alternatives are pieces.  A state with one alternative is no choice:
its code stands in place of the call, and ``NOTE`` adds its rule to the derivation; where it
is the first child, the rule is noted together with that of its parent.  A state behind
``capital`` is there twice, as ``NP°`` with the first letter of its first word raised.

To choose among *n* alternatives, the first bits of the random number are looked up in a
*guide* (Chen & Asau 1974): the first alternative that they leave possible.  From there the
bounds are compared one by one, seldom more than one.  The choice is the one that
``sgl.sampling.engine.derive`` makes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw.certainty import attaches, closed, initial_states, sure_states
from sgl.core.column import StringPool
from sgl.core.interpret import capitalised
from sgl.sampling.engine import State, Tables
from sgl.sampling.engine import capitalised as raised

#: What an instruction does; its argument, a state or a rule, is above these bits.
WORD, LAST_WORD, CALL, JUMP, NOTE, GO_ON, RETURN = range(7)
OPERATION_BITS = 3

#: Columns of ``Program.states``: first alternative, first entry of the guide, how far the
#: random bits are shifted to index it (``SINGLE`` if there is one alternative), scale.
FIRST, GUIDE, SHIFT, TOTAL = range(4)
STATE_COLUMNS = 4
SINGLE = -1

#: Columns of ``Program.alternatives``: the code and, above ``COUNT``, how many rules are
#: noted (of a state of words its piece instead); four rules.
TARGET, NOTES, MORE_NOTES = range(3)
ALTERNATIVE_COLUMNS = 4
COUNT = 32

#: Rules that are noted with one alternative.
MOST_NOTES = 4

#: Bytes of a piece, which one instruction writes; a piece is start, length, bytes taken back.
LONGEST_PIECE = 32
LENGTH, BACK = 32, 56

#: Instructions that may stand in place of a call, and calls that may be inside one another.
_MOST_INLINED, _DEEPEST_INLINED = 24, 12

_BITS = 64

#: With two bits less, a choice takes a second step more often, and drawing a tenth more time.
_GUIDE_BITS = 3


class Program(NamedTuple):
    """The states of all strata as arrays.

    ``code`` has the operation with its argument, and a piece.  ``starts[s]`` is the
    instruction that draws from state ``s`` of the tables, if a stratum starts there.  If it
    is not ``written``, the code draws and writes nothing.
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
    """What is written depends on what is drawn elsewhere."""


def program_of(tables: Tables) -> Program:
    """Return the program that draws what ``tables`` describe, and writes it if that can be."""
    try:
        return _Assembler(tables, written=True).program()
    except _Undecided:
        return _Assembler(tables, written=False).program()


class _Target(NamedTuple):
    """A state, and whether its first letter is raised."""

    state: int
    raised: bool


class _Step(NamedTuple):
    """An instruction in the making: words before, operation, and the state or rule meant."""

    words: tuple[str, ...]
    operation: int
    target: _Target | None = None
    rule: int = 0


class _Assembler:
    """Assembles the code of all alternatives, as it is called for."""

    def __init__(self, tables: Tables, *, written: bool) -> None:
        self._tables = tables
        self._text = tables.source
        self._written = written
        self._sure = sure_states(tables) if written else frozenset()
        self._initial = initial_states(tables, self._sure) if written else frozenset()
        self._pool = StringPool()
        self._pieces_of: dict[tuple[str, ...], list[int]] = {}
        self._rows: dict[_Target, int] = {}
        self._targets: list[_Target] = []
        self._code: list[tuple[int, int]] = []
        self._known: dict[tuple[tuple[int, int], ...], int] = {}
        self._lexical: dict[int, bool] = {}
        self._single: dict[_Target, list[_Step] | None] = {}
        #: The states whose instructions are being put in place of calls.
        self._inside: list[_Target] = []
        self._guides: list[int] = []
        self._guide_of: dict[int, tuple[int, int]] = {}

    def program(self) -> Program:
        """Assemble every state that some stratum can reach."""
        starts = np.zeros(len(self._tables.states), np.int64)
        for stratum in self._tables.strata:
            if self._tables.states[stratum.start].rules:
                start = _Target(stratum.start, raised=False)
                operation = LAST_WORD if self._is_lexical(start) else JUMP
                starts[stratum.start] = operation | self._row(start) << OPERATION_BITS
        states: list[tuple[int, ...]] = []
        bounds: list[int] = []
        alternatives: list[tuple[int, int, int, int]] = []
        while len(states) < len(self._targets):
            target = self._targets[len(states)]
            state = self._tables.states[target.state]
            guide, shift = self._guide(target.state)
            states.append((len(bounds), guide, shift, state.bounds[-1]))
            bounds += state.bounds
            alternatives += self._alternatives(target, state)
        return Program(
            states=np.array(states, np.int64).reshape(-1),
            bounds=np.array(bounds, np.int64),
            alternatives=np.array(alternatives, np.int64).reshape(-1),
            guides=np.array(self._guides or [0], np.int32),
            code=np.array(self._code or [(RETURN, 0)], np.int64).reshape(-1),
            pool=self._pool.packed(),
            starts=starts,
            separator=len(self._text.join.encode()),
            written=self._written,
        )

    def _row(self, target: _Target) -> int:
        row = self._rows.setdefault(target, len(self._rows))
        if row == len(self._targets):
            self._targets.append(target)
        return row

    def _guide(self, number: int) -> tuple[int, int]:
        """Return where the guide of a state begins, and the shift of its index."""
        if number not in self._guide_of:
            shift, guide = guide_of(self._tables.states[number].bounds)
            self._guide_of[number] = (len(self._guides), shift)
            self._guides += guide
        return self._guide_of[number]

    def _alternatives(self, target: _Target, state: State) -> Iterator[tuple[int, int, int, int]]:
        if self._is_lexical(target):
            for rule in state.rules:
                words = self._words(rule)
                yield self._piece(raised(words) if target.raised else words), rule, 0, 0
            return
        for rule, children in zip(state.rules, state.children, strict=True):
            steps = self._steps(target, rule, children[::-1])
            notes = [rule]
            while len(notes) < MOST_NOTES and steps[0].operation == NOTE and not steps[0].words:
                notes.append(steps.pop(0).rule)
            target_of_code = self._insert(steps) | len(notes) << COUNT
            notes += [0] * (MOST_NOTES - len(notes))
            yield target_of_code, notes[0] | notes[1] << 32, notes[2] | notes[3] << 32, 0

    def _words(self, rule: int) -> tuple[str, ...]:
        """Return the words of a rule without children, if they are written."""
        if not self._written:
            return ()
        return tuple(item for item in self._text.templates[rule] if isinstance(item, str))

    def _is_lexical(self, target: _Target) -> bool:
        """Return whether a state becomes words only, each alternative one piece."""
        number = target.state
        known = self._lexical.get(number)
        if known is None:
            state = self._tables.states[number]
            known = not any(state.children) and all(map(self._is_piece, state.rules))
            self._lexical[number] = known
        return known

    def _is_piece(self, rule: int) -> bool:
        """Return whether the words of a rule are one piece, with or without a capital."""
        words = self._words(rule)
        return all(
            len(closed(self._text, form).encode()) <= LONGEST_PIECE
            and not attaches(self._text, form)
            for form in (words, raised(words))
        )

    def _steps(self, target: _Target, rule: int, children: Sequence[int]) -> list[_Step]:
        """Return the instructions of an alternative; states without choice are put in place."""
        steps: list[_Step] = []
        words: list[str] = []
        capital = target.raised
        begun = False
        for item in self._template(rule, len(children)):
            if isinstance(item, str):
                first, begun = not begun, True
                capital, word = self._raised(item, capital=capital)
                words.append(word)
                if first and attaches(self._text, words) and target.state in self._initial:
                    raise _Undecided
                continue
            child = _Target(children[item if item >= 0 else ~item], capital or item < 0)
            if child.raised and child.state not in self._sure:
                raise _Undecided
            capital = False
            begun = begun or child.state in self._sure
            steps += self._visit(child, tuple(words))
            words = []
        if not steps or words or steps[-1].operation in (NOTE, GO_ON):
            return [*steps, _Step(tuple(words), RETURN)]
        last = steps[-1]
        operation = LAST_WORD if last.operation == WORD else JUMP
        return [*steps[:-1], last._replace(operation=operation)]

    def _template(self, rule: int, children: int) -> Sequence[str | int]:
        """Return the source template of a rule: its children in their order."""
        if not self._written:
            return range(children)
        template = self._text.templates[rule]
        slots = [item if item >= 0 else ~item for item in template if isinstance(item, int)]
        if slots != list(range(children)):
            raise _Undecided
        return template

    @staticmethod
    def _raised(word: str, *, capital: bool) -> tuple[bool, str]:
        """Return whether a capital is still to come after a word, and the word."""
        return (False, capitalised(word)) if capital and word else (capital, word)

    def _visit(self, child: _Target, words: tuple[str, ...]) -> list[_Step]:
        """Return the instructions that draw a child, with words before it."""
        state = self._tables.states[child.state]
        if self._is_lexical(child):
            return [_Step(words, WORD, child)]
        inlined = self._inlined(child) if len(state.rules) == 1 else None
        if inlined is None:
            return [_Step(words, CALL, child)]
        return [_Step(words, NOTE, rule=state.rules[0]), *_opened(inlined)]

    def _inlined(self, child: _Target) -> list[_Step] | None:
        """Return the instructions of a state with one alternative, or None if too many."""
        if child not in self._single:
            if child in self._inside or len(self._inside) >= _DEEPEST_INLINED:
                return None
            self._inside.append(child)
            state = self._tables.states[child.state]
            steps = self._steps(child, state.rules[0], state.children[0][::-1])
            self._inside.pop()
            self._single[child] = steps if len(steps) <= _MOST_INLINED else None
        return self._single[child]

    def _insert(self, steps: Sequence[_Step]) -> int:
        """Put instructions behind the others, or find them there; their address."""
        rows: list[tuple[int, int]] = []
        for step in steps:
            *before, piece = self._pieces(step.words)
            rows += [(GO_ON, other) for other in before]
            argument = step.rule if step.target is None else self._row(step.target)
            rows.append((step.operation | argument << OPERATION_BITS, piece))
        code = tuple(rows)
        address = self._known.get(code)
        if address is None:
            address = self._known[code] = 2 * len(self._code)
            self._code += code
        return address

    def _pieces(self, words: Sequence[str]) -> list[int]:
        """Return the pieces that these words are written by; one at least."""
        key = tuple(words)
        known = self._pieces_of.get(key)
        if known is not None:
            return known
        content = closed(self._text, words).encode()
        back = len(self._text.join.encode()) if attaches(self._text, words) else 0
        cuts = range(0, max(len(content), 1), LONGEST_PIECE)
        pieces = [self._pool.add(content[cut : cut + LONGEST_PIECE]) for cut in cuts]
        pieces[0] |= back << BACK
        self._pieces_of[key] = pieces
        return pieces

    def _piece(self, words: Sequence[str]) -> int:
        (piece,) = self._pieces(words)
        return piece


def _opened(steps: list[_Step]) -> list[_Step]:
    """Return the steps of an alternative that others follow: without return, without last calls."""
    last = steps[-1]
    if last.operation == RETURN:
        return [*steps[:-1], *([last._replace(operation=GO_ON)] if last.words else [])]
    operation = WORD if last.operation == LAST_WORD else CALL
    return [*steps[:-1], last._replace(operation=operation)]


def guide_of(bounds: Sequence[int]) -> tuple[int, list[int]]:
    """Return how far random bits are shifted to index the guide, and the guide.

    It has at least eight times as many entries as there are alternatives, so that most
    entries leave one alternative only.
    """
    if len(bounds) < 2:
        return SINGLE, []
    bits = (len(bounds) - 1).bit_length() + _GUIDE_BITS
    total = bounds[-1]
    shift = _BITS - bits
    return shift, [
        bisect_right(bounds, (entry << shift) * total >> _BITS) for entry in range(1 << bits)
    ]
