"""Make the lists of real words that no fresh word may be: ``sgl/morphology/words``.

Debian's package ``wamerican`` has the English words, SudachiDict the Japanese ones; only what a fresh word could be is
kept::

    apt-get install wamerican && python benchmarks/words.py
"""

from __future__ import annotations

import re
import sys
from itertools import pairwise, product
from pathlib import Path

from sudachipy import Dictionary, SplitMode

from common import ROOT
from sgl.morphology.sounds import KANA

WORDS = ROOT / "sgl" / "morphology" / "words"
ENGLISH = Path("/usr/share/dict/american-english")


def main() -> int:
    """Write both lists, below the notices that they have."""
    for name, words in {"english": english(), "japanese": japanese()}.items():
        path = WORDS / f"{name}.txt"
        notice = [line for line in path.read_text("utf-8").splitlines() if line.startswith("#")]
        path.write_text("\n".join([*notice, *words]) + "\n", "utf-8")
        print(f"{path.relative_to(ROOT)}: {len(words):,} words")
    return 0


def english() -> list[str]:
    """Return words of four to ten letters with two vowels apart, unless another one begins with them."""
    found = {line.lower() for line in ENGLISH.read_text("utf-8").splitlines() if re.fullmatch("[A-Za-z]{4,10}", line)}
    words = [*sorted(found), ""]
    last = [word for word, following in pairwise(words) if not following.startswith(word)]
    return [word for word in last if len(re.findall("[aeiouy]+", word)) > 1]


def japanese() -> list[str]:
    """Return what the dictionary reads as one word, among all words of three kana."""
    tokenizer = Dictionary(dict="core").create(SplitMode.C)
    found = []
    for word in map("".join, product(KANA, repeat=3)):
        morphemes = tokenizer.tokenize(word)
        if len(morphemes) == 1 and not morphemes[0].is_oov():
            found.append(word)
    return sorted(found)


if __name__ == "__main__":
    sys.exit(main())
