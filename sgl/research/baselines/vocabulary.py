"""The tokens of a model: whole words, or pieces of words learnt by byte pair encoding.

Both languages share one vocabulary, as in the published systems (Sennrich, Haddow & Birch
2016).  It is learnt from words that were cut before, so that no piece goes across two words::

    word   " hen" " ran" "."     ->  17 204 5
    bpe    " hen" " r"+"an" "."  ->  17 60 88 5

A word that training does not have is unknown to the first kind and is spelt by the second;
only characters that training does not have are unknown there.

A token keeps its leading space, so detokenization is lossless::

    spaces      "The hen ran."        " The" " hen" " ran" "."
    sudachi     "鶏が走った。"        "鶏" "が" "走っ" "た" "。"
    characters  "每个医生"            "每" "个" "医" "生"

In texts with spaces the first word gets one as well, so that a name is the same word at the
beginning of a sentence and within it; joining takes it away.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from sgl.morphology.knowledge import sudachi

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: How words are found; ``auto`` decides by the language.
AUTO = "auto"
SPACES, SUDACHI, CHARACTERS = "spaces", "sudachi", "characters"

#: What ``auto`` means for languages that write no spaces.
_UNSPACED = {"ja": SUDACHI, "zh": CHARACTERS}

#: A word, a sign or a lone space; with a space before it, if there is one.
_WORD = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def scheme_for(wanted: str, language: str) -> str:
    """How the words of a language are found, if ``wanted`` leaves it open."""
    return _UNSPACED.get(language, SPACES) if wanted == AUTO else wanted


def tokenize(how: str, text: str) -> list[str]:
    """Return words that joined give the text; raises ``AnalyserMissing`` without SudachiPy."""
    return _TOKENIZERS[how](text)


def detokenize(how: str, words: Sequence[str]) -> str:
    """Return the text of words."""
    text = "".join(words)
    return text[1:] if how == SPACES else text


_TOKENIZERS: dict[str, Callable[[str], list[str]]] = {
    SPACES: lambda text: _WORD.findall(f" {text}"),
    SUDACHI: lambda text: [morpheme.surface for morpheme in sudachi().analyse(text)],
    CHARACTERS: list,
}

SCHEMES = (AUTO, *_TOKENIZERS)


# ---- vocabularies

WORD, PIECES = "word", "bpe"

#: Special tokens, by number: padding, begin, end, unknown.
PAD, BEGIN, END, UNKNOWN = range(4)
_SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]

_KEPT = 1 << 16


class Side:
    """One language as a model reads or writes it: how its words are cut, and their tokens."""

    def __init__(self, how: str, tokenizer: Tokenizer) -> None:
        self.how = how
        self.tokenizer = tokenizer
        self._tokens: Callable[[str], Sequence[int]] = lru_cache(_KEPT)(
            lambda word: tuple(tokenizer.encode(word, add_special_tokens=False).ids)
        )

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, with the end."""
        return [token for word in tokenize(self.how, text) for token in self._tokens(word)] + [END]

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens up to the end; nothing stands for what is unknown."""
        said = takewhile(lambda token: token != END, tokens)
        pieces = (self.tokenizer.id_to_token(token) for token in said if token > UNKNOWN)
        return detokenize(self.how, [piece for piece in pieces if piece is not None])


def learn(texts: Iterable[tuple[str, str]], kind: str, pieces: int) -> Tokenizer:
    """Learn a vocabulary for texts, each with the scheme by which it is tokenized.

    Args:
        texts: the way and the text, for all texts of training.
        kind: ``word`` or ``bpe``.
        pieces: how many tokens pieces of words may be.
    """
    from tokenizers import Tokenizer
    from tokenizers.models import BPE, WordLevel
    from tokenizers.trainers import BpeTrainer

    counts = Counter(word for how, text in texts for word in tokenize(how, text))
    if kind == WORD:
        words = sorted(counts, key=lambda word: (-counts[word], word))
        numbers = {word: number for number, word in enumerate([*_SPECIAL, *words])}
        return Tokenizer(WordLevel(numbers, unk_token=_SPECIAL[UNKNOWN]))
    tokenizer = Tokenizer(BPE(unk_token=_SPECIAL[UNKNOWN], fuse_unk=False))
    trainer = BpeTrainer(
        vocab_size=pieces, special_tokens=_SPECIAL, show_progress=False, min_frequency=2
    )
    # Each word as often as it occurs, in an order that does not depend on hashing.
    tokenizer.train_from_iterator(Counter(dict(sorted(counts.items()))).elements(), trainer)
    return tokenizer


def unwritable(side: Side, texts: Sequence[str]) -> list[int]:
    """Return the places of texts that are not what their tokens give back."""
    return [place for place, text in enumerate(texts) if side.decode(side.encode(text)) != text]
