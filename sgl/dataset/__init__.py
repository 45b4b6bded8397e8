"""Datasets on disk: rows, graphs, manifest and card, written all or nothing.

::

    with staged_directory(target) as directory:
        written = write_items(directory, plan, maker, drawn)
        content = manifest(grammar, plan, provenance, written.strata, claims, written.files)
        write_manifest(directory, content)
        write_card(directory, content)

What writes the rows is in ``sgl.dataset.write``, which loads compiled kernels and pyarrow.
"""

from sgl.dataset.card import card, write_card
from sgl.dataset.chunk import Chunk, Piece
from sgl.dataset.errors import OutputError, TextTooLongError
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
from sgl.dataset.staged import (
    FORMAT,
    MANIFEST,
    check_target,
    is_dataset,
    put_back,
    staged_directory,
)

__all__ = [
    "FORMAT",
    "MANIFEST",
    "Chunk",
    "DataFile",
    "Guarantee",
    "OutputError",
    "Piece",
    "Provenance",
    "Readings",
    "SourceFile",
    "StratumCount",
    "StringFigures",
    "TextTooLongError",
    "card",
    "check_target",
    "fingerprint",
    "is_dataset",
    "manifest",
    "put_back",
    "signature",
    "staged_directory",
    "string_figures",
    "write_card",
    "write_manifest",
]
