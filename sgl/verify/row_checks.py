"""The checks of rows: they are drawn and written again, by the certificate of the dataset."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from sgl.verify.dataset import Dataset
from sgl.verify.manifest import CERTIFICATE, MANIFEST
from sgl.verify.report import Result, SkippedError, claims
from sgl.verify.rows import ACCEPTED


@claims(
    """Every row is drawn by the certificate, and written in its files as its derivation says.

    The tables of the certificate have the shares that the weights of its grammar give, and are
    sampled again from its seed, with another stream for each part of a split.  Each candidate
    passes the same tests as when the dataset was compiled, or is rejected for the reason that the
    manifest counts; what is rejected as ambiguous has another reading that shows it.  What is
    accepted is a row of ``derivations``, of ``data`` and of ``conllu``, byte by byte and in this
    order.  The compiler does not repeat this when it has just written the rows from these tables.
    """
)
def rows_drawn(data: Dataset, tally: Result) -> None:
    named = [file.path for file in data.manifest.files]
    folder = data.directory / "derivations"
    if not (CERTIFICATE in named or (data.directory / CERTIFICATE).exists() or folder.exists()):
        raise SkippedError("the dataset has no certificate to draw its rows from")
    found = data.rows()
    tally.checked = found.rows
    if found.refusal:
        tally.fault(found.refusal)
        return
    for split, claim in data.manifest.splits.items():
        for stratum in claim.strata:
            counts = Counter(found.outcomes.get(stratum.stream, {}))
            stated = {ACCEPTED: stratum.count, **asdict(stratum.rejected)}
            if counts != Counter(stated):
                shown = ", ".join(f"{number} {reason}" for reason, number in counts.items())
                tally.fault(f"{stratum.stream}: {shown}", f"{MANIFEST}: splits.{split}")


@claims(
    """Every column of every row of the Parquet files is what the derivation of the row says.

    The files have these columns, in this order and of these types, and no notes.
    """
)
def parquet_columns(data: Dataset, tally: Result) -> None:
    if not (data.directory / "parquet").exists():
        raise SkippedError("the dataset has no Parquet files")
    found = data.rows()
    if found.parquet is None:
        raise SkippedError("pyarrow, which reads Parquet, is not installed")
    tally.checked = found.rows
    for fault in found.parquet:
        tally.fault(fault)
