"""What the models have in common: read a sentence, then say tokens given those said before.

In training all tokens of a gold text are given at once; in decoding one after another, and
the likeliest next token is taken (greedy decoding)::

    state = model.start("The hen ran.")
    scores, state = model.proceed(state, <s>)    ->  鶏
    scores, state = model.proceed(state, 鶏)     ->  が
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from sgl.research.baselines.vocabulary import BEGIN, END, PAD


class DecoderState(ABC):
    """What a model remembers in the middle of translating several sentences."""

    @abstractmethod
    def chosen(self, rows: Tensor) -> DecoderState:
        """Return the state of some of the sentences."""


class Seq2Seq(nn.Module, ABC):
    """A model that maps a sentence to a sentence, both as numbers of tokens."""

    @abstractmethod
    def start(self, source: Tensor) -> DecoderState:
        """Read sentences: a row for each, padded."""

    @abstractmethod
    def proceed(self, state: DecoderState, tokens: Tensor) -> tuple[Tensor, DecoderState]:
        """Scores of the tokens that may follow each of ``tokens``, which have just been said."""


def said_before(target: Tensor) -> Tensor:
    """For each token of gold texts the one before it; ``<s>`` before the first."""
    begin = target.new_full((target.size(0), 1), BEGIN)
    return torch.cat((begin, target[:, :-1]), dim=1)


def greedy(model: Seq2Seq, source: Tensor, limits: Sequence[int]) -> list[list[int]]:
    """Return the tokens that a model says for each sentence, without the end.

    A sentence that does not end is cut off at its limit.
    """
    left = torch.tensor(limits, device=source.device)
    rows = torch.arange(source.size(0), device=source.device)
    said: list[list[int]] = [[] for _ in range(source.size(0))]
    last = source.new_full((source.size(0), 1), BEGIN)
    with torch.no_grad():
        state = model.start(source)
        for number in range(max(limits)):
            scores, state = model.proceed(state, last)
            # Padding and the begin are no words.
            scores[..., [PAD, BEGIN]] = float("-inf")
            last = scores.argmax(-1)
            going = ((last[:, 0] != END) & (left > number)).nonzero()[:, 0]
            if not len(going):
                break
            if len(going) < len(rows):
                rows, left, last = rows[going], left[going], last[going]
                state = state.chosen(going)
            for row, token in zip(rows.tolist(), last[:, 0].tolist(), strict=True):
                said[row].append(token)
    return said
