"""The chart of a layer whose phrases may have several parts: multiple context-free grammars.

A phrase is found part by part, from left to right.  What is known of it after a part is a *category
of the chart*: the category with where its parts stand, and the rules that are left for it.  The
rule above waits for the next part of this very phrase::

    0 Ben 1 ruft 2 Anna 3 an 4        V          every verb
                                      V₁(1,2)    the verbs whose main part stands there
    S -> NP V₁ • obj V₂  at 2         V₁V₂       those of them that also have "an" from 3 to 4

So the categories of the chart are the nodes of the packed forest.  A rule is looked for only where something asks for
it and one of its first words stands, so an item proves that the input up to there is the beginning of a sentence.
Algorithm:  Angelov (2009), *Incremental Parsing with Parallel Multiple Context-Free Grammars*.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from typing import NamedTuple

import networkx as nx

from sgl.core.grammar import CoreGrammar, Cut, Item, Rule, Slot, Token
from sgl.core.graph import parts_of
from sgl.core.interpret import capitalised
from sgl.parsing.chart import Steps, WordsAt
from sgl.parsing.forest import Forest
from sgl.parsing.pack import packed
from sgl.parsing.templates import UnparsableLayerError, Unseen, circles_of

#: A part of a category, by numbers, and whether its first letter is raised.
Symbol = tuple[int, int, bool]


class PartIndex(Unseen):
    """What parsing asks of a text layer.

    ``parts`` are the templates of each rule; ``nullable`` the parts of categories that may have no
    words; ``first`` the words with which a part may begin, as a set of ``bits``.  Each word has
    one, also with its first letter raised.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Collect it; raise ``UnparsableLayerError`` for a template with an empty word."""
        super().__init__(grammar, layer)
        self.parts = [parts_of(rule.templates[layer], Cut()) for rule in grammar.rules]
        tokens = {i.text for r in grammar.rules for i in r.templates[layer] if isinstance(i, Token)}
        if "" in tokens:
            rules = (rule for rule in grammar.rules if Token("") in rule.templates[layer])
            name = grammar.text_layers[layer].name
            raise UnparsableLayerError(name, next(rules).name, "has an empty word")
        words = sorted(tokens | set(map(capitalised, tokens)))
        self.bits = {word: 1 << number for number, word in enumerate(words)}
        self.nullable: set[tuple[int, int]] = set()
        self.first: defaultdict[Symbol, int] = defaultdict(int)
        self._find_first()
        raised = {
            (rule.rhs[item.child], item.number, True)
            for rule in grammar.rules
            for item in rule.templates[layer]
            if isinstance(item, Slot) and item.capital
        }
        begin = reduce(or_, (self.first[symbol] for symbol in raised), 0)
        self.vocabulary = frozenset(tokens.union(word for word, bit in self.bits.items() if bit & begin))
        self.rules_of = cache(self._rules_of)

    def _find_first(self) -> None:
        before = None
        while before != (now := (len(self.nullable), sum(b.bit_count() for b in self.first.values()))):
            before = now
            for rule, parts in zip(self.grammar.rules, self.parts, strict=True):
                for part, template in enumerate(parts):
                    for raised in (False, True):
                        bits, empty = self._begins(rule, template, raised=raised)
                        self.first[rule.lhs, part, raised] |= bits
                    if empty:
                        self.nullable.add((rule.lhs, part))

    def _begins(self, rule: Rule, template: Sequence[Item], *, raised: bool) -> tuple[int, bool]:
        bits = 0
        for item in template:
            if not isinstance(item, Slot):
                return bits | self.bits[capitalised(item.text) if raised else item.text], False
            child = rule.rhs[item.child], item.number
            bits |= self.first[*child, item.capital or raised]
            if child not in self.nullable:
                return bits, False
        return bits, True

    def _rules_of(self, category: int, part: int, raised: bool) -> list[tuple[Rule, int, bool]]:
        return [
            (rule, *self._begins(rule, self.parts[rule.id][part], raised=raised))
            for rule in self.grammar.rules_of[category]
        ]


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


class PartChart:
    """What was found in one input, which begins a sentence up to ``reached``.

    Categories of the grammar keep their numbers; those of the chart have the next ones.
    """

    def __init__(self, index: PartIndex, end: int, words_at: WordsAt) -> None:
        self.end, self.reached = end, 0
        self._index, self._steps = index, Steps()
        #: Each category of the chart: what it was before, its spans, its rules with children.
        self._number: dict[tuple[int, int, int, int, bool], int] = {}
        self._base = [*range(len(index.grammar.categories))]
        self._spans: list[_Spans] = [() for _ in self._base]
        self._rules: list[dict[tuple[int, tuple[int, ...]], None]] = [{} for _ in self._base]
        self._items: defaultdict[int, set[_Item]] = defaultdict(set)
        self._waiting: defaultdict[_Request, list[_Item]] = defaultdict(list)
        self._found: defaultdict[_Request, set[int]] = defaultdict(set)
        self._asked: set[_Request] = set()
        self._agenda: list[_Item] = []
        for position in range(end + 1):
            if not position or position in self._items:
                self.reached = position
                self._advance(position, words_at)

    def passes(self, position: int) -> bool:
        """Return whether the beginning of a sentence leads to a position."""
        return position in self._items

    def covers(self, position: int) -> bool:
        """Return whether the start category may cover the input up to a position."""
        return (self._index.grammar.start, 0, 0, position, False) in self._number

    def expected(self) -> tuple[set[str], set[int]]:
        """Return the words and the categories that may stand behind what was reached."""
        words, categories = set[str](), set[int]()
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

    def _advance(self, position: int, words_at: WordsAt) -> None:
        """Move the items at a position as far as they go, over words to later ones."""
        words: defaultdict[str, list[int]] = defaultdict(list)
        for word, end in words_at(position):
            words[word].append(end)
        self._here = sum(self._index.bits.get(word, 0) for word in words)
        self._agenda = [*self._items[position]]
        if not position:
            self._ask((0, self._index.grammar.start, 0, False))
        while self._agenda:
            item = self._agenda.pop()
            self._steps.take(1)
            template = self._index.parts[item.rule][item.part]
            if item.dot == len(template):
                self._complete(position, item)
                continue
            step, raised = template[item.dot], item.raised and item.start == position
            if isinstance(step, Slot):
                raised = raised or step.capital
                request = (position, item.children[step.child], step.number, raised)
                self._waiting[request].append(item)
                for found in [*self._found[request]]:
                    self._move(position, item, found)
                self._ask(request)
            else:
                for end in words.get(capitalised(step.text) if raised else step.text, ()):
                    self._items[end].add(item._replace(dot=item.dot + 1))

    def _add(self, position: int, item: _Item) -> None:
        if item not in self._items[position]:
            self._items[position].add(item)
            self._agenda.append(item)

    def _ask(self, request: _Request) -> None:
        if request in self._asked:
            return
        self._asked.add(request)
        position, goal, part, raised = request
        if self._is_new(goal):
            rules = list(self._rules[goal])
        else:
            known = self._index.rules_of(goal, part, raised)
            self._steps.take(len(known) // 16)
            rules = [(r.id, r.rhs) for r, bits, empty in known if empty or bits & self._here]
        for rule, children in rules:
            self._add(position, _Item(goal, part, raised, position, rule, 0, children))

    def _complete(self, position: int, item: _Item) -> None:
        """Note the category of the chart that an item ends, and move what waits for it."""
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
            for other_part in range(len(self._index.parts[rule])):
                for other_raised in (False, True):
                    if (position, number, other_part, other_raised) in self._asked:
                        new = _Item(number, other_part, other_raised, position, rule, 0, children)
                        self._add(position, new)
        request = (start, goal, part, raised)
        if number not in self._found[request]:
            self._found[request].add(number)
            waiting = self._waiting[request]
            self._steps.take(len(waiting))
            for other in waiting[:]:
                self._move(position, other, number)

    def _move(self, position: int, item: _Item, found: int) -> None:
        step = self._index.parts[item.rule][item.part][item.dot]
        assert isinstance(step, Slot)
        children = list(item.children)
        children[step.child] = found
        self._add(position, item._replace(dot=item.dot + 1, children=tuple(children)))

    def forest(self) -> Forest | None:
        """Return the readings of the whole input; None if it has none."""
        root = self._number.get((self._index.grammar.start, 0, 0, self.end, False))
        if root is None:
            return None
        self._circles = self._circles_below(root)
        return packed(self._index.grammar, _Place(root), self._uses, self._shown)

    def _circles_below(self, root: int) -> dict[int, int]:
        below: nx.DiGraph[int] = nx.DiGraph()
        waiting, met = [root], {root}
        for category in waiting:
            for child in {c for _, children in self._rules[category] for c in children}:
                below.add_edge(category, child)
                if child not in met:
                    met.add(child)
                    waiting.append(child)
        return {category: number for number, circle in enumerate(circles_of(below)) for category in circle}

    def _shown(self, place: _Place) -> tuple[int, tuple[tuple[int, int], ...]]:
        category = place.category
        spans = sorted({(start, end) for _, start, end, _ in self._spans[category]})
        while self._is_new(category):
            category = self._base[category]
        return category, tuple(spans)

    def _uses(self, place: _Place) -> list[tuple[Rule, tuple[_Place, ...]]]:
        category, rules, circles = place.category, self._index.grammar.rules, self._circles
        if not self._is_new(category):
            settled, unseen = self._index.unseen(category, settled=place.settled)
            return [(r, tuple([_Place(c, settled=settled) for c in r.rhs])) for r in unseen]
        found = sorted(self._rules[category], key=lambda use: (use[0], [self._spans[c] for c in use[1]]))
        circle = circles.get(category)
        above = place.above | {category} if circle is not None else frozenset[int]()
        return [
            (rules[rule], tuple([_Place(c, above if circles.get(c) == circle else frozenset()) for c in below]))
            for rule, below in found
            if above.isdisjoint(below)
        ]
