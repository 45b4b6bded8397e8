"""A Transformer encoder and decoder (Vaswani et al. 2017), small enough to read.

Layers are normalised before each block, and one table of embeddings serves both languages
and the output.  Positions are either sinusoids that are added to the embeddings, or
relative (Shaw, Uszkoreit & Vaswani 2018): a query also meets a vector for how far away a
key is, up to ``reach`` in either direction::

    reach 2, from the third word:   The hen that slept ran
                                     -2  -1   0    +1  +2

Of that paper only the vectors for keys are used; its authors find those for values to add
nothing.  Decoding keeps the keys and values of what was said, so that a step costs one token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from sgl.research.baselines.config import Config
from sgl.research.baselines.model import DecoderState, Seq2Seq
from sgl.research.baselines.vocabulary import PAD


class Attention(nn.Module):
    """Scaled dot-product attention with several heads, and distances if ``reach`` is given."""

    def __init__(self, width: int, heads: int, dropout: float, reach: int = 0) -> None:
        super().__init__()
        self.heads = heads
        self.reach = reach
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)
        if reach:
            self.distances = nn.Parameter(torch.empty(2 * reach + 1, width // heads))
            nn.init.xavier_uniform_(self.distances)

    def remember(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return the keys and values of words, by head."""
        keys, values = self.key_value(x).chunk(2, dim=-1)
        return self._by_head(keys), self._by_head(values)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> Tensor:
        """Return what each word of ``x`` finds; its words are the last ones of those with keys."""
        queries = self._by_head(self.query(x))
        scores = queries @ keys.transpose(-1, -2)
        if self.reach:
            scores = scores + self._nearness(queries, keys.size(2))
        scores = scores / math.sqrt(queries.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        found = self.dropout(scores.softmax(-1)) @ values
        joined: Tensor = self.out(found.transpose(1, 2).flatten(2))
        return joined

    def _nearness(self, queries: Tensor, length: int) -> Tensor:
        asked = queries.size(2)
        places = torch.arange(length, device=queries.device)
        apart = places[None, :] - places[length - asked :, None]
        apart = apart.clamp(-self.reach, self.reach) + self.reach
        by_distance = queries @ self.distances.T
        return by_distance.gather(-1, apart.expand(*queries.shape[:2], asked, length))

    def _by_head(self, x: Tensor) -> Tensor:
        split: Tensor = x.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        return split


def _feed_forward(config: Config) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(config.width, config.inner),
        nn.ReLU(),
        nn.Dropout(config.dropout),
        nn.Linear(config.inner, config.width),
    )


class _EncoderLayer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.attention = Attention(
            config.width,
            config.heads,
            config.dropout,
            config.distances,
        )
        self.feed_forward = _feed_forward(config)
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        normed = self.norms[0](x)
        x = x + self.dropout(self.attention(normed, *self.attention.remember(normed), mask))
        fed: Tensor = x + self.dropout(self.feed_forward(self.norms[1](x)))
        return fed


class _DecoderLayer(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        self.itself = Attention(
            config.width,
            config.heads,
            config.dropout,
            config.distances,
        )
        self.source = Attention(config.width, config.heads, config.dropout)
        self.feed_forward = _feed_forward(config)
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(3))
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        x: Tensor,
        said: tuple[Tensor, Tensor] | None,
        source: tuple[Tensor, Tensor],
        causal: Tensor | None,
        mask: Tensor,
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Return the layer's output, and keys and values of all that was said so far."""
        normed = self.norms[0](x)
        keys, values = self.itself.remember(normed)
        if said is not None:
            keys, values = torch.cat((said[0], keys), 2), torch.cat((said[1], values), 2)
        x = x + self.dropout(self.itself(normed, keys, values, causal))
        x = x + self.dropout(self.source(self.norms[1](x), *source, mask))
        x = x + self.dropout(self.feed_forward(self.norms[2](x)))
        return x, (keys, values)


@dataclass(frozen=True, slots=True)
class _TransformerState(DecoderState):
    """The middle of a translation.

    For each layer there are keys and values of the source and of what was said; ``mask`` says
    which words of the source are there, ``length`` how many tokens were said.
    """

    source: tuple[tuple[Tensor, Tensor], ...]
    said: tuple[tuple[Tensor, Tensor] | None, ...]
    mask: Tensor
    length: int

    def chosen(self, rows: Tensor) -> _TransformerState:
        source = tuple((keys[rows], values[rows]) for keys, values in self.source)
        said = tuple(pair and (pair[0][rows], pair[1][rows]) for pair in self.said)
        return replace(self, source=source, said=said, mask=self.mask[rows])


class Transformer(Seq2Seq):
    """Encoder and decoder with one table of embeddings."""

    def __init__(self, config: Config, words: int) -> None:
        super().__init__()
        self.sinusoids = not config.distances
        self.scale = math.sqrt(config.width)
        self.embedding = nn.Embedding(words, config.width, padding_idx=PAD)
        self.encoder = nn.ModuleList(_EncoderLayer(config) for _ in range(config.layers))
        self.decoder = nn.ModuleList(_DecoderLayer(config) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1 and name != "embedding.weight":
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=config.width**-0.5)

    def start(self, source: Tensor) -> _TransformerState:
        """Read sentences."""
        mask = (source != PAD)[:, None, None, :]
        x = self._embed(source, 0)
        for layer in self.encoder:
            x = layer(x, mask)
        x = self.norms[0](x)
        return _TransformerState(
            tuple(layer.source.remember(x) for layer in self.decoder),
            (None,) * len(self.decoder),
            mask,
            0,
        )

    def proceed(self, state: DecoderState, tokens: Tensor) -> tuple[Tensor, _TransformerState]:
        """Scores of the tokens that may follow each of these."""
        assert isinstance(state, _TransformerState)
        x = self._embed(tokens, state.length)
        asked = tokens.size(1)
        # A single token may look at everything that was said.
        causal = None
        if asked > 1:
            causal = torch.ones(asked, asked, dtype=torch.bool, device=x.device).tril()
        said: list[tuple[Tensor, Tensor]] = []
        for layer, before, source in zip(self.decoder, state.said, state.source, strict=True):
            x, now = layer(x, before, source, causal, state.mask)
            said.append(now)
        scores = self.norms[1](x) @ self.embedding.weight.T
        return scores, replace(state, said=tuple(said), length=state.length + asked)

    def _embed(self, tokens: Tensor, before: int) -> Tensor:
        x = self.embedding(tokens) * self.scale
        if self.sinusoids:
            x = x + sinusoids(before, tokens.size(1), x.size(-1)).to(x)
        dropped: Tensor = self.dropout(x)
        return dropped


def sinusoids(before: int, length: int, width: int) -> Tensor:
    """Positions ``before``, ``before + 1`` … as waves of many lengths."""
    places = torch.arange(before, before + length)[:, None].float()
    steps = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10_000.0) / width))
    return torch.cat(((places * steps).sin(), (places * steps).cos()), dim=1)
