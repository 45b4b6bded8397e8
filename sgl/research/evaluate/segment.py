"""Cut texts that have no spaces into words.

Metrics that count words need them.  Chinese can be cut in four ways::

    spaces       as the text has them
    characters   那 顶 红 帐 篷          what sacreBLEU does
    words        那 顶 红 帐篷           with the words of a dataset
    jieba        那顶 红 帐篷            with the segmenter of this name, if it is installed

With the words of a dataset a text is cut into as few pieces as possible; a stretch without
any of these words falls into characters.  If there are several ways, the first one that
differs takes the longer word.  Spaces that are there are kept in all four.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable
from typing import Literal, get_args

#: How texts are cut.
How = Literal["spaces", "characters", "words", "jieba"]
WAYS: tuple[str, ...] = get_args(How)

#: A text with spaces between its words.
Segmenter = Callable[[str], str]


class SegmenterMissing(Exception):
    """A segmenter is not installed."""


def segmenter(how: str, words: Iterable[str] = ()) -> Segmenter:
    """What cuts texts in this way; ``words`` are those of the dataset.

    Raises:
        SegmenterMissing: the library is not installed.
    """
    if how == "characters":
        return lambda text: " ".join(" ".join(piece) for piece in text.split())
    if how == "words":
        return DictionarySegmenter(words)
    if how == "jieba":
        return _jieba()
    return lambda text: " ".join(text.split())


def signature(how: str) -> str:
    """The name of a way of cutting, with the version of a library."""
    if how != "jieba":
        return how
    from importlib.metadata import version

    return f"jieba-{version('jieba')}"


class DictionarySegmenter:
    """Cuts texts into as few words of a dictionary as possible."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=1)

    def __call__(self, text: str) -> str:
        """The text with spaces between its words."""
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


def _jieba() -> Segmenter:
    try:
        with warnings.catch_warnings():
            # Its sources have escapes that newer versions of Python warn of.
            warnings.simplefilter("ignore")
            import jieba
    except ImportError as problem:
        raise SegmenterMissing("jieba is not installed") from problem
    jieba.setLogLevel("ERROR")
    tokenizer = jieba.Tokenizer()
    # It keeps its dictionary in the directory for temporary files, where anybody could have
    # put another one; in a directory of its own it makes it anew.
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()

    def cut(text: str) -> str:
        return " ".join(word for piece in text.split() for word in tokenizer.lcut(piece))

    return cut
