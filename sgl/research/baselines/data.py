r"""Prepare the material of a baseline: rows in batches, and texts as tokens.

The model learns from the split ``train``, ``dev`` decides which state of it is kept, and it predicts the others.  Both
languages share one vocabulary (Sennrich, Haddow & Birch 2016) or have one each, learnt from words that were cut
beforehand, so that no piece spans two words.  What training lacks is unknown: with ``word`` unseen words, with ``bpe``
only unseen characters.

A token keeps its leading space, so detokenization is lossless.  In texts with spaces, the first word gets one too, so
that a name is the same word everywhere; joining removes it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sgl.dataset import MANIFEST, manifest_of
from sgl.morphology.knowledge import sudachi
from sgl.research.evaluate import benchmark

if TYPE_CHECKING:
    from tokenizers import Tokenizer

#: How to find words; ``auto`` decides by the language.
AUTO = "auto"
SPACES, SUDACHI, CHARACTERS = "spaces", "sudachi", "characters"

#: The meaning of ``auto`` for languages written without spaces.
_UNSPACED = {"ja": SUDACHI, "zh": CHARACTERS}

#: A word, a sign or a single space; the first two with the space before them, if any.
_WORD = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def scheme_for(wanted: str, language: str) -> str:
    """Return how to find the words of a language, if ``wanted`` leaves it open."""
    return _UNSPACED.get(language, SPACES) if wanted == AUTO else wanted


def tokenize(how: str, text: str) -> list[str]:
    """Return words that together make up the text; raises ``AnalyserMissing`` without SudachiPy."""
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


WORD, PIECES = "word", "bpe"

#: The special tokens, by number: padding, begin, end, unknown.
PAD, BEGIN, END, UNKNOWN = range(4)
_SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]

_KEPT = 1 << 16


class Side:
    """One language as a model reads or writes it: how to cut its words, and their tokens."""

    def __init__(self, how: str, tokenizer: "Tokenizer") -> None:
        self.how = how
        self.tokenizer = tokenizer
        self._tokens: Callable[[str], Sequence[int]] = lru_cache(_KEPT)(
            lambda word: tuple(tokenizer.encode(word, add_special_tokens=False).ids)
        )

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, followed by the end token."""
        return [token for word in tokenize(self.how, text) for token in self._tokens(word)] + [END]

    def decode(self, tokens: Iterable[int]) -> str:
        """Return the text of tokens up to the end token, leaving out unknown tokens."""
        said = takewhile(lambda token: token != END, tokens)
        pieces = (self.tokenizer.id_to_token(token) for token in said if token > UNKNOWN)
        return detokenize(self.how, [piece for piece in pieces if piece is not None])


def learn(texts: Iterable[tuple[str, str]], kind: str, pieces: int) -> "Tokenizer":
    """Learn a vocabulary, ``word`` or ``bpe`` with up to ``pieces`` pieces, from texts with their schemes of tokens."""
    from tokenizers import Tokenizer
    from tokenizers.models import BPE, WordLevel
    from tokenizers.trainers import BpeTrainer

    counts = Counter(word for how, text in texts for word in tokenize(how, text))
    if kind == WORD:
        words = sorted(counts, key=lambda word: (-counts[word], word))
        numbers = {word: number for number, word in enumerate([*_SPECIAL, *words])}
        return Tokenizer(WordLevel(numbers, unk_token=_SPECIAL[UNKNOWN]))
    tokenizer = Tokenizer(BPE(unk_token=_SPECIAL[UNKNOWN], fuse_unk=False))
    trainer = BpeTrainer(vocab_size=pieces, special_tokens=_SPECIAL, show_progress=False, min_frequency=2)
    # Each word is repeated as often as it occurs, in an order that does not depend on hashing.
    tokenizer.train_from_iterator(Counter(dict(sorted(counts.items()))).elements(), trainer)
    return tokenizer


def unwritable(side: Side, texts: Sequence[str]) -> list[int]:
    """Return the indices of texts that their tokens do not reproduce."""
    return [place for place, text in enumerate(texts) if side.decode(side.encode(text)) != text]


TRAIN, DEV = "train", "dev"

#: The number of batches made from rows of similar length.
_POOL = 40


@dataclass(frozen=True, slots=True)
class BaselineData:
    """A dataset as a baseline sees it; ``predicted`` has splits in the order of the manifest."""

    name: str
    signature: str
    source: str
    target: str
    train: tuple[benchmark.BenchmarkRow, ...]
    dev: tuple[benchmark.BenchmarkRow, ...]
    predicted: tuple[benchmark.Benchmark, ...]

    @property
    def digest(self) -> str:
        """The hash of everything in the data that affects the weights of a model."""
        told = hashlib.sha256(f"{self.signature}\n{self.source}\n{self.target}\n".encode())
        for rows in (self.train, self.dev):
            told.update(b"\0")
            for row in rows:
                told.update(f"{row.source}\t{row.target}\n".encode())
        return told.hexdigest()


def read_data(path: Path, target: str | None) -> BaselineData:
    """Read all splits of `sglc compile` or `sglc split`; raises ``DatasetError`` if there is nothing to predict."""
    if (path / "train.tsv").is_file() and not (path / MANIFEST).exists():
        train, test = (benchmark.read_benchmark(path / f"{name}.tsv", None, target) for name in (TRAIN, "test"))
        return BaselineData(path.resolve().name, "", train.source, train.target, train.rows, (), (test,))
    if path.is_file():
        raise benchmark.DatasetError(
            f"`{path}` is a file, not a dataset", hint="DATASET is a directory that `sglc compile` has written"
        )
    train = benchmark.read_benchmark(path, TRAIN, target)
    names = list(manifest_of(path)["splits"].members())
    # Files of a run have these names and must stay in its directory.
    for name in (train.name, *names):
        if name in ("", "..") or name != Path(name).name:
            raise benchmark.DatasetError(f"`{path}` has a name that no file can have: {name!r}")
    if not (others := [name for name in names if name not in (TRAIN, DEV)]):
        raise benchmark.DatasetError(f"`{path}` has nothing to predict", hint="it has no split but train and dev")
    return BaselineData(
        name=train.name,
        signature=train.signature,
        source=train.source,
        target=train.target,
        train=train.rows,
        dev=benchmark.read_benchmark(path, DEV, target).rows if DEV in names else (),
        predicted=tuple(benchmark.read_benchmark(path, name, target) for name in others),
    )


class BatchOrder:
    """The batches of a training run by number, as a function of the seed.

    In each round all rows are shuffled.  Batches of rows of similar length are made within pools of many batches, and
    shuffled again, so that there is little padding and no round repeats another.
    """

    def __init__(self, lengths: Sequence[int], batch: int, seed: int) -> None:
        self._lengths = np.asarray(lengths)
        self._batch = batch
        self._seed = seed
        self.round = -(-len(lengths) // batch)
        self._of_round = lru_cache(maxsize=2)(self._shuffled)

    def rows(self, number: int) -> NDArray[np.int64]:
        """Return the rows of a batch."""
        return self._of_round(number // self.round)[number % self.round]

    def _shuffled(self, which: int) -> list[NDArray[np.int64]]:
        random = np.random.Generator(np.random.PCG64([self._seed, which]))
        rows = random.permutation(len(self._lengths))
        batches: list[NDArray[np.int64]] = []
        for begin in range(0, len(rows), self._batch * _POOL):
            pool = rows[begin : begin + self._batch * _POOL]
            pool = pool[np.argsort(self._lengths[pool], kind="stable")]
            batches += [pool[at : at + self._batch] for at in range(0, len(pool), self._batch)]
        return [batches[place] for place in random.permutation(len(batches))]
