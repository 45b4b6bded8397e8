"""Sample candidates with compiled code: what ``sgl.sampling.strata`` defines, many times as fast.

A program draws derivations and texts, and the functions of ``sgl.sampling.screening``, compiled, accept them.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw.derive_kernel import RULE_MARGIN, TEXT_MARGIN, derive_texts
from sgl.accel.draw.program import Program, program_of
from sgl.accel.jit import kernel
from sgl.accel.machine import Bits, Bytes
from sgl.accel.machine import rehash as rehash
from sgl.cache import cached
from sgl.core.arrays import Column, Derivations
from sgl.sampling import screening
from sgl.sampling.engine import LONGEST_DERIVATION, PackedStratum, Tables, stream_key
from sgl.sampling.screening import FACTOR_1, FACTOR_2
from sgl.sampling.strata import Batch, Sampler, source_texts

#: The initial room of a batch, in rules and bytes of text per candidate.
_RULES, _TEXT = 16, 64

screen, expose, settle = kernel(screening.screen), kernel(screening.expose), kernel(screening.settle)
find, commit = kernel(screening.find), kernel(screening.commit)


def hashes_of(texts: Column) -> Bits:
    """Return the same hashes as the function of this name in ``sgl.sampling.screening``."""
    hashes = np.empty((texts.rows, 2), np.uint64)
    _hash(texts.data, texts.offsets, hashes)
    return hashes


@kernel
def _hash(data: Bytes, offsets: NDArray[np.int64], hashes: Bits) -> None:
    for row in range(len(hashes)):
        begin, end = offsets[row], offsets[row + 1]
        first, second = np.uint64(end - begin), ~np.uint64(end - begin)
        for at in range(begin, end, 8):
            word = np.uint64(0)
            for place in range(at, min(at + 8, end)):
                word = (word >> np.uint64(8)) | (np.uint64(data[place]) << np.uint64(56))
            first, second = (first ^ word) * FACTOR_1, (second + word) * FACTOR_2
            first, second = first ^ (first >> np.uint64(32)), second ^ (second >> np.uint64(29))
        hashes[row, 0], hashes[row, 1] = first, second


class CompiledSampler(Sampler):
    """A sampler of the same candidates as its base class."""

    code: Any = sys.modules[__name__]

    def __init__(self, tables: Tables, origin: str = "") -> None:
        """Prepare the program; it is kept in the cache if the tables have an ``origin``."""
        super().__init__(tables)
        self.program = cached(Program, "program", (origin,), lambda: program_of(tables))

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """Sample the candidates of a stratum with these numbers; lists, instances and names use plain code."""
        if stratum.extent.every or stratum.extent.contexts or self.tables.names:
            return super().derive(stratum, numbers)
        rules = np.empty(_RULES * len(numbers) + 2 * RULE_MARGIN, np.int32)
        text = np.empty(_TEXT * len(numbers) + 2 * TEXT_MARGIN, np.uint8)
        rule_ends = np.zeros(len(numbers) + 1, np.int64)
        text_ends = np.zeros(len(numbers) + 1, np.int64)
        too_long = np.zeros(len(numbers), np.uint8)
        stack = np.empty(LONGEST_DERIVATION + 1, np.int32)
        key = np.uint64(stream_key(self.tables.seed, stratum.stream))
        done = 0
        while True:
            buffers = rules, rule_ends, text, text_ends, too_long, stack
            done = derive_texts(key, numbers, done, stratum.start, self.program, *buffers)
            if done == len(numbers):
                break
            rules = np.concatenate((rules, np.empty_like(rules)))
            text = np.concatenate((text, np.empty_like(text)))
        derivations = Derivations(rules, rule_ends)
        written = self.program.written
        sources = Column(text, text_ends) if written else source_texts(self.tables, derivations)
        return Batch(numbers, derivations, sources, too_long)
