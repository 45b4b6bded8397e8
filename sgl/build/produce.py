"""Produce a dataset: draw, write, verify, report; all or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sgl.automata import Proofs, StructureCompiler
from sgl.build.certified import certificate_file
from sgl.build.guarantees import completed, guarantees_of, on_the_graphs
from sgl.build.report_data import Observer, report_data
from sgl.compile import Compiled
from sgl.dataset import (
    DataFile,
    OutputError,
    Provenance,
    SourceFile,
    fingerprint,
    manifest,
    signature,
    staged_directory,
    write_card,
    write_items,
    write_manifest,
)
from sgl.report import render_report
from sgl.sample import draw, pack, standalone_source
from sgl.verify import Report, verify

#: Called with what is being done, how much is done and how much there is.
Stage = Callable[[str, int, int], None]

VERIFICATION = "verification.json"
CERTIFICATE = "certificate.json"


@dataclass(frozen=True)
class Outcome:
    """What was produced: where, the manifest, and the verifier's report.

    With violations nothing was put in place.
    """

    directory: Path
    manifest: dict[str, Any]
    verification: Report


class _Rejected(Exception):
    """Leaves the staged directory when the verifier has found violations."""


def produce(
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    target: Path,
    stage: Stage,
) -> Outcome:
    """Write the dataset of a proved plan to ``target``.

    Raises:
        OutputError: the directory cannot be written.
        NotEnoughError: a stratum cannot yield the number of items asked for.
    """
    outcome: Outcome | None = None
    try:
        with staged_directory(target) as directory:
            content, observer = _write(compiled, structures, proofs, directory, stage)
            report = verify(directory, lambda done, total, what: stage(what, done, total))
            _write_verification(directory, report)
            stage("writing the report", 0, 1)
            _complete(directory, content, compiled, proofs, observer, report)
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
    stage: Stage,
) -> tuple[dict[str, Any], Observer]:
    grammar, plan = compiled.grammar, compiled.plan
    splits = {stratum.stream: structures.split(stratum.constraint) for stratum in plan.strata}
    tables = pack(grammar, plan, splits)
    total = sum(stratum.count for stratum in plan.strata)
    observer = Observer(plan, lambda done: stage("drawing and writing", done, total))
    written = write_items(directory, grammar, plan, draw(tables), observer)
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
    (directory / "sampler.py").write_text(standalone_source(tables, name), "utf-8")
    stage("writing the certificate", 0, 1)
    certified = _write_certificate(directory, structures, compiled)
    content = manifest(
        grammar,
        plan,
        provenance,
        written.strata,
        guarantees_of(proofs),
        (*written.files, certified),
    )
    write_manifest(directory, content)
    return content, observer


def _write_certificate(
    directory: Path, structures: StructureCompiler, compiled: Compiled
) -> DataFile:
    text = certificate_file(compiled, structures)
    (directory / CERTIFICATE).write_bytes(text)
    return DataFile(CERTIFICATE, hashlib.sha256(text).hexdigest(), rows=0)


def _complete(
    directory: Path,
    content: dict[str, Any],
    compiled: Compiled,
    proofs: Proofs,
    observer: Observer,
    report: Report,
) -> None:
    """Add the word of the verifier to the guarantees that the manifest and the card state."""
    graphs = on_the_graphs(compiled.plan, observer.seen, report)
    guarantees = completed(guarantees_of(proofs), graphs)
    content["guarantees"] = [asdict(guarantee) for guarantee in guarantees]
    write_manifest(directory, content)
    write_card(directory, content)


def _source_files(compiled: Compiled) -> tuple[SourceFile, ...]:
    """The files of the author, by their names inside the project."""
    root = compiled.project.main.root.shown
    prefix = f"{root}/" if root else ""
    return tuple(
        SourceFile(name.removeprefix(prefix), hashlib.sha256(file.text.encode("utf-8")).hexdigest())
        for name, file in sorted(compiled.project.sources.files.items())
    )


def _write_verification(directory: Path, report: Report) -> None:
    text = json.dumps(report.as_data(), ensure_ascii=False, indent=1, sort_keys=True)
    (directory / VERIFICATION).write_text(text + "\n", "utf-8")
