"""Words as compounds of a lemma and its features, and which of them are worth counting.

The elements are those of Moisio, Creutz & Kurimo (2023): a compound is a lemma with all of
its features, a word form; atoms are lemmas and single features.  Words without features have
none::

    dogs   dog   Case=Nom|Number=Sing      atoms      dog  +Case=Nom  +Number=Sing
                                           compounds  dog+Case=Nom|Number=Sing

In ``saada 84, other 16`` the tag combination goes with one lemma in 84 of 100 cases; such a
combination says little more than its lemma.  The authors weigh a tag combination by
1 - max P(lemma | tags), here 0.16, and keep the compounds whose combination weighs more than
a threshold, 0.33 in their experiments.  (Their program keeps what weighs 0.34 or more.)  The
weight decides only which compounds count; they count by their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from sgl.research.divergence.elements import Elements, count_names
from sgl.research.treebank import TreebankSentence

_NONE = "_"


def tag_weight(lemmas: Mapping[str, int]) -> Fraction:
    """Return the weight of a tag combination that goes with lemmas so many times.

    >>> tag_weight({"saada": 84, "other": 16})
    Fraction(4, 25)
    """
    return 1 - Fraction(max(lemmas.values()), sum(lemmas.values()))


def feature_elements(sentences: Sequence[TreebankSentence], above: Fraction | None) -> Elements:
    """Return lemmas and features as atoms, words as compounds.

    With ``above`` only tag combinations that weigh more make compounds.
    """
    rows = [
        [(word.lemma, word.feats) for word in sentence.words if word.feats != _NONE]
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
