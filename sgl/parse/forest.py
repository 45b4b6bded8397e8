"""The packed forest of an input, and the derivations in it.

The forest has for every constituent its *alternatives*: a rule with the
constituents of its children.  A constituent that occurs in many derivations is
there once::

    (VP, 2, 9)   V NP PP: (V 2 3) (NP 3 5) (PP 5 9)     saw [the dog] [near Emma]
                 V NP:    (V 2 3) (NP 3 9)              saw [the dog near Emma]

A rule that rewrites a category into itself, over one or several steps, derives
infinitely many trees for one span.  Of these only the trees are taken in which no
constituent is below itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import networkx as nx

from sgl.core.grammar import Rule, Token
from sgl.core.interpret import Derivation
from sgl.parse.chart import Chart, Constituent
from sgl.parse.likeliest import Likeliest
from sgl.parse.templates import TemplateIndex, capitalised

Known = dict[Constituent, tuple[Derivation, ...]]
Path = tuple[Constituent, ...]
Below = Callable[[Constituent], Iterable[Derivation]]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A rule over the children that its template mentions.

    ``children[i]`` are the constituents of child ``i`` of the rule: one, none if
    the template drops the child, several if it repeats it.
    """

    rule: Rule
    children: tuple[tuple[Constituent, ...], ...]


class Forest:
    """The alternatives of every constituent below the root, in a fixed order."""

    def __init__(self, index: TemplateIndex, chart: Chart, likeliest: Likeliest) -> None:
        self._index = index
        self._chart = chart
        self._likeliest = likeliest
        self.root: Constituent = (index.grammar.start, 0, chart.lattice.end, False)
        self.alternatives: dict[Constituent, tuple[Alternative, ...]] = {}
        waiting = [self.root]
        while waiting:
            constituent = waiting.pop()
            if constituent not in self.alternatives:
                found = self.alternatives[constituent] = tuple(self._alternatives(constituent))
                waiting.extend(_parts(found))

    def derivations(self, limit: int) -> tuple[Derivation, ...]:
        """The first ``limit`` derivations of the root, in the order of alternatives."""
        graph: nx.DiGraph[Constituent] = nx.DiGraph()
        graph.add_nodes_from(self.alternatives)
        for constituent, alternatives in self.alternatives.items():
            graph.add_edges_from((constituent, part) for part in _parts(alternatives))
        condensed = nx.condensation(graph)
        known: Known = {}
        for component in reversed(list(nx.topological_sort(condensed))):
            members: set[Constituent] = condensed.nodes[component]["members"]
            found = {
                constituent: tuple(islice(self._derive(constituent, members, known, ()), limit))
                for constituent in members
            }
            known.update(found)
        return known[self.root]

    def _derive(
        self, constituent: Constituent, members: set[Constituent], known: Known, above: Path
    ) -> Iterator[Derivation]:
        """The derivations of a constituent, those of others than ``members`` being known.

        ``members`` are the constituents in a cycle with this one; ``above`` are
        those on the way here, which must not occur again.
        """
        path = (*above, constituent)

        def below(part: Constituent) -> Iterable[Derivation]:
            if part not in members:
                return known[part]
            return () if part in path else self._derive(part, members, known, path)

        for alternative in self.alternatives[constituent]:
            for rest in self._combine(alternative, 0, below):
                yield (alternative.rule.id, *rest)

    def _combine(self, alternative: Alternative, child: int, below: Below) -> Iterator[Derivation]:
        """The derivations of the children from ``child`` on, one after the other."""
        if child == len(alternative.children):
            yield ()
            return
        for first in self._child(alternative, child, below):
            for rest in self._combine(alternative, child + 1, below):
                yield first + rest

    def _child(self, alternative: Alternative, child: int, below: Below) -> Iterator[Derivation]:
        """The derivations of one child, which must be the same at every mention."""
        mentions = alternative.children[child]
        if not mentions:
            likeliest = self._likeliest.derivation(alternative.rule.rhs[child])
            if likeliest is not None:
                yield likeliest
            return
        others = [set(below(mention)) for mention in mentions[1:]]
        for derivation in below(mentions[0]):
            if all(derivation in other for other in others):
                yield derivation

    def _alternatives(self, constituent: Constituent) -> list[Alternative]:
        category, start, end, raised = constituent
        if start == end:
            rules = self._index.nullable_rules.get(category, [])
        else:
            nodes = self._chart.found.get(constituent, [])
            rules = [rule for node in nodes for rule in self._index.nodes[node].rules[category]]
        return [
            Alternative(rule, tuple(map(tuple, children)))
            for rule in sorted(rules, key=lambda rule: rule.id)
            for children in self._splits(rule, 0, start, end, raised)
        ]

    def _splits(
        self, rule: Rule, at: int, start: int, end: int, raised: bool
    ) -> Iterator[list[list[Constituent]]]:
        """The ways to lay the items of a template, from ``at`` on, over a span.

        ``raised`` says that the first word there is capitalised.
        """
        template = rule.templates[self._index.layer]
        if at == len(template):
            if start == end:
                yield [[] for _ in rule.rhs]
            return
        item = template[at]
        if isinstance(item, Token):
            after = self._chart.lattice.step(start, capitalised(item.text) if raised else item.text)
            if after is not None and after <= end:
                yield from self._splits(rule, at + 1, after, end, raised=False)
            return
        category = rule.rhs[item.child]
        mode = raised or item.capital
        parts = [
            (category, start, after, mode)
            for after in self._chart.ends.get((category, start, mode), ())
            if after <= end
        ]
        if category in self._index.nullable:
            parts.insert(0, (category, start, start, False))
        for part in parts:
            rest_raised = raised and part[2] == start
            for children in self._splits(rule, at + 1, part[2], end, rest_raised):
                children[item.child].insert(0, part)
                yield children


def _parts(alternatives: Iterable[Alternative]) -> Iterator[Constituent]:
    """The constituents that some alternatives consist of."""
    for alternative in alternatives:
        for child in alternative.children:
            yield from child
