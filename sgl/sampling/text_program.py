"""A text layer as code for the kernel that writes derivations in it.

Unlike the code that draws (``sgl.sampling.program``) this is code of rules, and children are
visited by their numbers, in any order, never or more than once::

    VP -> V NP      ja  NP "を" V      CHILD 1   LITERAL "を"   CHILD 0   RETURN
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.engine import PackedText
from sgl.sampling.literals import (
    CHILD,
    RAISE,
    RAISED,
    RETURN,
    LiteralPool,
    Literals,
    instruction,
)

#: In ``TextProgram.words``: the rule has code.
HAS_CODE = -1


class TextProgram(NamedTuple):
    """The code of each rule; ``words[r]`` is its literal if it is one that needs no code."""

    codes: NDArray[np.int32]
    words: NDArray[np.int32]
    code: NDArray[np.int32]
    arity: NDArray[np.int32]
    literals: Literals
    separator: int


def text_program_of(text: PackedText, arity: list[int]) -> TextProgram:
    """The program that writes derivations in a text layer."""
    pool = LiteralPool(text)
    pool.add(())
    code: list[int] = []
    codes: list[int] = []
    words: list[int] = []
    for template in text.templates:
        codes.append(len(code))
        plain = [item for item in template if isinstance(item, str)]
        if len(plain) == len(template):
            words.append(pool.add(plain))
            continue
        words.append(HAS_CODE)
        code += _code(template, pool)
    return TextProgram(
        codes=np.array(codes, np.int32),
        words=np.array(words, np.int32),
        code=np.array(code or [RETURN], np.int32),
        arity=np.array(arity, np.int32),
        literals=pool.literals(),
        separator=len(text.join.encode()),
    )


def _code(template: tuple[str | int, ...], pool: LiteralPool) -> list[int]:
    code: list[int] = []
    words: list[str] = []
    for item in template:
        if isinstance(item, str):
            words.append(item)
            continue
        code += pool.code(words)
        words = []
        if item >= 0:
            code.append(instruction(CHILD, item))
        else:
            code += (instruction(RAISE), instruction(CHILD, ~item), instruction(RAISED))
    return [*code, *pool.code(words), instruction(RETURN)]
