"""The independent verifier: what was written, against what is claimed of it.

``verify`` reads the files of a dataset directory and nothing else.  It shares no code with the
compiler: the readers of CoNLL-U, of the manifest and of the notation of structures are its own, and
structures are searched with networkx in the dependency graph of every sentence::

    manifest.json ──> patterns, counts ─────────┐
    conllu/*.conllu ──> sentences ──> shapes ───┼──> checks V001 … ─────> Report
    data/*.tsv, parquet/*.parquet ──> rows ─────┘

A mistake in the compiler and the same mistake here would have to be made twice. Whatever is wrong
with the files is a failed check; ``VerifyError`` says that a path is no dataset directory at all.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from sgl.verify.certificate_checks import certificate_faults
from sgl.verify.checks import CHECKS, MANIFEST_CLAIM, MANIFEST_CODE, MANIFEST_NAME, ROWS, Check
from sgl.verify.checksums import foreign_entries, signature_of
from sgl.verify.dataset import Progress, load
from sgl.verify.manifest import MANIFEST, ManifestError, read_manifest
from sgl.verify.reading import USEFUL, Judge, ReadingTask, judging, standing_by, workers_for
from sgl.verify.report import Figure, Report, Result, Status, Violation
from sgl.verify.row_reading import read_rows

_FOLDERS = ("data", "conllu")


class VerifyError(Exception):
    """The path is not the directory of a dataset."""


def verify(
    directory: Path,
    progress: Progress | None = None,
    workers: int = 1,
    judge: Judge = certificate_faults,
    standby: ProcessPoolExecutor | None = None,
    *,
    signature: str = "",
    omitted: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """Check everything that the manifest of a dataset claims against its files.

    ``progress`` is called now and then with how much is done, how much there is,
    and what is being done.  With two ``workers`` or more, as many other processes share
    the work where it is worth it (they import the main module of the program, as Python's
    *spawn* does), or those of ``standby``; the report is the same.  ``judge`` says what is
    wrong with a certificate, given its bytes; it may be called in another process, but for
    those of ``standby``, which can be at work already (:func:`judging`).  A
    dataset with another ``signature`` than this fails ``V028``.  Checks that are ``omitted``
    are skipped, for the reasons given by code.  Raises ``VerifyError`` if ``directory`` is not
    a dataset directory; all other problems are in the report.
    """
    if not directory.is_dir():
        raise VerifyError(f"{directory} is not a directory")
    if not any((directory / name).exists() for name in (MANIFEST, *_FOLDERS)):
        raise VerifyError(f"{directory} has no {MANIFEST}: it is not a dataset")
    first = Result(MANIFEST_CODE, MANIFEST_NAME, MANIFEST_CLAIM, checked=1)
    try:
        foreign = sorted(foreign_entries(directory))
        if foreign:
            raise ManifestError(", ".join(foreign))
        manifest, clauses = read_manifest(directory)
    except (ManifestError, OSError) as error:
        first.fault(str(error), MANIFEST)
        reason = f"{MANIFEST_CODE} {MANIFEST_NAME} has not passed"
        rest = (check.skipped(reason) for check in CHECKS)
        return Report(directory.name, "", "", 0, 0, (first, *rest))
    show = progress or (lambda *_: None)
    task = ReadingTask.of(manifest, clauses, secrets.token_bytes(16))
    with workers_for(directory, task, workers, standby) as others:
        judge_now = judge if standby else others.judging(directory, judge)
        rows = cache(partial(read_rows, others.known, directory))
        if ROWS not in omitted:
            rows = cache(others.submit(read_rows, directory))
        data = load(directory, manifest, clauses, others, judge_now, signature, rows, show)
        results = [first]
        for done, check in enumerate(CHECKS):
            show(done, len(CHECKS), f"checking {check.name}")
            if check.code in omitted:
                results.append(check.skipped(omitted[check.code]))
            else:
                results.append(check.result(data, results))
        show(len(CHECKS), len(CHECKS), "checked")
    shapes = len(data.known.shapes.shapes())
    found = signature_of(directory, manifest)
    return Report(manifest.name, manifest.identity, found, data.items, shapes, tuple(results))
