"""The tokens of a model: whole words, or pieces of words learnt by byte pair encoding.

Both languages share one vocabulary, as in the published systems (Sennrich, Haddow & Birch
2016).  It is learnt from words that were cut before, so that no piece goes across two words::

    word   " hen" " ran" "."     ->  17 204 5
    bpe    " hen" " r"+"an" "."  ->  17 60 88 5

A word that training does not have is unknown to the first kind and is spelt by the second;
only characters that training does not have are unknown there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tokenizers import Tokenizer
from tokenizers.models import BPE, WordLevel
from tokenizers.trainers import BpeTrainer

from sgl.research.baselines.words import cut, join

WORD, PIECES = "word", "bpe"
KINDS = (WORD, PIECES)

#: Special tokens, by number: padding, begin, end, unknown.
PAD, BEGIN, END, UNKNOWN = range(4)
_SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]

_KEPT = 1 << 16


@dataclass(frozen=True, slots=True)
class Side:
    """One language as a model reads or writes it: how its words are cut, and their tokens."""

    how: str
    tokenizer: Tokenizer

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, with the end."""
        return [token for word in cut(self.how, text) for token in _tokens(self, word)] + [END]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text of tokens up to the end; nothing stands for what is unknown."""
        pieces: list[str] = []
        for token in tokens:
            if token == END:
                break
            piece = self.tokenizer.id_to_token(token)
            if token > UNKNOWN and piece is not None:
                pieces.append(piece)
        return join(self.how, pieces)

    def __hash__(self) -> int:
        return hash((self.how, id(self.tokenizer)))


@lru_cache(maxsize=_KEPT)
def _tokens(side: Side, word: str) -> tuple[int, ...]:
    return tuple(side.tokenizer.encode(word, add_special_tokens=False).ids)


def learn(texts: Iterable[tuple[str, str]], kind: str, pieces: int) -> Tokenizer:
    """A vocabulary for texts, each with the way in which its words are cut.

    Args:
        texts: the way and the text, for all texts of training.
        kind: ``word`` or ``bpe``.
        pieces: how many tokens pieces of words may be.
    """
    counts = Counter(word for how, text in texts for word in cut(how, text))
    if kind == WORD:
        words = sorted(counts, key=lambda word: (-counts[word], word))
        numbers = {word: number for number, word in enumerate([*_SPECIAL, *words])}
        return Tokenizer(WordLevel(numbers, unk_token=_SPECIAL[UNKNOWN]))
    tokenizer = Tokenizer(BPE(unk_token=_SPECIAL[UNKNOWN], fuse_unk=False))
    trainer = BpeTrainer(
        vocab_size=pieces, special_tokens=_SPECIAL, show_progress=False, min_frequency=2
    )
    tokenizer.train_from_iterator(_repeated(counts), trainer)
    return tokenizer


def _repeated(counts: Counter[str]) -> Iterable[str]:
    """Each word as often as it occurs, in an order that does not depend on hashing."""
    for word in sorted(counts):
        for _ in range(counts[word]):
            yield word


def unwritable(side: Side, texts: Sequence[str]) -> list[int]:
    """The places of texts that are not what their tokens give back."""
    return [place for place, text in enumerate(texts) if side.decode(side.encode(text)) != text]
