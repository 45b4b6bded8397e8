"""Produce a dataset: draw, write, verify, report; all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sgl import __version__
from sgl.automata import Proofs, StructureCompiler
from sgl.cache import Cache, cached, current, using
from sgl.core.plan import Plan
from sgl.dataset import (
    Chunk,
    DataFile,
    Guarantee,
    OutputError,
    Provenance,
    SourceFile,
    StratumCount,
    fingerprint,
    manifest,
    put_back,
    signature,
    staged_directory,
    write_card,
    write_manifest,
)
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism
from sgl.parallel.run import RunFolder, interrupted, open_run, partial_folder
from sgl.pipeline.ambiguity import Referee, ignored, referee_of
from sgl.pipeline.guarantees import completed, guarantees_of, on_the_graphs
from sgl.pipeline.items import write_dataset
from sgl.pipeline.observers import registered_observers
from sgl.pipeline.proofs import certificate_file
from sgl.pipeline.report import Observer, report_data
from sgl.report import render_report
from sgl.sampling import Tables, pack, standalone_source
from sgl.sampling.batch import sampler_for
from sgl.verify import USEFUL, Report, certificate_faults, standing_by, verify

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]

VERIFICATION = "verification.json"
CERTIFICATE = "certificate.json"

#: A dataset of so many items is certainly verified by several processes.
MANY_ITEMS = 30_000

#: What the directory of a dataset that is being written has for a name in the folder of its run.
STAGE = "stage"


@dataclass(frozen=True)
class Outcome:
    """What was produced: where, the manifest, and the verifier's report.

    With violations nothing was put in place.
    """

    directory: Path
    manifest: dict[str, Any]
    verification: Report


@dataclass(frozen=True)
class _Drawn:
    """What was drawn and written: the manifest, what was seen, what is guaranteed by now."""

    manifest: dict[str, Any]
    observer: Observer
    guarantees: list[Guarantee]


class _Rejected(Exception):
    """Leaves the staged directory when the verifier has found violations."""


def produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    stage: Stage,
    parallelism: Parallelism | None = None,
) -> Outcome:
    """Write the dataset of a proved plan to ``target``.

    With options of ``parallelism`` the folder of the run keeps what is finished, so that an
    interrupted run can be resumed; one that is there is in the way of all others.

    Raises:
        OutputError: the directory cannot be written.
        NotEnoughError: a stratum cannot yield the number of items asked for.
        InterruptedRunError: an interrupted run is in the way, or cannot be resumed.
        WorkerLostError: the workers or their engine are gone.
        ImportError: the engine is not installed.
    """
    parallelism = parallelism or Parallelism()
    if not (parallelism.resumable or interrupted(target)):
        return _produce(compiled, structures, proofs, target, None, stage)
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        rescue = partial(put_back, partial_folder(target) / STAGE, target.resolve())
        opened = open_run(target, _identity(compiled), parallelism, rescue)
    except OSError as problem:
        raise OutputError(target, problem.strerror or str(problem)) from problem
    with opened as run:
        outcome = _produce(compiled, structures, proofs, target, run, stage)
        run.discard()
    return outcome


def _identity(compiled: Compiled) -> dict[str, object]:
    """What a run is; an interrupted one is resumed by a run of the same identity only."""
    return {
        "version": __version__,
        "grammar": fingerprint(compiled.grammar, compiled.plan),
        "seed": compiled.plan.seed,
    }


def _produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    run: RunFolder | None,
    stage: Stage,
) -> Outcome:
    place = None if run is None else run.path / STAGE
    outcome: Outcome | None = None
    try:
        with (
            staged_directory(target, place) as directory,
            standing_by(_verifiers(compiled.plan)) as standby,
        ):
            drawn = _write(compiled, structures, proofs, directory, run, stage)
            content, observer = drawn.manifest, drawn.observer
            report = _verified(directory, standby, stage)
            _write_verification(directory, report)
            stage("writing the report", 0, 1)
            _complete(directory, drawn, compiled, report)
            page = report_data(compiled, structures, proofs, content, observer, report)
            (directory / "report.html").write_text(render_report(page), "utf-8")
            outcome = Outcome(target, content, report)
            if not report.ok:
                raise _Rejected
    except _Rejected:
        assert outcome is not None
    if outcome is None:
        raise OutputError(target, "it could not be put in place")
    return outcome


def _write(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    directory: Path,
    run: RunFolder | None,
    stage: Stage,
) -> _Drawn:
    grammar, plan = compiled.grammar, compiled.plan
    tables = _packed(compiled, structures)
    referee = referee_of(compiled, structures)
    sampler = sampler_for(tables, compiled.origin)
    observer = Observer(grammar, plan, sampler)
    others = registered_observers(compiled, sampler)
    watch = _watching((observer, *others), plan, stage)
    written = write_dataset(compiled, sampler, referee, directory, run, watch, stage)
    provenance = Provenance(
        name=compiled.project.name,
        title=compiled.project.title,
        fingerprint=fingerprint(grammar, plan),
        files=_source_files(compiled),
        parameters=dict(compiled.parameters),
    )
    items = sum(stratum.count for stratum in written.strata)
    name = signature(provenance.fingerprint, plan.seed, items)
    stage("writing the sampler", 0, 1)
    source = standalone_source(_with_ambiguous(tables, written.strata), name)
    (directory / "sampler.py").write_text(source, "utf-8")
    stage("writing the certificate", 0, 1)
    beside = [entry for other in others for entry in other.write(directory)]
    certified = _write_certificate(directory, structures, compiled)
    guarantees = guarantees_of(proofs, _on_strings(compiled, referee))
    content = manifest(
        grammar,
        plan,
        provenance,
        written.strata,
        guarantees,
        (*written.files, *beside, certified),
        None if referee is None else referee.readings,
    )
    write_manifest(directory, content)
    return _Drawn(content, observer, guarantees)


def _watching(
    observers: Sequence[Callable[[Chunk], None]], plan: Plan, stage: Stage
) -> Callable[[Chunk], None]:
    """The observers of chunks as one, which also says how many rows there are by now."""
    total = sum(stratum.count for stratum in plan.strata)
    done = 0

    def watch(chunk: Chunk) -> None:
        nonlocal done
        for observer in observers:
            observer(chunk)
        done += len(chunk.words)
        stage("writing", done, total)

    return watch


def _packed(compiled: Compiled, structures: StructureCompiler) -> Tables:
    """What is drawn from, for all strata."""

    def compute() -> Tables:
        plan = compiled.plan
        splits = {stratum.stream: structures.split(stratum.constraint) for stratum in plan.strata}
        return pack(compiled.grammar, plan, splits)

    return cached(Tables, "tables", (compiled.origin,), compute)


def _with_ambiguous(tables: Tables, strata: Sequence[StratumCount]) -> Tables:
    """The tables with the candidates that the referee has rejected, for whoever has none."""
    rejected = {stratum.stream: frozenset(stratum.ambiguous) for stratum in strata}
    return tables._replace(strata=[s._replace(ambiguous=rejected[s.stream]) for s in tables.strata])


def _on_strings(compiled: Compiled, referee: Referee | None) -> dict[str, Guarantee]:
    """What parsing has said of the strings, for each pattern."""
    return {
        pattern.name: ignored(pattern.name) if referee is None else referee.guarantee(pattern)
        for pattern in compiled.plan.patterns
    }


def _write_certificate(
    directory: Path, structures: StructureCompiler, compiled: Compiled
) -> DataFile:
    text = certificate_file(compiled, structures)
    (directory / CERTIFICATE).write_bytes(text)
    return DataFile(CERTIFICATE, hashlib.sha256(text).hexdigest(), rows=0)


def _complete(directory: Path, drawn: _Drawn, compiled: Compiled, report: Report) -> None:
    """Add the word of the verifier to the guarantees that the manifest and the card state."""
    graphs = on_the_graphs(compiled.plan, drawn.observer.seen, report)
    guarantees = completed(drawn.guarantees, graphs)
    drawn.manifest["guarantees"] = [asdict(guarantee) for guarantee in guarantees]
    write_manifest(directory, drawn.manifest)
    write_card(directory, drawn.manifest)


def _source_files(compiled: Compiled) -> tuple[SourceFile, ...]:
    """The files of the author, by their names inside the project."""
    root = compiled.project.main.root.shown
    prefix = f"{root}/" if root else ""
    return tuple(
        SourceFile(name.removeprefix(prefix), hashlib.sha256(file.text.encode("utf-8")).hexdigest())
        for name, file in sorted(compiled.project.sources.files.items())
    )


def _verifiers(plan: Plan) -> int:
    """How many processes are to start now that will be needed when all is written."""
    items = sum(stratum.count for stratum in plan.strata)
    return _workers() if items >= MANY_ITEMS else 1


def _workers() -> int:
    return min(os.cpu_count() or 1, USEFUL)


def _verified(directory: Path, standby: ProcessPoolExecutor | None, stage: Stage) -> Report:
    """The word of the verifier, with as many processes as help it."""
    # Another process judges, which has to be told what cache there is.
    judge = partial(_judged, current())

    def progress(done: int, total: int, what: str) -> None:
        stage(what, done, total)

    return verify(directory, progress, _workers(), judge, standby)


def _judged(cache: Cache | None, text: bytes) -> tuple[str, ...]:
    """What is wrong with a certificate, asked once for the same bytes and the same checker."""
    digest = hashlib.sha256(text).hexdigest()
    with using(cache):
        return cached(tuple, "faults", (digest,), lambda: certificate_faults(text))


def _write_verification(directory: Path, report: Report) -> None:
    text = json.dumps(report.as_data(), ensure_ascii=False, indent=1, sort_keys=True)
    (directory / VERIFICATION).write_text(text + "\n", "utf-8")
