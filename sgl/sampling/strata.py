"""Sample every stratum of a plan in batches: what ``sgl.sampling.acceptance`` does, at speed.

Candidates are surveyed a batch at a time, then settled in order, so the result does not depend on batch sizes.
Sentences that would be accepted are judged, and if some are rejected for their readings, the batch is settled again.
Only the numbers of accepted candidates are kept; drawing a derivation again costs less than storing it.

The survey of a batch depends only on the tables, the stratum and the numbers of the candidates, so anybody may survey
batches in any order.  :class:`Sampler` is the definition; for many items ``sgl.accel.draw`` does the same with compiled
code.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import Column, Derivations
from sgl.sampling import screening
from sgl.sampling.acceptance import (
    REASONS,
    REPEATED_SENTENCE,
    SHARE_FULL,
    TRAIN,
    WINDOW,
    NotEnoughError,
    budget_of,
    stop_if_none_is_left,
    stop_if_out_of_reach,
)
from sgl.sampling.engine import Listing, PackedStratum, Tables, candidates_of, joined, words_of
from sgl.sampling.screening import (
    ACCEPTED,
    AMBIGUOUS,
    MEMORY,
    SeenSentences,
    code_for,
    compiled_pays,
    numbered_lemmas,
    seen_sentences,
)
from sgl.values import dataclass, replace


class Batch(NamedTuple):
    """Candidates of a stratum by number, with any instances; ``too_long`` ones have no derivation and no text."""

    numbers: NDArray[np.int64]
    derivations: Derivations
    sources: Column
    too_long: NDArray[np.uint8]
    instances: tuple[str, ...] = ()


class Survey(NamedTuple):
    """The findings about a batch: outcomes of ``screen``, indices of targets, hashes of source texts."""

    batch: Batch
    verdicts: NDArray[np.uint8]
    targets: NDArray[np.int32]
    hashes: NDArray[np.uint64]


class Sampler:
    """A sampler of the candidates that ``sgl.sampling.engine`` defines."""

    code: Any = screening

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self._numbers, self._lemmas = numbered_lemmas(tables)
        self._candidates: dict[PackedStratum, Callable[[int], tuple[list[int] | None, str]]] = {}
        #: The number of lemmas, at least 1.
        self.lemmas = max(len(self._numbers), 1)

    def derive(self, stratum: PackedStratum, numbers: NDArray[np.int64]) -> Batch:
        """Sample the candidates of a stratum with these numbers."""
        if stratum not in self._candidates:
            self._candidates[stratum] = candidates_of(self.tables, stratum)
        drawn = [*map(self._candidates[stratum], numbers.tolist())]
        derivations = Derivations.of([derivation or () for derivation, _ in drawn])
        too_long = np.array([derivation is None and not stratum.extent.contexts for derivation, _ in drawn], np.uint8)
        instances = tuple(words for _, words in drawn) if stratum.extent.contexts else ()
        return Batch(numbers, derivations, source_texts(self.tables, derivations), too_long, instances)

    def survey(self, stratum: PackedStratum, numbers: NDArray[np.int64], exposed: NDArray[np.uint8]) -> Survey:
        """Judge candidates on their own; ``exposed`` has a mark for each lemma."""
        batch = self.derive(stratum, numbers)
        verdicts, targets = np.empty(len(numbers), np.uint8), np.empty(len(numbers), np.int32)
        #: For each lemma, its index among the targets, or -1, and the last candidate that has it.
        rank, last = np.full((2, self.lemmas), -1, np.int32)
        for place, target in reversed([*enumerate(stratum.extent.targets)]):
            if target in self._numbers:
                rank[self._numbers[target]] = place
        self.code.screen(
            *(self._lemmas, batch.derivations.rules, batch.derivations.offsets, batch.too_long),
            *(int(stratum.repeated_lemmas), exposed, rank, int(bool(stratum.extent.targets) or not exposed.all())),
            *(verdicts, targets, last),
        )
        hashes = np.zeros((len(numbers), 2), np.uint64)
        if self.tables.distinct_sentences:
            hashes = self.code.hashes_of(batch.sources)
        return Survey(batch, verdicts, targets, hashes)

    def expose(self, derivations: Derivations, accepted: NDArray[np.bool_], exposed: NDArray[np.uint8]) -> None:
        """Record the lemmas of accepted derivations as seen in training."""
        used = np.zeros(len(self.tables.arity), np.uint8)
        self.code.expose(self._lemmas, derivations.rules, derivations.offsets, accepted, used, exposed)


def sampler_for(tables: Tables, origin: str = "", items: int | None = None) -> Sampler:
    """Return the fastest sampler for this many items; ``origin`` is a cache key of the tables."""
    wanted = sum(s.wanted for s in tables.strata) if items is None else items
    if not compiled_pays(wanted):
        return Sampler(tables)
    from sgl.accel.draw import CompiledSampler

    return CompiledSampler(tables, origin)


def source_texts(tables: Tables, derivations: Derivations) -> Column:
    """Return the source texts of derivations; an empty derivation has an empty text."""
    source, arity = tables.source, tables.arity
    return Column.of([joined(source, words_of(source, arity, d)) if d else "" for d in derivations])


Finding = TypeVar("Finding")

#: A callback after each window, with the stream, the items found and the items wanted.
Progress = Callable[[str, int, int], None]

#: Candidates in the largest batch, a multiple of ``WINDOW``.
LARGEST_BATCH = 10 * WINDOW


class BatchFilter(Protocol[Finding]):
    """A filter that rejects sentences for their readings."""

    def judge(self, stratum: PackedStratum, sources: Column, derivations: Derivations) -> Mapping[int, Finding]:
        """Return the findings about sentences with several readings, by row."""

    def rejects(self, found: Finding) -> bool:
        """Return whether a sentence with this finding is rejected."""

    def count(self, stratum: PackedStratum, parsed: int, found: Iterable[Finding]) -> None:
        """Record that ``parsed`` sentences were parsed, with the findings."""


@dataclass(frozen=True, slots=True)
class StratumSample:
    """The result of sampling a stratum: the ``numbers`` of the accepted candidates, in order.

    ``rejected`` counts the others by reason; ``shares`` counts the items of each target that has a share, or of each
    instance; ``ambiguous`` lists the candidates rejected as such.  The sentences of ``spare`` candidates, whose
    instances have too few contexts, are not used again.
    """

    stratum: PackedStratum
    numbers: NDArray[np.int64]
    candidates: int
    rejected: dict[str, int]
    shares: dict[str, int]
    ambiguous: tuple[int, ...]
    spare: NDArray[np.int64]


class StrataSampler:
    """The state of sampling a dataset: the sentences seen and the lemmas of training."""

    def __init__(
        self,
        sampler: Sampler,
        ambiguity: BatchFilter[Any] | None = None,
        *,
        memory: int = MEMORY,
        folder: Path | None = None,
    ) -> None:
        """Remember sentences in at most ``memory`` bytes, or else in a file in ``folder``."""
        self._tables = tables = sampler.tables
        self._sampler = sampler
        self._seen = seen_sentences(tables, memory, folder)
        self._ambiguity = ambiguity
        self._exposed = np.zeros(sampler.lemmas, np.uint8)
        self._every = np.ones_like(self._exposed)
        self._trains = any(s.split == TRAIN and s.wanted for s in tables.strata)

    def stratum(self, number: int, progress: Progress | None = None) -> StratumSample:
        """Sample stratum ``number``; all earlier strata must have been sampled."""
        stratum = self._tables.strata[number]
        acceptance = BatchAcceptance(self._tables, number, self._seen, self._ambiguity, progress)
        try:
            self._fill(acceptance)
            stop_if_none_is_left(stratum, acceptance.accepted, acceptance.rejected)
        except NotEnoughError as problem:
            if stratum.extent.exact:
                self._look_at_all(acceptance, problem)
            raise
        if progress is not None:
            progress(stratum.stream, stratum.wanted, stratum.wanted)
        return acceptance.sample()

    def _fill(self, acceptance: "BatchAcceptance") -> None:
        stratum = acceptance.stratum
        exposed = self._exposed if self._trains and stratum.split != TRAIN else self._every
        while acceptance.missing:
            first, count = acceptance.candidates, min(acceptance.expected(), LARGEST_BATCH)
            numbers = np.arange(first, first + count, dtype=np.int64)
            survey = self._sampler.survey(stratum, numbers, exposed)
            accepted = acceptance.add(survey)
            if stratum.split == TRAIN:
                self._sampler.expose(survey.batch.derivations, accepted, self._exposed)

    def _look_at_all(self, acceptance: "BatchAcceptance", problem: NotEnoughError) -> None:
        stratum, found = acceptance.stratum, acceptance.accepted
        problem.derivations = size = Listing(self._tables.states, stratum.start).size
        once = self._tables.distinct_sentences and not stratum.extent.repeated
        # A stratum that repeats sentences can have all the items wanted, or none.
        if size is not None and size <= budget_of(stratum) and not stratum.extent.contexts and (once or not found):
            acceptance.go_through(size)
            self._fill(acceptance)
            possible, problem.excluded = acceptance.accepted, acceptance.rejected
            problem.possible = possible if once or not possible else stratum.wanted
            # Items accepted earlier are met again, and count as repeated or, with shares, as one too many.
            why, other = (SHARE_FULL, REPEATED_SENTENCE)[:: 1 if stratum.extent.targets else -1]
            problem.excluded[why] += problem.excluded.pop(other) - found

    def restore(self, number: int, sample: StratumSample) -> None:
        """Adopt what an earlier run sampled for a stratum."""
        stratum = self._tables.strata[number]
        taken = np.append(sample.numbers, sample.spare)
        for first in range(0, len(taken), LARGEST_BATCH):
            numbers = taken[first : first + LARGEST_BATCH]
            survey = self._sampler.survey(stratum, numbers, self._every)
            accepted = np.ones(len(numbers), np.bool_)
            if self._tables.distinct_sentences:
                self._seen.add(survey.hashes, accepted, number)
            if stratum.split == TRAIN:
                self._sampler.expose(survey.batch.derivations, accepted, self._exposed)


class BatchAcceptance:
    """A judge of the candidates of one stratum; ``missing`` counts the items still wanted."""

    def __init__(
        self,
        tables: Tables,
        number: int,
        seen: SeenSentences,
        ambiguity: BatchFilter[Any] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.stratum = stratum = tables.strata[number]
        self.candidates = 0
        self.missing = stratum.wanted
        self._number = number
        self._distinct = tables.distinct_sentences
        self._seen = seen
        self._ambiguity = ambiguity
        self._progress = progress
        self._full = stratum.extent.shares()
        #: The accepted candidates of each target or instance.
        self._owned: dict[str, list[int]] = {}
        self._parts = [np.zeros(0, np.int64)]
        self._shares = dict.fromkeys(self._full, 0)
        #: The number of rejected candidates by reason.
        self.rejected = dict.fromkeys(REASONS, 0)
        self._ambiguous: list[int] = []
        self._missing_before, self._accepted = self.missing, 0
        self._settle: Callable[..., int] = code_for(stratum.wanted).settle

    def expected(self) -> int:
        """Return the estimated number of candidates still needed, given the acceptance so far."""
        found = self.stratum.wanted - self.missing
        each = self.candidates / max(found, 1) if self.candidates else 1.0
        if self.stratum.extent.every:
            return self.missing
        if self.stratum.extent.contexts or not self.stratum.extent.exact:
            return min(int(self.missing * each) + 1, WINDOW - self.candidates % WINDOW)
        return (int(self.missing * each / WINDOW) + 1) * WINDOW

    @property
    def accepted(self) -> int:
        """The number of accepted candidates."""
        return sum(map(len, self._parts))

    def go_through(self, size: int) -> None:
        """Continue with all ``size`` derivations of the stratum, whatever was accepted before."""
        wanted, progress = self.stratum.wanted, self._progress
        if progress is not None:
            self._progress = lambda stream, done, of: progress(stream, done * wanted // of, wanted)
        whole = replace(self.stratum.extent, every=True, count=size)
        self.stratum = self.stratum._replace(extent=whole, ambiguous=frozenset())
        self.candidates, self.missing = 0, size
        self.rejected = dict.fromkeys(REASONS, 0)

    def restore(self, sample: StratumSample) -> None:
        """Continue after settled candidates, up to a window or the stratum's end; their sentences are already seen."""
        self._parts = [sample.numbers[:: self.stratum.extent.copies]]
        self._accepted, complete = len(self._parts[0]), len(sample.shares)
        self.missing = self._missing_before = self.stratum.extent.missing(sample.candidates, self._accepted, complete)
        self.candidates = sample.candidates
        self.rejected, self._shares = dict(sample.rejected), dict(sample.shares)
        self._ambiguous = list(sample.ambiguous)

    def sample(self) -> StratumSample:
        """Return the sample so far."""
        numbers = np.repeat(np.concatenate(self._parts), self.stratum.extent.copies)
        rejected, shares, spare = dict(self.rejected), dict(self._shares), numbers[:0]
        if contexts := self.stratum.extent.contexts:
            shares = {name: contexts for name, own in self._owned.items() if len(own) == contexts}
            kept = [number for name in shares for number in self._owned[name]]
            numbers, spare = np.array(kept, np.int64), np.setdiff1d(numbers, kept)
            rejected[SHARE_FULL] += len(spare)
        return StratumSample(self.stratum, numbers, self.candidates, rejected, shares, tuple(self._ambiguous), spare)

    def add(self, survey: Survey) -> NDArray[np.bool_]:
        """Settle the next candidates and mark the accepted ones."""
        names = [*self._full]
        if self.stratum.extent.contexts:
            names = [*dict.fromkeys(survey.batch.instances)]
            places = {name: place if name else -1 for place, name in enumerate(names)}
            survey = survey._replace(targets=np.array([places[x] for x in survey.batch.instances], np.int32))
        outcomes = self._settled(survey, names)
        accepted = np.zeros(len(survey.verdicts), np.bool_)
        accepted[: len(outcomes)] = outcomes == ACCEPTED
        if self._distinct:
            self._seen.add(survey.hashes, accepted, self._number)
        numbers = survey.batch.numbers
        self._parts.append(numbers[accepted])
        self._ambiguous += numbers[: len(outcomes)][outcomes == AMBIGUOUS].tolist()
        self._count(outcomes, survey, names)
        return accepted

    def _settled(self, survey: Survey, names: Sequence[str]) -> NDArray[np.uint8]:
        """Return the outcomes up to the last one needed, settling all again if readings reject some."""
        rows, numbers = len(survey.verdicts), survey.batch.numbers
        earlier = self._seen.earlier(survey.hashes, survey.verdicts == ACCEPTED)
        ambiguous, judged = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        if self._ambiguity is None and self.stratum.ambiguous:
            ambiguous = np.isin(numbers, np.array(sorted(self.stratum.ambiguous), np.int64))
        outcomes = np.empty(rows, np.uint8)
        full = np.array([self._full.get(name, self.stratum.extent.contexts) for name in names], np.int64)
        found: dict[int, Any] = {}
        while True:
            shares = np.array([self._shares.get(name, 0) for name in names], np.int64)
            used = self._settle(
                *(survey.verdicts, survey.targets, full, shares, self._number),
                *(earlier.stratum, earlier.candidate),
                *(int(self._distinct), int(self.stratum.extent.repeated), ambiguous),
                *(self.missing, self.stratum.extent.contexts, outcomes, np.zeros(rows, np.bool_)),
            )
            if (ambiguity := self._ambiguity) is None:
                return outcomes[:used]
            asked = np.flatnonzero(np.isin(outcomes[:used], (ACCEPTED, AMBIGUOUS)))
            fresh = asked[~judged[asked]]
            judged[fresh] = True
            texts, derivations = survey.batch.sources.take(fresh), survey.batch.derivations.take(fresh)
            new = ambiguity.judge(self.stratum, texts, derivations) if len(fresh) else {}
            found.update((int(fresh[number]), one) for number, one in new.items())
            rejected = [int(fresh[number]) for number, one in new.items() if ambiguity.rejects(one)]
            if not rejected:
                ambiguity.count(self.stratum, len(asked), [found[row] for row in asked.tolist() if row in found])
                return outcomes[:used]
            ambiguous[rejected] = True

    def _count(self, outcomes: NDArray[np.uint8], survey: Survey, names: Sequence[str]) -> None:
        at, extent = 0, self.stratum.extent
        while at < len(outcomes):
            window = outcomes[at : at + WINDOW - self.candidates % WINDOW]
            accepted, *rejected = np.bincount(window, minlength=len(REASONS) + 1).tolist()
            for reason, number in zip(REASONS, rejected, strict=True):
                self.rejected[reason] += number
            self._share((at + np.flatnonzero(window == ACCEPTED)).tolist() if names else (), survey, names)
            self.candidates, self._accepted = self.candidates + len(window), self._accepted + accepted
            complete = sum(own == extent.contexts for own in self._shares.values())
            self.missing = extent.missing(self.candidates, self._accepted, complete)
            at += len(window)
            if self.candidates % WINDOW == 0:
                stratum, found = self.stratum, self.stratum.wanted - self.missing
                if self._progress is not None:
                    self._progress(stratum.stream, found, stratum.wanted)
                in_window, self._missing_before = self._missing_before - self.missing, self.missing
                stop_if_out_of_reach(stratum, found, self.candidates, self.rejected, self._shares, in_window)

    def _share(self, rows: Iterable[int], survey: Survey, names: Sequence[str]) -> None:
        """Count the accepted candidates of each target or instance."""
        for row in rows:
            name = names[survey.targets[row]]
            self._shares[name] = self._shares.get(name, 0) + 1
            self._owned.setdefault(name, []).append(int(survey.batch.numbers[row]))
