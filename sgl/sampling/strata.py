"""Draw every stratum of a plan in batches: what ``sgl.sampling.acceptance`` does, at speed.

Candidates are surveyed a batch at a time, then settled in their order, so the result does
not depend on the size of the batches::

    survey     each candidate alone: its lemmas, its target, the hash of its sentence
    earlier    which sentences were accepted before, or occurred before in the batch
    settle     accepted, or rejected for the first reason that holds
    judge      sentences that would be accepted are parsed; if some are rejected
               for their readings, the batch is settled again

Only the numbers of accepted candidates are kept; derivations are drawn again when they are
needed, which costs less than to store them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.column import Column
from sgl.core.derivations import Derivations
from sgl.sampling.acceptance import (
    REASONS,
    TRAIN,
    WINDOW,
    Progress,
    share,
    stop_if_out_of_reach,
)
from sgl.sampling.batch import SECONDS_PER_ITEM, Sampler, Survey
from sgl.sampling.engine import PackedStratum, Tables
from sgl.sampling.screening import ACCEPTED, AMBIGUOUS, settle
from sgl.sampling.seen import MEMORY, Seen, seen_sentences

Finding = TypeVar("Finding")

#: Candidates in the largest batch; all batches are multiples of ``WINDOW``.
LARGEST_BATCH = 10 * WINDOW


class BatchFilter(Protocol[Finding]):
    """Says which sentences are rejected for their readings."""

    def judge(
        self, stratum: PackedStratum, sources: Column, derivations: Derivations
    ) -> Mapping[int, Finding]:
        """Return what was found of sentences with several readings, by their numbers."""

    def rejects(self, found: Finding) -> bool:
        """Return whether a sentence of which this was found is rejected."""

    def count(self, stratum: PackedStratum, parsed: int, found: Iterable[Finding]) -> None:
        """Take note of so many sentences that were parsed, and of what was found."""


@dataclass(frozen=True, slots=True)
class StratumSample:
    """What was drawn for a stratum.

    ``numbers`` are the accepted candidates in order, ``candidates`` how many were drawn,
    ``rejected`` counts the others by reason, ``shares`` the items of each target where
    targets have shares, and ``ambiguous`` are the candidates rejected as such.
    """

    stratum: PackedStratum
    numbers: NDArray[np.int64]
    candidates: int
    rejected: dict[str, int]
    shares: dict[str, int]
    ambiguous: tuple[int, ...]


class AcceptanceCounts(NamedTuple):
    """What some candidates of a stratum came to.

    ``outcomes`` counts the outcomes by number, ``shares`` the items of each target.
    """

    candidates: int
    outcomes: NDArray[np.int64]
    shares: NDArray[np.int64]
    ambiguous: NDArray[np.int64]


def sample_strata(
    sampler: Sampler,
    referee: BatchFilter[Any] | None = None,
    progress: Progress | None = None,
    *,
    memory: int = MEMORY,
    folder: Path | None = None,
) -> Iterator[StratumSample]:
    """Draw the strata one after the other; the items are those of ``sgl.sampling.draw``.

    Sentences are remembered in at most ``memory`` bytes and else in a file in ``folder``.
    Raises ``NotEnoughError`` when a stratum runs dry.
    """
    seen = seen_sentences(sentences_of(sampler.tables), memory, folder)
    drawing = StrataSampler(sampler.tables, sampler, seen, referee)
    for number in range(len(sampler.tables.strata)):
        yield drawing.stratum(number, progress)


def sentences_of(tables: Tables) -> int:
    """Return how many sentences will be remembered, if all strata are drawn."""
    return tables.distinct_sentences * sum(stratum.wanted for stratum in tables.strata)


class StrataSampler:
    """The state of drawing a dataset: sentences seen, lemmas that training has."""

    def __init__(
        self,
        tables: Tables,
        sampler: Sampler,
        seen: Seen,
        referee: BatchFilter[Any] | None,
    ) -> None:
        self._tables = tables
        self._sampler = sampler
        self._seen = seen
        self._referee = referee
        self._exposed = sampler.unexposed()
        self._every = np.ones_like(self._exposed)
        self._trains = any(s.split == TRAIN and s.wanted for s in tables.strata)

    def stratum(self, number: int, progress: Progress | None = None) -> StratumSample:
        """Draw a stratum, by its number; those before it have been drawn."""
        stratum = self._tables.strata[number]
        exposed = self._exposed if self._trains and stratum.split != TRAIN else self._every
        settling = BatchAcceptance(self._tables, number, self._seen, self._referee)
        while settling.missing:
            first, count = settling.candidates, settling.batch()
            numbers = np.arange(first, first + count, dtype=np.int64)
            survey = self._sampler.survey(stratum, numbers, exposed)
            accepted = settling.add(survey, progress)
            if stratum.split == TRAIN:
                self._sampler.expose(survey.batch.derivations, accepted, self._exposed)
        if progress is not None:
            progress(stratum.stream, stratum.wanted, stratum.wanted)
        return settling.drawn()

    def restore(self, number: int, drawn: StratumSample) -> None:
        """Take over what an earlier run has drawn for a stratum."""
        stratum = self._tables.strata[number]
        for first in range(0, len(drawn.numbers), LARGEST_BATCH):
            numbers = drawn.numbers[first : first + LARGEST_BATCH]
            survey = self._sampler.survey(stratum, numbers, self._every)
            accepted = np.ones(len(numbers), np.bool_)
            if self._tables.distinct_sentences:
                self._seen.add(survey.hashes, accepted, number)
            if stratum.split == TRAIN:
                self._sampler.expose(survey.batch.derivations, accepted, self._exposed)


class _Judging(NamedTuple):
    """Which candidates of a batch were parsed, what was found, which are to be rejected."""

    judged: NDArray[np.bool_]
    found: dict[int, Any]
    ambiguous: NDArray[np.bool_]


class BatchAcceptance:
    """Accepts and rejects the candidates of one stratum, batch by batch."""

    def __init__(
        self,
        tables: Tables,
        number: int,
        seen: Seen,
        referee: BatchFilter[Any] | None,
    ) -> None:
        self.stratum = tables.strata[number]
        self.candidates = 0
        self._number = number
        self._distinct = tables.distinct_sentences
        self._seen = seen
        self._referee = referee
        targets = self.stratum.targets
        wanted = self.stratum.wanted
        self._full = np.array([share(wanted, targets, name) for name in targets], np.int64)
        self._shares = np.zeros(len(targets), np.int64)
        self._parts: list[NDArray[np.int64]] = []
        self._found = 0
        self._found_before = 0
        self._rejected = np.zeros(len(REASONS) + 1, np.int64)
        self._ambiguous: list[int] = []
        self._settle = settle_for(wanted)

    @property
    def missing(self) -> int:
        """How many items are still to be found."""
        return self.stratum.wanted - self._found

    def expected(self) -> int:
        """Return how many more candidates it takes, going by what was accepted so far."""
        accepted = max(self._found, 1) / max(self.candidates, 1)
        expected = self.missing / accepted if self.candidates else float(self.missing)
        return (int(expected / WINDOW) + 1) * WINDOW

    def batch(self) -> int:
        """Return how many candidates to look at next."""
        return min(self.expected(), LARGEST_BATCH)

    def settled(self) -> AcceptanceCounts:
        """Return what the candidates so far came to, without the numbers of the accepted."""
        ambiguous = np.array(self._ambiguous, np.int64)
        return AcceptanceCounts(
            self.candidates, self._rejected.copy(), self._shares.copy(), ambiguous
        )

    def restore(self, numbers: NDArray[np.int64], settled: AcceptanceCounts) -> None:
        """Go on behind candidates that were settled before, of which these were accepted.

        They end with a window, or with the stratum.  Their sentences are seen already.
        """
        self._parts = [numbers]
        self._found = self._found_before = len(numbers)
        self.candidates = settled.candidates
        self._rejected = settled.outcomes.copy()
        self._shares = settled.shares.copy()
        self._ambiguous = settled.ambiguous.tolist()

    def add(self, survey: Survey, progress: Progress | None) -> NDArray[np.bool_]:
        """Settle the next candidates; which of them are accepted."""
        outcomes = self._settled(survey)
        accepted = np.zeros(len(survey.verdicts), np.bool_)
        accepted[: len(outcomes)] = outcomes == ACCEPTED
        if self._distinct:
            self._seen.add(survey.hashes, accepted, self._number)
        numbers = survey.batch.numbers
        self._parts.append(numbers[accepted])
        self._ambiguous += numbers[: len(outcomes)][outcomes == AMBIGUOUS].tolist()
        self._advance(outcomes, survey.targets, progress)
        return accepted

    def drawn(self) -> StratumSample:
        """Return the sample of the stratum."""
        return StratumSample(
            self.stratum,
            np.concatenate([np.zeros(0, np.int64), *self._parts]),
            self.candidates,
            self._reasons(),
            self._by_target(),
            tuple(self._ambiguous),
        )

    def _settled(self, survey: Survey) -> NDArray[np.uint8]:
        """Return the outcomes of the candidates up to the last one that is needed."""
        count = len(survey.verdicts)
        earlier = self._seen.earlier(survey.hashes, survey.verdicts == ACCEPTED)
        ambiguous = np.zeros(count, np.bool_)
        if self._referee is None and self.stratum.ambiguous:
            known = np.array(sorted(self.stratum.ambiguous), np.int64)
            ambiguous = np.isin(survey.batch.numbers, known)
        outcomes = np.empty(count, np.uint8)
        judging = _Judging(np.zeros(count, np.bool_), {}, ambiguous)
        while True:
            used = self._settle(
                survey.verdicts,
                survey.targets,
                self._full,
                self._shares.copy(),
                self._number,
                earlier.stratum,
                earlier.candidate,
                int(self._distinct),
                int(self.stratum.repeated),
                ambiguous,
                self.missing,
                outcomes,
                np.zeros(count, np.bool_),
            )
            if self._referee is None or not self._judge(
                self._referee, survey, outcomes[:used], judging
            ):
                return outcomes[:used]

    def _judge(
        self,
        referee: BatchFilter[Any],
        survey: Survey,
        outcomes: NDArray[np.uint8],
        judging: _Judging,
    ) -> bool:
        """AcceptanceTest the sentences not judged yet; whether some of them are rejected.

        If not, the outcomes stand, and what was found is counted.
        """
        asked = np.flatnonzero((outcomes == ACCEPTED) | (outcomes == AMBIGUOUS))
        fresh = asked[~judging.judged[asked]]
        if len(fresh):
            sources, derivations = survey.batch.sources, survey.batch.derivations
            found = referee.judge(self.stratum, sources.take(fresh), derivations.take(fresh))
            judging.judged[fresh] = True
            judging.found.update((int(fresh[number]), one) for number, one in found.items())
            rejected = [int(fresh[n]) for n, one in found.items() if referee.rejects(one)]
            if rejected:
                judging.ambiguous[rejected] = True
                return True
        found_of = [judging.found[row] for row in asked.tolist() if row in judging.found]
        referee.count(self.stratum, len(asked), found_of)
        return False

    def _advance(
        self,
        outcomes: NDArray[np.uint8],
        targets: NDArray[np.int32],
        progress: Progress | None,
    ) -> None:
        """Count the outcomes window by window; stop where it is out of reach."""
        at = 0
        while at < len(outcomes):
            window = outcomes[at : at + WINDOW - self.candidates % WINDOW]
            counts = np.bincount(window, minlength=len(REASONS) + 1)
            self._found += int(counts[ACCEPTED])
            self._rejected += counts
            if len(self._shares):
                theirs = targets[at : at + len(window)][window == ACCEPTED]
                self._shares += np.bincount(theirs, minlength=len(self._shares))
            self.candidates += len(window)
            at += len(window)
            if self.candidates % WINDOW == 0:
                if progress is not None:
                    progress(self.stratum.stream, self._found, self.stratum.wanted)
                self._stop_if_out_of_reach()
                self._found_before = self._found

    def _stop_if_out_of_reach(self) -> None:
        stop_if_out_of_reach(
            self.stratum,
            self._found,
            self.candidates,
            self._reasons(),
            self._by_target(),
            self._found - self._found_before,
        )

    def _reasons(self) -> dict[str, int]:
        return dict(zip(REASONS, self._rejected[1:].tolist(), strict=True))

    def _by_target(self) -> dict[str, int]:
        return dict(zip(self.stratum.targets, self._shares.tolist(), strict=True))


def settle_for(items: int) -> Callable[..., int]:
    """Return ``settle``, compiled if that pays for so many items."""
    from sgl import accel

    if not accel.pays("draw", items * SECONDS_PER_ITEM):
        return settle
    from sgl.accel import draw

    return draw.settle
