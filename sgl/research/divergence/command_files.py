"""The directory that ``sglc split`` writes: lists of items, the items, the certificate.

::

    train.txt      test.txt      discarded.txt      one id on each line
    train.parquet  test.parquet                     the rows, if they came from Parquet;
    train.tsv      test.tsv                         source, target and category of them
    train.conllu   test.conllu                      the sentences, if they came from CoNLL-U
    certificate.json

It is put in place when it is complete, as datasets are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.dataset.staged import staged_directory
from sgl.research.divergence import FORMAT, SETS, Material

CERTIFICATE = "certificate.json"

#: Columns of a dataset that its TSV files have.
_COLUMNS = ("source", "target", "category")


def is_split(directory: Path) -> bool:
    """Whether a directory holds a split: its certificate says so."""
    try:
        document = json.loads((directory / CERTIFICATE).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and document.get("format") == FORMAT


def write_split(
    material: Material,
    labels: NDArray[np.int8],
    proof: dict[str, Any],
    out: Path,
    replaceable: Callable[[Path], bool],
) -> None:
    """Write everything, or nothing.

    Raises:
        OutputError: there is something else of that name, or writing is refused.
    """
    ids = material.ids
    with staged_directory(out, replaceable=replaceable) as stage:
        for label, name in enumerate(SETS):
            chosen = np.flatnonzero(labels == label).tolist()
            text = "".join(f"{ids[item]}\n" for item in chosen)
            (stage / f"{name}.txt").write_text(text, "utf-8", errors="replace")
            if name != SETS[-1]:
                _write_items(material, chosen, stage / name)
        document = json.dumps(proof, ensure_ascii=False, indent=1) + "\n"
        (stage / CERTIFICATE).write_text(document, "utf-8", errors="replace")


def _write_items(material: Material, chosen: list[int], path: Path) -> None:
    """Write the items themselves, as they were read."""
    if material.table is None:
        text = "".join(f"{material.sentences[item].text}\n\n" for item in chosen)
        path.with_suffix(".conllu").write_text(text, "utf-8")
        return
    import pyarrow.parquet as pq

    rows = material.table.take(chosen)
    pq.write_table(rows, path.with_suffix(".parquet"))
    if all(column in rows.column_names for column in _COLUMNS):
        columns = [rows[column].to_pylist() for column in _COLUMNS]
        lines = ("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
        path.with_suffix(".tsv").write_text("".join(lines), "utf-8")
