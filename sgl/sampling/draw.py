"""Draw every stratum of a plan, in the plan's order.

A sentence that one stratum has taken is not available to the later ones, so
the order matters; the candidates themselves do not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.sampling.distinct import Judge, Progress, Referee, StratumDraw, draw_stratum
from sgl.sampling.engine import PackedStratum, Tables, derive
from sgl.sampling.random import candidate_key, stream_key

#: Candidates from which ``forecast`` estimates the acceptance of a stratum.
FORECAST_CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Forecast:
    """What can be said of a stratum before its items are drawn.

    ``accepted`` of its first ``candidates`` would be accepted if the stratum
    were drawn before all others.
    """

    stratum: PackedStratum
    candidates: int
    accepted: int

    @property
    def acceptance(self) -> float:
        """The estimated share of candidates that are accepted."""
        return self.accepted / self.candidates


def forecast(tables: Tables) -> tuple[Forecast, ...]:
    """Estimate the acceptance of every stratum that is to have items."""
    return tuple(_forecast(tables, stratum) for stratum in tables.strata if stratum.wanted)


def _forecast(tables: Tables, stratum: PackedStratum) -> Forecast:
    judge = Judge(tables)
    key = stream_key(tables.seed, stratum.stream)
    accepted = sum(
        judge.reason(
            stratum, index, derive(tables.states, stratum.start, candidate_key(key, index))
        )
        is None
        for index in range(FORECAST_CANDIDATES)
    )
    return Forecast(stratum, FORECAST_CANDIDATES, accepted)


def draw(
    tables: Tables, progress: Progress | None = None, referee: Referee | None = None
) -> Iterator[StratumDraw]:
    """Draw the strata one after the other.

    A referee rejects candidates for the readings of their sentences; without one it is
    those that the tables name.  Raises ``NotEnoughError`` when a stratum runs dry.
    """
    judge = Judge(tables, referee)
    for stratum in tables.strata:
        yield draw_stratum(tables, stratum, judge, progress)
