"""Find the relations of words in a sentence, and say which of them a pattern tests.

A *relation* is a word with the label of an edge that ends at it (its role) or starts at it (its modifier or argument).
"""

from collections.abc import Iterator
from typing import NamedTuple

from sgl.core.graph import Graph, GraphNode
from sgl.core.plan import Pattern
from sgl.core.structure import LabelTest, Variable

#: The relations of Universal Dependencies that modify a word, and those of function words and marks, which are ignored.
_MODIFIERS = frozenset({"acl", "advcl", "advmod", "amod", "appos", "compound", "nmod", "nummod"})
_FUNCTION = frozenset({"aux", "case", "cc", "clf", "cop", "det", "discourse", "expl", "fixed", "mark", "punct"})
_FUNCTION |= {"compound:prt"}


class Relation(NamedTuple):
    """A word, by its lemma, and the label of an edge, which ends at it if it is ``inward``; "" for the word alone."""

    lemma: str
    label: str = ""
    inward: bool = False

    def __str__(self) -> str:
        return f"-[{self.label}]-> {self.lemma}" if self.inward else f"{self.lemma} -[{self.label}]->"


def relations_of(graph: Graph) -> Iterator[tuple[Relation, GraphNode]]:
    """Yield the words of a graph and their relations, each with its node."""
    nodes = graph.nodes
    lemmas = [node.get("lemma") for node in nodes]
    yield from zip(map(Relation, lemmas), nodes, strict=True)
    for source, label, target in graph.edges:
        if _FUNCTION.isdisjoint((label, _plain(label))):
            yield Relation(lemmas[source], label), nodes[source]
            yield Relation(lemmas[target], label, True), nodes[target]


def _plain(label: str) -> str:
    return label.removeprefix("~").partition(":")[0]


class TestedRelations:
    """The relations that a pattern tests, which are no second novelty in its items.

    A pattern tests the relations that an edge of its structures names, and all relations of the words that they name.
    Of its target words it tests all roles if an edge ends at them, and all arguments if an edge starts at them or none
    ends there.
    """

    def __init__(self, pattern: Pattern) -> None:
        self._targets = frozenset(pattern.targets)
        self._edges: list[tuple[bool, LabelTest, Variable]] = []
        self._words: set[str] = set()
        ways = set()
        for body in (structure.body for structure in (*pattern.held_out, *pattern.gen)):
            words = [_lemmas(variable) for variable in body.variables]
            self._words.update(*words)
            for link in body.links:
                for inward, end in ((False, link.source), (True, link.target)):
                    if not link.labels.negated:
                        self._edges.append((inward, link.labels, body.variables[end]))
                    if not self._targets.isdisjoint(words[end]):
                        ways.add(inward)
        self._ways = ways or {False}

    def novelty(self, relation: Relation, node: GraphNode) -> str:
        """Return the line of the report for a relation of a node if training lacks it, or "" if it is tested."""
        target = relation.lemma in self._targets
        if not relation.label or (relation.lemma in self._words and not target):
            return ""
        modifier = not relation.inward and _plain(relation.label) in _MODIFIERS
        if target and not modifier:
            return "" if relation.inward in self._ways else "relation"
        named = any(
            inward == relation.inward
            and labels.accepts(relation.label)
            and all(test.accepts(node.get(test.attribute)) for test in variable.tests)
            for inward, labels, variable in self._edges
        )
        return "" if named else "modifier" if target else "elsewhere"


def _lemmas(variable: Variable) -> frozenset[str]:
    tests = (test for test in variable.tests if test.attribute == "lemma" and not test.negated)
    return frozenset().union(*(test.values for test in tests))
