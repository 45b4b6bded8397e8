"""Accept and reject the candidates of a batch, for the reasons of ``sgl.sampling.acceptance``.

``screen`` decides what a candidate's own derivation decides; ``settle`` goes through the
candidates in their order and decides what depends on those before.  These functions are plain
Python over arrays, and ``sgl.accel.draw`` compiles them as they are.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.sampling.acceptance import REASONS
from sgl.sampling.engine import Tables

#: Outcomes as numbers: 0, or one more than the place of the reason in ``REASONS``.
ACCEPTED = 0
TOO_LONG, REPEATED_LEMMA, UNEXPOSED_WORD, SHARE_FULL, REPEATED_SENTENCE, AMBIGUOUS = range(1, len(REASONS) + 1)

#: Seconds that plain code takes for an item: to sample it, to accept it, to sample it again.
_SECONDS = 1.5e-4

#: The bit of rules that repeat a lemma by themselves, for all that is known.
ALWAYS = np.uint64(1 << 63)


def compiled_pays(items: int) -> bool:
    """Return whether so many items are sampled faster with compiled code."""
    from sgl import accel

    return accel.pays("draw", items * _SECONDS)


class Lemmas(NamedTuple):
    """The lemmas that rules introduce, as numbers.

    Those of rule ``r`` are ``words[word_ends[r]:word_ends[r + 1]]``, and ``own`` with
    ``own_ends`` those of them that may not be repeated.  ``own_bits`` has one of 63 bits
    for each of these: where rules have no bit in common they have no lemma in common.
    """

    words: NDArray[np.int32]
    word_ends: NDArray[np.int32]
    own: NDArray[np.int32]
    own_ends: NDArray[np.int32]
    own_bits: NDArray[np.uint64]


class LemmaIndex:
    """The lemmas of all rules, and the number of each."""

    def __init__(self, tables: Tables) -> None:
        self.numbers: dict[str, int] = {}
        words, own = (
            [[self.numbers.setdefault(word, len(self.numbers)) for word in row] for row in rows]
            for rows in (tables.words, tables.lemmas)
        )
        bits = [0] if not own else []
        for lemmas in own:
            of_rule = {1 << lemma % 63 for lemma in lemmas}
            bits.append(sum(of_rule) | (int(ALWAYS) if len(of_rule) < len(lemmas) else 0))
        self.lemmas = Lemmas(*_flat(words), *_flat(own), np.array(bits, np.uint64))

    def ranks(self, targets: Sequence[str]) -> NDArray[np.int32]:
        """For each lemma its place among ``targets``, or -1."""
        ranks = np.full(max(len(self.numbers), 1), -1, np.int32)
        for rank, target in reversed(list(enumerate(targets))):
            if target in self.numbers:
                ranks[self.numbers[target]] = rank
        return ranks


def _flat(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    ends = [0, *accumulate(len(row) for row in rows)]
    return np.array([n for row in rows for n in row], np.int32), np.array(ends, np.int32)


def repeats(lemmas: Lemmas, rules: NDArray[np.int32], begin: int, end: int, seen: NDArray[np.int32]) -> bool:
    """Return whether one of the lemmas that may not be repeated is."""
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


def may_repeat(lemmas: Lemmas, rules: NDArray[np.int32], begin: int, end: int) -> bool:
    """Return whether one of these lemmas may be repeated: two have the same bit."""
    met, again = ALWAYS, np.uint64(0)
    for place in range(begin, end):
        bits = lemmas.own_bits[rules[place]]
        again |= bits & met
        met |= bits
    return bool(again != np.uint64(0))


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
    """Judge each candidate by itself, and find the rank of its target.

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
            and may_repeat(lemmas, rules, begin, end)
            and repeats(lemmas, rules, begin, end, scratch)
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
    """Find the outcome of each candidate in order until ``wanted`` are accepted; return how many.

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
        again = taken_by[row] >= 0 and taken_by[row] != stratum if repeated else taken_by[row] >= 0 or taken[row]
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
