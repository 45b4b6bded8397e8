"""Sample many sentences of a grammar into one file: what ``sglc sample --out`` does."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sgl import __version__
from sgl.automata import SplitGrammar
from sgl.core.plan import Constraint, Stratum
from sgl.dataset import fingerprint
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism, open_executor
from sgl.parallel.run import open_run
from sgl.sampling import pack

if TYPE_CHECKING:
    from sgl.sampling.strata import StratumSample

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]

#: The forms of files by the ends of their names.
FORMS = {".tsv": "tsv", ".parquet": "parquet"}

#: The stream of samples, which is also their split and category.
STREAM = "sample"


@dataclass(frozen=True)
class SampleRequest:
    """What to sample: ``number`` sentences of the category ``start`` that meet a constraint.

    ``columns`` are text layers and views, by name.
    """

    start: int
    constraint: Constraint
    number: int
    seed: int
    columns: tuple[str, ...]
    distinct: bool


def write_sample(
    compiled: Compiled,
    split: SplitGrammar,
    request: SampleRequest,
    target: Path,
    parallelism: Parallelism,
    stage: Stage,
) -> StratumSample:
    """Write the sentences to ``target``; an interrupted run leaves a folder to resume from.

    Raises:
        NotEnoughError: there are not as many sentences.
        InterruptedRunError: an interrupted run is in the way, or cannot be resumed.
        WorkerLostError: the workers or their engine are gone.
        FormatError: the file cannot hold a text.
        ImportError: the engine is not installed.
        OSError: the operating system refuses to write.
    """
    # Kernels and Arrow take a third of a second to load.
    from sgl.parallel.sample import sample_into
    from sgl.parallel.sentences import SentenceWork

    form = FORMS[target.suffix]
    stratum = Stratum(STREAM, STREAM, STREAM, request.number, request.constraint)
    plan = replace(
        compiled.plan, strata=(stratum,), seed=request.seed, distinct_sentences=request.distinct
    )
    # An interrupted run is resumed by a run of the same identity only.
    identity = {
        "version": __version__,
        "grammar or request": fingerprint(compiled.grammar, plan),
        "category": compiled.grammar.categories[request.start].name,
        "seed": request.seed,
        "number": request.number,
        "list of columns": list(request.columns),
        "kind of file": form,
    }
    tables = pack(compiled.grammar, plan, {STREAM: split})
    work = SentenceWork(tables, compiled.grammar, request.columns, form)
    with open_run(target, identity, parallelism) as run:
        if target.exists() and not (run.resumed or parallelism.force):
            # Another run has finished since the target was looked for.
            raise FileExistsError(errno.EEXIST, "another run has just written it", str(target))
        with open_executor(work, parallelism) as executor:
            drawn = sample_into(target, work, executor, run, stage)
        run.discard()
    return drawn
