"""Draw derivations from packed tables by numbers that depend only on their place, and spell them out as text.

No generator is advanced from item to item.  Every random number is a function of seed, stream, candidate and draw, so a
candidate depends neither on how many were drawn before it nor on who draws it::

    seed 2024, stream "train/in_distribution"  -> stream key
    stream key, candidate 17                   -> candidate key
    candidate key, draw 0, 1, 2, ...           -> one 64-bit number each

The mixing is SplitMix64: a counter that moves by an odd constant, followed by a bijective finaliser (Steele, Lea &
Flood 2014, "Fast splittable pseudorandom number generators", section 3; the finaliser's constants are Stafford's
variant 13, as in the Java library).

A table entry is a *state* of a split with its alternatives.  Each alternative owns an interval of integers whose width
is proportional to its probability::

    state 7      0 ........ 61 ......... 90 ... 100
                 transitive | intransitive | passive

    draw         u = 64 random bits, u * 100 >> 64 = 73  ->  intransitive

so a choice only compares integers and is the same on every machine.  A derivation is expanded from the left with an
explicit stack; its rules in the order of expansion are its preorder.

This module needs only the standard library of Python 3.9, because the standalone sampler contains it.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from hashlib import sha256
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple, cast

from sgl.core.extent import Extent
from sgl.core.graph import PARTS, GluingRule, part_of
from sgl.core.naming import Group, Namer, Ties
from sgl.core.spelling import Finish, applied, join_words

#: The name of the scheme, for manifests; if any number changes, so must the name.
SCHEME = "splitmix64-counter/1"

MASK = 0xFFFFFFFFFFFFFFFF
GAMMA = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB


def mix(value: int) -> int:
    """Apply SplitMix64's finaliser, a bijection of the 64-bit integers."""
    value = ((value ^ (value >> 30)) * MIX_1) & MASK
    value = ((value ^ (value >> 27)) * MIX_2) & MASK
    return value ^ (value >> 31)


def stream_key(seed: int, stream: str) -> int:
    """Return the 64-bit key of a stream: the first bytes of SHA-256 of "seed/stream"."""
    digest = sha256(f"{seed}/{stream}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


def candidate_key(key: int, index: int) -> int:
    """Return the key of candidate ``index`` (from 0) of the stream with this key."""
    return mix((key + (index + 1) * GAMMA) & MASK)


def number(key: int, draw: int) -> int:
    """Return draw number ``draw`` (from 0) of the candidate with this key: 64 random bits."""
    return mix((key + (draw + 1) * GAMMA) & MASK)


#: The end of the stream from which the names of a stream's candidates are drawn.
NAMES = "names"

#: A derivation with more rules is not finished but counted as ``too_long``.
LONGEST_DERIVATION = 10_000


class State(NamedTuple):
    """The alternatives of a state.

    Alternative ``i`` is rule ``rules[i]`` over the states ``children[i]``, last child first; its interval ends before
    ``bounds[i]``.
    """

    bounds: list[int]
    rules: list[int]
    children: list[tuple[int, ...]]


class PackedText(NamedTuple):
    """How a text layer joins its words, and the template of each rule.

    A template holds words and the numbers of children, ``~i`` for child ``i`` with a capital; of a child with parts ``i
    + part * PARTS``.  A ``CUT`` ends a part.  With functions it is ``(i, function, ...)``.
    """

    name: str
    join: str
    attach: frozenset[str]
    templates: list[tuple[Any, ...]]
    finish: Finish | None = None


class PackedView(NamedTuple):
    """A view of a graph: its notation, each rule's effect, and the text layer ``anchor`` if words may be absorbed.

    An author's own has a ``template``, and always its text layer.  A column reads several layers, ``inputs``: texts,
    and graphs without a notation.
    """

    name: str
    kind: str
    rules: list[GluingRule]
    anchor: PackedText | None = None
    written: bool = True
    template: str = ""
    inputs: "tuple[PackedText | PackedView, ...]" = ()


class PackedStratum(NamedTuple):
    """A part of a split: its number of items, the state that it starts from, and its stream.

    With ``repeated_lemmas`` a lemma may occur twice in a sentence.  ``ambiguous`` lists the candidates that are
    rejected for the readings of their sentences, if these are known beforehand.  If every derivation is an item, the
    candidates are all derivations in order.  ``found`` has the states of instances in contexts (:class:`Instances`).
    """

    split: str
    category: str
    stream: str
    extent: Extent
    start: int
    repeated_lemmas: bool = False
    ambiguous: frozenset[int] = frozenset()
    found: frozenset[int] = frozenset()

    @property
    def wanted(self) -> int:
        """The number of items, not counting copies."""
        return self.extent.count

    def of(self, count: int) -> "PackedStratum":
        """Return the stratum with another number of items."""
        return self._replace(extent=self.extent.of(count))


class Tables(NamedTuple):
    """Everything that drawing needs.

    The strata share ``states``.  ``arity[r]`` is the number of children of rule ``r``, ``words[r]`` are the lemmas that
    it introduces, and ``lemmas[r]`` those that may not be repeated.  ``source`` is the text in which sentences must be
    distinct; ``targets`` are the other columns of the rows, each with files of its own.  ``names`` has what a
    :class:`Namer` needs.
    """

    seed: int
    states: list[State]
    strata: list[PackedStratum]
    arity: list[int]
    words: list[tuple[str, ...]]
    lemmas: list[tuple[str, ...]]
    source: PackedText
    targets: list[PackedText | PackedView]
    distinct_sentences: bool
    names: "tuple[Sequence[Ties], Sequence[Group]] | None" = None


def derive(states: Sequence[State], start: int, key: int) -> list[int] | None:
    """Return the candidate's rules in preorder, or ``None`` if there would be more than ``LONGEST_DERIVATION``."""
    derivation: list[int] = []
    stack = [start]
    while stack:
        bounds, rules, children = states[stack.pop()]
        # ``number`` is inlined: this loop takes all the time.
        key = (key + GAMMA) & MASK
        bits = ((key ^ (key >> 30)) * MIX_1) & MASK
        bits = ((bits ^ (bits >> 27)) * MIX_2) & MASK
        bits ^= bits >> 31
        choice = bisect_right(bounds, bits * bounds[-1] >> 64)
        derivation.append(rules[choice])
        stack.extend(children[choice])
        if len(derivation) + len(stack) > LONGEST_DERIVATION:
            return None
    return derivation


class Listing:
    """All derivations from a state, ordered by alternatives; the last child of a rule varies fastest.

    ``size`` is their number, or ``None`` if it is infinite; then no derivation has a number.
    """

    def __init__(self, states: Sequence[State], start: int) -> None:
        self._states, self._start = states, start
        #: For each state, the running total of derivations over its alternatives.
        self._ends: dict[int, list[int]] = {}
        self.size: int | None = None
        waiting, above = [start], set[int]()
        while waiting:
            state = waiting.pop()
            children = states[state].children
            unknown = [c for below in children for c in below if c not in self._ends]
            if unknown and state in above:
                return  # the state is below itself
            if unknown:
                above.add(state)
                waiting += [state, *unknown]
            elif state not in self._ends:
                ways = (prod([self._ends[child][-1] for child in below]) for below in children)
                self._ends[state] = list(accumulate(ways))
        self.size = self._ends[start][-1]

    def __len__(self) -> int:
        return self.size or 0

    def derivation(self, number: int) -> list[int] | None:
        """Return derivation ``number``, counting from 0, or ``None`` if it is too long."""
        derivation: list[int] = []
        stack = [(self._start, number)]
        while stack:
            state, number = stack.pop()
            ends, (_, rules, children) = self._ends[state], self._states[state]
            choice = bisect_right(ends, number)
            derivation.append(rules[choice])
            number -= ends[choice - 1] if choice else 0
            for child in children[choice]:
                number, rest = divmod(number, self._ends[child][-1])
                stack.append((child, rest))
            if len(derivation) + len(stack) > LONGEST_DERIVATION:
                return None
        return derivation


#: Candidates drawn per context, and sentences tried per candidate until one fits the instance.
ROUND, TRIALS = 2, 64


class Instances:
    """The candidates of a stratum with contexts, which come in rounds.

    The *instance* of an item is its smallest phrase with the structure; an item has exactly one.  The first candidate
    of a round is drawn as usual.  For the others, sentences are drawn until one has an instance in the same state,
    which is then replaced by the instance of the first.  What surrounds a phrase depends only on its state, so contexts
    are distributed as in sentences with this instance.
    """

    def __init__(self, tables: "Tables", stratum: PackedStratum) -> None:
        self._tables, self._stratum, self._rules = tables, stratum, len(tables.arity)
        self._key, self._round = stream_key(tables.seed, stratum.stream), ROUND * stratum.extent.contexts
        # Each rule packed into one number with the state that it rewrites.
        self._states = [
            State(bounds, [number * self._rules + rule for rule in rules], children)
            for number, (bounds, rules, children) in enumerate(tables.states)
        ]
        self._first = -1
        self._given: tuple[list[int], int, int, int] | None = None
        self._words = ""

    def candidate(self, number: int) -> tuple[list[int] | None, str]:
        """Return a candidate, or None if it has no instance or no context was found, and the words of its instance."""
        first = number - number % self._round
        if self._first != first:
            self._first, self._given = first, self._drawn(first * TRIALS)
            self._words = self._words_of(*self._given[:3]) if self._given else ""
        if self._given is None:
            return None, ""
        rules, begin, end, state = self._given
        for trial in range(TRIALS if number > first else 0):
            own = self._drawn(number * TRIALS + trial)
            if own is not None and own[3] == state:
                return own[0][: own[1]] + rules[begin:end] + own[0][own[2] :], self._words
        return (rules, self._words) if number == first else (None, "")

    def _words_of(self, rules: list[int], begin: int, end: int) -> str:
        words = words_of(self._tables.source, self._tables.arity, rules[begin:end])
        return join_words(" ", frozenset(), None, words)

    def _drawn(self, number: int) -> tuple[list[int], int, int, int] | None:
        """Return a derivation with the start, end and state of its instance, or None without exactly one instance."""
        both = derive(self._states, self._stratum.start, candidate_key(self._key, number)) or []
        states, rules = [each // self._rules for each in both], [each % self._rules for each in both]
        found, smallest, waiting = self._stratum.found, list[tuple[int, int]](), list[tuple[int, int]]()
        for place in range(len(rules) - 1, -1, -1):
            below = [waiting.pop() for _ in range(self._tables.arity[rules[place]])]
            waiting.append((place, below[-1][1] if below else place + 1))
            if states[place] in found and not any(states[child] in found for child, _ in below):
                smallest.append(waiting[-1])
        return (rules, *smallest[0], states[smallest[0][0]]) if len(smallest) == 1 else None


def candidates_of(tables: Tables, stratum: PackedStratum) -> Callable[[int], tuple[list[int] | None, str]]:
    """Return a function from numbers to candidates of a stratum, each with the words of its instance, if any."""
    if stratum.extent.contexts:
        return Instances(tables, stratum).candidate
    namer = Namer(tables.names[0], tables.arity, tables.names[1]) if tables.names else None
    if stratum.extent.every:
        listing = Listing(tables.states, stratum.start)
        return lambda number: (if_named(namer, listing.derivation(number)), "")
    states, start, key = tables.states, stratum.start, stream_key(tables.seed, stratum.stream)
    if namer is None:
        return lambda number: (derive(states, start, candidate_key(key, number)), "")
    names = stream_key(tables.seed, f"{stratum.stream}/{NAMES}")

    def named(index: int) -> tuple[list[int] | None, str]:
        derivation, own = derive(states, start, candidate_key(key, index)), candidate_key(names, index)
        return None if derivation is None else namer.named(derivation, lambda draw: number(own, draw)), ""

    return named


def if_named(namer: Namer | None, derivation: list[int] | None) -> list[int] | None:
    """Return a derivation unless it confuses names; a list of all derivations has every combination of entries."""
    return None if namer and derivation and not namer.is_named(derivation) else derivation


def words_of(text: PackedText, arity: Sequence[int], derivation: Sequence[int]) -> list[str]:
    """Return the words of a derivation in a text layer.

    Read backwards, a preorder is a walk in which every rule finds the values of its children on top of the stack, the
    first child uppermost.
    """
    templates = text.templates
    stack: list[Sequence[str]] = []
    for rule in reversed(derivation):
        template = templates[rule]
        children = arity[rule]
        if not children:
            stack.append(cast("tuple[str, ...]", template))
            continue
        words: list[str] = []
        for item in template:
            if isinstance(item, str):
                words.append(item)
            elif not isinstance(item, int):
                part, child = divmod(item[0], PARTS)
                words.extend(applied(item[1:], part_of(stack[-1 - child], part)))
            elif 0 <= item < PARTS:
                words.extend(stack[-1 - item])
            elif -PARTS <= item < 0:
                words.extend(capitalised(stack[item]))
            else:
                part, child = divmod(max(item, ~item), PARTS)
                own = part_of(stack[-1 - child], part)
                words.extend(own if item >= 0 else capitalised(own))
        del stack[-children:]
        stack.append(words)
    return list(stack[0])


def capitalised(words: Sequence[str]) -> list[str]:
    """Return the words with the first letter of the first non-empty one in upper case."""
    result = list(words)
    for index, word in enumerate(result):
        if word:
            result[index] = word[0].upper() + word[1:]
            break
    return result


def joined(text: PackedText, words: Sequence[str]) -> str:
    """Join the words into one string."""
    return join_words(text.join, text.attach, text.finish, words)
