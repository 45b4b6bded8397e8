"""Sample and write the items of a dataset, in this process or on workers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sgl.dataset import Chunk
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.write import Written, write_items
from sgl.frontend import Compiled
from sgl.parallel.dataset import DatasetWork, ParallelMaker, keep_drawn, kept_drawn
from sgl.parallel.executor import open_executor
from sgl.parallel.run import RunFolder
from sgl.pipeline.ambiguity import AmbiguityFilter
from sgl.sampling import AMBIGUOUS, NotEnoughError, Tables
from sgl.sampling.batch import Sampler
from sgl.sampling.seen import seen_sentences
from sgl.sampling.strata import StrataSampler, StratumSample, sentences_of

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]


def write_dataset(
    compiled: Compiled,
    sampler: Sampler,
    ambiguity: AmbiguityFilter | None,
    directory: Path,
    run: RunFolder | None,
    observe: Callable[[Chunk], None],
    stage: Stage,
) -> Written:
    """Sample all strata and write them into a directory.

    With a ``run`` its folder keeps what is finished, and workers make the chunks.

    Raises:
        NotEnoughError: a stratum cannot yield the number of items asked for.
        WorkerLostError: the workers or their engine are gone.
        ImportError: the engine is not installed.
    """
    grammar, plan, tables = compiled.grammar, compiled.plan, sampler.tables
    if run is None:
        drawn = _drawn(sampler, directory, ambiguity, None, stage)
        return write_items(directory, plan, ChunkMaker(grammar, plan, sampler), drawn, observe)
    with open_executor(DatasetWork(grammar, plan, tables), run.parallelism) as executor:
        drawn = _drawn(sampler, run.path, ambiguity, run, stage)
        return write_items(directory, plan, ParallelMaker(executor, run), drawn, observe)


def _drawn(
    sampler: Sampler,
    folder: Path,
    ambiguity: AmbiguityFilter | None,
    run: RunFolder | None,
    stage: Stage,
) -> list[StratumSample]:
    """Sample every stratum that the run has not kept."""
    tables = sampler.tables
    seen = seen_sentences(sentences_of(tables), folder=folder)
    drawing = StrataSampler(tables, sampler, seen, ambiguity)
    progress = _Progress(tables, stage)
    found: list[StratumSample] = []
    for number, stratum in enumerate(tables.strata):
        kept = None if run is None else kept_drawn(run, number, stratum)
        if kept is not None:
            drawing.restore(number, kept[0])
            if ambiguity is not None:
                ambiguity.recount(stratum, kept[1])
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
        if run is not None:
            counted = {} if ambiguity is None else ambiguity.counted(stratum)
            keep_drawn(run, number, found[-1], counted)
    return found


class _Progress:
    """Adds up what is sampled of all strata."""

    def __init__(self, tables: Tables, stage: Stage) -> None:
        self._stage = stage
        self._total = sum(stratum.wanted for stratum in tables.strata)
        self._found: dict[str, int] = {}

    def __call__(self, stream: str, items: int, _wanted: int) -> None:
        self._found[stream] = items
        self._stage("drawing", sum(self._found.values()), self._total)
