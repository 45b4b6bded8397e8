"""Sample many sentences of a grammar into one file: what ``sglc sample --out`` does."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import TYPE_CHECKING

from sgl import __version__
from sgl.automata import SplitGrammar
from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.dataset import fingerprint
from sgl.parallel.executor import Parallelism, open_executor
from sgl.parallel.run import open_run
from sgl.sampling import pack

if TYPE_CHECKING:
    from sgl.parallel.sample import Stage
    from sgl.sampling.strata import StratumSample

#: The forms of files by the ends of their names.
FORMS = {".tsv": "tsv", ".parquet": "parquet"}

#: The stream of samples, which is also their split and category.
STREAM = "sample"


def write_sample(
    grammar: CoreGrammar,
    plan: Plan,
    split: SplitGrammar,
    columns: tuple[str, ...],
    target: Path,
    parallelism: Parallelism,
    stage: Stage,
) -> StratumSample:
    """Write the sentences of a plan to ``target``; a run that is interrupted can be resumed.

    The plan has one stratum, which is drawn from ``split``; ``columns`` are text layers and
    views, by name.

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
    (stratum,) = plan.strata
    # An interrupted run is resumed by a run of the same identity only.
    identity = {
        "version": __version__,
        "grammar or request": fingerprint(grammar, plan),
        "category": grammar.categories[split.grammar.start].name,
        "seed": plan.seed,
        "number": stratum.count,
        "list of columns": list(columns),
        "kind of file": form,
    }
    tables = pack(grammar, plan, {stratum.stream: split})
    work = SentenceWork(tables, grammar, columns, form)
    with open_run(target, identity, parallelism) as run:
        if target.exists() and not (run.resumed or parallelism.force):
            # Another run has finished since the target was looked for.
            raise FileExistsError(errno.EEXIST, "another run has just written it", str(target))
        with open_executor(work, parallelism) as executor:
            drawn = sample_into(target, work, executor, run, stage)
        run.discard()
    return drawn
