"""Exact Match, on normalised texts and on texts as they stand.

Tokenisers change characters that mean the same: SentencePiece writes ``?`` for ``？``.  Both
sides are therefore brought into Unicode's form NFKC before they are compared, and white
space at the ends is cut off; the raw rate is reported as well, because it is what a naive
comparison gives.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache


@lru_cache(maxsize=1 << 18)
def normal(text: str) -> str:
    """A text in the form in which it is compared: NFKC, nothing at the ends."""
    return unicodedata.normalize("NFKC", text).strip()


def exact(gold: str, prediction: str) -> bool:
    """Whether two texts are equal up to the form of their characters."""
    return prediction == gold or normal(prediction) == normal(gold)
