"""The independent verifier: what was written, against what is claimed of it.

``verify`` reads the files of a dataset directory and nothing else.  It shares no code with the
compiler, so that a mistake would have to be made twice: its readers are its own, and structures
are searched with networkx in the dependency graph of every sentence.  Whatever is wrong with the
files is a failed check; ``VerifyError`` says that a path is no dataset directory at all.
"""

import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from sgl.verify import certificate_checks, dataset, file_checks, name_checks, pattern_checks, sentence_checks
from sgl.verify.certificate_checks import certificate_faults
from sgl.verify.dataset import Dataset, Progress, foreign_entries, load, signature_of
from sgl.verify.manifest import MANIFEST, ManifestError, read_manifest
from sgl.verify.parquet import read_rows
from sgl.verify.reading import USEFUL, Judge, ReadingTask, judging, standing_by, workers_for
from sgl.verify.report import Claim, Figure, Report, Result, SkippedError, Status, Violation

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

    ``progress`` is called now and then with how much is done, how much there is, and what is being
    done.  With two ``workers`` or more, as many other processes share the work where it is worth it
    (they import the main module of the program, as Python's *spawn* does), or those of ``standby``.
    ``judge`` says what is wrong with a certificate, given its bytes, perhaps in another process, or
    in one of ``standby`` already (:func:`judging`).  A dataset with another ``signature`` than this
    fails ``V028``.  Checks that are ``omitted`` are skipped, for the reasons given by code.  Raises
    ``VerifyError`` if ``directory`` is not a dataset directory.
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


# ---- the checks as data: a code, a name, and a claim with the function that checks it

# Codes are stable: they are never used for another check.  A check runs if those in ``needs`` have
# passed; otherwise it is skipped with that reason.  ``V001``, the manifest, is needed by all.

MANIFEST_CODE = "V001"
MANIFEST_NAME = "manifest"
MANIFEST_CLAIM = (
    "The manifest can be read, its format is known, and the directory has only files, of no more "
    "than 64 GiB, and folders with files."
)


@dataclass(frozen=True, slots=True)
class Check:
    """A check: its stable code, its name, and what it claims."""

    code: str
    name: str
    claim: Claim
    needs: tuple[str, ...] = ()

    def result(self, data: Dataset, before: Sequence[Result]) -> Result:
        """Make the check, given the results of those before it."""
        for result in before:
            if result.code in self.needs and result.status != "passed":
                return self.skipped(f"{result.code} {result.name} has not passed")
        found = Result(self.code, self.name, self.claim.sentence)
        try:
            self.claim.check(data, found)
        except SkippedError as reason:
            return self.skipped(str(reason))
        except OSError as error:
            place = str(error.filename or "").removeprefix(f"{data.directory}/")
            found.fault(f"{error.strerror}", place)
        return found

    def skipped(self, reason: str) -> Result:
        """Return the result of not making the check."""
        return Result(self.code, self.name, self.claim.sentence, "skipped", reason=reason)


#: Structures can be read; and all graphs were searched for them.
_READ = ("V004",)
_STRUCTURES = (*_READ, "V032")

#: The check that draws all rows again.
ROWS = "V030"

CHECKS = (
    Check("V002", "files", file_checks.files_unchanged),
    Check("V003", "rows", file_checks.row_counts),
    Check("V004", "structures", file_checks.structures_readable),
    Check("V032", "search", file_checks.structures_searched, _READ),
    Check("V005", "CoNLL-U", file_checks.conllu_well_formed),
    Check("V006", "TSV", file_checks.tsv_rows),
    Check("V007", "Parquet", file_checks.parquet_rows),
    Check("V008", "strata", file_checks.strata),
    Check("V009", "held out", pattern_checks.held_out, _STRUCTURES),
    Check("V010", "reserved", pattern_checks.reserved, _STRUCTURES),
    Check("V011", "exposures", pattern_checks.exposures, _STRUCTURES),
    Check("V012", "licensed", pattern_checks.needs_licensed, _STRUCTURES),
    Check("V013", "instances", pattern_checks.instances, _STRUCTURES),
    Check("V014", "excluded", pattern_checks.exclusions, _STRUCTURES),
    Check("V015", "foreign", pattern_checks.foreign_structures, _STRUCTURES),
    Check("V016", "quotas", pattern_checks.quotas, _STRUCTURES),
    Check("V017", "exposed", sentence_checks.words_exposed),
    Check("V018", "disjoint", sentence_checks.splits_disjoint),
    Check("V019", "distinct sentences", sentence_checks.sentences_distinct),
    Check("V020", "distinct lemmas", sentence_checks.lemmas_distinct),
    Check("V021", "shares", pattern_checks.shares, ("V004", "V011", "V016")),
    Check("V022", "parts", pattern_checks.parts_apart, _STRUCTURES),
    Check("V023", "part quotas", pattern_checks.part_quotas, _STRUCTURES),
    Check("V024", "restrictions", pattern_checks.restrictions, _STRUCTURES),
    Check("V025", "certificate", certificate_checks.certificate, _READ),
    Check("V026", "one target", sentence_checks.one_target),
    Check("V027", "readings", sentence_checks.readings),
    Check("V028", "checksums", dataset.checksums),
    Check("V029", "names", name_checks.names, _READ),
    Check(ROWS, "rows drawn", file_checks.rows_drawn),
    Check("V031", "Parquet columns", file_checks.parquet_columns, (ROWS,)),
)
