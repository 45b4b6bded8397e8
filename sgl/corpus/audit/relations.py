"""Find the relations of words in a sentence, and say which of them a pattern tests.

A *relation* is a word with the label of an edge that ends at it (its role) or starts at it (its modifier or argument).
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sgl.core.graph import Graph
from sgl.core.plan import Pattern
from sgl.core.structure import LabelTest

#: Relations of Universal Dependencies: of modifiers, and of function words and marks, which are ignored.
_MODIFIERS = frozenset({"acl", "advcl", "advmod", "amod", "appos", "compound", "nmod", "nummod"})
_FUNCTION = frozenset({"aux", "case", "cc", "clf", "compound:prt", "cop", "det", "discourse", "expl", "mark", "punct"})


class Relation(NamedTuple):
    """A word, by its lemma, and the label of an edge, which ends at it if it is ``inward``; "" for the word alone."""

    lemma: str
    label: str = ""
    inward: bool = False

    def __str__(self) -> str:
        return f"-[{self.label}]-> {self.lemma}" if self.inward else f"{self.lemma} -[{self.label}]->"


def relations_of(graph: Graph) -> Iterator[Relation]:
    """Yield the words of a graph and their relations."""
    lemmas = [node.get("lemma") for node in graph.nodes]
    yield from map(Relation, lemmas)
    for source, label, target in graph.edges:
        if _FUNCTION.isdisjoint((label, _plain(label))):
            yield Relation(lemmas[source], label)
            yield Relation(lemmas[target], label, True)


@cache
def _plain(label: str) -> str:
    return label.removeprefix("~").partition(":")[0]


class TestedRelations:
    """The relations that a pattern tests, which are no second novelty in its items.

    A pattern tests the labels that its structures name, and all relations of the words that they name.  Of its target
    words it tests all roles if an edge ends at them, and all arguments if an edge starts at them or none ends there.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._targets = frozenset(pattern.targets)
        self._labels: set[LabelTest] = set()
        self._words: set[str] = set()
        ways: set[bool] = set()
        for body in (structure.body for structure in (*pattern.held_out, *pattern.gen)):
            tests = [
                [test for test in v.tests if test.attribute == "lemma" and not test.negated] for v in body.variables
            ]
            words = [frozenset().union(*(test.values for test in own)) for own in tests]
            self._words.update(*words)
            for link in body.links:
                self._labels.add(link.labels)
                ends = ((False, words[link.source]), (True, words[link.target]))
                ways.update(inward for inward, named in ends if not self._targets.isdisjoint(named))
        self._ways = ways or {False}

    def novelty(self, relation: Relation) -> str:
        """Return the line of the report for a relation that training lacks, or "" if the pattern tests it."""
        target = relation.lemma in self._targets
        modifier = not relation.inward and _plain(relation.label) in _MODIFIERS
        if target and relation.label and not modifier:
            return "" if relation.inward in self._ways else "relation"
        named = any(not labels.negated and labels.accepts(relation.label) for labels in self._labels)
        named |= relation.lemma in self._words and not target
        return "" if named or not relation.label else "modifier" if target else "elsewhere"
