"""Find out which edges may meet in one node, to check a structure before its automaton is built.

A node gets edges from several rules, and a rule sees what is below it only through the ports of its children.  So the
possible edges of the node at a port form the least table to which every rule adds its own edges; two edges *meet* if
some rule brings them together.  This is an upper bound: a structure with edges that never meet occurs nowhere.
"""

from collections.abc import Iterator, Set
from itertools import combinations
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.joint import seen_by
from sgl.core.structure import Body, LabelTest

#: One end of an edge: its label, and whether the edge leads out of the node.
_End = tuple[str, bool]


class Meetings(NamedTuple):
    """The labels of a layer, and the pairs of ends possible at one node; a pair of equal ends is a set of one."""

    labels: frozenset[str]
    pairs: frozenset[frozenset[_End]]

    def allow(self, body: Body) -> bool:
        """Return whether all edges of a body that share a node may meet there."""
        for one, other in combinations(body.edges, 2):
            for (first, out), (second, leads) in _shared(one.source, one.target, other.source, other.target):
                ends = ((a, b) for a in self._of(one.labels) for b in self._of(other.labels))
                if first == second and not any(frozenset(((a, out), (b, leads))) in self.pairs for a, b in ends):
                    return False
        return True

    def _of(self, test: LabelTest) -> Set[str]:
        return {label for label in self.labels if test.accepts(label)}


def _shared(*ends: int) -> Iterator[tuple[tuple[int, bool], tuple[int, bool]]]:
    source, target, start, end = ends
    for one in ((source, True), (target, False)):
        for other in ((start, True), (end, False)):
            yield one, other


def meetings(grammar: CoreGrammar, layer: str) -> Meetings:
    """Return the edges of a layer, or of joined layers, that may meet in one node."""
    seen = seen_by(grammar, layer)
    number = seen.graph_layer(layer)
    # Rules that glue alike and write the same edges bring the same ends together.
    rules = {
        (r.lhs, r.rhs, (f := r.fragments[number]).edges, f.exports, *(n.glue for n in f.nodes)): r for r in seen.rules
    }
    at: dict[tuple[int, int], set[_End]] = {}
    pairs, size = set[frozenset[_End]](), None
    while size != (size := len(pairs) + sum(map(len, at.values()))):
        for rule in rules.values():
            _apply(rule, number, at, pairs)
    return Meetings(frozenset(e.label for r in rules.values() for e in r.fragments[number].edges), frozenset(pairs))


def _apply(rule: Rule, layer: int, at: dict[tuple[int, int], set[_End]], pairs: set[frozenset[_End]]) -> None:
    fragment = rule.fragments[layer]
    for node, own in enumerate(fragment.nodes):
        groups = [at.get((rule.rhs[child], port), set()) for child, port in own.glue]
        groups += [{(edge.label, True)} for edge in fragment.edges if edge.source == node]
        groups += [{(edge.label, False)} for edge in fragment.edges if edge.target == node]
        pairs.update(frozenset((a, b)) for one, other in combinations(groups, 2) for a in one for b in other)
        for port, exported in enumerate(fragment.exports):
            if exported == node:
                at.setdefault((rule.lhs, port), set()).update(*groups)
