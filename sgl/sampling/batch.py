"""Sample candidates in batches: their derivations, source texts, and what they are worth.

All are functions of the tables, the stratum and the numbers of the candidates alone, so batches may
be made in any order and by anybody.  :class:`Sampler` is the definition; where many items are
sampled, ``sgl.accel.draw`` does the same with compiled code.
"""

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Column, Derivations
from sgl.sampling.engine import Listing, PackedStratum, Tables, derive, joined, words_of
from sgl.sampling.random import candidate_key, stream_key
from sgl.sampling.screening import LemmaIndex, compiled_pays, expose, screen
from sgl.sampling.seen import hash_column

Number = TypeVar("Number", np.int32, np.uint8)


class Batch(NamedTuple):
    """Candidates of a stratum by their numbers; ``too_long`` ones without derivation and text."""

    numbers: NDArray[np.int64]
    derivations: Derivations
    sources: Column
    too_long: NDArray[np.uint8]


class Survey(NamedTuple):
    """What is known of a batch's candidates: outcomes of ``screen``, places of targets, hashes of source texts."""

    batch: Batch
    verdicts: NDArray[np.uint8]
    targets: NDArray[np.int32]
    hashes: NDArray[np.uint64]


class Sampler:
    """Samples the candidates that ``sgl.sampling.engine`` defines."""

    _hash: Any = staticmethod(hash_column)
    _screen: Any = staticmethod(screen)
    _expose: Any = staticmethod(expose)

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._index = LemmaIndex(tables)
        self._listings: dict[int, Listing] = {}
        #: The number of lemmas, which is at least 1.
        self.lemmas = max(len(self._index.numbers), 1)

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """Sample the candidates of a stratum with these numbers."""
        key, states = stream_key(self.tables.seed, stratum.stream), self.tables.states
        if stratum.every:
            if stratum.start not in self._listings:
                self._listings[stratum.start] = Listing(states, stratum.start)
            found = [*map(self._listings[stratum.start].derivation, numbers.tolist())]
        else:
            keys = (candidate_key(key, number) for number in numbers.tolist())
            found = [derive(states, stratum.start, key) for key in keys]
        derivations = Derivations.of([derivation or () for derivation in found])
        too_long = np.array([derivation is None for derivation in found], np.uint8)
        return Batch(numbers, derivations, source_texts(self.tables, derivations), too_long)

    def survey(self, stratum: PackedStratum, numbers: NDArray[np.int64], exposed: NDArray[np.uint8]) -> Survey:
        """Judge candidates by themselves, by number; ``exposed`` has a mark for each lemma."""
        batch = self.derive(stratum, numbers)
        lemmas = self._index.lemmas
        longest = int(np.diff(batch.derivations.offsets).max(initial=0))
        most = int(np.diff(lemmas.own_ends).max(initial=0))
        verdicts = np.empty(len(numbers), np.uint8)
        targets = np.empty(len(numbers), np.int32)
        words_matter = int(bool(stratum.targets) or not exposed.all())
        self._screen(
            *(lemmas, batch.derivations.rules, batch.derivations.offsets, batch.too_long),
            *(int(stratum.repeated_lemmas), exposed, self._index.ranks(stratum.targets)),
            *(words_matter, verdicts, targets, np.empty(longest * most + 1, np.int32)),
        )
        hashes = np.zeros((len(numbers), 2), np.uint64)
        if self.tables.distinct_sentences:
            self._hash(batch.sources.data, batch.sources.offsets, hashes)
        return Survey(batch, verdicts, targets, hashes)

    def expose(self, derivations: Derivations, accepted: NDArray[np.bool_], exposed: NDArray[np.uint8]) -> None:
        """Mark the lemmas of the accepted derivations."""
        used = np.zeros(len(self.tables.arity), np.uint8)
        self._expose(self._index.lemmas, derivations.rules, derivations.offsets, accepted, used, exposed)


def sampler_for(tables: Tables, origin: str = "", items: int | None = None) -> Sampler:
    """Return the fastest sampler for so many items; ``origin`` is a cache key of the tables."""
    wanted = sum(s.wanted for s in tables.strata) if items is None else items
    if not compiled_pays(wanted):
        return Sampler(tables)
    from sgl.accel.draw import CompiledSampler

    return CompiledSampler(tables, origin)


def source_texts(tables: Tables, derivations: Derivations) -> Column:
    """Return the source texts of derivations; of an empty derivation it is empty."""
    source, arity = tables.source, tables.arity
    return Column.of([joined(source, words_of(source, arity, d)) if d else "" for d in derivations])
