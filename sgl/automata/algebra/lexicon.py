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

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sgl.automata.common import Numbers, as_numbers
from sgl.core.grammar import CoreGrammar


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A partition of the lexical rules of a grammar.

    ``rules`` are their ids in ascending order, ``costs`` their tokens in the first text
    layer and one for the rule itself, and ``classes`` the class of each of them; classes are
    numbered in the order of their first rules.  ``category[k]`` is the category of the rules
    of class ``k``, and ``first[k]`` the first rule, which stands for all of them.
    """

    rules: Numbers
    costs: Numbers
    classes: Numbers
    category: Numbers
    first: Numbers

    @classmethod
    def coarsest(cls, grammar: CoreGrammar) -> Lexicon:
        """Return the partition by category."""
        rules = [rule.id for rule in grammar.rules if not rule.rhs]
        categories = np.array([grammar.rules[rule].lhs for rule in rules], np.intp)
        costs = np.array([grammar.source_tokens[rule] + 1 for rule in rules], np.intp)
        return cls._partition(np.array(rules, np.intp), costs, categories, categories)

    @classmethod
    def _partition(
        cls, rules: Numbers, costs: Numbers, categories: Numbers, kinds: Numbers
    ) -> Lexicon:
        _, first, kind = np.unique(kinds, return_index=True, return_inverse=True)
        order = np.argsort(first)
        first = first[order]
        return cls(rules, costs, np.argsort(order)[kind], categories[first], rules[first])

    @cached_property
    def class_of(self) -> dict[int, int]:
        """The class of each lexical rule, by rule id."""
        return dict(zip(self.rules.tolist(), self.classes.tolist(), strict=True))

    @cached_property
    def cheapest(self) -> Numbers:
        """The rule of least cost of each class, the first of several."""
        order = np.argsort(self.costs, kind="stable")
        return self.rules[order[np.unique(self.classes[order], return_index=True)[1]]]

    def refined(self, kinds: Numbers) -> Lexicon:
        """Return the coarsest refinement whose classes contain rules of one kind only.

        Args:
            kinds: what to tell rules apart by, in the order of ``rules``; not negative.

        Returns:
            The refinement; the lexicon itself if nothing is told apart.
        """
        bound = int(kinds.max(initial=0)) + 1
        both = as_numbers((self.classes, kinds), bound)
        refined = self._partition(self.rules, self.costs, self.category[self.classes], both)
        return self if len(refined.category) == len(self.category) else refined

    def common(self, other: Lexicon) -> Lexicon:
        """Return the coarsest lexicon that refines both; one of the two if possible."""
        if self is other:
            return self
        refined = self.refined(other.classes)
        return other if len(refined.category) == len(other.category) else refined

    def coarser(self, finer: Lexicon) -> Numbers:
        """For each class of a refinement the class that contains it."""
        return self.classes[np.searchsorted(self.rules, finer.first)]
