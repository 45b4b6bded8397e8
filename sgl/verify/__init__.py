"""The independent verifier: what was written, against what is claimed of it.

``verify`` reads the files of a dataset directory and nothing else.  It shares no
code with the compiler: the readers of CoNLL-U, of the manifest and of the
notation of structures are its own, and structures are searched with networkx in
the dependency graph of every sentence::

    manifest.json ──> patterns, counts ─────────┐
    conllu/*.conllu ──> sentences ──> shapes ───┼──> checks V001 … V024 ──> Report
    data/*.tsv, parquet/*.parquet ──> rows ─────┘

A mistake in the compiler and the same mistake here would have to be made twice.
Whatever is wrong with the files is a failed check; ``VerifyError`` says that a
path is no dataset directory at all.
"""

from __future__ import annotations

from pathlib import Path

from sgl.verify.checks import (
    CHECKS,
    MANIFEST_CLAIM,
    MANIFEST_CODE,
    MANIFEST_NAME,
    Check,
)
from sgl.verify.cursor import ManifestError
from sgl.verify.dataset import Progress, load
from sgl.verify.manifest import MANIFEST, Manifest, read_manifest
from sgl.verify.report import Figure, Report, Result, Status, Tally, Violation

__all__ = [
    "CHECKS",
    "Check",
    "Figure",
    "Progress",
    "Report",
    "Result",
    "Status",
    "VerifyError",
    "Violation",
    "verify",
]

_FOLDERS = ("data", "conllu")


class VerifyError(Exception):
    """The path is not the directory of a dataset."""


def verify(directory: Path, progress: Progress | None = None) -> Report:
    """Check everything that the manifest of a dataset claims against its files.

    ``progress`` is called now and then with how much is done, how much there is,
    and what is being done.  Raises ``VerifyError`` if ``directory`` is not a
    dataset directory; all other problems are in the report.
    """
    if not directory.is_dir():
        raise VerifyError(f"{directory} is not a directory")
    if not any((directory / name).exists() for name in (MANIFEST, *_FOLDERS)):
        raise VerifyError(f"{directory} has no {MANIFEST}: it is not a dataset")
    tally = Tally(checked=1)
    try:
        manifest = read_manifest(directory)
    except ManifestError as error:
        tally.add(Violation(str(error), MANIFEST))
        failed = tally.result(MANIFEST_CODE, MANIFEST_NAME, MANIFEST_CLAIM)
        reason = f"{MANIFEST_CODE} {MANIFEST_NAME} has not passed"
        rest = (check.skipped(reason) for check in CHECKS)
        return Report(directory.name, "", 0, 0, (failed, *rest))
    passed = tally.result(MANIFEST_CODE, MANIFEST_NAME, MANIFEST_CLAIM)
    return _verify(directory, manifest, passed, progress or _ignore)


def _verify(directory: Path, manifest: Manifest, passed: Result, progress: Progress) -> Report:
    data = load(directory, manifest, progress)
    results = [passed]
    for done, check in enumerate(CHECKS):
        progress(done, len(CHECKS), f"checking {check.name}")
        results.append(check.result(data, results))
    progress(len(CHECKS), len(CHECKS), "checked")
    shapes = len(data.shapes.table)
    return Report(manifest.name, manifest.signature, data.items(), shapes, tuple(results))


def _ignore(done: int, total: int, what: str) -> None:
    """Show no progress."""
