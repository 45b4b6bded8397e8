"""Write the items of a plan into a directory, as they are drawn.

::

    with staged_directory(target) as directory:
        written = write_items(directory, grammar, plan, draw(tables))
        write_manifest(directory, manifest(..., written.strata, ..., written.files))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset.manifest import DataFile, StratumCount
from sgl.dataset.records import Record, Recorder
from sgl.dataset.writers import SplitWriters
from sgl.sample.distinct import StratumDraw


@dataclass(frozen=True, slots=True)
class Written:
    """What was written: counts for each stratum, and the files with their hashes."""

    strata: tuple[StratumCount, ...]
    files: tuple[DataFile, ...]


def write_items(
    directory: Path,
    grammar: CoreGrammar,
    plan: Plan,
    draws: Iterable[StratumDraw],
    observe: Callable[[Record], None] | None = None,
) -> Written:
    """Write ``data``, ``parquet`` and ``conllu`` files for every split of the plan.

    ``observe`` sees every record once it is written.  Raises ``NotEnoughError``
    from ``draws``, ``ConlluError`` and ``ValueError`` for texts that the formats
    cannot hold, and ``OSError``.
    """
    recorder = Recorder(grammar, plan)
    strata: list[StratumCount] = []
    writers = SplitWriters(directory, grammar, plan)
    with writers:
        for stratum in plan.strata:
            writers.open(stratum.split)
        for draw in draws:
            strata.append(StratumCount.of(draw))
            for record in recorder.records(draw):
                writers.write(record)
                if observe is not None:
                    observe(record)
    return Written(tuple(strata), writers.files())
