"""``sglc sample --out``: many sentences in one file."""

from __future__ import annotations

import errno
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sgl import __version__
from sgl.automata import SplitGrammar, StructureCompiler
from sgl.cli.files import write_fault
from sgl.cli.main import FAILED
from sgl.cli.parallelism import resumable
from sgl.cli.session import Session
from sgl.cli.terminal import count
from sgl.core.plan import Constraint, Plan
from sgl.dataset import fingerprint
from sgl.dataset.chunk import FormatError
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism, open_executor
from sgl.parallel.run import interrupted, open_run
from sgl.sampling import pack

#: The forms of files by the ends of their names.
FORMS = {".tsv": "tsv", ".parquet": "parquet"}


def split_of(
    session: Session, compiled: Compiled, start: int, constraint: Constraint
) -> SplitGrammar:
    """Return the phrases of a category that meet a constraint; end the command without any."""
    split = StructureCompiler(replace(compiled.grammar, start=start)).split(constraint)
    if split.empty:
        message = "no sentence of the grammar qualifies"
        session.fail("SGL0812", message, compiled.dataset_span, hint="`sglc prove` says why")
    return split


def write_file(
    session: Session,
    compiled: Compiled,
    starts: Sequence[int],
    plan: Plan,
    columns: Sequence[str],
    out: Path,
    parallelism: Parallelism,
) -> None:
    """Write the sentences of a plan with one stratum; end the command if no file can hold them."""
    started = time.monotonic()
    if out.suffix not in FORMS:
        session.refuse(f"`{out}` says no format: name it .parquet or .tsv")
    unfit = [name for name in columns if name in ("tree", "graph")]
    if unfit:
        session.refuse(f"`{unfit[0]}` is not one line, so it cannot be a column")
    if len(starts) > 1:
        names = [compiled.grammar.categories[number].name for number in starts]
        session.refuse(f"a file has sentences of one category; name one of {', '.join(names)}")
    (stratum,) = plan.strata
    try:
        # Something may be there that may not be replaced.
        fault, hint = write_fault(out, parallelism.force or interrupted(out))
        if fault:
            session.fail("SGL1103", fault, hint=hint)
        with resumable(session, out, parallelism):
            split = split_of(session, compiled, starts[0], stratum.constraint)
            _write(session, split, plan, tuple(columns), out, parallelism)
    except OSError as problem:
        session.fail("SGL1103", f"cannot write `{out}`: {problem.strerror or problem}")
    except FormatError as problem:
        session.fail("SGL1103", f"cannot write `{out}`: {problem}", status=FAILED)
    seconds = time.monotonic() - started
    session.echo(f"{out}: {count(stratum.count, 'sentence')} in {seconds:.1f} s")


def _write(
    session: Session,
    split: SplitGrammar,
    plan: Plan,
    columns: tuple[str, ...],
    out: Path,
    parallelism: Parallelism,
) -> None:
    """Write what is sampled from ``split``; a run that is interrupted can be resumed."""
    # Kernels and Arrow take a third of a second to load.
    from sgl.parallel.sample import sample_into
    from sgl.parallel.sentences import SentenceWork

    assert session.compiled is not None
    grammar, form = session.compiled.grammar, FORMS[out.suffix]
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
    with open_run(out, identity, parallelism) as run:
        if out.exists() and not (run.resumed or parallelism.force):
            # Another run has finished since the target was looked for.
            raise FileExistsError(errno.EEXIST, "another run has just written it", str(out))
        with open_executor(work, parallelism) as executor:
            sample_into(out, work, executor, run, session.progress)
        run.discard()
