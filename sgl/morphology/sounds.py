"""Invent words from the sounds of a language.

A word in letters is an onset, vowels, and further consonants and vowels by turns, up to a coda: ``bl-i-ck``.  Each
occurs in this place in words of the lexicon, and is drawn with the same frequency.  A Japanese word is a few kana, a
word in any other script a few characters of the lexicon.  No word begins another one or a known word, so that with any
endings no two forms are alike, and none is a known word.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from unicodedata import name
from zlib import crc32

from sgl.foreign import lines_of

_SINGLE = (
    *"カキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモラリルレロ",
    *"ガギグゴザジゼゾダデドバビブベボパピプペポヤユヨワ",
)
_PAIRS = re.findall("..", "キャシャシュショチャチュチョニャリュリョジャジョミャヒョギョ")

#: The morae of which words are made; those that take two kana are rare.
KANA = (*_SINGLE, *_PAIRS)
_DRAWN = (*(_SINGLE * 3), *_PAIRS)

#: Letters that follow one another.
RUN = r"[^\W\d_]+"

#: Each word belongs to one seed of these many, so that no two of them have a word in common.
_SEEDS = 16

#: Attempts to find a word before it gets a syllable more.
_ATTEMPTS = 10 * _SEEDS


_VOWELS = "aeiouàáâãäåæèéêëìíîïòóôõöøœùúûüаеёиоуыэюяαεηιουωάέήίόύώ"
#: Vowels that follow one another, with a w that no vowel follows; an initial y is a consonant, and so is the u of qu.
_NUCLEUS = re.compile(rf"((?:(?!(?<=q)u)[{_VOWELS}]|(?<!^)y)+(?:w(?![{_VOWELS}y]))?)")


@lru_cache(1 << 12)
def _is_letter_of_alphabet(letter: str) -> bool:
    return letter.isalpha() and name(letter, "").startswith(("LATIN", "GREEK", "CYRILLIC"))


class Sounds:
    """New words of one language, or ``layer``; ``known`` are words that none may be or begin."""

    def __init__(self, words: Iterable[str], known: Iterable[str], seed: int, layer: str = "") -> None:
        words, self._seed, self._layer = list(dict.fromkeys(words)), seed, layer
        self._known, self._made = sorted({word.lower() for word in known}), list[str]()
        self._all = set[str]()
        self._learn([_NUCLEUS.split(word.lower()) for word in words if _is_letter_of_alphabet(word[:1])])
        characters = "".join(words)
        kana = any(name(character, "").startswith(("HIRAGANA", "KATAKANA")) for character in characters)
        self._characters = _DRAWN if kana else [*filter(str.isalpha, characters)]

    def _learn(self, split: Iterable[list[str]]) -> None:
        """Note the clusters of words that are split into consonants and vowels by turns, consonants at both ends."""
        clusters = [found for found in split if len(found) > 2]
        self._onsets = [found[0] for found in clusters] or [*"bdfgklmnprt"]
        self._vowels = [vowels for found in clusters for vowels in found[1:-1:2] if len(vowels) < 3] or [*"aeiou"]
        self._inner = [inner for found in clusters for inner in found[2:-2:2]] or [*"bdfgklmnprt"]
        # After a final s or x an ending can sound, or be written, in another way.
        self._codas = [coda for found in clusters if (coda := found[-1]) and coda[-1] not in "sxzhc"] or [*"klmnprt"]

    def like(self, word: str) -> str:
        """Return a new word for a word: in the same script, with the same capitals, first a vowel if it has one."""
        random = Random(f"{self._seed} {self._layer} {word}")  # noqa: S311 - the same words for everybody
        alphabetic = _is_letter_of_alphabet(word[0])
        for attempt in range(_ATTEMPTS * 100):
            size = 2 + attempt // _ATTEMPTS
            found = self._written(random, size, word) if alphabetic else self._drawn(random, size)
            own = crc32(found.encode()) % _SEEDS == self._seed % _SEEDS
            if own and not _begins(found, self._known) and not self._meets(found):
                break
        insort(self._made, found)
        self._all.add(found)
        return found.upper() if word.isupper() else found.capitalize() if word[0].isupper() else found

    def _written(self, random: Random, syllables: int, word: str) -> str:
        vowel = word[0].lower() in _VOWELS
        onsets = [onset for onset in self._onsets if bool(onset) != vowel]
        parts = [random.choice(onsets) if onsets else "" if vowel else random.choice(self._inner)]
        for _ in range(syllables - 1):
            vowels = random.choice(self._vowels)
            # An initial y would sound as a consonant.
            parts += [vowels.replace("y", "i") if parts[-1] in ("", "y") else vowels, random.choice(self._inner)]
        return "".join([*parts, random.choice(self._vowels), random.choice(self._codas)])

    def _drawn(self, random: Random, size: int) -> str:
        return "".join(random.choice(self._characters) for _ in range(size + (self._characters is _DRAWN)))

    def _meets(self, word: str) -> bool:
        """Return whether a word begins one that was made, or the other way round."""
        return _begins(word, self._made) or any(word[:end] in self._all for end in range(1, len(word)))


def _begins(word: str, others: Sequence[str]) -> bool:
    """Return whether a word is, or begins, one of others, which are in order."""
    place = bisect_left(others, word)
    return place < len(others) and others[place].startswith(word)


@cache
def real_words() -> list[str]:
    """Return real words of English and Japanese that a new word may be by chance."""
    texts = (path.read_text("utf-8") for path in sorted((Path(__file__).parent / "words").glob("*.txt")))
    return [line for text in texts for line in lines_of(text) if not line.startswith("#")]


def runs(text: str) -> list[str]:
    """Return the words of a text in order: letters that follow one another."""
    return re.findall(RUN, text)
