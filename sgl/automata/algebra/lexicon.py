"""Lexical classes: words that no structure tells apart, read as one.

A grammar has thousands of lexical rules, but the structures of a plan name few
of their words.  Rules of one category that every structure reads in the same way
form a *class*, and automata range over classes instead of rules (the symbolic
alphabets of lifted automata)::

    N -> dog | cat | boy | girl | ...             { V -[obj]-> N[lemma=dog|cat] }
    classes of N    0: dog cat    1: boy girl ...

Which classes there are depends on the structures.  A structure that cuts finer
*refines* the lexicon; an automaton over a coarser lexicon can be read as one
over any refinement of it, so that automata over two lexicons can be combined over
one that refines both.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sgl.automata.common import Numbering
from sgl.core.grammar import CoreGrammar


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A partition of the lexical rules of a grammar.

    ``rules`` are their ids in ascending order and ``classes`` the class of each
    of them; classes are numbered in the order of their first rules.
    ``category[k]`` is the category of the rules of class ``k``.
    """

    rules: tuple[int, ...]
    classes: tuple[int, ...]
    category: tuple[int, ...]

    @classmethod
    def coarsest(cls, grammar: CoreGrammar) -> Lexicon:
        """Return the partition by category."""
        leaves = [rule for rule in grammar.rules if not rule.rhs]
        categories: Numbering[int] = Numbering()
        classes = tuple([categories.number(rule.lhs) for rule in leaves])
        return cls(tuple([rule.id for rule in leaves]), classes, tuple(categories.values))

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The first rule of each class, which stands for all of them."""
        first: dict[int, int] = {}
        for rule, number in zip(self.rules, self.classes, strict=True):
            first.setdefault(number, rule)
        return tuple(first.values())

    @cached_property
    def class_of(self) -> dict[int, int]:
        """The class of each lexical rule, by rule id."""
        return dict(zip(self.rules, self.classes, strict=True))

    @cached_property
    def class_array(self) -> NDArray[np.intp]:
        """``classes`` as an array."""
        return np.array(self.classes, np.intp)

    @cached_property
    def rule_array(self) -> NDArray[np.intp]:
        """``rules`` as an array."""
        return np.array(self.rules, np.intp)

    def refined(self, kinds: Sequence[Hashable]) -> Lexicon:
        """Return the coarsest refinement whose classes contain rules of one kind only.

        Args:
            kinds: what to tell rules apart by, in the order of ``rules``.

        Returns:
            The refinement; the lexicon itself if nothing is told apart.
        """
        pairs: Numbering[tuple[int, Hashable]] = Numbering()
        classes = tuple([pairs.number(pair) for pair in zip(self.classes, kinds, strict=True)])
        if len(pairs) == len(self.category):
            return self
        category = tuple([self.category[old] for old, _ in pairs.values])
        return Lexicon(self.rules, classes, category)

    def common(self, other: Lexicon) -> Lexicon:
        """Return the coarsest lexicon that refines both; one of the two if possible."""
        if self is other:
            return self
        refined = self.refined(other.classes)
        return other if len(refined.category) == len(other.category) else refined

    def coarser(self, finer: Lexicon) -> NDArray[np.intp]:
        """For each class of a refinement the class that contains it."""
        return np.array([self.class_of[rule] for rule in finer.first], np.intp)
