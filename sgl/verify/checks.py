"""The checks as data: a code, a name, and a claim with the function that checks it.

Codes are stable: they are never used for another check.  A check runs if those in ``needs`` have
passed; otherwise it is skipped with that reason.  ``V001``, the manifest, is needed by all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.verify import (
    certificate_checks,
    checksums,
    file_checks,
    name_checks,
    pattern_checks,
    sentence_checks,
)
from sgl.verify.dataset import Dataset
from sgl.verify.report import Claim, Result, SkippedError

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
    Check("V028", "checksums", checksums.checksums),
    Check("V029", "names", name_checks.names, _READ),
    Check(ROWS, "rows drawn", file_checks.rows_drawn),
    Check("V031", "Parquet columns", file_checks.parquet_columns, (ROWS,)),
)
