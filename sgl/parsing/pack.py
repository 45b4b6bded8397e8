"""From the chart to the packed forest: constituents get their alternatives.

Every alternative is found from the right end of a rule to its left, along the path of its template
in the prefix tree, and only through items of the chart: so nothing is tried that does not fit.

A node of the forest stands for a *place*: a category with its mentions in the input.  A child has
one mention, none if its template drops it, and several if it is repeated; then only what all
mentions allow remains.  Where the grammar can rewrite a category into itself, a place also knows
the places above it over the same words, which must not occur again.
"""

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple, TypeVar

from sgl.core.grammar import CoreGrammar, Rule, Slot
from sgl.parsing.chart import Chart
from sgl.parsing.forest import Alternative, Forest, Node
from sgl.parsing.templates import ROOT, TemplateIndex, symbol

#: A span with the mode of what stands there: (start, end, raised).
Mention = tuple[int, int, bool]


class Place(NamedTuple):
    """A category with its mentions, and the places above that must not recur.

    A place without mentions is ``settled`` if the likeliest derivation stands there.
    """

    category: int
    mentions: tuple[Mention, ...]
    above: frozenset[tuple[int, tuple[Mention, ...]]] = frozenset()
    settled: bool = False


_Place = TypeVar("_Place")

#: A rule over the places of its children.
Use = tuple[Rule, tuple[Place, ...]]


class Packing:
    """The packing of one chart."""

    def __init__(self, index: TemplateIndex, chart: Chart) -> None:
        self._index = index
        self._chart = chart
        self._take = chart.steps.take

    def forest(self) -> Forest | None:
        """Pack the whole input, children before parents; return None if it has no reading."""
        root = Place(self._index.grammar.start, ((0, self._chart.end, False),))
        return packed(self._index.grammar, root, self._uses, _shown)

    def _uses(self, place: Place) -> list[Use]:
        category, mentions = place.category, place.mentions
        if not mentions:
            settled, rules = self._index.unseen(category, settled=place.settled)
            return [(r, tuple([Place(c, (), settled=settled) for c in r.rhs])) for r in rules]
        found = self._over(category, mentions[0])
        for mention in mentions[1:]:
            others = self._over(category, mention)
            self._take(len(found) * len(others))
            found = [
                (rule, tuple(map(_joined, first, second)))
                for rule, first in found
                for other, second in others
                if rule is other
            ]
        if category in self._index.recurring:
            found = list(self._without_return(place, found))
        if len(found) > 1:
            found.sort(key=lambda use: (use[0].id, [child.mentions for child in use[1]]))
        return found

    def _without_return(self, place: Place, uses: list[Use]) -> Iterator[Use]:
        """Give children over the same words what is above them; leave out what returns."""
        spans = {mention[:2] for mention in place.mentions}
        above = place.above | {(place.category, place.mentions)}
        for rule, children in uses:
            if any(child[:2] in above for child in children):
                continue
            yield (
                rule,
                tuple(
                    child._replace(above=above)
                    if child.category in self._index.recurring and {mention[:2] for mention in child.mentions} <= spans
                    else child
                    for child in children
                ),
            )

    def _over(self, category: int, mention: Mention) -> list[Use]:
        start, end, raised = mention
        if start == end:
            rules = self._index.nullable.get(category, ())
            nowhere = [(rule, [start] * len(rule.templates[self._index.layer])) for rule in rules]
            return [(rule, self._children(rule, 0, start, ends, False)) for rule, ends in nowhere]
        left = symbol(category, raised)
        found: list[Use] = []
        for node in self._chart.found[end].get(left, {}).get(start, ()):
            splits = self._splits(node, start, end)
            for rule, lead in self._index.rules[node, left]:
                self._take(len(splits))
                if rule.rhs:
                    found += [(rule, self._children(rule, lead, start, ends, raised)) for ends in splits]
                else:
                    found.append((rule, ()))
        return found

    def _children(self, rule: Rule, lead: int, start: int, ends: list[int], raised: bool) -> tuple[Place, ...]:
        mentions: list[tuple[Mention, ...]] = [()] * len(rule.rhs)
        at = start
        if lead:
            ends = [start] * lead + ends
        for item, end in zip(rule.templates[self._index.layer], ends, strict=True):
            if isinstance(item, Slot):
                mode = end > at and (item.capital or (raised and at == start))
                mentions[item.child] = _united(mentions[item.child], ((at, end, mode),))
            at = end
        return tuple(map(Place, rule.rhs, mentions))

    def _splits(self, node: int, start: int, end: int) -> list[list[int]]:
        index, chart = self._index, self._chart
        if index.parent[node] == ROOT:
            return [[end]]
        found: list[list[int]] = []
        pending = [(node, [end])]
        while pending:
            node, ends = pending.pop()
            parent, step, at = index.parent[node], index.step[node], ends[0]
            if parent == ROOT:
                found.append(ends)
                continue
            befores: Collection[int]
            if isinstance(step, str):
                befores = chart.arcs[at].get(step, ())
            else:
                befores = chart.found[at].get(step, ())
                befores = (*befores, at) if step // 2 in index.nullable else befores
            self._take(len(befores))
            pending += [
                (parent, [before, *ends]) for before in befores if parent * chart.width + start in chart.items[before]
            ]
        return found


def packed(
    grammar: CoreGrammar,
    root: _Place,
    uses_of: Callable[[_Place], list[tuple[Rule, tuple[_Place, ...]]]],
    shown: Callable[[_Place], tuple[int, tuple[tuple[int, int], ...]]],
) -> Forest | None:
    """Return the forest below a place; ``shown`` gives the category and spans of each node."""
    uses: dict[_Place, list[tuple[Rule, tuple[_Place, ...]]]] = {}
    nodes: list[Node] = []
    #: The number of the node of each place that was packed; -1 if it derives nothing.
    number: dict[_Place, int] = {}
    stack = [root]
    while stack:
        place = stack[-1]
        if place not in uses:
            uses[place] = found = uses_of(place)
            stack += [c for _, children in found for c in children if c not in number]
            if stack[-1] is not place:
                continue
        stack.pop()
        if place in number:
            continue
        alternatives = [
            Alternative(rule.id, children)
            for rule, places in uses[place]
            if -1 not in (children := tuple([number[child] for child in places]))
        ]
        number[place] = len(nodes) if alternatives else -1
        if alternatives:
            nodes.append(Node(*shown(place), tuple(alternatives)))
    if number[root] < 0:
        return None
    every = tuple(nodes)
    return Forest(grammar, _below(every) if -1 in number.values() else every)


def _shown(place: Place) -> tuple[int, tuple[tuple[int, int], ...]]:
    return place.category, tuple([(start, end) for start, end, _ in place.mentions])


def _joined(first: Place, second: Place) -> Place:
    return Place(first.category, _united(first.mentions, second.mentions))


def _united(first: tuple[Mention, ...], second: tuple[Mention, ...]) -> tuple[Mention, ...]:
    return tuple(sorted({*first, *second})) if first and second else first or second


def _below(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    needed = {len(nodes) - 1}
    for number in range(len(nodes) - 1, -1, -1):
        if number in needed:
            needed.update(c for a in nodes[number].alternatives for c in a.children)
    number_of = {old: new for new, old in enumerate(sorted(needed))}
    return tuple(
        Node(
            nodes[old].category,
            nodes[old].spans,
            tuple(
                Alternative(a.rule, tuple([number_of[child] for child in a.children])) for a in nodes[old].alternatives
            ),
        )
        for old in number_of
    )
