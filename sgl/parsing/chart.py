"""Build the chart: which phrases cover which spans of the input, part by part from left to right.

A *category of the chart* is what is known of a phrase after one of its parts: its category, the spans of its parts so
far, and the rules that remain possible.  The rule above it waits for the next part of this very phrase::

    0 Ben 1 ruft 2 Anna 3 an 4        V          every verb
                                      V₁(1,2)    the verbs whose main part has this span
    S -> NP V₁ • obj V₂  at 2         V₁V₂       of these, those that also have "an" from 3 to 4

So the categories of the chart are the nodes of the packed forest; in most layers phrases have one part, and these are
categories with a span.  A rule begins where its first words occur or its first child was found, provided that an item
to the left can use it: directly, or at the start of the phrase that it waits for (its *corners*).  So an item proves
that the input up to its end is the beginning of a sentence.  Algorithm: Angelov (2009), *Incremental Parsing with
Parallel Multiple Context-Free Grammars*, with the bottom-up beginnings of Graham, Harrison & Ruzzo (1980).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sgl.core.bits import members
from sgl.core.grammar import Slot
from sgl.core.graphs import circles
from sgl.core.interpret import capitalised
from sgl.foreign import limits
from sgl.parsing.forest import Alternative, Forest, Node
from sgl.parsing.layer import Beginning, Symbol, TemplateIndex
from sgl.parsing.spellings import Arcs, TooLongError


class Steps:
    """The steps that parsing one sentence may still take."""

    def __init__(self) -> None:
        self._allowed = self._left = limits().steps

    def take(self, number: int) -> None:
        """Take ``number`` steps; raises ``TooLongError`` if fewer are left."""
        self._left -= number
        if self._left < 0:
            raise TooLongError(f"it takes more than {self._allowed:,} steps")


#: A rule up to a dot: the symbol that it is for, its start, the rule, the dot, and the children, which are categories
#: of the grammar until they are found and of the chart afterwards.  The symbol, too, has a category of the chart if an
#: earlier part of the phrase was found.
_Item = tuple[Symbol, int, int, int, tuple[int, ...]]
#: A symbol that is wanted at a position.
_Request = tuple[int, Symbol]
#: The number of a part, its start and end, and whether it is raised.
_Span = tuple[int, int, int, bool]


class _Place(NamedTuple):
    """A category of the chart, with the categories above it that must not recur below it.

    Below a dropped child, ``settled`` means that only the likeliest derivation counts.
    """

    category: int
    above: frozenset[int] = frozenset()
    settled: bool = False


#: A rule, and the places of its children.
_Use = tuple[int, tuple[_Place, ...]]


class Chart:
    """The phrases found in one input, which begins a sentence up to ``reached``.

    Categories of the grammar keep their numbers; categories of the chart continue the count.
    """

    def __init__(self, index: TemplateIndex, arcs: Arcs) -> None:
        self.end, self.reached = len(arcs) - 1, 0
        self._index, self._steps = index, Steps()
        #: The categories of the chart by the category and span that they extend; then the category, spans, and rules
        #: with children of each.
        self._number: dict[tuple[int, _Span], int] = {}
        self._first = len(index.grammar.categories)
        self._category = [*range(self._first)]
        self._spans: list[tuple[_Span, ...]] = [() for _ in self._category]
        self._rules: list[dict[tuple[int, tuple[int, ...]], None]] = [{} for _ in self._category]
        #: The items up to each position, without repetition.
        self._items: list[list[_Item]] = [[] for _ in arcs]
        self._waiting: defaultdict[_Request, list[_Item]] = defaultdict(list)
        self._found: defaultdict[_Request, set[int]] = defaultdict(set)
        #: The symbols wanted at each position: symbols of the grammar as bits, and parts of categories of the chart.
        self._wanted = [0] * len(arcs)
        self._asked: defaultdict[tuple[int, int], set[tuple[int, bool]]] = defaultdict(set)
        #: The beginnings of rules by end position, with their start.
        self._begun: list[dict[tuple[int, Beginning], None]] = [{} for _ in arcs]
        for position, words in enumerate(arcs):
            if self.passes(position):
                self.reached = position
                self._advance(position, words)

    def passes(self, position: int) -> bool:
        """Return whether the beginning of some sentence leads to a position."""
        return not position or bool(self._items[position] or self._begun[position])

    def covers(self, position: int) -> bool:
        """Return whether the start category can cover the input up to a position."""
        return (self._index.grammar.start, (0, 0, position, False)) in self._number

    def expected(self) -> tuple[set[str], set[int]]:
        """Return the words and categories that may follow at ``reached``."""
        words, categories = set[str](), set[int]()
        if not self.reached:
            after = self._index.beginning.after.items()
            return {word for word, node in after if node.symbols & self._wanted[0]}, {self._index.grammar.start}
        for start, beginning in self._begun[self.reached]:
            words.update(word for word, after in beginning.after.items() if after.symbols & self._wanted[start])
        for (goal, part, _), start, rule, dot, children in self._items[self.reached]:
            template = self._index.parts[rule][part]
            if dot < len(template) and (start < self.reached or goal >= self._first):
                step = template[dot]
                if not isinstance(step, Slot):
                    words.add(step.text)
                elif (child := children[step.child]) < self._first:
                    categories.add(child)
        return words, categories

    def _advance(self, position: int, words: Sequence[tuple[str, int]]) -> None:
        """Move the items at a position as far as they go, over words to later positions."""
        begun = [*self._begun[position], (position, self._index.beginning)]
        items = self._items[position]
        if not position:
            self._ask(position, (self._index.grammar.start, 0, False))
        items += [
            (symbol, start, rule.id, dot, rule.rhs)
            for start, beginning in begun
            for wanted in members(self._wanted[start] & beginning.symbols)
            for _, symbol, rule, dot in beginning.starts.get(wanted, ())
        ]
        before: defaultdict[str, list[_Item]] = defaultdict(list)
        for item in items:  # grows by the items that follow from them
            symbol, start, rule, dot, children = item
            template = self._index.parts[rule][symbol[1]]
            if dot == len(template):
                self._complete(position, item)
                continue
            step, raised = template[dot], symbol[2] and start == position
            if isinstance(step, Slot):
                child = children[step.child], step.number, raised or step.capital
                waiting = self._waiting[position, child]
                if not waiting:
                    self._ask(position, child)
                waiting.append(item)
                items += [self._moved(item, found) for found in self._found.get((position, child), ())]
            else:
                word = capitalised(step.text) if raised else step.text
                before[word].append((symbol, start, rule, dot + 1, children))
        self._steps.take(len(items))
        for word, end in words:
            self._items[end] += before.get(word, ())
            for start, beginning in begun:
                after = beginning.after.get(word)
                if after is not None and after.symbols & self._wanted[start]:
                    self._begun[end][start, after] = None

    def _ask(self, position: int, symbol: Symbol) -> None:
        """Ask for a symbol at a position, starting rules that may begin with nothing or that continue a phrase."""
        goal, items = symbol[0], self._items[position]
        if goal < self._first:
            fresh = self._index.corners[symbol] & ~self._wanted[position]
            self._wanted[position] |= fresh
            silent = self._index.silent if fresh else ()
            items += [(s.symbol, position, s.rule.id, 0, s.rule.rhs) for s in silent if fresh >> s.number & 1]
        else:
            self._asked[position, goal].add(symbol[1:])
            items += [(symbol, position, rule, 0, children) for rule, children in self._rules[goal]]

    def _complete(self, position: int, item: _Item) -> None:
        """Find the category of the chart that an item completes; move the items that wait for it or begin with it."""
        symbol, start, rule, _, children = item
        goal, part, raised = symbol
        items, span, number = self._items[position], (part, start, position, raised and start < position), goal
        # A part repeated over the same span adds no information, and no new category.
        if span not in self._spans[goal]:
            number = self._number.setdefault((goal, span), len(self._category))
        if number == len(self._category):
            self._category.append(self._category[goal])
            self._spans.append((*self._spans[goal], span))
            self._rules.append({})
        if (rule, children) not in self._rules[number]:
            self._rules[number][rule, children] = None
            asked = self._asked.get((position, number), ())
            items += [((number, *other), position, rule, 0, children) for other in asked]
        found = self._found[start, symbol]
        if number in found:
            return
        found.add(number)
        # An empty phrase begins nothing; rules that may begin with one are started by `_ask`.
        wanted = self._wanted[start] if start < position else 0
        starts = self._index.by_symbol.get(symbol, ()) if wanted else ()
        above = [(s.symbol, start, s.rule.id, 0, s.rule.rhs) for s in starts if wanted >> s.number & 1]
        above += self._waiting.get((start, symbol), ())
        self._steps.take(len(above))
        items += [self._moved(other, number) for other in above]

    def _moved(self, item: _Item, found: int) -> _Item:
        """Return an item moved past its next child, which was found."""
        symbol, start, rule, dot, children = item
        child = self._index.parts[rule][symbol[1]][dot].child
        return symbol, start, rule, dot + 1, (*children[:child], found, *children[child + 1 :])

    def forest(self) -> Forest | None:
        """Return the readings of the whole input, or None if it has none; children come before parents."""
        whole = self._number.get((self._index.grammar.start, (0, 0, self.end, False)))
        if whole is None:
            return None
        root = _Place(whole)
        uses = self._all_uses(root, self._circles_below(whole) if self._index.recurs else {})
        needed = {root}
        for place in reversed(uses):
            if place in needed:
                needed.update(child for _, below in uses[place] for child in below)
        number = {place: number for number, place in enumerate(filter(needed.__contains__, uses))}
        nodes = [
            Node(
                self._category[place.category],
                tuple(sorted({(start, end) for _, start, end, _ in self._spans[place.category]})),
                tuple([Alternative(rule, tuple([number[child] for child in below])) for rule, below in uses[place]]),
            )
            for place in number
        ]
        return Forest(self._index.grammar, tuple(nodes)) if root in uses else None

    def _all_uses(self, root: _Place, circles: Mapping[int, int]) -> dict[_Place, list[_Use]]:
        """Return the uses of rules at the places below one that derive something, children first."""
        uses, done = dict[_Place, list[_Use]](), dict[_Place, list[_Use]]()
        stack = [root]
        while stack:
            place = stack[-1]
            if place not in uses:
                uses[place] = found = self._uses(place, circles)
                stack += [child for _, below in found for child in below if child not in done]
                if stack[-1] is not place:
                    continue
            stack.pop()
            if place not in done:
                done[place] = [use for use in uses[place] if all(map(done.get, use[1]))]
        return {place: own for place, own in done.items() if own}

    def _circles_below(self, root: int) -> dict[int, int]:
        """Return the categories of the chart that are part of themselves, with the number of their circle."""
        graph: dict[int, set[int]] = {}
        waiting = [root]
        for category in waiting:
            if category not in graph:
                graph[category] = {child for _, children in self._rules[category] for child in children}
                waiting += graph[category]
        return {category: number for number, circle in enumerate(circles(graph)) for category in circle}

    def _uses(self, place: _Place, circles: Mapping[int, int]) -> list[_Use]:
        """Return the rules possible at a place, in order, with the places of their children."""
        category = place.category
        if category < self._first:
            settled, unseen = self._index.unseen(category, settled=place.settled)
            return [(r.id, tuple([_Place(c, settled=settled) for c in r.rhs])) for r in unseen]
        found = [*self._rules[category]]
        if len(found) > 1:
            found.sort(key=lambda use: (use[0], [self._spans[c] for c in use[1]]))
        if category not in circles:
            return [(rule, tuple(map(_Place, below))) for rule, below in found]
        circle, above = circles[category], place.above | {category}
        return [
            (rule, tuple([_Place(c, above if circles.get(c) == circle else frozenset()) for c in below]))
            for rule, below in found
            if above.isdisjoint(below)
        ]
