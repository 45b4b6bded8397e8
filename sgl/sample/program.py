"""Tables as a program for the kernel that draws derivations.

Every state is a row of numbers, every alternative the beginning of a piece of *code*: the
items of its template, with the states of its children in place of their numbers::

    NP -> the N [dog cat fox]        LITERAL "the "   WORD 17   RETURN

A literal holds all words between two children, each with the separator behind it; one that
starts with a word that attaches takes the separator before it back.  States that become
words only are drawn without code: their alternatives are literals.

To choose among *n* alternatives, the first bits of the random number are looked up in a
*guide* (Chen & Asau 1974): the first alternative that they leave possible.  From there the
bounds are compared one by one, seldom more than one.  The choice is the one that
``sgl.sample.engine.derive`` makes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.kernel.column import SHIFT as LENGTH
from sgl.kernel.column import StringPool
from sgl.sample.engine import PackedText, State, Tables

#: What an instruction does: the lowest bits of its number, its argument above them.
LITERAL, ATTACHED, CALL, WORD, RETURN, RAISE, RAISED = range(7)
OPERATION_BITS = 3

#: Columns of ``Program.states``: first alternative, first entry of the guide, how far the
#: random bits are shifted to index it (``SINGLE`` if there is one alternative), scale.
FIRST, GUIDE, SHIFT, TOTAL = range(4)
SINGLE = -1

_BITS = 64


class Literals(NamedTuple):
    """Words with their separators: pieces of a pool, plain and with the first letter raised.

    ``shown[i]`` is 1 if literal ``i`` has a word that is not empty, which takes the capital.
    ``longest`` is the number of bytes of the longest literal.
    """

    plain: NDArray[np.int64]
    raised: NDArray[np.int64]
    shown: NDArray[np.uint8]
    pool: NDArray[np.uint8]
    longest: int


class Program(NamedTuple):
    """The states of all strata as arrays.

    ``rules[a]`` and ``codes[a]`` are the rule and the code of alternative ``a``; of a
    state that is drawn by ``WORD``, its code is a literal.  With ``written`` the code
    writes the source text; otherwise it only visits the children.
    """

    states: NDArray[np.int64]
    bounds: NDArray[np.int64]
    guides: NDArray[np.int32]
    rules: NDArray[np.int32]
    codes: NDArray[np.int32]
    code: NDArray[np.int32]
    arity: NDArray[np.int32]
    literals: Literals
    separator: int
    written: bool


def instruction(operation: int, argument: int = 0) -> int:
    """An operation with its argument as one number."""
    return argument << OPERATION_BITS | operation


def program_of(tables: Tables) -> Program:
    """The program that draws what ``tables`` describe."""
    templates = tables.source.templates
    written = all(
        [item if item >= 0 else ~item for item in template if isinstance(item, int)]
        == list(range(arity))
        for template, arity in zip(templates, tables.arity, strict=True)
    )
    return _Assembler(tables, written=written).program()


class LiteralPool:
    """Collects the literals of a text layer."""

    def __init__(self, text: PackedText) -> None:
        self._text = text
        self._pool = StringPool()
        self._numbers: dict[tuple[str, ...], int] = {}
        self._rows: list[tuple[int, int, int]] = []

    def add(self, words: Sequence[str]) -> int:
        """The number of the literal that is these words."""
        key = tuple(words)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._rows)
            plain, raised = self._joined(words), self._joined(_raised(words))
            self._rows.append((self._pool.add(plain), self._pool.add(raised), int(any(words))))
        return number

    def attaches(self, words: Sequence[str]) -> bool:
        """Whether no separator stands before the first of these words."""
        return bool(words and self._text.join) and words[0] in self._text.attach

    def code(self, words: Sequence[str]) -> list[int]:
        """The instruction that writes these words, if there are any."""
        if not words:
            return []
        operation = ATTACHED if self.attaches(words) else LITERAL
        return [instruction(operation, self.add(words))]

    def _joined(self, words: Sequence[str]) -> str:
        join = self._text.join
        result = ""
        for number, word in enumerate(words):
            if number and word in self._text.attach and join:
                result = result[: -len(join)]
            result += word + join
        return result

    def literals(self) -> Literals:
        """All literals, as arrays."""
        rows = self._rows or [(0, 0, 0)]
        return Literals(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], np.int64),
            np.array([row[2] for row in rows], np.uint8),
            self._pool.packed(),
            max(piece >> LENGTH for row in rows for piece in row[:2]),
        )


def _raised(words: Sequence[str]) -> list[str]:
    result = list(words)
    for number, word in enumerate(result):
        if word:
            result[number] = word[0].upper() + word[1:]
            break
    return result


class _Assembler:
    """Assembles the code of all alternatives."""

    def __init__(self, tables: Tables, *, written: bool) -> None:
        self._tables = tables
        self._written = written
        self._words = LiteralPool(tables.source)
        self._nothing = self._words.add(())
        self._code: list[int] = []
        self._known: dict[tuple[int, ...], int] = {}
        self._lexical = [self._is_lexical(state) for state in tables.states]

    def program(self) -> Program:
        states: list[tuple[int, int, int, int]] = []
        bounds: list[int] = []
        guides: list[int] = []
        rules: list[int] = []
        codes: list[int] = []
        for number, state in enumerate(self._tables.states):
            shift, guide = _guide(state.bounds)
            states.append((len(rules), len(guides), shift, state.bounds[-1] if state.bounds else 0))
            guides += guide
            bounds += state.bounds
            rules += state.rules
            codes += self._codes(number, state)
        return Program(
            states=np.array(states, np.int64).reshape(-1, 4),
            bounds=np.array(bounds, np.int64),
            guides=np.array(guides or [0], np.int32),
            rules=np.array(rules, np.int32),
            codes=np.array(codes, np.int32),
            code=np.array(self._code or [RETURN], np.int32),
            arity=np.array(self._tables.arity, np.int32),
            literals=self._words.literals(),
            separator=len(self._tables.source.join.encode()),
            written=self._written,
        )

    def _is_lexical(self, state: State) -> bool:
        """Whether a state becomes words only, none of which takes back a separator."""
        return not any(state.children) and not any(
            self._words.attaches(self._template(rule)) for rule in state.rules
        )

    def _template(self, rule: int) -> tuple[str, ...]:
        """The words of a rule without children, if they are written."""
        if not self._written:
            return ()
        return tuple(item for item in self._tables.source.templates[rule] if isinstance(item, str))

    def _codes(self, number: int, state: State) -> list[int]:
        if self._lexical[number]:
            return [self._words.add(self._template(rule)) for rule in state.rules]
        return [
            self._insert(self._alternative(rule, children[::-1]))
            for rule, children in zip(state.rules, state.children, strict=True)
        ]

    def _insert(self, code: tuple[int, ...]) -> int:
        known = self._known.get(code)
        if known is None:
            known = self._known[code] = len(self._code)
            self._code += code
        return known

    def _alternative(self, rule: int, children: Sequence[int]) -> tuple[int, ...]:
        template = self._tables.source.templates[rule] if self._written else range(len(children))
        code: list[int] = []
        words: list[str] = []
        for item in template:
            if isinstance(item, str):
                words.append(item)
                continue
            code += self._words.code(words)
            words = []
            child = children[item if item >= 0 else ~item]
            visit = instruction(WORD if self._lexical[child] else CALL, child)
            raised = (instruction(RAISE), visit, instruction(RAISED))
            code += [visit] if item >= 0 else raised
        return (*code, *self._words.code(words), instruction(RETURN))


def _guide(bounds: Sequence[int]) -> tuple[int, list[int]]:
    """How far random bits are shifted to index the guide, and the guide.

    It has at least as many entries as there are alternatives.
    """
    if len(bounds) < 2:
        return SINGLE, []
    bits = (len(bounds) - 1).bit_length()
    total = bounds[-1]
    shift = _BITS - bits
    return shift, [
        bisect_right(bounds, (entry << shift) * total >> _BITS) for entry in range(1 << bits)
    ]
