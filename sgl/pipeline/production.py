"""Produce a dataset: sample, write, verify, report; all or nothing.

::

    with staged_directory(target) as directory:
        write_rows           data/, conllu/
        write_sampler        sampler.py
        write_certificate    certificate.json
        write_manifest       manifest.json
        verify               verification.json
        write_report         report.html, README.md

The directory is put in place at the end of the block, unless the verifier has found
violations.
"""

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
from sgl.dataset import (
    Chunk,
    DataFile,
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
from sgl.dataset.write import Written
from sgl.frontend import Compiled
from sgl.parallel.executor import Parallelism
from sgl.parallel.run import RunFolder, interrupted, open_run, partial_folder
from sgl.pipeline.ambiguity import ambiguity_filter, ignored
from sgl.pipeline.guarantees import on_the_graphs, pattern_guarantees
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
class ProducedDataset:
    """What was produced: where, the manifest, and the verifier's report.

    With violations nothing was put in place.
    """

    directory: Path
    manifest: dict[str, Any]
    verification: Report


class _RejectedError(Exception):
    """Leaves the staged directory when the verifier has found violations."""


def produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    stage: Stage,
    parallelism: Parallelism | None = None,
) -> ProducedDataset:
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
    production = _DatasetProduction(compiled, structures, proofs, stage)
    parallelism = parallelism or Parallelism()
    if not (parallelism.resumable or interrupted(target)):
        return production.run(target, None)
    try:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        rescue = partial(put_back, partial_folder(target) / STAGE, target.resolve())
        # An interrupted run is resumed by a run of the same identity only.
        identity = {
            "version": __version__,
            "grammar": production.fingerprint,
            "seed": compiled.plan.seed,
        }
        opened = open_run(target, identity, parallelism, rescue)
    except OSError as problem:
        raise OutputError(target, problem.strerror or str(problem)) from problem
    with opened as run:
        produced = production.run(target, run)
        run.discard()
    return produced


class _DatasetProduction:
    """One dataset on its way to the disk."""

    def __init__(
        self, compiled: Compiled, structures: StructureCompiler, proofs: Proofs, stage: Stage
    ) -> None:
        self.compiled = compiled
        self.structures = structures
        self.proofs = proofs
        self.stage = stage
        self.plan = compiled.plan
        self.items = sum(stratum.count for stratum in compiled.plan.strata)
        self.fingerprint = fingerprint(compiled.grammar, compiled.plan)
        self.tables = self._tables()
        self.sampler = sampler_for(self.tables, compiled.origin)
        self.ambiguity = ambiguity_filter(compiled, structures)
        self.observer = Observer(compiled.grammar, compiled.plan, self.sampler)

    def run(self, target: Path, run: RunFolder | None) -> ProducedDataset:
        """Produce the dataset; with violations nothing is put in place."""
        place = None if run is None else run.path / STAGE
        produced: ProducedDataset | None = None
        # Verifying processes that will be needed start while rows are written.
        verifiers = _processors() if self.items >= MANY_ITEMS else 1
        try:
            with staged_directory(target, place) as directory, standing_by(verifiers) as standby:
                written, files = self._write_rows(directory, run)
                self._write_sampler(directory, written.strata)
                certificate = self._write_certificate(directory)
                content = self._write_manifest(
                    directory, written.strata, (*written.files, *files, certificate)
                )
                report = self._verify(directory, standby)
                self._write_report(directory, content, report)
                produced = ProducedDataset(target, content, report)
                if not report.ok:
                    raise _RejectedError
        except _RejectedError:
            assert produced is not None
        if produced is None:
            raise OutputError(target, "it could not be put in place")
        return produced

    # ---- rows

    def _tables(self) -> Tables:
        """Return what is sampled from, for all strata."""

        def compute() -> Tables:
            splits = {s.stream: self.structures.split(s.constraint) for s in self.plan.strata}
            return pack(self.compiled.grammar, self.plan, splits)

        return cached(Tables, "tables", (self.compiled.origin,), compute)

    def _write_rows(self, directory: Path, run: RunFolder | None) -> tuple[Written, list[DataFile]]:
        """Sample and write all rows; return them, and the files of registered observers."""
        others = registered_observers(self.compiled, self.sampler)
        observers: tuple[Callable[[Chunk], None], ...] = (self.observer, *others)
        done = 0

        def watch(chunk: Chunk) -> None:
            nonlocal done
            for observer in observers:
                observer(chunk)
            done += len(chunk.words)
            self.stage("writing", done, self.items)

        written = write_dataset(
            self.compiled, self.sampler, self.ambiguity, directory, run, watch, self.stage
        )
        return written, [file for other in others for file in other.write(directory)]

    def _write_sampler(self, directory: Path, strata: Sequence[StratumCount]) -> None:
        self.stage("writing the sampler", 0, 1)
        # The standalone sampler does not parse: it is told which candidates are ambiguous.
        rejected = {stratum.stream: frozenset(stratum.ambiguous) for stratum in strata}
        tables = self.tables._replace(
            strata=[s._replace(ambiguous=rejected[s.stream]) for s in self.tables.strata]
        )
        name = signature(self.fingerprint, self.plan.seed, sum(s.count for s in strata))
        (directory / "sampler.py").write_text(standalone_source(tables, name), "utf-8")

    # ---- claims

    def _write_certificate(self, directory: Path) -> DataFile:
        self.stage("writing the certificate", 0, 1)
        text = certificate_file(self.compiled, self.structures)
        (directory / CERTIFICATE).write_bytes(text)
        return DataFile(CERTIFICATE, hashlib.sha256(text).hexdigest(), rows=0)

    def _write_manifest(
        self, directory: Path, strata: Sequence[StratumCount], files: Sequence[DataFile]
    ) -> dict[str, Any]:
        """Write the manifest as it is before the verifier has searched the graphs."""
        ambiguity = self.ambiguity
        guarantees = [
            guarantee
            for pattern in self.plan.patterns
            for guarantee in pattern_guarantees(
                self.proofs.of(pattern.name),
                ambiguity.guarantee(pattern) if ambiguity else ignored(pattern.name),
            )
        ]
        provenance = Provenance(
            name=self.compiled.project.name,
            title=self.compiled.project.title,
            fingerprint=self.fingerprint,
            files=_source_files(self.compiled),
            parameters=dict(self.compiled.parameters),
        )
        content = manifest(
            self.compiled.grammar,
            self.plan,
            provenance,
            strata,
            guarantees,
            tuple(files),
            ambiguity.readings if ambiguity else None,
        )
        write_manifest(directory, content)
        return content

    # ---- verification

    def _verify(self, directory: Path, standby: ProcessPoolExecutor | None) -> Report:
        def progress(done: int, total: int, what: str) -> None:
            self.stage(what, done, total)

        # Another process checks the certificate, and has to be told which cache there is.
        check = partial(_certificate_faults, current())
        report = verify(directory, progress, _processors(), check, standby)
        text = json.dumps(report.as_data(), ensure_ascii=False, indent=1, sort_keys=True)
        (directory / VERIFICATION).write_text(text + "\n", "utf-8")
        return report

    def _write_report(self, directory: Path, content: dict[str, Any], report: Report) -> None:
        """Add the verifier's guarantees to the manifest; write the card and the report."""
        self.stage("writing the report", 0, 1)
        graphs = on_the_graphs(self.plan, self.observer.seen, report)
        stated = [*content["guarantees"], *map(asdict, graphs.values())]
        order = list(graphs)
        # The sort is stable: the word of the verifier is the last of each pattern.
        content["guarantees"] = sorted(stated, key=lambda entry: order.index(entry["pattern"]))
        write_manifest(directory, content)
        write_card(directory, content)
        page = report_data(
            self.compiled, self.structures, self.proofs, content, self.observer, report
        )
        (directory / "report.html").write_text(render_report(page), "utf-8")


def _certificate_faults(cache: Cache | None, text: bytes) -> tuple[str, ...]:
    """Return what is wrong with a certificate, computed once for the same bytes and checker."""
    digest = hashlib.sha256(text).hexdigest()
    with using(cache):
        return cached(tuple, "faults", (digest,), lambda: certificate_faults(text))


def _source_files(compiled: Compiled) -> tuple[SourceFile, ...]:
    """Return the files of the author, by their names inside the project."""
    root = compiled.project.main.root.shown
    prefix = f"{root}/" if root else ""
    return tuple(
        SourceFile(name.removeprefix(prefix), hashlib.sha256(file.text.encode("utf-8")).hexdigest())
        for name, file in sorted(compiled.project.sources.files.items())
    )


def _processors() -> int:
    """Return how many processes help the verifier."""
    return min(os.cpu_count() or 1, USEFUL)
