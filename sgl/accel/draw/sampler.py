"""The compiled sampler: derivations and texts by a program, acceptance by compiled functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.draw.derive_kernel import RULE_MARGIN, TEXT_MARGIN, derive_texts
from sgl.accel.draw.program import Program, program_of
from sgl.accel.jit import kernel, part
from sgl.accel.machine import hash_column
from sgl.cache import cached
from sgl.core.arrays import Column, Derivations
from sgl.sampling import screening
from sgl.sampling.batch import Batch, Number, Sampler, source_texts
from sgl.sampling.engine import LONGEST_DERIVATION, PackedStratum, Tables
from sgl.sampling.random import stream_key

#: Rules and bytes of text for which a batch has room at first, for each candidate.
_RULES, _TEXT = 16, 64

part(screening.repeats)
part(screening.may_repeat)
settle = kernel(screening.settle)


class CompiledSampler(Sampler):
    """Samples the same candidates as its base class."""

    _hash = staticmethod(hash_column)
    _screen = staticmethod(kernel(screening.screen))
    _expose = staticmethod(kernel(screening.expose))

    def __init__(self, tables: Tables, origin: str = "") -> None:
        """Prepare the program, which is kept in the cache if the tables have an ``origin``."""
        super().__init__(tables)
        self.program = cached(Program, "program", (origin,), lambda: program_of(tables))

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """Sample the candidates of a stratum with these numbers."""
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
            rules, text = _grown(rules), _grown(text)
        derivations = Derivations(rules, rule_ends)
        written = self.program.written
        sources = Column(text, text_ends) if written else source_texts(self.tables, derivations)
        return Batch(numbers, derivations, sources, too_long)


def _grown(buffer: NDArray[Number]) -> NDArray[Number]:
    """Return a buffer of twice the size with the same beginning."""
    return np.concatenate((buffer, np.empty_like(buffer)))
