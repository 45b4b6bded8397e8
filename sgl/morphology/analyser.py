"""SudachiPy as a function from a text to its morphemes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from operator import itemgetter


@dataclass(frozen=True, slots=True)
class Morpheme:
    """A piece of a text as the analyser reads it.

    ``lemma`` is its dictionary form, ``kind`` and ``subkind`` are its part of speech
    (助詞, 接続助詞), ``conjugation`` is its type (五段-カ行) and ``form`` its inflection
    (連用形-促音便); the last two are ``*`` for what does not inflect.
    """

    surface: str
    lemma: str
    kind: str
    subkind: str
    conjugation: str
    form: str

    def is_a(self, names: tuple[str, ...]) -> bool:
        """Return whether its part of speech or conjugation type begins with one of the names."""
        read = (self.kind, self.subkind, self.conjugation)
        return any(name.startswith(names) for name in read)


#: Texts whose morphemes are kept.
_KEPT = 4_096

#: The morphemes of a text.
Analyse = Callable[[str], tuple[Morpheme, ...]]


class AnalyserMissing(Exception):
    """SudachiPy or its dictionary is not installed; the message is that of Python."""


@dataclass(frozen=True, slots=True)
class Sudachi:
    """The analyser with its core dictionary; ``versions`` names both for a report."""

    versions: str
    analyse: Analyse


@cache
def sudachi() -> Sudachi:
    """SudachiPy in its mode of short units; raises ``AnalyserMissing`` if it is not installed."""
    try:
        from sudachipy import Dictionary, SplitMode

        versions = (
            f"SudachiPy {metadata.version('sudachipy')}, "
            f"SudachiDict-core {metadata.version('sudachidict-core')}"
        )
        dictionary = Dictionary(dict="core")
        # Releases before 0.7 know this method as `create`.
        tokenizer = getattr(dictionary, "tokenizer", dictionary.create)(SplitMode.A)
    except (ImportError, OSError) as problem:
        raise AnalyserMissing(str(problem)) from problem

    @lru_cache(maxsize=_KEPT)
    def analyse(text: str) -> tuple[Morpheme, ...]:
        return tuple(
            Morpheme(
                token.surface(),
                token.dictionary_form(),
                *itemgetter(0, 1, 4, 5)(token.part_of_speech()),
            )
            for token in tokenizer.tokenize(text)
        )

    return Sudachi(versions, analyse)
