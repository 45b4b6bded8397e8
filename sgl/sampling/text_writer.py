"""Write derivations in a text layer, with a kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import SLACK, Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.sampling.engine import PackedText
from sgl.sampling.tables import pack_text
from sgl.sampling.text_kernel import write_texts
from sgl.sampling.text_program import TextProgram, text_program_of

#: Bytes of text for which there is room at first, for each derivation.
_TEXT = 64

Number = TypeVar("Number", np.int32, np.uint8)


class TextWriter:
    """Writes derivations in a text layer."""

    def __init__(self, text: PackedText, arity: list[int]) -> None:
        self._program: TextProgram = text_program_of(text, arity)

    def column(self, derivations: Derivations) -> Column:
        """The texts of these derivations; of an empty derivation it is empty."""
        number = derivations.number
        text = np.empty(_TEXT * number + self._program.literals.longest + 2 * SLACK, np.uint8)
        ends = np.zeros(number + 1, np.int64)
        longest = int(np.diff(derivations.offsets).max(initial=0)) + 1
        sizes = np.empty(longest, np.int32)
        stack = np.empty(2 * longest, np.int32)
        done = 0
        while True:
            done = write_texts(
                derivations.rules,
                derivations.offsets,
                done,
                self._program,
                text,
                ends,
                sizes,
                stack,
            )
            if done == number:
                return Column(text, ends)
            text = grown(text)


def text_writer(grammar: CoreGrammar, layer: int) -> Callable[[Derivations], Column]:
    """What writes derivations in a text layer of a grammar."""
    return TextWriter(pack_text(grammar, layer), list(grammar.arity)).column


def grown(array: NDArray[Number]) -> NDArray[Number]:
    """A copy with twice the room."""
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger
