"""Draw many sentences of a grammar into one file: what ``sglc sample --out`` does."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sgl import __version__
from sgl.automata import SplitGrammar
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.dataset import fingerprint
from sgl.frontend import Compiled
from sgl.parallel.executor import open_executor
from sgl.parallel.journal import kept_if_begun
from sgl.pipeline.labour import Labour, open_journal
from sgl.sampling import pack

if TYPE_CHECKING:
    from sgl.sampling.drawn import Drawn

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]

#: The stream of samples, which is also their split and category.
STREAM = "sample"


@dataclass(frozen=True)
class Request:
    """What is asked for: so many sentences of a category under a constraint, in these columns."""

    start: int
    constraint: Constraint
    number: int
    seed: int
    columns: tuple[str, ...]
    form: str
    distinct: bool


def write_sample(
    compiled: Compiled,
    split: SplitGrammar,
    request: Request,
    target: Path,
    labour: Labour,
    stage: Stage,
) -> Drawn:
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
    from sgl.parallel.export import assemble, export
    from sgl.parallel.partitions import seen_on
    from sgl.parallel.sentences import SentenceWork

    plan = _plan(compiled, request)
    tables = pack(compiled.grammar, plan, {STREAM: split})
    work = SentenceWork(tables, compiled.grammar, request.columns, request.form)
    identity = _identity(compiled, plan, request)
    with open_journal(target, identity, labour) as journal, kept_if_begun(journal):
        if target.exists() and not (journal.resumed or labour.force):
            # Another run has finished since the target was looked for.
            raise FileExistsError(errno.EEXIST, "another run has just written it", str(target))
        with open_executor(work, labour.workers, labour.engine, labour.scheduler) as executor:
            drawn = export(work, executor, seen_on(executor, journal.folder), journal, stage)
        stage("putting the file together", 0, 1)
        assemble(work, journal, target)
        journal.discard()
    return drawn


def _plan(compiled: Compiled, request: Request) -> Plan:
    stratum = Stratum(STREAM, STREAM, STREAM, request.number, request.constraint)
    return replace(
        compiled.plan,
        strata=(stratum,),
        seed=request.seed,
        distinct_sentences=request.distinct,
    )


def _identity(compiled: Compiled, plan: Plan, request: Request) -> dict[str, object]:
    """What a run is; an interrupted one is resumed by a run of the same identity only."""
    return {
        "version": __version__,
        "grammar or request": fingerprint(compiled.grammar, plan),
        "category": compiled.grammar.categories[request.start].name,
        "seed": request.seed,
        "number": request.number,
        "list of columns": list(request.columns),
        "kind of file": request.form,
    }
