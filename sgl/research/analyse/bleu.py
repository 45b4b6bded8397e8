"""BLEU of one sentence, smoothed as in the papers on surface realization.

BLEU is the geometric mean of the precisions of n-grams, n = 1 to 4, times a penalty for
texts that are shorter than their reference (Papineni et al. 2002).  A sentence often has no
4-gram of its reference, which would make it 0.  Smoothing 2 (Lin & Och 2004; Chen & Cherry
2014) adds one to both sides of the precisions from n = 2 on::

    reference  a b c d e     output  a x c
    precisions 2/3, (0+1)/(2+1), (0+1)/(1+1), (0+1)/(1+1)     penalty e^(1 - 5/3)
    BLEU       0.249

A text of fewer than four words counts as having one 4-gram, so that even a perfect one of
three words has 0.841.  This is how NLTK (3.5 and later) computes it; sacreBLEU's ``add-k``
is the same for texts of four words and more, and counts no 4-gram for shorter ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, log

_ORDER = 4


def sentence_bleu(reference: Sequence[str], output: Sequence[str]) -> float:
    """BLEU-4 of an output with smoothing 2, from 0 to 1; 0 if no word is right."""
    if len(output) >= _ORDER and list(reference) == list(output):
        return 1.0
    logarithms = 0.0
    for order in range(1, _ORDER + 1):
        matches, ngrams = _matches(reference, output, order)
        if order > 1:
            matches, ngrams = matches + 1, ngrams + 1
        if not matches:
            return 0.0
        logarithms += log(matches / ngrams)
    penalty = min(0.0, 1 - len(reference) / len(output))
    return exp(logarithms / _ORDER + penalty)


def _matches(reference: Sequence[str], output: Sequence[str], order: int) -> tuple[int, int]:
    """How many n-grams of the output are in the reference, and how many it has, at least 1."""
    number = len(output) - order + 1
    if number < 1:
        return 0, 1
    if order == 1:
        wanted, given = Counter(reference), Counter(output)
        return sum(min(count, wanted[word]) for word, count in given.items()), number
    grams = Counter(zip(*(reference[at:] for at in range(order)), strict=False))
    matches = 0
    for gram in zip(*(output[at:] for at in range(order)), strict=False):
        if grams.get(gram, 0) > 0:
            grams[gram] -= 1
            matches += 1
    return matches, number
