"""Notice that outputs are not in the language of the treebank, by their letters and words.

Scores of the wrong file are low, and look like those of a bad system.  If hardly any letter
of the outputs is of a script that the treebank has, and hardly any of their words is a word
of it, it is most likely a file of sources, or of another language::

    treebank   猫 が 魚 を 食べ た 。        Hiragana, Han
    outputs    the cat ate the fish .      Latin

The first few hundred outputs say enough.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

#: Outputs that are looked at, and the fewest letters that say something.
_SAMPLED = 200
_FEWEST_LETTERS = 50

#: Of the letters and words of outputs less than so much is that of the treebank.
_HARDLY_ANY = 0.05

#: A script with less than this share of the letters of the treebank is not one of its own.
_OWN = 0.05

#: What the names of characters call scripts that have another name.
_NAMES = {"CJK": "Han"}


@dataclass(frozen=True, slots=True)
class Foreign:
    """Outputs in another script: the scripts of both, and how many words are known."""

    treebank: tuple[str, ...]
    outputs: tuple[str, ...]
    words: int
    known: int


@dataclass
class ScriptComparison:
    """Letters and words of sentences and of what a system has said for them."""

    _seen: int = 0
    _gold_letters: Counter[str] = field(default_factory=Counter)
    _letters: Counter[str] = field(default_factory=Counter)
    _gold_words: set[str] = field(default_factory=set)
    _words: Counter[str] = field(default_factory=Counter)

    def add(self, gold: Sequence[str], said: Sequence[str]) -> None:
        """The words of a sentence, and those of an output that is not empty."""
        if self._seen < _SAMPLED and said:
            self._seen += 1
            self._gold_letters.update(_scripts(gold))
            self._letters.update(_scripts(said))
            self._gold_words.update(gold)
            self._words.update(word for word in said if any(map(str.isalpha, word)))

    def foreign(self) -> Foreign | None:
        """What is known of outputs in another script; None if they are not."""
        words, letters = self._words.total(), self._letters.total()
        own = _own(self._gold_letters)
        if letters < _FEWEST_LETTERS or not own:
            return None
        known = sum(number for word, number in self._words.items() if word in self._gold_words)
        shared = sum(self._letters[script] for script in own)
        if known >= _HARDLY_ANY * words or shared >= _HARDLY_ANY * letters:
            return None
        return Foreign(own, _own(self._letters), words, known)


def _own(letters: Counter[str]) -> tuple[str, ...]:
    """The scripts with a share that counts, the most frequent first."""
    return tuple(
        script for script, number in letters.most_common() if number >= _OWN * letters.total()
    )


def _scripts(words: Iterable[str]) -> list[str]:
    return [script(character) for word in words for character in word if character.isalpha()]


@lru_cache(1 << 14)
def script(letter: str) -> str:
    """The script of a letter, after its name in Unicode: ``LATIN SMALL LETTER A`` is Latin."""
    first = unicodedata.name(letter, "UNKNOWN").partition(" ")[0].partition("-")[0]
    return _NAMES.get(first, first.capitalize())
