"""Draw and write the items of a dataset, with or without workers and a journal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sgl.dataset import Chunk
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.write import Written, write_items
from sgl.frontend import Compiled
from sgl.parallel.dataset import DatasetWork, ShardMaker, keep_drawn, kept_drawn
from sgl.parallel.executor import open_executor
from sgl.parallel.journal import Journal
from sgl.parallel.partitions import seen_on
from sgl.pipeline.labour import Labour
from sgl.pipeline.string_level import Referee
from sgl.sampling import AMBIGUOUS, NotEnoughError, Tables
from sgl.sampling.drawing import Drawing, sentences_of
from sgl.sampling.drawn import Drawn
from sgl.sampling.sampler import Sampler
from sgl.sampling.seen import Seen, SeenSentences

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Division:
    """How the items of a dataset are made: by whom, and with what journal, if there is one."""

    labour: Labour
    journal: Journal | None


def write_dataset(
    compiled: Compiled,
    sampler: Sampler,
    referee: Referee | None,
    directory: Path,
    division: Division,
    observe: Callable[[Chunk], None],
    stage: Stage,
) -> Written:
    """Draw all strata and write them into a directory.

    Raises:
        NotEnoughError: a stratum cannot yield the number of items asked for.
        WorkerLostError: the workers or their engine are gone.
        ImportError: the engine is not installed.
    """
    grammar, plan = compiled.grammar, compiled.plan
    journal, labour = division.journal, division.labour
    if journal is None:
        room = SeenSentences(folder=directory, expected=sentences_of(sampler.tables))
        drawn = _drawn(sampler, room, referee, None, stage)
        return write_items(directory, plan, ChunkMaker(grammar, plan, sampler), drawn, observe)

    work = DatasetWork(grammar, plan, sampler.tables)
    with open_executor(work, labour.workers, labour.engine, labour.scheduler) as executor:
        seen = seen_on(executor, journal.folder)
        drawn = _drawn(sampler, seen, referee, journal, stage)
        return write_items(directory, plan, ShardMaker(executor, journal), drawn, observe)


def _drawn(
    sampler: Sampler, seen: Seen, referee: Referee | None, journal: Journal | None, stage: Stage
) -> list[Drawn]:
    """Draw every stratum, but for those that the journal has."""
    tables = sampler.tables
    drawing = Drawing(tables, sampler, seen, referee)
    progress = _Progress(tables, stage)
    found: list[Drawn] = []
    for number, stratum in enumerate(tables.strata):
        kept = None if journal is None else kept_drawn(journal, number, stratum)
        if kept is not None:
            drawing.restore(number, kept[0])
            if referee is not None:
                referee.recount(stratum, kept[1])
            found.append(kept[0])
            continue
        try:
            found.append(drawing.stratum(number, progress))
        except NotEnoughError as problem:
            problem.before = {
                drawn.stratum.stream: (drawn.candidates, drawn.rejected[AMBIGUOUS])
                for drawn in found
            }
            raise
        if journal is not None:
            counted = {} if referee is None else referee.counted(stratum)
            keep_drawn(journal, number, found[-1], counted)
    return found


class _Progress:
    """Adds up what is drawn of all strata."""

    def __init__(self, tables: Tables, stage: Stage) -> None:
        self._stage = stage
        self._total = sum(stratum.wanted for stratum in tables.strata)
        self._found: dict[str, int] = {}

    def __call__(self, stream: str, items: int, _wanted: int) -> None:
        self._found[stream] = items
        self._stage("drawing", sum(self._found.values()), self._total)
