"""Draw candidates in batches: their derivations, source texts, and what they are worth.

::

    sampler = Sampler(tables)
    batch = sampler.derive(stratum, np.arange(1_000))       derivations and texts
    survey = sampler.survey(stratum, np.arange(1_000), exposed)

Both are functions of the tables, the stratum and the numbers of the candidates alone, so
batches may be made in any order and by anybody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.accel.hashing import hash_column
from sgl.core.column import SLACK, Column
from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.sampling.derive_kernel import RULE_MARGIN, TEXT_MARGIN, derive_texts
from sgl.sampling.engine import LONGEST_DERIVATION, PackedStratum, PackedText, Tables
from sgl.sampling.judge_kernel import expose, screen
from sgl.sampling.program import Program, program_of
from sgl.sampling.random import stream_key
from sgl.sampling.screen import LemmaIndex
from sgl.sampling.tables import pack_text
from sgl.sampling.text_kernel import write_texts
from sgl.sampling.text_program import TextProgram, text_program_of

#: Rules and bytes of text for which a batch has room at first, for each candidate.
_RULES, _TEXT = 16, 64


Number = TypeVar("Number", np.int32, np.uint8)


class Batch(NamedTuple):
    """Candidates of a stratum by their numbers, with derivations and source texts.

    Those that are ``too_long`` have neither.
    """

    numbers: NDArray[np.int64]
    derivations: Derivations
    sources: Column
    too_long: NDArray[np.uint8]


class Survey(NamedTuple):
    """What can be said of the candidates of a batch one by one.

    ``verdicts`` are those of ``sgl.sampling.screen``, ``targets`` the places of their targets
    among those of the stratum, ``hashes`` the hashes of their source texts.
    """

    batch: Batch
    verdicts: NDArray[np.uint8]
    targets: NDArray[np.int32]
    hashes: NDArray[np.uint64]


class Sampler:
    """Draws from tables with kernels; the same candidates as ``sgl.sampling.engine``."""

    def __init__(self, tables: Tables, program: Program | None = None) -> None:
        """``program`` is that of the tables, if it is known already."""
        self.tables = tables
        self._program = program or program_of(tables)
        self._source = None if self._program.written else TextWriter(tables.source, tables.arity)
        self._index = LemmaIndex(tables)
        self._ranks: dict[tuple[str, ...], NDArray[np.int32]] = {}

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """The candidates of a stratum with these numbers."""
        rules = np.empty(_RULES * len(numbers) + 2 * RULE_MARGIN, np.int32)
        text = np.empty(_TEXT * len(numbers) + 2 * TEXT_MARGIN, np.uint8)
        rule_ends = np.zeros(len(numbers) + 1, np.int64)
        text_ends = np.zeros(len(numbers) + 1, np.int64)
        too_long = np.zeros(len(numbers), np.uint8)
        stack = np.empty(LONGEST_DERIVATION + 1, np.int32)
        key = np.uint64(stream_key(self.tables.seed, stratum.stream))
        done = 0
        while True:
            done = derive_texts(
                key,
                numbers,
                done,
                stratum.start,
                self._program,
                rules,
                rule_ends,
                text,
                text_ends,
                too_long,
                stack,
            )
            if done == len(numbers):
                break
            rules, text = grown(rules), grown(text)
        derivations = Derivations(rules, rule_ends)
        sources = Column(text, text_ends)
        if self._source is not None:
            sources = self._source.column(derivations)
        return Batch(numbers, derivations, sources, too_long)

    def survey(
        self, stratum: PackedStratum, numbers: NDArray[np.int64], exposed: NDArray[np.uint8]
    ) -> Survey:
        """The candidates with these numbers, each judged by itself.

        ``exposed`` marks the lemmas that they may have: see :meth:`unexposed`.
        """
        batch = self.derive(stratum, numbers)
        verdicts = np.empty(len(numbers), np.uint8)
        targets = np.empty(len(numbers), np.int32)
        rank = self._rank(stratum.targets)
        screen(
            self._index.lemmas,
            batch.derivations.rules,
            batch.derivations.offsets,
            batch.too_long,
            int(stratum.repeated_lemmas),
            exposed,
            rank,
            int(bool(stratum.targets) or not exposed.all()),
            verdicts,
            targets,
            np.empty(self._most_lemmas(batch.derivations), np.int32),
        )
        hashes = np.zeros((len(numbers), 2), np.uint64)
        if self.tables.distinct_sentences:
            hash_column(batch.sources.data, batch.sources.offsets, hashes)
        return Survey(batch, verdicts, targets, hashes)

    def unexposed(self) -> NDArray[np.uint8]:
        """A mark for every lemma, none of them set."""
        return np.zeros(max(len(self._index.numbers), 1), np.uint8)

    def expose(
        self, derivations: Derivations, accepted: NDArray[np.bool_], exposed: NDArray[np.uint8]
    ) -> None:
        """Mark the lemmas of the accepted derivations."""
        used = np.zeros(len(self.tables.arity), np.uint8)
        expose(self._index.lemmas, derivations.rules, derivations.offsets, accepted, used, exposed)

    def _rank(self, targets: tuple[str, ...]) -> NDArray[np.int32]:
        if targets not in self._ranks:
            self._ranks[targets] = self._index.ranks(targets)
        return self._ranks[targets]

    def _most_lemmas(self, derivations: Derivations) -> int:
        """How many lemmas a derivation can have at most."""
        longest = int(np.diff(derivations.offsets).max(initial=0))
        return longest * int(np.diff(self._index.lemmas.own_ends).max(initial=0)) + 1


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
