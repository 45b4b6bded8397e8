"""Words as compounds of a lemma and its features, and which of them are worth counting.

In ``saada 84, other 16`` the tag combination goes with one lemma in 84 of 100 cases; such a
combination says little more than its lemma.  Moisio, Creutz & Kurimo (2023) weigh a tag
combination by 1 - max P(lemma | tags), here 0.16, and keep the compounds whose combination
weighs more than a threshold, 0.33 in their experiments.  (Their program keeps what weighs
0.34 or more.)  The weight decides only which compounds count; they count by their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sgl.research.divergence.elements import Elements, listed
from sgl.research.divergence.treebank import Sentence, feature_atoms, feature_compounds


def tag_weight(lemmas: Mapping[str, int]) -> Fraction:
    """The weight of a tag combination that goes with lemmas so many times."""
    return 1 - Fraction(max(lemmas.values()), sum(lemmas.values()))


def feature_elements(sentences: Sequence[Sentence], above: Fraction | None) -> Elements:
    """Lemmas and features as atoms, words as compounds; only combinations that weigh more."""
    rows = [feature_compounds(sentence) for sentence in sentences]
    lemmas: dict[str, Counter[str]] = {}
    for row in rows:
        for lemma, tags in row:
            lemmas.setdefault(tags, Counter())[lemma] += 1
    kept = {tags for tags, found in lemmas.items() if above is None or tag_weight(found) > above}
    return Elements(
        listed(feature_atoms(sentence) for sentence in sentences),
        listed([f"{lemma}+{tags}" for lemma, tags in row if tags in kept] for row in rows),
    )
