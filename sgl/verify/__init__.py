"""The independent verifier: check the files of a dataset against its claims.

``verify`` reads the files of a dataset directory and nothing else.  It shares no code with the compiler, so that a
mistake would have to be made twice: its readers are its own, and structures are searched with networkx in the
dependency graph of every sentence.  Any fault of the files is a failed check; ``VerifyError`` says that a path is not a
dataset directory at all.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from sgl.children import collecting_rarely
from sgl.verify import certificate_checks, file_checks, name_checks, pattern_checks, sentence_checks
from sgl.verify.certificate_checks import certificate_faults
from sgl.verify.dataset import (
    CLAIMS,
    FUNCTIONS,
    Figure,
    LoadedData,
    Progress,
    Report,
    Result,
    SkippedError,
    Status,
    Violation,
    load,
)
from sgl.verify.manifest import MANIFEST, ManifestError, read_manifest
from sgl.verify.parquet import read_rows
from sgl.verify.reading import USEFUL, Asked, Judge, judging, standing_by, workers_for
from sgl.verify.sampled import Look, look_at, sample_refusal
from sgl.verify.table import dataset_table

_FOLDERS = ("data", "conllu")

#: The check of the manifest, which all others need, and the other checks.
MANIFEST_CODE = "V001"
CHECKS = tuple(code for code in CLAIMS if code != MANIFEST_CODE)
FILES, ROWS = "V002", "V030"


class VerifyError(Exception):
    """The path is not a dataset directory."""


@collecting_rarely()
def verify(
    directory: Path,
    progress: Progress | None = None,
    workers: int = 1,
    judge: Judge = certificate_faults,
    standby: ProcessPoolExecutor | None = None,
    *,
    signature: str = "",
    omitted: Mapping[str, str] = MappingProxyType({}),
    sample: bool = False,
) -> Report:
    """Check the files of a dataset against every claim of its manifest.

    ``progress`` is called from time to time with the work done, the total work, and the current step.  With two or more
    ``workers``, that number of processes, or those of ``standby``, share the work if it pays (they import the program's
    main module, as Python's *spawn* does).  ``judge`` returns the faults of a certificate, given its bytes, perhaps
    from a process already at work (:func:`judging`).  A dataset whose signature is not ``signature`` fails ``V028``.
    Checks in ``omitted`` are skipped, for the reasons given by code; with ``sample``, a sample of rows is drawn again
    all the same, and ``V030`` fails if it is wrong.  Raises ``VerifyError`` if ``directory`` is not a dataset
    directory.
    """
    _require(directory)
    first = Result.of(MANIFEST_CODE)
    asked = _asked(directory, first)
    if asked is None:
        rest = (Result.of(code).skip(f"{first.code} {first.name} has not passed") for code in CHECKS)
        return Report(directory.name, "", "", 0, 0, (first, *rest))
    show = progress or (lambda *_: None)
    with workers_for(directory, asked, workers, standby) as others, dataset_table() as table:
        judge_now = judge if standby else others.judging(directory, judge)
        rows = cache(partial(read_rows, others.known, directory))
        sampled = others.submit(sample_refusal, directory) if sample else str
        if ROWS not in omitted:
            rows = cache(others.submit(read_rows, directory))
        endless = load(directory, asked[0], table, others, show)
        data = LoadedData(directory, *asked, table, endless, others.known, judge_now, signature, rows)
        results = _results(data, first, omitted, sampled, show)
        # They prevent nothing from being read, so that they hide no other fault.
        for folder in file_checks.empty_folders(directory):
            first.fault(f"{folder} is an empty folder")
        return Report(
            name=data.manifest.name,
            identity=data.manifest.identity,
            signature=file_checks.signature_of(directory, data.manifest),
            items=data.items,
            shapes=len(data.shapes),
            results=results,
        )


def check_files(directory: Path) -> tuple[Result, ...]:
    """Check the manifest of a dataset and the hashes that it lists; return the results of these checks alone."""
    first, second = map(Result.of, (MANIFEST_CODE, FILES))
    if (asked := _asked(directory, first)) is not None:
        file_checks.compare_files(directory, asked[0], second)
    return first, second


@collecting_rarely()
def look(directory: Path, each: int) -> Look:
    """Draw ``each`` rows of every stratum again and compare them with the files: no verification."""
    _require(directory)
    return look_at(directory, each)


def _require(directory: Path) -> None:
    if not directory.is_dir():
        raise VerifyError(f"{directory} is not a directory")
    if not any((directory / name).exists() for name in (MANIFEST, *_FOLDERS)):
        raise VerifyError(f"{directory} has no {MANIFEST}: it is not a dataset")


def _asked(directory: Path, result: Result) -> Asked | None:
    """Return the manifest and its structures; if they cannot be read, report the reason and return None."""
    result.checked = 1
    try:
        if foreign := sorted(file_checks.foreign_entries(directory)):
            raise ManifestError(", ".join(foreign))
        return read_manifest(directory)
    except (ManifestError, OSError) as error:
        _refuse(result, error, directory)
        return None


def _results(
    data: LoadedData, first: Result, omitted: Mapping[str, str], sampled: Callable[[], str], show: Progress
) -> tuple[Result, ...]:
    """Run each check after those that it needs."""
    results = {first.code: first}
    for done, code in enumerate(CHECKS):
        show(done, len(CHECKS), f"checking {CLAIMS[code]['name']}")
        own = results[code] = Result.of(code)
        needed = [results[other] for other in CLAIMS[code]["needs"]]
        unmet = [f"{other.code} {other.name} has not passed" for other in needed if other.status != "passed"]
        idle = omitted.get(code) or next(iter(unmet), "")
        _run(data, own, idle, sampled() if code == ROWS else "")
    show(len(CHECKS), len(CHECKS), "checked")
    return tuple(results.values())


def _run(data: LoadedData, own: Result, idle: str, refused: str) -> None:
    """Run a check, or skip it if there is an ``idle`` reason; if a sample was ``refused``, fail it."""
    try:
        if refused:
            own.fault(refused)
        elif idle:
            own.skip(idle)
        else:
            FUNCTIONS[own.code](data, own)
    except SkippedError as reason:
        own.skip(str(reason))
    except OSError as error:
        _refuse(own, error, data.directory)


def _refuse(result: Result, error: ManifestError | OSError, directory: Path) -> None:
    """Report a fault of the manifest, or an unreadable file."""
    message, place = str(error), MANIFEST
    if isinstance(error, OSError):
        message, place = f"{error.strerror}", str(error.filename or "").removeprefix(f"{directory}/")
    result.fault(message, place)
