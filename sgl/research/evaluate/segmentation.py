"""Segment texts that have no spaces between words.

Metrics that count words need them.  Chinese can be segmented in four ways::

    spaces       as the text has them
    characters   那 顶 红 帐 篷          what sacreBLEU does
    words        那 顶 红 帐篷           with the words of a dataset
    jieba        那顶 红 帐篷            with the segmenter of this name, if it is installed

With the words of a dataset a text becomes as few pieces as possible; a stretch without any
of these words falls into characters.  Of several ways to do so, the one with the longer word
at the first difference is taken.  All four ways keep the spaces of the text.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, get_args

Way = Literal["spaces", "characters", "words", "jieba"]
WAYS: tuple[str, ...] = get_args(Way)


class Segmentation(NamedTuple):
    """A way to put spaces between the words of a text, and its name in signatures."""

    name: str
    cut: Callable[[str], str]


def segmentation(way: str, words: Iterable[str] = ()) -> Segmentation:
    """Return the segmentation of this name; ``words`` are those of the dataset.

    >>> segmentation("characters").cut("那顶 红")
    '那 顶 红'

    Raises:
        ImportError: the library is not installed.
    """
    if way == "characters":
        return Segmentation(way, lambda text: " ".join(" ".join(piece) for piece in text.split()))
    if way == "words":
        return Segmentation(way, DictionarySegmenter(words))
    if way == "jieba":
        return _jieba()
    return Segmentation(way, lambda text: " ".join(text.split()))


class DictionarySegmenter:
    """Cut texts into as few words of a dictionary as possible.

    >>> DictionarySegmenter(["红", "帐篷"])("红帐篷")
    '红 帐篷'
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=1)

    def __call__(self, text: str) -> str:
        """Return the text with spaces between its words."""
        return " ".join(word for piece in text.split() for word in self._cut(piece))

    def _cut(self, text: str) -> list[str]:
        # From the end, so that the best way for the rest of the text is known everywhere.
        size = len(text)
        fewest = [0] * (size + 1)
        length = [1] * (size + 1)
        for start in range(size - 1, -1, -1):
            fewest[start] = 1 + fewest[start + 1]
            for wide in range(2, min(self._longest, size - start) + 1):
                # Of equally good ways the longer first word is taken.
                better = 1 + fewest[start + wide] <= fewest[start]
                if better and text[start : start + wide] in self._words:
                    fewest[start], length[start] = 1 + fewest[start + wide], wide
        words: list[str] = []
        start = 0
        while start < size:
            words.append(text[start : start + length[start]])
            start += length[start]
        return words


def _jieba() -> Segmentation:
    from importlib.metadata import version

    with warnings.catch_warnings():
        # Its sources have escapes that newer versions of Python warn of.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    # It caches its dictionary in the directory for temporary files, where anybody could have
    # put another one.  In a directory of its own it builds it anew.
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()

    def cut(text: str) -> str:
        return " ".join(word for piece in text.split() for word in tokenizer.lcut(piece))

    return Segmentation(f"jieba-{version('jieba')}", cut)
