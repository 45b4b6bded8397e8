"""Cut texts into words so that putting the words together gives the text again, exactly.

What a model says is joined, and the gold texts have to come out of their own words; so a
word keeps the space before it, and no rule has to guess where spaces were::

    spaces      "The hen ran."        " The" " hen" " ran" "."
    sudachi     "鶏が走った。"        "鶏" "が" "走っ" "た" "。"
    characters  "每个医生"            "每" "个" "医" "生"

In texts with spaces the first word gets one as well, so that a name is the same word at the
beginning of a sentence and within it; joining takes it away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sgl.morphology.analyser import sudachi

#: How words are found; ``auto`` decides by the language.
AUTO = "auto"
SPACES, SUDACHI, CHARACTERS = "spaces", "sudachi", "characters"

#: What ``auto`` means for languages that write no spaces.
_UNSPACED = {"ja": SUDACHI, "zh": CHARACTERS}

#: A word, a sign or a lone space; with a space before it, if there is one.
_WORD = re.compile(r"\s?\w+|\s?[^\w\s]|\s")


def manner(wanted: str, language: str) -> str:
    """How the words of a language are found, if ``wanted`` leaves it open."""
    return _UNSPACED.get(language, SPACES) if wanted == AUTO else wanted


def cut(how: str, text: str) -> list[str]:
    """The words of a text.

    Raises:
        AnalyserMissing: SudachiPy is asked for and not installed.
    """
    return _CUTS[how](text)


def join(how: str, words: Sequence[str]) -> str:
    """The text of words."""
    text = "".join(words)
    return text[1:] if how == SPACES else text


def _by_spaces(text: str) -> list[str]:
    return _WORD.findall(f" {text}")


def _by_sudachi(text: str) -> list[str]:
    return [morpheme.surface for morpheme in sudachi().analyse(text)]


_CUTS: dict[str, Callable[[str], list[str]]] = {
    SPACES: _by_spaces,
    SUDACHI: _by_sudachi,
    CHARACTERS: list,
}

MANNERS = (AUTO, *_CUTS)
