"""Prepare a text layer for parsing: how its rules begin, and which words can spell a text.

A phrase may have several *parts*, each with a template of its own, and occurs in one of two modes: in a *raised*
phrase, which ``capital`` asks for, the first word is raised.  Rules that begin with the same words share them::

    up to      "up" "to" NP            up -to-> ● up to
    up         "up"                    ●  up

A rule that begins with a child is found by that child.  A part is *nullable* if it can have no words; a rule may then
begin with nothing.  The index also has what the input does not show: the possible derivations of a child that a
template drops.

A text without separators can be divided in several ways, and if a layer has a finish (:mod:`sgl.core.spelling`), some
words are not written, some are written otherwise, or two as one.  So a text becomes a lattice.  A state is a place in
the text with whatever matters there about the words before it; a path is a sequence of words that spells the text, and
each such sequence has one path::

    ran .       0 -ran-> 1 -.-> end        1 -,-> 2 -.-> end       1 -,-> 2 -,-> 3 -.-> end

States are numbered so that every word leads to a higher number.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, islice, takewhile
from math import inf, prod
from typing import NamedTuple, TypeVar

from sgl.core.grammar import CoreGrammar, Cut, Rule, Slot, TextLayer, Token
from sgl.core.graph import parts_of
from sgl.core.graphs import circles
from sgl.core.interpret import capitalised
from sgl.core.rounds import Rounds
from sgl.core.spelling import ANY_END, JOINTS, Finish, mutated, written
from sgl.foreign import limits


class UnparsableLayerError(Exception):
    """No parser can be built for the templates of a text layer; the message says why."""

    def __init__(self, layer: str, rule: str, reason: str) -> None:
        super().__init__(f"the layer {layer} cannot be parsed: rule {rule} {reason}")


#: A category, one of its parts, and whether the first letter is raised.
Symbol = tuple[int, int, bool]


class Start(NamedTuple):
    """A rule for a numbered symbol; it begins at its first ``words`` words, or at its first child."""

    number: int
    symbol: Symbol
    rule: Rule
    words: int


@dataclass(eq=False, slots=True)
class Beginning:
    """The rules that begin with these words: ``starts`` have no further words, ``after`` has longer beginnings.

    ``symbols`` is the set, as bits, of the symbols that have these rules.
    """

    starts: list[Start] = field(default_factory=list)
    after: "dict[str, Beginning]" = field(default_factory=dict)
    symbols: int = 0


class TemplateIndex:
    """The templates of a layer, indexed for parsing.

    ``parts`` has the templates of each rule; ``nullable`` the parts of categories that can have no words.  The
    ``symbols`` that sentences may consist of are numbered.  Their rules are found by their first words, from
    ``beginning`` on, or ``by_symbol`` of the first child; rules that may begin with nothing are ``silent``.
    ``corners`` has for each symbol the set, as bits, of all symbols that it may begin with, including itself.
    ``vocabulary`` has every word, raised where it can be.
    """

    def __init__(self, grammar: CoreGrammar, layer: int) -> None:
        """Index a layer; raises ``UnparsableLayerError`` if a rule applies functions or has an empty word."""
        self.grammar, self.layer = grammar, layer
        for rule in grammar.rules:
            reason = "applies functions: the layer is one-way" if rule.applies_functions(layer) else ""
            reason = "has an empty word" if Token("") in rule.templates[layer] else reason
            if reason:
                raise UnparsableLayerError(grammar.text_layers[layer].name, rule.name, reason)
        self.parts = [parts_of(rule.templates[layer], Cut()) for rule in grammar.rules]
        self.nullable = self._nullable()
        self.symbols: dict[Symbol, int] = {(grammar.start, 0, False): 0}
        self.beginning = Beginning()
        self.by_symbol: defaultdict[Symbol, list[Start]] = defaultdict(list)
        self.silent: list[Start] = []
        words, first = set[str](), dict[int, set[int]]()
        waiting = list(self.symbols)
        for symbol in waiting:
            number, met = self.symbols[symbol], len(self.symbols)
            first[number] = set()
            for rule in grammar.rules_of[symbol[0]]:
                first[number] |= self._enter(number, symbol, rule, words)
            waiting += islice(self.symbols, met, None)
        self.corners = dict(zip(self.symbols, closure(first), strict=True))
        self.vocabulary = frozenset(words)

    def _nullable(self) -> set[tuple[int, int]]:
        wordless = [
            (rule.lhs, part, {(rule.rhs[item.child], item.number) for item in template if isinstance(item, Slot)})
            for rule, parts in zip(self.grammar.rules, self.parts, strict=True)
            for part, template in enumerate(parts)
            if all(isinstance(item, Slot) for item in template)
        ]
        found, size = set[tuple[int, int]](), -1
        while size < (size := len(found)):
            found.update((category, part) for category, part, below in wordless if below <= found)
        return found

    def _enter(self, left: int, symbol: Symbol, rule: Rule, words: set[str]) -> set[int]:
        """Record how a rule begins and all its words; return the symbols that it may begin with."""
        template, raised = self.parts[rule.id][symbol[1]], symbol[2]
        begins, corners = True, set[int]()
        for place, item in enumerate(template):
            # After children that may be empty, an item may or may not be the first.
            for mode in {raised and begins, *([False] if place else [])}:
                if isinstance(item, Slot):
                    below = rule.rhs[item.child], item.number, item.capital or mode
                    number = self.symbols.setdefault(below, len(self.symbols))
                    corners |= {number} if begins else set()
                else:
                    words.add(capitalised(item.text) if mode else item.text)
            begins = begins and isinstance(item, Slot) and (rule.rhs[item.child], item.number) in self.nullable
        first, starts = template[0] if template else None, self.silent
        run = [item.text for item in takewhile(lambda item: isinstance(item, Token), template)]
        if isinstance(first, Slot) and (rule.rhs[first.child], first.number) not in self.nullable:
            starts = self.by_symbol[rule.rhs[first.child], first.number, first.capital or raised]
        elif run:
            node = self.beginning
            for place, word in enumerate(run):
                node = node.after.setdefault(capitalised(word) if raised and not place else word, Beginning())
                node.symbols |= 1 << left
            starts = node.starts
        starts.append(Start(left, symbol, rule, len(run)))
        return corners

    @cached_property
    def recurs(self) -> bool:
        """Whether a category can be rewritten into itself over the same words."""
        below: dict[int, list[int]] = {}
        for rule, parts in zip(self.grammar.rules, self.parts, strict=True):
            slots = {item for template in parts for item in template if isinstance(item, Slot)}
            worded = {item.child for item in slots if (rule.rhs[item.child], item.number) not in self.nullable}
            if all(isinstance(item, Slot) for template in parts for item in template):
                passed = {item.child for item in slots if worded <= {item.child}}
                below.setdefault(rule.lhs, []).extend(rule.rhs[child] for child in passed)
        return any(circles(below))

    def unseen(self, category: int, *, settled: bool) -> tuple[bool, Sequence[Rule]]:
        """Return whether only the likeliest rule of a dropped category counts, and the rules that count."""
        if not settled and category in self.ways:
            return False, self.grammar.rules_of[category]
        likeliest = self.likeliest.get(category)
        return True, () if likeliest is None else (likeliest,)

    @cached_property
    def ways(self) -> dict[int, int]:
        """The number of derivations of each category that has finitely many."""
        rules_of = self.grammar.rules_of
        ways: dict[int, int] = {}
        waiting = list(range(len(rules_of)))
        while ready := [c for c in waiting if all(ways.keys() >= {*r.rhs} for r in rules_of[c])]:
            for category in ready:
                ways[category] = sum(prod(ways[c] for c in r.rhs) for r in rules_of[category])
            waiting = [category for category in waiting if category not in ways]
        return ways

    @cached_property
    def likeliest(self) -> dict[int, Rule]:
        """The top rule of the likeliest derivation of each category that has one."""
        rules = self.grammar.rules
        #: For each category the negated probability of its likeliest derivation, its number of rules, and its top rule.
        found: dict[int, tuple[float, int, int]] = {}
        rounds = Rounds(rule.rhs for rule in rules)
        for rule in map(rules.__getitem__, rounds):
            if all(child in found for child in rule.rhs):
                below = [found[child] for child in rule.rhs]
                own = -rule.weight * prod(-one[0] for one in below), 1 + sum(one[1] for one in below), rule.id
                if own < found.get(rule.lhs, (inf,)):
                    found[rule.lhs] = own
                    rounds.grew(rule.lhs)
        return {category: rules[number] for category, (_, _, number) in found.items()}


def closure(first: Mapping[int, set[int]]) -> list[int]:
    """Return for each number the bit set of all numbers that can be reached from it, including itself."""
    reached, before = [1 << number for number in range(max(first, default=-1) + 1)], list[int]()
    while before != reached:
        before = [*reached]
        for number, others in first.items():
            for other in others:
                reached[number] |= reached[other]
    return reached


class TooLongError(Exception):
    """A sentence is not parsed, because it has too many words or takes too many steps."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not parsed: too long: {reason}")


#: The words at each position of an input, with their ends.
Arcs = Sequence[Sequence[tuple[str, int]]]

#: The most consecutive unwritten words; a text that needs more is not parsed.
MOST_ABSORBED = 16


class Lattice(NamedTuple):
    """The lattice of a text: words from each state, places in the text, and states that can absorb no more words."""

    arcs: Arcs
    places: Sequence[int]
    deepest: frozenset[int]


_Before = tuple[str, str, bool, str]


class _State(NamedTuple):
    """A place in a text: how far it is read, and how the words before it constrain the next one.

    ``right`` is how the second word of a piece is written, ``end`` where that piece ends: then the first word is
    read.  ``absorbed`` words in a row were not written, which the next word must want: ``wanted`` are all that it
    does.  ``before`` is the last word that was written, how, whether it can still be the first of a piece, and how it
    is written if what follows does not decide.  Before the text has ``begun``, words can be left out at its beginning,
    of which there were ``left``.  A ``glued`` word is directly behind the one before.
    """

    place: int
    left: int = 0
    end: int = 0
    absorbed: int = 0
    right: str = ""
    wanted: tuple[str, ...] = ()
    before: "_Before" = ("", "", False, "")
    begun: bool = False
    tight: bool = True
    glued: bool = False


#: Words, and the lengths of those that begin with a character.
_Lengths = tuple[Set[str], dict[str, list[int]]]

#: A word with the state that it leads to; None is the end.
_Arc = tuple[str, _State | None]
_Value = TypeVar("_Value")


class Spellings:
    """A finder of the word sequences that a text of a layer can spell."""

    def __init__(self, words: Set[str], layer: TextLayer) -> None:
        self._layer, self._finish = layer, layer.finish or Finish()
        self.joints, words = sorted(words & {*JOINTS}), words - {*JOINTS}
        pairs = [(word, before) for word, before in self._finish.absorb if word in words]
        self._first = [word for word, before in pairs if not before]
        #: What is not written before a word; the forms of words, and the words of forms; halves of a piece.
        self._wanted = _grouped((before, word) for word, before in pairs if before)
        forms = {(form, word) for word, _, form in self._finish.forms if word in words}
        self._forms = _grouped((word, form) for form, word in sorted(forms))
        after = {mutation[1] for mutation in self._finish.mutations}
        triggers = {w for w in words for t in after if w == t or (t[:1] == ANY_END and w.endswith(t[1:]))}
        changed = {(mutated(self._finish, word, before), word) for before in ("", *triggers) for word in words}
        self._shown = _grouped(sorted(forms | changed))
        self._whole = {(left, right): text for left, right, text in self._finish.elisions}
        self._halves = _grouped((text, halves) for halves, text in self._whole.items())
        every = {*self._shown, *self._halves}
        raised = capitalised if self._finish.capital else str
        self._beginnings = _grouped((raised(piece), piece) for piece in sorted(every))
        self._pieces, self._raised = _by_first(every), _by_first({*self._beginnings})
        self._attached = _by_first(every & layer.attach)
        self._matter = {word for word, _ in pairs} | {word for _, word in forms} | triggers

    def lattice(self, text: str) -> Lattice:
        """Return the lattice of a text; raises ``TooLongError`` if it has too many states."""
        waiting: list[_State] = [_State(0)]
        arcs: dict[_State | None, list[_Arc]] = {}
        while waiting:
            state = heappop(waiting)
            if state in arcs:
                continue
            arcs[state] = list(dict.fromkeys(self._arcs(text, state)))
            if len(arcs) > limits().steps:
                raise TooLongError("it can be spelt in too many ways")
            for _, after in arcs[state]:
                if after is not None and after not in arcs:
                    heappush(waiting, after)
        arcs[None] = []
        number = {state: n for n, state in enumerate(arcs)}
        return Lattice(
            [[(word, number[after]) for word, after in own] for own in arcs.values()],
            [len(text) if state is None else state.place for state in arcs],
            frozenset(number[s] for s in arcs if s and MOST_ABSORBED in (s.absorbed, s.left)),
        )

    def _arcs(self, text: str, state: _State) -> Iterator[_Arc]:
        last, form, _, base = state.before
        for joint in self.joints if state.begun and not (state.right or state.absorbed or state.glued) else ():
            yield joint, state._replace(tight=True, glued=True)
        classes = set[tuple[str, ...]]()
        for word, after in self._kept(text, state):
            own = tuple(self._wanted.get(word, ()))
            if (state.glued or last not in own) and form in ("", written(self._finish, last, word, base)):
                classes.add(own)
                if not state.absorbed or own == state.wanted:
                    yield word, after
        for own in sorted({state.wanted} & classes if state.absorbed else classes):
            for word in own if state.absorbed < MOST_ABSORBED and not state.glued else ():
                yield word, state._replace(absorbed=state.absorbed + 1, wanted=own)

    def _kept(self, text: str, state: _State) -> Iterator[_Arc]:
        word, last, free, _ = state.before
        before = word if last else ""  # A word that was absorbed changes nothing.
        if state.right:
            whole = self._whole[last, state.right]
            for word, base in self._words(state.right, before):
                yield from self._after(text, (word, state.right, False, base), state.end, whole)
            return
        for word in self._first if not state.begun and state.left < MOST_ABSORBED else ():
            yield word, _State(state.place, state.left + 1, before=(word, "", False, ""))
        for piece, end in self._standing(text, state):
            for form, right in [(piece, ""), *(() if state.glued else self._halves.get(piece, ()))]:
                for word, base in self._words(form, before):
                    if free and not state.glued and (last, form) in self._whole:
                        continue
                    if not state.begun and word in self._first:
                        continue
                    if right:
                        inside = _State(state.place, state.left, end, right=right, begun=True)
                        yield word, inside._replace(before=(word, form, False, base))
                    else:
                        yield from self._after(text, (word, form, not state.glued, base), end, piece)

    def _words(self, form: str, before: str) -> Iterator[tuple[str, str]]:
        """Yield words that may be written so behind another one, and how they are unless what follows decides."""
        for word in self._shown.get(form, ()):
            base = mutated(self._finish, word, before)
            if form == base or (base == word and form in self._forms.get(word, ())):
                yield word, base

    def _after(self, text: str, before: _Before, end: int, piece: str) -> Iterator[_Arc]:
        word, form, free, base = before
        if end == len(text):
            if form == base:
                yield word, None
            return
        halves = {left for left, _ in self._whole} if free else ()
        kept = before if word in self._matter or form in halves else ("", "", False, "")
        tight = piece in self._finish.after
        yield word, _State(end, before=kept, begun=True, tight=tight)

    def _standing(self, text: str, state: _State) -> Iterator[tuple[str, int]]:
        """Yield the pieces at a state that are followed by the end of the text or by another piece."""
        join, place, attach = self._layer.join, state.place, self._layer.attach
        found: Iterator[tuple[str, int]]
        if not state.begun:
            found = ((piece, end) for x, end in _standing(self._raised, text, place) for piece in self._beginnings[x])
        elif state.tight or not join:
            found = _standing(self._pieces, text, place)
        elif text.startswith(join, place):
            apart = _standing(self._pieces, text, place + len(join))
            found = chain(_standing(self._attached, text, place), (x for x in apart if x[0] not in attach))
        else:
            found = _standing(self._attached, text, place)
        for piece, end in found:
            close = self.joints or piece in self._finish.after or any(_standing(self._attached, text, end))
            if close or end == len(text) or text.startswith(join, end):
                yield piece, end


def _grouped(pairs: Iterable[tuple[str, _Value]]) -> dict[str, list[_Value]]:
    found: dict[str, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def _by_first(words: Set[str]) -> _Lengths:
    return words, _grouped(sorted({(word[0], len(word)) for word in words}))


def _standing(words: _Lengths, text: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield the words that begin at ``start``, shorter ones first, with their ends."""
    known, lengths = words
    for length in lengths.get(text[start : start + 1], ()):
        word = text[start : start + length]
        if word in known and len(word) == length:
            yield word, start + length
