"""Produce a dataset: sample, write, verify, report; all or nothing.

Another process checks the certificate while rows are written.  While two or more read the rows back, a thread of this
one looks up what the report shows.  The directory is put in place at the end, unless the verifier has found violations.

Unless another package observes the rows, the files depend on the program, the grammar with its settings, and the seed
alone.  So the cache keeps their list, and a directory that holds these very files is left as it is; if the grammar only
says the same in other words, its text alone is replaced (``sgl.pipeline.produced``).
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from sgl import __version__, dataset
from sgl.automata import Proofs, StructureCompiler
from sgl.cache import build, cached, current
from sgl.core.arrays import Derivations
from sgl.core.plan import Ambiguous
from sgl.dataset.answers import Answers, with_answers, write_answers
from sgl.dataset.maker import ChunkMaker
from sgl.dataset.manifest import counted_labels
from sgl.dataset.rows import Chunk, Selection, chunks_of, streams_of, write_items, write_pairs, write_rejected
from sgl.disk import write
from sgl.disk.stages import put_back
from sgl.frontend import Compiled
from sgl.lang.packed import write_grammar
from sgl.parallel.dataset import DatasetWork, parallel_chunks
from sgl.parallel.executor import Parallelism, RunFolder, interrupted, open_executor, open_run, partial_folder
from sgl.pipeline.diverging import Losses
from sgl.pipeline.guarantees import on_the_graphs, pattern_guarantees, unparsed
from sgl.pipeline.judge import faults_of
from sgl.pipeline.observers import Observer, all_built_in, registered_observers
from sgl.pipeline.produced import Known, ProducedDataset, RejectedError, describe, said, signed
from sgl.pipeline.proofs import certificate_file, meaning
from sgl.pipeline.report import Looked, look_up, report_data
from sgl.pipeline.review import Overlap, review_of
from sgl.pipeline.strings import AmbiguityFilter
from sgl.report import render_report
from sgl.sampling import AMBIGUOUS, NotEnoughError, Tables, pack, standalone_source
from sgl.sampling.strata import StrataSampler, StratumSample, sampler_for
from sgl.values import asdict, dataclass
from sgl.verify import USEFUL, Judge, Report, judging, standing_by, verify

#: Called with the current step, the work done, and the total work.
Stage = Callable[[str, int, int], None]

VERIFICATION = "verification.json"
CERTIFICATE = "certificate.json"

#: Number of items from which several processes verify a dataset.
MANY_ITEMS = 30_000

#: The name, in the folder of a run, of the directory of the dataset being written.
STAGE = "stage"

#: Checks that are left to ``sglc verify``, with the reasons.
_OMITTED = {
    "V028": f"{dataset.CHECKSUMS} is written after the verification",
    "V030": "the compiler has just drawn the rows from the certificate's tables; a sample of them was drawn again",
    "V031": "the compiler has just written all files of one row together",
}

#: Number of processes that help the verifier.
_PROCESSORS = min(os.cpu_count() or 1, USEFUL)


def produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    stage: Stage,
    parallelism: Parallelism | None = None,
    ready: Callable[[], None] = lambda: None,
) -> ProducedDataset:
    """Write the dataset of a proved plan, and its certificate, to ``target``.

    ``ready`` returns when other processes have compiled kernels; it is called before anything is sampled.
    With options of ``parallelism``, the folder of the run keeps finished work, so that an interrupted run can be
    resumed; such a folder blocks all other runs.  Raises ``OutputError``, ``NotEnoughError``, ``InterruptedRunError``,
    ``WorkerLostError``, and ``ImportError`` without the engine.
    """
    parallelism = parallelism or Parallelism()
    alone = not (parallelism.resumable or interrupted(target))
    cache = current() if alone and compiled.origin and all_built_in(compiled.plan) else None
    known = None if cache is None else cache.get(Known, "produced", *said(compiled))
    if cache is not None and known is not None and not parallelism.force:
        stage("comparing files", 0, 1)
        if (renewed := known.renewed(compiled, target)) is not None:
            if renewed is not known:
                cache.put(renewed, "produced", *said(compiled))
            return renewed.as_said_by(compiled, target, unchanged=renewed is known)
    production = _DatasetProduction(compiled, structures, proofs, stage, ready)
    if alone:
        known = production.run(target, None)
        if cache is not None and known.produced.verification.ok:
            cache.put(known, "produced", *said(compiled))
        return known.as_said_by(compiled, target)
    try:
        rescue = partial(put_back, partial_folder(target) / STAGE, dataset.resolved(target))
        # Only a run with the same identity may resume an interrupted run.
        identity = {"version": __version__, "grammar": production.fingerprint, "seed": compiled.plan.seed}
        opened = open_run(target, identity, parallelism, rescue)
    except OSError as problem:
        raise dataset.OutputError(target, problem.strerror or str(problem)) from problem
    with opened as run:
        known = production.run(target, run)
        run.discard()
    return known.as_said_by(compiled, target)


@dataclass
class _DatasetProduction:
    """One dataset in production."""

    compiled: Compiled
    structures: StructureCompiler
    proofs: Proofs
    stage: Stage
    ready: Callable[[], None]

    def __post_init__(self) -> None:
        compiled, structures = self.compiled, self.structures
        grammar, plan = compiled.grammar, compiled.plan
        self.plan = plan
        self.items = sum(stratum.count for stratum in plan.strata)
        self.meaning = meaning(compiled)
        self.fingerprint, _ = self.meaning
        self.tables = cached(
            Tables,
            "tables",
            self.meaning,
            lambda: pack(grammar, plan, {s.stream: structures.drawn(s) for s in plan.strata}),
        )
        self.sampler = sampler_for(self.tables, " ".join(self.meaning))
        ignores = plan.ambiguous is Ambiguous.IGNORE
        self.ambiguity = None if ignores else AmbiguityFilter(compiled, structures)
        self.observer, self.overlap = Observer(grammar, plan, self.sampler), Overlap(grammar, plan)
        self.losses = Losses()

    def run(self, target: Path, run: RunFolder | None) -> Known:
        """Produce the dataset; put nothing in place if there are violations."""
        place = None if run is None else run.path / STAGE
        # Start the verifying processes while the certificate is made: they are needed while rows are written.
        verifiers = _PROCESSORS if self.items >= MANY_ITEMS else 1
        with (
            suppress(RejectedError),
            dataset.staged_directory(target, place) as directory,
            standing_by(verifiers) as standby,
        ):
            self.stage("writing the certificate", 0, 1)
            self.certificate = certificate_file(self.compiled, self.structures)
            # Another process checks the certificate, and must be told which cache to use.
            judge: Judge = partial(faults_of, current())
            if standby:
                judge = judging(standby, judge, self.certificate.content)
            self.ready()
            samples, files = self._write_rows(directory, run)
            content = self._write_manifest(directory, samples, files)
            self.stage("writing the sampler", 0, 1)
            # The standalone sampler does not parse, so it is told which candidates are ambiguous.
            strata = [s.stratum._replace(ambiguous=frozenset(s.ambiguous)) for s in samples]
            source = standalone_source(self.tables._replace(strata=strata), content["identity"])
            write(directory / "sampler.py", source)
            with ThreadPoolExecutor(1) as beside:
                # While other processes read the rows, this one looks up what the report shows.
                looked = beside.submit(copy_context().run, look_up, self.compiled, self.structures, self.observer)
                report = self._verify(directory, judge, standby)
            review = self._write_report(directory, content, report, looked.result())
            listed, signature = signed(directory, content, {file.path: file.sha256 for file in files})
            if not report.ok:
                raise RejectedError
        produced = ProducedDataset(target, content, signature, listed, report)
        return Known(produced, self.compiled.origin, review, self.losses, self.observer.used)

    def _write_rows(self, directory: Path, run: RunFolder | None) -> tuple[list[StratumSample], list[dataset.DataFile]]:
        grammar, plan, counted = self.compiled.grammar, self.plan, counted_labels(self.compiled.grammar, self.plan)
        others = registered_observers(self.compiled, self.sampler)
        observers: tuple[Callable[[Chunk], None], ...] = (self.observer, self.overlap, *others)
        done = 0

        def watch(chunk: Chunk) -> None:
            nonlocal done
            for observer in observers:
                observer(chunk)
            done += len(chunk.words)
            self.stage("writing", done, self.items)

        if run is None:
            samples = self._sample(directory, None)
            maker = ChunkMaker(grammar, plan, self.sampler)
            files = write_items(directory, plan, maker.chunks, samples, watch, counted)
        else:
            work = DatasetWork(grammar, plan, self.tables)
            with open_executor(work, run.parallelism, run.path) as executor:
                samples = self._sample(run.path, run)
                files = write_items(directory, plan, partial(parallel_chunks, executor, run), samples, watch, counted)
        if plan.ambiguous.rejects:
            files.append(write_rejected(directory, self._rejected(samples)))
        if plan.ambiguous is Ambiguous.LIST:
            files = with_answers(directory, files, write_answers(directory, grammar, plan, self._answers(samples)))
        files += write_pairs(directory, grammar, plan)
        return samples, [*files, *(file for other in others for file in other.write(directory))]

    def _rejected(self, samples: Sequence[StratumSample]) -> Iterator[tuple[Selection, Derivations]]:
        assert self.ambiguity is not None, "what is rejected was parsed"
        for sample in samples:
            if sample.ambiguous:
                numbers = np.array(sample.ambiguous, np.int64)
                _, derivations, sources, *_ = self.sampler.derive(sample.stratum, numbers)
                readings = self.ambiguity.evidence(sample.stratum, sources, derivations)
                self.losses.add(self.compiled.grammar.rules, derivations, readings)
                yield Selection(sample.stratum, numbers), readings

    def _answers(self, samples: Sequence[StratumSample]) -> Iterator[Answers]:
        assert self.ambiguity is not None, "what is listed was parsed"
        for split, _, selections in chunks_of(samples):
            for selection in selections:
                _, derivations, sources, *_ = self.sampler.derive(selection.stratum, selection.numbers)
                others = self.ambiguity.answers(sources, derivations)
                names = streams_of(selection).to_pylist()
                yield from map(Answers, repeat(split), names, iter(derivations), others)

    def _sample(self, folder: Path, run: RunFolder | None) -> list[StratumSample]:
        ambiguity, tables = self.ambiguity, self.tables
        sampling = StrataSampler(self.sampler, ambiguity, folder=folder)
        found: dict[str, int] = {}

        def progress(stream: str, items: int, _wanted: int) -> None:
            found[stream] = items
            self.stage("drawing", sum(found.values()), self.items)

        samples: list[StratumSample] = []
        for number, stratum in enumerate(tables.strata):
            key = f"drawn-{number:04d}"
            kept = None if run is None else run.get(key)
            if kept is not None:
                sample, counted = kept
                sampling.restore(number, sample)
                if ambiguity is not None:
                    ambiguity.readings[stratum.stream] = dataset.Readings(**counted)
            else:
                try:
                    sample = sampling.stratum(number, progress)
                except NotEnoughError as problem:
                    problem.before = {
                        earlier.stratum.stream: (earlier.candidates, earlier.rejected[AMBIGUOUS]) for earlier in samples
                    }
                    problem.example = ambiguity.example if ambiguity is not None else ""
                    raise
                if run is not None:
                    found_readings = {} if ambiguity is None else ambiguity.readings
                    counted = asdict(found_readings.get(stratum.stream, dataset.Readings()))
                    run.put(key, (sample, counted))
            samples.append(sample)
        return samples

    def _write_manifest(
        self, directory: Path, samples: Sequence[StratumSample], files: Sequence[dataset.DataFile]
    ) -> dict[str, Any]:
        certificate = self.certificate
        write(directory / CERTIFICATE, certificate.content)
        ambiguity, project, compiled = self.ambiguity, self.compiled.project, self.compiled
        guarantees = []
        for pattern in self.plan.patterns:
            strings = unparsed(pattern.name, "the dataset says `ambiguous ignore`")
            if ambiguity is not None:
                strings = ambiguity.guarantee(pattern)
            proofs = self.proofs.of(pattern.name)
            guarantees += pattern_guarantees(proofs, strings, certificate.missing)
        content = dataset.manifest(
            compiled.grammar,
            self.plan,
            dataset.Provenance(
                name=project.name,
                title=project.title,
                fingerprint=self.fingerprint,
                files=write_grammar(directory, project, compiled.parameters, self.plan.seed),
                parameters=dict(compiled.parameters),
                release=compiled.release,
                build=build(),
            ),
            samples,
            guarantees,
            [*files, dataset.DataFile(CERTIFICATE, sha256_of(certificate.content), rows=0)],
            ambiguity.readings if ambiguity else None,
        )
        dataset.write_manifest(directory, content)
        return content

    def _verify(self, directory: Path, judge: Judge, standby: ProcessPoolExecutor | None) -> Report:
        report = verify(
            directory,
            lambda done, total, what: self.stage(what, done, total),
            _PROCESSORS,
            judge,
            standby,
            omitted=_OMITTED,
            sample=True,
        )
        data = report.as_data()
        # No file of the dataset can state the hash of all its files.
        del data["signature"]
        text = json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True)
        write(directory / VERIFICATION, text + "\n")
        return report

    def _write_report(self, directory: Path, content: dict[str, Any], report: Report, looked: Looked) -> dict[str, Any]:
        self.stage("writing the report", 0, 1)
        graphs = on_the_graphs(self.plan, self.observer.seen, report)
        stated = [*content["guarantees"], *map(dataset.plain, graphs.values())]
        order = list(graphs)
        # The sort is stable: the verifier's guarantee comes last for each pattern.
        content["guarantees"] = sorted(stated, key=lambda entry: order.index(entry["pattern"]))
        review = review_of(self.compiled.grammar, self.plan, self.observer, self.overlap)
        describe(directory, content, self.plan, review)
        page = report_data(self.compiled, looked, self.proofs, content, self.observer, report, review)
        write(directory / "report.html", render_report(page))
        return review


def sha256_of(content: bytes) -> str:
    """Return the SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(content).hexdigest()
