"""What ``sglc split`` writes: lists of items, the items, and the certificate of the split.

::

    train.txt      test.txt      discarded.txt      one id on each line
    train.parquet  test.parquet                     the rows, if they came from Parquet;
    train.tsv      test.tsv                         source, target and category of them
    train.conllu   test.conllu                      the sentences, if they came from CoNLL-U
    certificate.json

The certificate says what was asked for, what came out, and what it was made of::

    {"format": "sgl-split/1", "method": {"name": "annealing", "moves": 100}, "seed": 11,
     "sizes": {"train": 14849, "test": 4151, "discarded": 1000},
     "divergence": {"atoms": 0.0028, "compounds": 0.0276}, ...}

Its divergences are not those of the search.  They are computed once more from the labels, by
the definition, so whoever reads the lists and counts gets the same numbers to twelve digits.
``assignment`` is the SHA-256 of the lines ``id<TAB>set`` in the order of the items: equal
certificates mean equal splits.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl import foreign
from sgl.core.divergence import ATOM_ALPHA, COMPOUND_ALPHA
from sgl.dataset.staged import Listing, staged_directory
from sgl.foreign import ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.divergence import problem
from sgl.research.divergence.elements import measure
from sgl.research.divergence.search import Progress, anneal, greedy
from sgl.research.divergence.sources import ElementSettings, ItemSet

FORMAT = "sgl-split/1"
CERTIFICATE = "certificate.json"

ANNEALING, GREEDY = "annealing", "greedy"

#: Columns of a dataset that its TSV files have.
_COLUMNS = ("source", "target", "category")


@dataclass(frozen=True, slots=True)
class SplitRequest:
    """What is asked of a split."""

    elements: ElementSettings
    target: problem.SplitTarget
    bounds: problem.Bounds
    method: problem.Annealing | problem.Greedy
    seed: int

    def find(self, items: ItemSet, progress: Progress | None = None) -> NDArray[np.int8]:
        """Return the label of each item; raises ``NoSuchSplitError`` if no split was found."""
        task = items.elements, self.target, self.bounds, self.seed
        if isinstance(self.method, problem.Annealing):
            return anneal(*task, self.method, progress)
        return greedy(*task, self.method, progress)


def elements_data(items: ItemSet, settings: ElementSettings) -> dict[str, Any]:
    """Return what the atoms and compounds are, and how many, as plain data."""
    return {
        "view": settings.view,
        "size": settings.size,
        "weighted": settings.weighted,
        "above": None if settings.above is None else str(settings.above),
        "atoms": len(items.elements.atoms.names),
        "compounds": len(items.elements.compounds.names),
    }


def certificate(items: ItemSet, request: SplitRequest, labels: NDArray[np.int8]) -> dict[str, Any]:
    """Return the certificate of the split with these labels."""
    target, bounds = request.target, request.bounds
    seen = measure(items.elements, labels == problem.TRAIN, labels == problem.TEST)
    sizes = np.bincount(labels, minlength=len(problem.SETS)).tolist()
    pairs = zip(items.ids, labels.tolist(), strict=True)
    assignment = "".join(f"{name}\t{problem.SETS[label]}\n" for name, label in pairs)
    return {
        "format": FORMAT,
        "files": [
            {"name": file.path.name, "sha256": file.digest, "items": len(file.ids)}
            for file in items.files
        ],
        "elements": elements_data(items, request.elements),
        "target": {
            "atoms": target.atoms,
            "compounds": target.compounds,
            "atom_weight": target.weight,
            "atom_limit": target.limit,
        },
        "bounds": {"test": [str(bounds.least), str(bounds.most)], "discards": bounds.discards},
        "method": {
            "name": ANNEALING if isinstance(request.method, problem.Annealing) else GREEDY,
            **request.method._asdict(),
        },
        "seed": request.seed,
        "sizes": dict(zip(problem.SETS, sizes, strict=True)),
        "alpha": {"atoms": ATOM_ALPHA, "compounds": COMPOUND_ALPHA},
        "divergence": {"atoms": seen.atoms, "compounds": seen.compounds},
        "score": -abs(seen.compounds - target.compounds) - abs(seen.atoms - target.atoms),
        "test_only": {
            "atoms": seen.unseen_atoms,
            "compounds": seen.unseen,
            "share": seen.unseen_share,
        },
        "assignment": sha256(assignment.encode("utf-8", "surrogateescape")).hexdigest(),
    }


def split_files(directory: Path) -> Collection[str] | None:
    """Return the files that a split can have; None if its certificate says that it is none."""
    try:
        document = read_document(directory / CERTIFICATE, foreign.CERTIFICATE, inside=directory)
        if document["format"].of(str) != FORMAT:
            return None
    except ForeignFileError:
        return None
    endings = (".txt", ".conllu", ".parquet", ".tsv")
    return {CERTIFICATE, *(f"{name}{ending}" for name in problem.SETS for ending in endings)}


def write_split(
    items: ItemSet, labels: NDArray[np.int8], proof: dict[str, Any], out: Path, listing: Listing
) -> None:
    """Write everything, or nothing; raises ``OutputError`` if writing is refused."""
    ids = items.ids
    with staged_directory(out, listing=listing) as stage:
        for label, name in enumerate(problem.SETS):
            chosen = np.flatnonzero(labels == label).tolist()
            text = "".join(f"{ids[item]}\n" for item in chosen)
            (stage / f"{name}.txt").write_text(text, "utf-8", errors="replace")
            if name != problem.SETS[-1]:
                _write_items(items, chosen, stage / name)
        document = json.dumps(proof, ensure_ascii=False, indent=1) + "\n"
        (stage / CERTIFICATE).write_text(document, "utf-8", errors="replace")


def _write_items(items: ItemSet, chosen: list[int], path: Path) -> None:
    """Write the items themselves, as they were read."""
    if items.table is None:
        blocks = (block + b"\n\n" for block in items.blocks(chosen))
        path.with_suffix(".conllu").write_bytes(b"".join(blocks))
        return
    import pyarrow.parquet as pq

    rows = items.table.take(chosen)
    pq.write_table(rows, path.with_suffix(".parquet"))
    if all(column in rows.column_names for column in _COLUMNS):
        columns = [rows[column].to_pylist() for column in _COLUMNS]
        lines = ("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
        path.with_suffix(".tsv").write_text("".join(lines), "utf-8")
