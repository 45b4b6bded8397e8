"""The certificate of a split: what was asked for, what came out, and what it was made of.

It is one JSON document beside the lists of items::

    {"format": "sgl-split/1", "method": {"name": "annealing", "moves": 100}, "seed": 11,
     "sizes": {"train": 14849, "test": 4151, "discarded": 1000},
     "divergence": {"atoms": 0.0028, "compounds": 0.0276}, ...}

The divergences are not those of the search.  They are computed once more from the labels,
by the definition and in plain Python, so whoever reads the lists and counts gets the same
numbers to twelve digits.  ``assignment`` is the SHA-256 of the lines ``id<TAB>set`` in the
order of the items: equal certificates mean equal splits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.core.divergence import ATOM_ALPHA, COMPOUND_ALPHA
from sgl.research.divergence.bounds import SETS, TEST, TRAIN, Bounds
from sgl.research.divergence.measure import measure, recomputed
from sgl.research.divergence.search import Annealing, Greedy, Target
from sgl.research.divergence.sources import Material, Wanted

FORMAT = "sgl-split/1"


def elements_data(material: Material, wanted: Wanted) -> dict[str, Any]:
    """What the atoms and compounds are, and how many, for a certificate or a report."""
    return {
        "view": wanted.view,
        "size": wanted.size,
        "weighted": wanted.weighted,
        "above": None if wanted.above is None else str(wanted.above),
        "atoms": len(material.elements.atoms.names),
        "compounds": len(material.elements.compounds.names),
    }


def certificate(
    material: Material,
    wanted: Wanted,
    target: Target,
    bounds: Bounds,
    method: Annealing | Greedy,
    seed: int,
    labels: NDArray[np.int8],
) -> dict[str, Any]:
    """The certificate of the split with these labels."""
    train, test = labels == TRAIN, labels == TEST
    atoms, compounds = recomputed(material.elements, train, test)
    seen = measure(material.elements, train, test)
    sizes = np.bincount(labels, minlength=len(SETS)).tolist()
    return {
        "format": FORMAT,
        "files": [
            {"name": part.path.name, "sha256": part.digest, "items": len(part.ids)}
            for part in material.parts
        ],
        "elements": elements_data(material, wanted),
        "target": {
            "atoms": target.atoms,
            "compounds": target.compounds,
            "atom_weight": target.weight,
            "atom_limit": target.limit,
        },
        "bounds": {
            "test": [str(bounds.least), str(bounds.most)],
            "discards": bounds.discards,
        },
        "method": _method(method),
        "seed": seed,
        "sizes": dict(zip(SETS, sizes, strict=True)),
        "alpha": {"atoms": ATOM_ALPHA, "compounds": COMPOUND_ALPHA},
        "divergence": {"atoms": atoms, "compounds": compounds},
        "score": -abs(compounds - target.compounds) - abs(atoms - target.atoms),
        "test_only": {
            "atoms": seen.unseen_atoms,
            "compounds": seen.unseen,
            "share": seen.unseen_share,
        },
        "assignment": assignment(material.ids, labels),
    }


def assignment(ids: Sequence[str], labels: NDArray[np.int8]) -> str:
    """The SHA-256 of who is where."""
    lines = (f"{name}\t{SETS[label]}\n" for name, label in zip(ids, labels.tolist(), strict=True))
    return sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _method(method: Annealing | Greedy) -> Mapping[str, Any]:
    if isinstance(method, Annealing):
        return {"name": "annealing", "moves": method.moves}
    return {"name": "greedy", "candidates": method.candidates, "every": method.every}
