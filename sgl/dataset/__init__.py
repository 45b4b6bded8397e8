"""Datasets on disk: rows, graphs, manifest and card, written all or nothing.

::

    with staged_directory(target) as directory:
        written = write_items(directory, grammar, plan, draw(tables))
        content = manifest(grammar, plan, provenance, written.strata, claims, written.files)
        write_manifest(directory, content)
        write_card(directory, content)
"""

from sgl.dataset.card import card, write_card
from sgl.dataset.errors import OutputError
from sgl.dataset.fingerprint import fingerprint, signature
from sgl.dataset.manifest import (
    DataFile,
    Guarantee,
    Provenance,
    SourceFile,
    StratumCount,
    manifest,
    write_manifest,
)
from sgl.dataset.readings import Readings, StringFigures, string_figures
from sgl.dataset.records import Record
from sgl.dataset.staged import FORMAT, MANIFEST, check_target, is_dataset, staged_directory
from sgl.dataset.write import Written, write_items
from sgl.dataset.writers import data_file

__all__ = [
    "FORMAT",
    "MANIFEST",
    "DataFile",
    "Guarantee",
    "OutputError",
    "Provenance",
    "Readings",
    "Record",
    "SourceFile",
    "StratumCount",
    "StringFigures",
    "Written",
    "card",
    "check_target",
    "data_file",
    "fingerprint",
    "is_dataset",
    "manifest",
    "signature",
    "staged_directory",
    "string_figures",
    "write_card",
    "write_items",
    "write_manifest",
]
