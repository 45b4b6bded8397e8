"""Items as bags of atoms and bags of compounds, in flat arrays.

Whatever atoms and compounds are, of a split only their numbers matter::

    item 0  cat+Sing               atoms  cat Sing              compounds  cat+Sing
    item 1  cat+Sing dog+Plur      atoms  cat Sing dog Plur     compounds  cat+Sing dog+Plur

    compounds.names   cat+Sing  dog+Plur
    compounds.start   0  1  3
    compounds.kinds   0  0  1        item 1 has the kinds 0 and 1,
    compounds.times   1  1  1        each once

``measure`` computes the divergences of a split from them, by the definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.divergence import ElementCounts, SplitDivergence, compare_counts
from sgl.research.treebank import TreebankSentence


class Occurrences(NamedTuple):
    """What occurs in items: item ``i`` has ``kinds[start[i]:start[i + 1]]``, in their order.

    ``times`` says how often; with weights it counts in ``unit`` parts of 1.
    """

    names: Sequence[str]
    start: NDArray[np.int64]
    kinds: NDArray[np.int32]
    times: NDArray[np.int64]
    unit: int = 1

    @property
    def items(self) -> int:
        """How many items there are."""
        return len(self.start) - 1

    def totals(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Count how often each kind occurs in the chosen items."""
        inside = np.repeat(chosen, np.diff(self.start))
        sums = np.zeros(len(self.names), np.int64)
        np.add.at(sums, self.kinds[inside], self.times[inside])
        return sums


class Elements(NamedTuple):
    """The atoms and compounds of the same items."""

    atoms: Occurrences
    compounds: Occurrences


def count_pairs(
    names: Sequence[str], items: int, item: NDArray[np.int64], kind: NDArray[np.int64]
) -> Occurrences:
    """Return occurrences from one pair (item, kind) for each time that something occurs."""
    width = max(len(names), 1)
    keys, times = np.unique(item * width + kind, return_counts=True)
    row, kinds = np.divmod(keys, width)
    start = np.zeros(items + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=items), out=start[1:])
    return Occurrences(names, start, kinds.astype(np.int32), times.astype(np.int64))


def count_names(rows: Iterable[Iterable[str]]) -> Occurrences:
    """Return occurrences from the names of what occurs in each item.

    >>> found = count_names([["cat", "dog", "cat"], ["dog"]])
    >>> found.names, found.kinds.tolist(), found.times.tolist()
    (['cat', 'dog'], [0, 1, 1], [2, 1, 1])
    """
    numbers: dict[str, int] = {}
    kinds: list[int] = []
    lengths: list[int] = []
    for row in rows:
        before = len(kinds)
        kinds.extend([numbers.setdefault(name, len(numbers)) for name in row])
        lengths.append(len(kinds) - before)
    item = np.repeat(np.arange(len(lengths)), lengths)
    return count_pairs(list(numbers), len(lengths), item, np.array(kinds, np.int64))


def measure(
    elements: Elements, train: NDArray[np.bool_], test: NDArray[np.bool_], examples: int = 5
) -> SplitDivergence:
    """Compare the items of test with those of training."""
    before, after = (
        ElementCounts(elements.atoms.totals(side), elements.compounds.totals(side))
        for side in (train, test)
    )
    return compare_counts(before, after, elements.compounds.names, examples)


# ---- words with features


def tag_weight(lemmas: Mapping[str, int]) -> Fraction:
    """Return the weight of a tag combination that goes with lemmas so many times.

    It is 1 - max P(lemma | tags): a combination that goes with one lemma in 84 of 100 cases
    says little more than its lemma.

    >>> tag_weight({"saada": 84, "other": 16})
    Fraction(4, 25)
    """
    return 1 - Fraction(max(lemmas.values()), sum(lemmas.values()))


def feature_elements(sentences: Sequence[TreebankSentence], above: Fraction | None) -> Elements:
    """Return lemmas and features as atoms, words as compounds.

    The elements are those of Moisio, Creutz & Kurimo (2023): a compound is a lemma with all of its
    features, a word form; atoms are lemmas and single features.  Words without features have none::

        dogs   dog   Case=Nom|Number=Sing      atoms      dog  +Case=Nom  +Number=Sing
                                               compounds  dog+Case=Nom|Number=Sing

    With ``above`` only tag combinations that weigh more make compounds.  (The program of the
    authors keeps what weighs 0.34 or more; in their text it is 0.33.)  The weight decides only
    which compounds count; they count by their number.
    """
    rows = [
        [(word.lemma, word.feats) for word in sentence.words if word.feats != "_"]
        for sentence in sentences
    ]
    lemmas: dict[str, Counter[str]] = {}
    for row in rows:
        for lemma, tags in row:
            lemmas.setdefault(tags, Counter())[lemma] += 1
    kept = {tags for tags, found in lemmas.items() if above is None or tag_weight(found) > above}
    # A lemma that is spelt like a feature is another atom: features have a mark before them.
    atoms = (
        [atom for lemma, tags in row for atom in (lemma, *(f"+{tag}" for tag in tags.split("|")))]
        for row in rows
    )
    compounds = ([f"{lemma}+{tags}" for lemma, tags in row if tags in kept] for row in rows)
    return Elements(count_names(atoms), count_names(compounds))
