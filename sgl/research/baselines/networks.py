"""Define two networks small enough to read: an LSTM with attention, and a Transformer.

Both read a sentence, then output tokens one by one given the earlier ones.  In training, all tokens of a gold text are
given at once; in decoding, the likeliest next token is taken (greedy decoding).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from sgl.research.baselines.config import UP, Config
from sgl.research.baselines.data import BEGIN, END, PAD

#: The memory of a model in the middle of a translation: tensors, and tuples of tensors, whose first dimension is the
#: sentence.
State = tuple[Any, ...]


def chosen(state: Any, rows: Tensor) -> Any:  # noqa: ANN401 - a tensor, or a tuple of tensors
    """Return the state of some of the sentences."""
    if isinstance(state, Tensor):
        return state[rows]
    return tuple(chosen(part, rows) for part in state)


class Seq2Seq(nn.Module, ABC):
    """A model that maps a sentence to a sentence, both as numbers of tokens.

    One table of embeddings serves both languages and the output; if ``words`` has two sizes, the source has its own.
    """

    def __init__(self, width: int, words: Sequence[int]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words[-1], width, padding_idx=PAD)
        self.source_embedding = nn.Embedding(words[0], width, padding_idx=PAD) if len(words) > 1 else None

    def begin(self) -> None:
        """Set all weights to random values, embeddings scaled by their width."""
        for name, parameter in sorted(self.named_parameters(), key=lambda each: "embedding" in each[0]):
            if "embedding" in name:
                nn.init.normal_(parameter, std=parameter.size(1) ** -0.5)
            elif parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    @abstractmethod
    def start(self, source: Tensor) -> State:
        """Read sentences, given as padded rows."""

    @abstractmethod
    def proceed(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Return scores of the tokens that may follow each of ``tokens``, the latest output, and the new state."""


def said_before(target: Tensor) -> Tensor:
    """Return for each token of gold texts the token before it, or ``<s>`` for the first."""
    return torch.cat((target.new_full((target.size(0), 1), BEGIN), target[:, :-1]), dim=1)


def greedy(model: Seq2Seq, source: Tensor, limits: Sequence[int]) -> list[list[int]]:
    """Return the tokens that a model outputs for each sentence, up to the end token or a limit."""
    left = torch.tensor(limits, device=source.device)
    rows = torch.arange(source.size(0), device=source.device)
    said: list[list[int]] = [[] for _ in range(source.size(0))]
    last = source.new_full((source.size(0), 1), BEGIN)
    with torch.no_grad():
        state = model.start(source)
        for number in range(max(limits)):
            scores, state = model.proceed(state, last)
            # Padding and the begin token are not words.
            scores[..., [PAD, BEGIN]] = float("-inf")
            last = scores.argmax(-1)
            going = ((last[:, 0] != END) & (left > number)).nonzero()[:, 0]
            if not len(going):
                break
            if len(going) < len(rows):
                rows, left, last = rows[going], left[going], last[going]
                state = chosen(state, going)
            for row, token in zip(rows.tolist(), last[:, 0].tolist(), strict=True):
                said[row].append(token)
    return said


class Lstm(Seq2Seq):
    """An LSTM encoder and decoder with global attention (Luong, Pham & Manning 2015).

    The score of a source word is the dot product of its state with the decoder's; the next word follows from the state
    and the context that attention finds: ``h~ = tanh(W [context; h])``, ``scores = embeddings · h~``.  There is no
    *input feeding*, so the states of a whole gold text are computed in one go.
    """

    def __init__(self, config: Config, words: Sequence[int]) -> None:
        super().__init__(config.width, words)
        self.directions = 2 if config.both_ways else 1
        between = config.dropout if config.layers > 1 else 0.0
        self.encoder = nn.LSTM(
            config.width,
            config.width // self.directions,
            config.layers,
            batch_first=True,
            dropout=between,
            bidirectional=config.both_ways,
        )
        self.decoder = nn.LSTM(config.width, config.width, config.layers, batch_first=True, dropout=between)
        self.together = nn.Linear(2 * config.width, config.width, bias=False)
        self.dropout = nn.Dropout(config.dropout)
        self.begin()

    def start(self, source: Tensor) -> State:
        """Read sentences; return the decoder's states, the source's states, and the mask of source tokens."""
        there = source != PAD
        packed = pack_padded_sequence(
            self.dropout((self.source_embedding or self.embedding)(source)),
            there.sum(1).cpu(),
            batch_first=True,
            enforce_sorted=False,
        )
        states, last = self.encoder(packed)
        found, _ = pad_packed_sequence(states, batch_first=True, total_length=source.size(1))
        # The last states of the two directions are joined layer by layer.
        hidden, cell = (part.unflatten(0, (-1, self.directions)) for part in last)
        return (hidden.permute(2, 0, 1, 3).flatten(2), cell.permute(2, 0, 1, 3).flatten(2), found, there[:, None, :])

    def proceed(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Return scores of the tokens that may follow each of ``tokens``, and the new state."""
        hidden, cell, source, mask = state
        x = self.dropout(self.embedding(tokens))
        before = hidden.transpose(0, 1).contiguous(), cell.transpose(0, 1).contiguous()
        x, (hidden, cell) = self.decoder(x, before)
        likeness = x @ source.transpose(1, 2)
        context = likeness.masked_fill(~mask, float("-inf")).softmax(-1) @ source
        x = self.dropout(self.together(torch.cat((context, x), -1)).tanh())
        scores = x @ self.embedding.weight.T
        return scores, (hidden.transpose(0, 1), cell.transpose(0, 1), source, mask)


class Attention(nn.Module):
    """Scaled dot-product attention with several heads, and with distances if ``reach`` is given.

    With distances (Shaw, Uszkoreit & Vaswani 2018), a query is also compared with a vector for the distance of a key,
    up to ``reach`` in either direction.  Only that paper's vectors for keys are used; its authors find that those for
    values add nothing.
    """

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
        """Return the result for each word of ``x``, which are the last of the words with keys."""
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


class _Layer(nn.Module):
    """A layer of the encoder, or of the decoder, which also attends to the source."""

    def __init__(self, config: Config, *, decodes: bool) -> None:
        super().__init__()
        width, heads, dropout = config.width, config.heads, config.dropout
        self.attention = Attention(width, heads, dropout, config.distances)
        self.source = Attention(width, heads, dropout) if decodes else None
        self.feed_forward = nn.Sequential(
            nn.Linear(width, config.inner), nn.ReLU(), nn.Dropout(dropout), nn.Linear(config.inner, width)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3 if decodes else 2))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None, said: State = (), source: State = ()) -> tuple[Tensor, State]:
        """Return the layer's output, and the keys and values of all words so far.

        ``mask`` says which words are visible; ``said`` has the keys and values of earlier words, ``source`` those of
        the source with its mask.
        """
        normed = self.norms[0](x)
        keys, values = self.attention.remember(normed)
        if said:
            keys, values = torch.cat((said[0], keys), 2), torch.cat((said[1], values), 2)
        x = x + self.dropout(self.attention(normed, keys, values, mask))
        if self.source is not None:
            x = x + self.dropout(self.source(self.norms[1](x), *source))
        x = x + self.dropout(self.feed_forward(self.norms[-1](x)))
        return x, (keys, values)


class Transformer(Seq2Seq):
    """A Transformer encoder and decoder (Vaswani et al. 2017).

    Layers are normalised before each block.  Positions are sinusoids or relative.  Decoding keeps the keys and values
    of the output so far, so each step costs one token.
    """

    def __init__(self, config: Config, words: Sequence[int]) -> None:
        super().__init__(config.width, words)
        self.sinusoids = not config.distances
        # Position vectors are as large as word vectors, or small compared with them.
        wide = math.sqrt(config.width)
        self.scales = (wide, 1.0) if config.scaling == UP else (1.0, 1 / wide)
        self.encoder = nn.ModuleList(_Layer(config, decodes=False) for _ in range(config.layers))
        self.decoder = nn.ModuleList(_Layer(config, decodes=True) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)
        self.begin()

    def start(self, source: Tensor) -> State:
        """Read sentences; return each layer's keys and values of the source with its mask, and an empty output."""
        mask = (source != PAD)[:, None, None, :]
        x = self._embed((self.source_embedding or self.embedding)(source), 0)
        for layer in self.encoder:
            x, _ = layer(x, mask)
        x = self.norms[0](x)
        seen = tuple((*layer.source.remember(x), mask) for layer in self.decoder)
        return seen, ((),) * len(seen)

    def proceed(self, state: State, tokens: Tensor) -> tuple[Tensor, State]:
        """Return scores of the tokens that may follow each of ``tokens``, and the new state."""
        source, said = state
        before, asked = said[0][0].size(2) if said[0] else 0, tokens.size(1)
        x = self._embed(self.embedding(tokens), before)
        # A single token may attend to the whole output so far.
        causal = None
        if asked > 1:
            causal = torch.ones(asked, asked, dtype=torch.bool, device=x.device).tril()
        now: list[State] = []
        for layer, words, seen in zip(self.decoder, said, source, strict=True):
            x, known = layer(x, causal, words, seen)
            now.append(known)
        return self.norms[1](x) @ self.embedding.weight.T, (source, tuple(now))

    def _embed(self, x: Tensor, before: int) -> Tensor:
        x = x * self.scales[0]
        if self.sinusoids:
            x = x + self.scales[1] * sinusoids(before, x.size(1), x.size(2)).to(x)
        dropped: Tensor = self.dropout(x)
        return dropped


def sinusoids(before: int, length: int, width: int) -> Tensor:
    """Return positions ``before``, ``before + 1`` … as waves of many lengths."""
    places = torch.arange(before, before + length)[:, None].float()
    steps = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10_000.0) / width))
    return torch.cat(((places * steps).sin(), (places * steps).cos()), dim=1)
