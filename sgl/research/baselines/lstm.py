"""An LSTM encoder and decoder with global attention (Luong, Pham & Manning 2015).

The score of a word of the source is the dot product of its state with that of the decoder;
what attention finds and the state of the decoder give the next word together::

    h~ = tanh(W [context; h])        scores = embeddings · h~

The attentional state is not fed back into the decoder (*input feeding*): then the states of
a whole gold text are computed in one go, which on a CPU makes training several times faster.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sgl.research.baselines.config import Config
from sgl.research.baselines.model import DecoderState, Seq2Seq
from sgl.research.baselines.vocabulary import PAD


@dataclass(frozen=True, slots=True)
class _LstmState(DecoderState):
    """The states of the decoder by layer, and those of the source with which are there."""

    hidden: Tensor
    cell: Tensor
    source: Tensor
    mask: Tensor

    def chosen(self, rows: Tensor) -> _LstmState:
        return _LstmState(
            self.hidden[:, rows].contiguous(),
            self.cell[:, rows].contiguous(),
            self.source[rows],
            self.mask[rows],
        )


class Lstm(Seq2Seq):
    """LSTM encoder and decoder with one table of embeddings and Luong's dot attention."""

    def __init__(self, config: Config, words: int) -> None:
        super().__init__()
        self.directions = 2 if config.both_ways else 1
        between = config.dropout if config.layers > 1 else 0.0
        self.embedding = nn.Embedding(words, config.width, padding_idx=PAD)
        self.encoder = nn.LSTM(
            config.width,
            config.width // self.directions,
            config.layers,
            batch_first=True,
            dropout=between,
            bidirectional=config.both_ways,
        )
        self.decoder = nn.LSTM(
            config.width, config.width, config.layers, batch_first=True, dropout=between
        )
        self.together = nn.Linear(2 * config.width, config.width, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=config.width**-0.5)

    def start(self, source: Tensor) -> _LstmState:
        """Read sentences."""
        there = source != PAD
        packed = pack_padded_sequence(
            self.dropout(self.embedding(source)),
            there.sum(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        states, (hidden, cell) = self.encoder(packed)
        found, _ = pad_packed_sequence(states, batch_first=True, total_length=source.size(1))
        return _LstmState(self._both(hidden), self._both(cell), found, there[:, None, :])

    def proceed(self, state: DecoderState, tokens: Tensor) -> tuple[Tensor, _LstmState]:
        """Scores of the tokens that may follow each of these."""
        assert isinstance(state, _LstmState)
        x = self.dropout(self.embedding(tokens))
        x, (hidden, cell) = self.decoder(x, (state.hidden, state.cell))
        likeness = x @ state.source.transpose(1, 2)
        weights = likeness.masked_fill(~state.mask, float("-inf")).softmax(-1)
        context = weights @ state.source
        x = self.dropout(self.together(torch.cat((context, x), -1)).tanh())
        scores = x @ self.embedding.weight.T
        return scores, _LstmState(hidden, cell, state.source, state.mask)

    def _both(self, last: Tensor) -> Tensor:
        """Return the last states of the two directions side by side, layer by layer."""
        if self.directions == 1:
            return last
        layers = last.unflatten(0, (-1, 2))
        return torch.cat((layers[:, 0], layers[:, 1]), -1).contiguous()
