"""A sequence-to-sequence model with its vocabulary, as something that learns and translates.

::

    "The hen ran."  ->  17 204 5 2  ->  model  ->  31 8 77 4  ->  "鶏が走った。"

Sentences of about the same length are decoded together; what is said for a sentence does
not depend on the order in which texts are given, but for the last bit of floating point.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import ceil
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from sgl.research.baselines.checkpoint import write_tensors
from sgl.research.baselines.config import LSTM, Config
from sgl.research.baselines.data import BaselineData
from sgl.research.baselines.lstm import Lstm
from sgl.research.baselines.model import ModelSize, Seq2Seq, greedy, said_before
from sgl.research.baselines.training import Line, decode_in_batches, quiet
from sgl.research.baselines.transformer import RELATIVE, Transformer
from sgl.research.baselines.vocabulary import PAD, Side, learn, scheme_for

#: Sentences that are decoded together.
_TOGETHER = 256

#: A translation is cut off where it is so many times as long as any of training, and where it
#: has so many times the tokens for each token of its source that any of training has.
_LONGER = 2


def learn_vocabulary(config: Config, data: BaselineData) -> Tokenizer:
    """Return the tokens of both languages, from the texts of training."""
    source, target = _schemes(config, data)
    texts = [pair for row in data.train for pair in ((source, row.source), (target, row.target))]
    return learn(texts, config.tokens, config.pieces)


class Seq2SeqLearner:
    """A Transformer or an LSTM that begins with random weights."""

    def __init__(self, config: Config, data: BaselineData, tokenizer: Tokenizer) -> None:
        source, target = _schemes(config, data)
        self.source = Side(source, tokenizer)
        self.target = Side(target, tokenizer)
        self._rows = data.train
        self._device = torch.device(config.device)
        torch.manual_seed(config.seed)
        self._model = new_model(config, tokenizer.get_vocab_size()).to(self._device)

    @property
    def module(self) -> nn.Module:
        """The network."""
        return self._model

    @cached_property
    def _pairs(self) -> list[tuple[list[int], list[int]]]:
        # Made for training alone: who only decodes needs no tokens of it.
        return [
            (self.source.encode(row.source), self.target.encode(row.target)) for row in self._rows
        ]

    @cached_property
    def lengths(self) -> Sequence[int]:
        """Rows are alike in length if source and target are."""
        return [32 * len(target) + min(len(source), 31) for source, target in self._pairs]

    def limit(self, source: int) -> int:
        """Where the translation of a sentence of so many tokens is cut off.

        A model that does not find an end would go on for ever; that of a short sentence need
        not have the length of the longest one.
        """
        longest, most = self._bounds
        return _LONGER * min(longest, ceil(most * source))

    @cached_property
    def _bounds(self) -> tuple[int, float]:
        """The longest target of training, and the most target tokens for a source token."""
        sizes = [(len(source), len(target)) for source, target in self._pairs]
        return max(size for _, size in sizes), max(size / source for source, size in sizes)

    def loss(self, rows: NDArray[np.int64]) -> tuple[Tensor, int]:
        """Cross-entropy of the gold texts, in nats."""
        pairs = [self._pairs[row] for row in rows]
        source = self._padded([pair[0] for pair in pairs])
        target = self._padded([pair[1] for pair in pairs])
        scores, _ = self._model.proceed(self._model.start(source), said_before(target))
        loss = cross_entropy(
            scores.flatten(0, 1), target.flatten(), ignore_index=PAD, reduction="sum"
        )
        return loss, sum(len(pair[1]) for pair in pairs)

    def translate(self, texts: Sequence[str], line: Line = quiet) -> list[str]:
        """Decode greedily."""
        self._model.eval()
        tokens = [self.source.encode(text) for text in texts]

        def decode(places: Sequence[int]) -> list[str]:
            source = self._padded([tokens[place] for place in places])
            limits = [self.limit(len(tokens[place])) for place in places]
            return [self.target.decode(found) for found in greedy(self._model, source, limits)]

        return decode_in_batches([len(row) for row in tokens], _TOGETHER, decode, line)

    def keep(self, directory: Path) -> None:
        """Write the weights, in the format of safetensors."""
        write_tensors(directory / "model.safetensors", self._model.state_dict())

    def _padded(self, rows: Sequence[Sequence[int]]) -> Tensor:
        table = np.full((len(rows), max(map(len, rows))), PAD, dtype=np.int64)
        for place, row in enumerate(rows):
            table[place, : len(row)] = row
        return torch.from_numpy(table).to(self._device)


def new_model(config: Config, words: int) -> Seq2Seq:
    """Return a model of the size that the configuration asks for, with random weights."""
    size = ModelSize(
        config.width,
        config.layers,
        config.heads,
        config.inner,
        config.dropout,
        config.reach if config.positions == RELATIVE else 0,
        config.both_ways,
    )
    return (Lstm if config.model == LSTM else Transformer)(size, words)


def _schemes(config: Config, data: BaselineData) -> tuple[str, str]:
    return scheme_for(config.source_words, data.source), scheme_for(
        config.target_words, data.target
    )
