"""What was drawn for a stratum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.engine import PackedStratum


@dataclass(frozen=True, slots=True)
class Drawn:
    """What was drawn for a stratum.

    ``numbers`` are the accepted candidates in order, ``candidates`` how many were drawn,
    ``rejected`` counts the others by reason, ``shares`` the items of each target where
    targets have shares, and ``ambiguous`` are the candidates rejected as such.
    """

    stratum: PackedStratum
    numbers: NDArray[np.int64]
    candidates: int
    rejected: dict[str, int]
    shares: dict[str, int]
    ambiguous: tuple[int, ...]
