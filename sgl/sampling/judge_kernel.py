"""Kernels that accept and reject candidates, for the reasons of ``sgl.sampling.distinct``.

``screen`` decides what a candidate's own derivation decides; ``settle`` goes through the
candidates in their order and decides what depends on those before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sgl.accel.jit import kernel, part
from sgl.sampling.screen import (
    ACCEPTED,
    ALWAYS,
    AMBIGUOUS,
    REPEATED_LEMMA,
    REPEATED_SENTENCE,
    SHARE_FULL,
    TOO_LONG,
    UNEXPOSED_WORD,
    Lemmas,
)


@part
def _repeats(
    lemmas: Lemmas, rules: NDArray[np.int32], begin: int, end: int, seen: NDArray[np.int32]
) -> bool:
    """Whether one of the lemmas that may not be repeated is."""
    number = 0
    for place in range(begin, end):
        rule = rules[place]
        for at in range(lemmas.own_ends[rule], lemmas.own_ends[rule + 1]):
            lemma = lemmas.own[at]
            for other in range(number):
                if seen[other] == lemma:
                    return True
            seen[number] = lemma
            number += 1
    return False


@part
def _may_repeat(lemmas: Lemmas, rules: NDArray[np.int32], begin: int, end: int) -> bool:
    """Whether one of these lemmas may be repeated: two have the same bit."""
    met, again = ALWAYS, np.uint64(0)
    for place in range(begin, end):
        bits = lemmas.own_bits[rules[place]]
        again |= bits & met
        met |= bits
    return bool(again != np.uint64(0))


@kernel
def screen(
    lemmas: Lemmas,
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    too_long: NDArray[np.uint8],
    repeated_lemmas: int,
    exposed: NDArray[np.uint8],
    rank: NDArray[np.int32],
    words_matter: int,
    verdicts: NDArray[np.uint8],
    targets: NDArray[np.int32],
    scratch: NDArray[np.int32],
) -> None:
    """The verdict on each candidate as far as it is alone, and the rank of its target.

    ``exposed`` marks the words that may be used, ``rank`` has the place of a word among the
    targets of the stratum; if there are neither targets nor words that may not be used, words
    do not matter.  ``scratch`` has room for all lemmas of a derivation.
    """
    most = len(lemmas.words)
    for row in range(len(verdicts)):
        begin, end = rule_ends[row], rule_ends[row + 1]
        verdict = ACCEPTED
        target = most
        if too_long[row]:
            verdict = TOO_LONG
        elif (
            not repeated_lemmas
            and _may_repeat(lemmas, rules, begin, end)
            and _repeats(lemmas, rules, begin, end, scratch)
        ):
            verdict = REPEATED_LEMMA
        elif words_matter:
            for place in range(begin, end):
                rule = rules[place]
                for at in range(lemmas.word_ends[rule], lemmas.word_ends[rule + 1]):
                    word = lemmas.words[at]
                    if not exposed[word]:
                        verdict = UNEXPOSED_WORD
                    if 0 <= rank[word] < target:
                        target = rank[word]
        verdicts[row] = verdict
        targets[row] = target if target < most else -1


@kernel
def expose(
    lemmas: Lemmas,
    rules: NDArray[np.int32],
    rule_ends: NDArray[np.int64],
    accepted: NDArray[np.bool_],
    used: NDArray[np.uint8],
    exposed: NDArray[np.uint8],
) -> None:
    """Mark the words of accepted candidates; ``used`` is a table of rules, all 0."""
    for row in range(len(accepted)):
        if accepted[row]:
            for place in range(rule_ends[row], rule_ends[row + 1]):
                used[rules[place]] = 1
    for rule in range(len(used)):
        if used[rule]:
            for at in range(lemmas.word_ends[rule], lemmas.word_ends[rule + 1]):
                exposed[lemmas.words[at]] = 1


@kernel
def settle(
    verdicts: NDArray[np.uint8],
    targets: NDArray[np.int32],
    full: NDArray[np.int64],
    shares: NDArray[np.int64],
    stratum: int,
    taken_by: NDArray[np.int32],
    earlier: NDArray[np.int32],
    distinct: int,
    repeated: int,
    ambiguous: NDArray[np.bool_],
    wanted: int,
    outcomes: NDArray[np.uint8],
    taken: NDArray[np.bool_],
) -> int:
    """The outcome of each candidate, in order, until ``wanted`` are accepted; how many that are.

    ``full`` is what share each target has at the end (empty if the stratum has none) and
    ``shares`` what it has so far.  ``taken`` is scratch.
    """
    found = 0
    for row in range(len(verdicts)):
        if found == wanted:
            return row
        outcome = verdicts[row]
        target = targets[row]
        before = earlier[row]
        taken[row] = taken[before] if before >= 0 else False
        if outcome == ACCEPTED and len(full) > 0 and (target < 0 or shares[target] >= full[target]):
            outcome = SHARE_FULL
        if repeated:
            again = taken_by[row] >= 0 and taken_by[row] != stratum
        else:
            again = taken_by[row] >= 0 or taken[row]
        if outcome == ACCEPTED and distinct and again:
            outcome = REPEATED_SENTENCE
        if outcome == ACCEPTED and ambiguous[row]:
            outcome = AMBIGUOUS
        if outcome == ACCEPTED:
            taken[row] = True
            found += 1
            if len(full) > 0:
                shares[target] += 1
        outcomes[row] = outcome
    return len(verdicts)
