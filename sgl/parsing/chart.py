"""The chart: which phrases cover which spans of the input, part by part from left to right.

What is known of a phrase after a part is a *category of the chart*: the category with where its parts stand, and the
rules that are left for it.  The rule above waits for the next part of this very phrase::

    0 Ben 1 ruft 2 Anna 3 an 4        V          every verb
                                      V₁(1,2)    the verbs whose main part stands there
    S -> NP V₁ • obj V₂  at 2         V₁V₂       those of them that also have "an" from 3 to 4

So the categories of the chart are the nodes of the packed forest; of most layers phrases have one part, and theirs are
categories with a span.  A rule begins where its first words stand, or its first child was found, and where an item from
the left can use it: directly, or as a beginning of what that waits for (its *corners*).  So an item proves that the
input up to there is the beginning of a sentence.  Algorithm: Angelov (2009), *Incremental Parsing with Parallel
Multiple Context-Free Grammars*, with the bottom-up beginnings of Graham, Harrison & Ruzzo (1980).
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import networkx as nx

from sgl import limits
from sgl.core.grammar import Slot
from sgl.core.interpret import capitalised
from sgl.parsing.forest import Alternative, Forest, Node
from sgl.parsing.templates import Beginning, TemplateIndex, circles_of

#: The words that stand at each position of an input, with their ends.
Arcs = Sequence[Sequence[tuple[str, int]]]


class TooLongError(Exception):
    """A sentence is not parsed: it has too many words, or takes too many steps."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not parsed: too long: {reason}")


class Steps:
    """The steps that the parsing of one sentence may still take."""

    def __init__(self) -> None:
        self._allowed = self._left = limits.current().steps

    def take(self, number: int) -> None:
        """Take so many steps; raise ``TooLongError`` if there are not so many left."""
        self._left -= number
        if self._left < 0:
            raise TooLongError(f"it takes more than {self._allowed:,} steps")


class _Item(NamedTuple):
    """A part of a rule up to ``dot``, from ``start`` on, for a category of the chart."""

    goal: int
    part: int
    raised: bool
    start: int
    rule: int
    dot: int
    children: tuple[int, ...]


#: Where a part of a category is looked for, the category, the part, and whether it is raised.
_Request = tuple[int, int, int, bool]
#: Which part stands from where to where, and whether it is raised.
_Spans = tuple[tuple[int, int, int, bool], ...]


class _Place(NamedTuple):
    """A category of the chart with those above it that it must not be part of again.

    A child that was dropped is ``settled`` if the likeliest derivation stands there.
    """

    category: int
    above: frozenset[int] = frozenset()
    settled: bool = False


class Chart:
    """What was found in one input, which begins a sentence up to ``reached``.

    Categories of the grammar keep their numbers; those of the chart have the next ones.
    """

    def __init__(self, index: TemplateIndex, arcs: Arcs) -> None:
        self.end, self.reached = len(arcs) - 1, 0
        self._index, self._steps = index, Steps()
        #: Each category of the chart: what it was before, its spans, its rules with children.
        self._number: dict[tuple[int, int, int, int, bool], int] = {}
        self._base = [*range(len(index.grammar.categories))]
        self._spans: list[_Spans] = [() for _ in self._base]
        self._rules: list[dict[tuple[int, tuple[int, ...]], None]] = [{} for _ in self._base]
        self._items: defaultdict[int, set[_Item]] = defaultdict(set)
        self._waiting: defaultdict[_Request, list[_Item]] = defaultdict(list)
        self._found: defaultdict[_Request, set[int]] = defaultdict(set)
        #: What is asked for at each position: symbols of the grammar, as bits, and categories of the chart.
        self._wanted: defaultdict[int, int] = defaultdict(int)
        self._asked: set[_Request] = set()
        self._agenda: list[_Item] = []
        #: The beginnings of rules, by where they end, with where they start.
        self._begun: defaultdict[int, dict[tuple[int, Beginning], None]] = defaultdict(dict)
        for position, words in enumerate(arcs):
            if self.passes(position):
                self.reached = position
                self._advance(position, words)

    def passes(self, position: int) -> bool:
        """Return whether the beginning of a sentence leads to a position."""
        return not position or bool(self._items[position] or self._begun[position])

    def covers(self, position: int) -> bool:
        """Return whether the start category may cover the input up to a position."""
        return (self._index.grammar.start, 0, 0, position, False) in self._number

    def expected(self) -> tuple[set[str], set[int]]:
        """Return the words and the categories that may stand behind what was reached."""
        words, categories = set[str](), set[int]()
        for start, beginning in self._begun[self.reached]:
            words.update(word for word, after in beginning.after.items() if after.symbols & self._wanted[start])
        for item in self._items[self.reached]:
            template = self._index.parts[item.rule][item.part]
            if item.dot < len(template) and (item.start < self.reached or self._is_new(item.goal)):
                step = template[item.dot]
                if not isinstance(step, Slot):
                    words.add(step.text)
                elif not self._is_new(child := item.children[step.child]):
                    categories.add(child)
        return words, categories

    def _is_new(self, category: int) -> bool:
        return category >= len(self._index.grammar.categories)

    def _advance(self, position: int, words: Sequence[tuple[str, int]]) -> None:
        """Move the items at a position as far as they go, over words to later ones."""
        begun = [*self._begun[position], (position, self._index.beginning)]
        self._items[position].update(
            _Item(*symbol, start, rule.id, dot, rule.rhs)
            for start, beginning in begun
            for number, symbol, rule, dot in beginning.starts
            if self._wanted[start] >> number & 1
        )
        self._agenda = [*self._items[position]]
        if not position:
            self._ask((0, self._index.grammar.start, 0, False))
        before: defaultdict[str, list[_Item]] = defaultdict(list)
        while self._agenda:
            item = self._agenda.pop()
            self._steps.take(1)
            if word := self._look(position, item):
                before[word].append(item._replace(dot=item.dot + 1))
        for word, end in words:
            self._items[end].update(before.get(word, ()))
            for start, beginning in begun:
                after = beginning.after.get(word)
                if after is not None and after.symbols & self._wanted[start]:
                    self._begun[end][start, after] = None

    def _look(self, position: int, item: _Item) -> str:
        """Complete an item, or ask for its next child; return the word that it stands before, if it is one."""
        _, part, raised, start, rule, dot, children = item
        template = self._index.parts[rule][part]
        if dot == len(template):
            self._complete(position, item)
            return ""
        step, raised = template[dot], raised and start == position
        if not isinstance(step, Slot):
            return capitalised(step.text) if raised else step.text
        request = (position, children[step.child], step.number, raised or step.capital)
        self._waiting[request].append(item)
        for found in [*self._found[request]]:
            self._move(position, item, found)
        self._ask(request)
        return ""

    def _add(self, position: int, item: _Item) -> None:
        if item not in self._items[position]:
            self._items[position].add(item)
            self._agenda.append(item)

    def _ask(self, request: _Request) -> None:
        position, goal, part, raised = request
        if not self._is_new(goal):
            corners, wanted = self._index.corners[self._index.symbols[request[1:]]], self._wanted[position]
            self._wanted[position] |= corners
            for number, symbol, rule, _ in self._index.silent if corners & ~wanted else ():
                if (corners & ~wanted) >> number & 1:
                    self._add(position, _Item(*symbol, position, rule.id, 0, rule.rhs))
        elif request not in self._asked:
            self._asked.add(request)
            for known, children in list(self._rules[goal]):
                self._add(position, _Item(goal, part, raised, position, known, 0, children))

    def _complete(self, position: int, item: _Item) -> None:
        """Move what waits for the category of the chart that an item ends, and what begins with it."""
        number, request = self._noted(position, item), (item.start, item.goal, item.part, item.raised)
        if number in self._found[request]:
            return
        self._found[request].add(number)
        # What is empty begins nothing: where it may, rules are asked for by themselves.
        wanted = self._wanted[item.start] if item.start < position else 0
        starts = self._index.by_symbol.get(request[1:], ())
        above = [_Item(*s.symbol, item.start, s.rule.id, 0, s.rule.rhs) for s in starts if wanted >> s.number & 1]
        above += self._waiting[request]
        self._steps.take(len(above))
        for other in above:
            self._move(position, other, number)

    def _noted(self, position: int, item: _Item) -> int:
        """Return the category of the chart that an item ends."""
        goal, part, raised, start, rule, _, children = item
        span, number = (part, start, position, raised and start < position), goal
        # What is repeated where it stands already is known, and no further category.
        if span not in self._spans[goal]:
            number = self._number.setdefault((goal, *span), len(self._base))
        if number == len(self._base):
            self._base.append(goal)
            self._spans.append((*self._spans[goal], span))
            self._rules.append({})
        if (rule, children) not in self._rules[number]:
            self._rules[number][rule, children] = None
            for other in product(range(len(self._index.parts[rule])), (False, True)):
                if (position, number, *other) in self._asked:
                    self._add(position, _Item(number, *other, position, rule, 0, children))
        return number

    def _move(self, position: int, item: _Item, found: int) -> None:
        goal, part, raised, start, rule, dot, children = item
        step = self._index.parts[rule][part][dot]
        assert isinstance(step, Slot)
        moved = (*children[: step.child], found, *children[step.child + 1 :])
        self._add(position, _Item(goal, part, raised, start, rule, dot + 1, moved))

    def forest(self) -> Forest | None:
        """Return the readings of the whole input; None if it has none."""
        root = self._number.get((self._index.grammar.start, 0, 0, self.end, False))
        if root is None:
            return None
        self._circles = self._circles_below(root)
        return self._packed(_Place(root))

    def _packed(self, root: _Place) -> Forest | None:
        """Return the forest below a place, children before parents."""
        uses: dict[_Place, list[tuple[int, tuple[_Place, ...]]]] = {}
        nodes: list[Node] = []
        #: The number of the node of each place that was packed; -1 if it derives nothing.
        number: dict[_Place, int] = {}
        stack = [root]
        while stack:
            place = stack[-1]
            if place not in uses:
                uses[place] = found = self._uses(place)
                stack += [c for _, children in found for c in children if c not in number]
                if stack[-1] is not place:
                    continue
            stack.pop()
            if place in number:
                continue
            alternatives = [
                Alternative(rule, children)
                for rule, places in uses[place]
                if -1 not in (children := tuple([number[child] for child in places]))
            ]
            number[place] = len(nodes) if alternatives else -1
            if alternatives:
                nodes.append(Node(*self._shown(place), tuple(alternatives)))
        if number[root] < 0:
            return None
        every = tuple(nodes)
        return Forest(self._index.grammar, _below(every) if -1 in number.values() else every)

    def _circles_below(self, root: int) -> dict[int, int]:
        waiting, met = [root], {root}
        edges: list[tuple[int, int]] = []
        for category in waiting:
            below = {child for _, children in self._rules[category] for child in children}
            edges += [(category, child) for child in below]
            waiting += below - met
            met |= below
        # Where children were always found before their parents there is no circle.
        backward = any(child >= category for category, child in edges)
        circles = circles_of(nx.DiGraph(edges)) if backward else ()
        return {category: number for number, circle in enumerate(circles) for category in circle}

    def _shown(self, place: _Place) -> tuple[int, tuple[tuple[int, int], ...]]:
        category = place.category
        spans = sorted({(start, end) for _, start, end, _ in self._spans[category]})
        while self._is_new(category):
            category = self._base[category]
        return category, tuple(spans)

    def _uses(self, place: _Place) -> list[tuple[int, tuple[_Place, ...]]]:
        category, circles = place.category, self._circles
        if not self._is_new(category):
            settled, unseen = self._index.unseen(category, settled=place.settled)
            return [(r.id, tuple([_Place(c, settled=settled) for c in r.rhs])) for r in unseen]
        found = sorted(self._rules[category], key=lambda use: (use[0], [self._spans[c] for c in use[1]]))
        circle = circles.get(category)
        above = place.above | {category} if circle is not None else frozenset[int]()
        return [
            (rule, tuple([_Place(c, above if circles.get(c) == circle else frozenset()) for c in below]))
            for rule, below in found
            if above.isdisjoint(below)
        ]


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
