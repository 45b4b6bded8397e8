"""Items for tests of splits: words of a lemma and a tag, and a small treebank."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA, Derivations
from sgl.core.grammar import CoreGrammar
from sgl.research.divergence import TEST, TRAIN, Elements, count_names
from sgl.research.divergence.trees import Tree, TreeNode
from sgl.sampling.engine import number, stream_key

Element = TypeVar("Element")

TREEBANK = """\
# sent_id = farm-1
# category = plain
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\tdogs\tdog\tNOUN\t_\tCase=Nom|Number=Plur\t3\tnsubj\t_\t_
3\tslept\tsleep\tVERB\t_\tTense=Past\t0\troot\t_\t_

# sent_id = farm-2
1-2\tvom\t_\t_\t_\t_\t_\t_\t_\t_
1\tvon\tvon\tADP\t_\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\t_\tCase=Dat\t3\tdet\t_\t_
2.1\tleer\t_\t_\t_\t_\t_\t_\t_\t_
3\tHund\tHund\tNOUN\t_\tCase=Dat\t0\troot\t_\t_
"""


def words(sentences: Sequence[Sequence[str]]) -> Elements:
    """Sentences of words ``lemma+tag``: compounds are words, atoms are lemmas and tags."""
    return Elements(
        count_names([part for word in sentence for part in word.split("+")] for sentence in sentences),
        count_names(sentences),
    )


def random_words(sentences: int, lemmas: int, tags: int, seed: int = 1) -> Elements:
    """Sentences of one to four random words, the same on every machine."""
    key = stream_key(seed, "words")
    rows = []
    for sentence in range(sentences):
        draws = [number(key, 9 * sentence + draw) >> 8 for draw in range(9)]
        rows.append(
            [f"l{draws[2 * word + 1] % lemmas}+t{draws[2 * word + 2] % tags}" for word in range(1 + draws[0] % 4)]
        )
    return words(rows)


def treebank(sentences: int) -> str:
    """Sentences of a determiner, a noun and a verb, in CoNLL-U."""
    key = stream_key(3, "treebank")
    blocks = []
    for sentence in range(sentences):
        det, noun, verb = (number(key, 3 * sentence + draw) >> 8 for draw in range(3))
        blocks.append(
            f"# sent_id = s{sentence + 1}\n"
            f"1\td\td{det % 3}\tDET\t_\t_\t2\tdet\t_\t_\n"
            f"2\tn\tn{noun % 12}\tNOUN\t_\tCase=C{det % 2}\t3\tnsubj\t_\t_\n"
            f"3\tv\tv{verb % 7}\tVERB\t_\tTense=T{verb % 2}\t0\troot\t_\t_\n"
        )
    return "\n".join(blocks)


def derivation_trees(grammar: CoreGrammar, derivations: Derivations) -> list[Tree]:
    """The trees of derivations in flat arrays, whose rules are in preorder."""
    rules, parent, edge = (array.tolist() for array in derivations.nodes(np.array(grammar.arity, np.int64)))
    names = [f"{rule.name}#{rule.id}" for rule in grammar.rules]
    nodes = [
        (names[rule], above, str(place) if above >= 0 else "0")
        for rule, above, place in zip(rules, parent, edge, strict=True)
    ]
    bounds = pairwise(derivations.offsets.tolist())
    return [
        [TreeNode(name, max(above - first, -1), place) for name, above, place in nodes[first:last]]
        for first, last in bounds
    ]


# ---- the independent count


def divergence_of_counts(train: Mapping[Element, float], test: Mapping[Element, float], alpha: float) -> float:
    """The divergence of counts by kind, computed plainly, by the definition."""
    totals = math.fsum(train.values()), math.fsum(test.values())
    if not all(totals):
        return 1.0
    common = math.fsum(
        (number / totals[0]) ** alpha * (test[kind] / totals[1]) ** (1 - alpha)
        for kind, number in train.items()
        if test.get(kind, 0) > 0 and number > 0
    )
    return min(1.0, max(0.0, 1 - common))


def recompute(elements: Elements, labels: NDArray[np.int8]) -> tuple[float, float]:
    """Both divergences of a split, counted once more, plainly."""
    found = []
    for part, alpha in zip(elements, (ATOM_ALPHA, COMPOUND_ALPHA), strict=True):
        sides = (dict(enumerate(part.totals(labels == side).tolist())) for side in (TRAIN, TEST))
        found.append(divergence_of_counts(*sides, alpha=alpha))
    return found[0], found[1]
