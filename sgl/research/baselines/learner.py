"""What training and decoding ask of a model, whatever is inside.

There are two: a sequence-to-sequence model that begins with random weights
(:mod:`sgl.research.baselines.seq2seq`), and a language model that gets a few more weights
(:mod:`sgl.research.baselines.causal`)::

    loss([3, 17])                ->  12.7 for 19 tokens
    translate(["The hen ran."])  ->  ["鶏が走った。"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

#: Says how far something is: what, done, total.
Line = Callable[[str, int, int], None]


def quiet(_: str, __: int, ___: int) -> None:
    """Say nothing."""


class Learner(Protocol):
    """A model with the rows that it learns from."""

    @property
    def module(self) -> nn.Module:
        """The network; its parameters that need gradients are trained."""

    @property
    def lengths(self) -> Sequence[int]:
        """The length of each row of training."""

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """The sum of the losses of all tokens of some rows, and how many tokens these are."""

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """What the model says for each text."""

    def keep(self, directory: Path) -> None:
        """Write what is needed to use the model again."""
