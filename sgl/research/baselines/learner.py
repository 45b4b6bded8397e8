"""What is trained: a network with the rows that it learns from, which then translates.

A learner knows the prompt and the answer of a row in tokens, the loss of some rows, and what
it says to some prompts.  Rows, padding and the order of decoding are common to all::

    "The hen ran."  ->  17 204 5 2  ->  decode  ->  "鶏が走った。"

Sentences of about the same length are decoded together; what is said for a sentence does
not depend on the order in which texts are given, but for the last bit of floating point.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sgl.research.baselines.config import Config
from sgl.research.baselines.data import BaselineData

#: Says how far something is: what, done, total.
Line = Callable[[str, int, int], None]

Tokens = Sequence[int]


def quiet(_: str, __: int, ___: int) -> None:
    """Say nothing."""


class Learner(ABC):
    """A model with the rows that it learns from.

    Attributes:
        module: the network; its parameters that need gradients are trained.
        together: how many texts are decoded together.
    """

    module: nn.Module
    together: int

    def __init__(self, config: Config, data: BaselineData) -> None:
        self._config = config
        self._rows = data.train
        self._device = torch.device(config.device)

    @abstractmethod
    def prompt(self, source: str) -> list[int]:
        """Return the tokens that a text is given as."""

    @abstractmethod
    def answer(self, target: str) -> list[int]:
        """Return the tokens of a gold text, with the end."""

    @cached_property
    def pairs(self) -> list[tuple[list[int], list[int]]]:
        """The tokens of all rows; who only decodes needs none of them."""
        return [(self.prompt(row.source), self.answer(row.target)) for row in self._rows]

    @property
    @abstractmethod
    def lengths(self) -> Sequence[int]:
        """The length of each row of training; batches have rows of about the same."""

    @abstractmethod
    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Return the summed loss of some rows, in nats, and how many gold tokens they have."""

    @abstractmethod
    def decode(self, prompts: Sequence[Tokens]) -> list[str]:
        """Return what the model says to each prompt, greedily."""

    @abstractmethod
    def keep(self, directory: Path) -> None:
        """Write what is needed to use the model again."""

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """Return what the model says for each text."""
        self.module.eval()
        prompts = [self.prompt(text) for text in texts]
        order = sorted(range(len(prompts)), key=lambda place: len(prompts[place]))
        results = [""] * len(order)
        for begin in range(0, len(order), self.together):
            places = order[begin : begin + self.together]
            said = self.decode([prompts[place] for place in places])
            for place, text in zip(places, said, strict=True):
                results[place] = text
            line("decoding", begin + len(places), len(order))
        return results

    def _padded(self, rows: Sequence[Tokens], padding: int, *, left: bool = False) -> Tensor:
        """Return a table of rows that are filled up at their end, or at their beginning."""
        width = max(map(len, rows))
        table = np.full((len(rows), width), padding, dtype=np.int64)
        for place, row in enumerate(rows):
            begin = width - len(row) if left else 0
            table[place, begin : begin + len(row)] = row
        return torch.from_numpy(table).to(self._device)
