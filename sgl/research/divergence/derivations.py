r"""Derivations as datasets write them, read as trees.

In the Parquet files of a dataset a derivation is an s-expression; each rule is a node, and
the edge to a child is labelled with its place::

    (statement (clause (np the dog) (intransitive slept)))
    statement -0-> clause   clause -0-> np   np -0-> the   np -1-> dog   ...

A label is anything without spaces and parentheses; parts in quotes may have them
(``modified:"NP[num=sg, anim=yes]"``), with ``\`` before quotes of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from sgl.core.derivations import Derivations
from sgl.core.grammar import CoreGrammar
from sgl.research.divergence.trees import Trees

_TOKEN = re.compile(r'[()]|(?:[^\s()"]|"(?:[^"\\]|\\.)*")+|\S')


class NotADerivationError(ValueError):
    """A text is no s-expression; ``row`` is its number, from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row + 1} has no derivation")
        self.row = row


def read_derivations(texts: Iterable[str]) -> Trees:
    """The trees of s-expressions.

    Raises:
        NotADerivationError: a text is not one s-expression.
    """
    numbers: dict[str, int] = {}
    label: list[int] = []
    parent: list[int] = []
    edge: list[int] = []
    start = [0]
    for row, text in enumerate(texts):
        # The open phrases, as [node, children so far]; -1 stands above the root.
        above = [[-1, 0]]
        opening = False
        for piece in _TOKEN.findall(text):
            if piece == ")":
                if opening or len(above) == 1:
                    raise NotADerivationError(row)
                above.pop()
            elif piece == "(":
                if opening:
                    raise NotADerivationError(row)
                opening = True
            else:
                top = above[-1]
                parent.append(top[0])
                edge.append(top[1])
                top[1] += 1
                if opening:
                    above.append([len(label), 0])
                    opening = False
                label.append(numbers.setdefault(piece, len(numbers)))
        if opening or len(above) != 1 or above[0][1] != 1:
            raise NotADerivationError(row)
        start.append(len(label))
    widest = max(edge, default=0) + 1
    return Trees(
        list(numbers),
        [str(place) for place in range(widest)],
        np.array(start, np.int64),
        np.array(label, np.int64),
        np.array(parent, np.int64),
        np.array(edge, np.int64),
    )


def derivation_trees(grammar: CoreGrammar, derivations: Derivations) -> Trees:
    """The trees of derivations in flat arrays, whose rules are in preorder."""
    rules, parent, edge = derivations.nodes(np.array(grammar.arity, np.int64))
    names = [f"{rule.name}#{rule.id}" for rule in grammar.rules]
    places = [str(place) for place in range(max(grammar.arity, default=0) or 1)]
    return Trees(names, places, derivations.offsets, rules, parent, edge)
