"""Draw the candidates of a stratum: seed, stream and number determine derivations, by a certificate's tables.

A sampler state gives each alternative an interval.  The shares must follow from the weights of the grammar, given what
the split excludes.  They do if each state has a *value* such that

    share of an alternative × value of the state = weight of its rule × values of its children

Multiplied over a derivation, all values cancel except the value of its start.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator
from hashlib import sha256
from heapq import heappop, heappush
from itertools import accumulate
from typing import NamedTuple

from sgl.verify.derivation import Derivation
from sgl.verify.naming import NAMES, Bearers
from sgl.verify.schema import CertificateData, DrawnState
from sgl.verify.schema_grammar import Flaw
from sgl.verify.typed import LIMIT

LONGEST = 10_000  # maximum number of rules in a derivation
ROUND, TRIALS = 2, 64  # candidates per context, and sentences to try for an instance
EXACT = 1e-9  # an interval may deviate by this share of it, plus two: bounds are rounded
MASK, GAMMA = (1 << 64) - 1, 0x9E3779B97F4A7C15


class Refusal(Flaw):
    """A fault in the rows; the message begins with a code."""


def mix(key: int) -> int:
    """Return the 64 random bits of a key, by SplitMix64."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & MASK
    return key ^ (key >> 31)


class Candidate(NamedTuple):
    """A derivation (or empty), and the instance in it, if the stratum has contexts."""

    derivation: Derivation
    instance: Derivation = ()


class Drawn(NamedTuple):
    """A derivation, and the state of each of its rules; both are empty if the derivation is too long."""

    rules: Derivation
    states: tuple[int, ...]


class FoundInstance(NamedTuple):
    """A sentence with the place and the state of its instance."""

    rules: Derivation
    begin: int
    end: int
    state: int

    @property
    def phrase(self) -> Derivation:
        """The rules of the instance."""
        return self.rules[self.begin : self.end]

    def with_phrase(self, phrase: Derivation) -> Derivation:
        """Return the sentence with its instance replaced by another phrase."""
        return self.rules[: self.begin] + phrase + self.rules[self.end :]


class Candidates:
    """The candidates that the tables of a certificate determine."""

    def __init__(self, data: CertificateData, spend: Callable[[int], None]) -> None:
        self.seed, self.states, self.spend = data.seed, data.sampler.states, spend
        self.strata, self.starts = data.core.plan.strata, data.sampler.starts
        self.found = [*map(frozenset, data.sampler.found)] or [frozenset[int]()] * len(self.starts)
        self.bearers = Bearers(data.core.grammar) if data.core.grammar.names else None
        #: The bounds of each state, and the rule and the children of each of its alternatives.
        self.choices = [(own.bounds, [*zip(own.rules, own.children, strict=True)]) for own in self.states]
        self.arity = [len(rule.rhs) for rule in data.core.grammar.rules]
        #: For each state, the cumulative numbers of derivations of its alternatives.
        self.ends = dict[int, list[int]]()
        #: The instance of the current round, and the round's stratum and first candidate.
        self.given: FoundInstance | None = None
        self.round = -1, -1

    def candidate(self, stratum: int, number: int) -> Candidate:
        """Return a candidate of a stratum, both by number."""
        extent = self.strata[stratum].extent
        if extent.contexts:
            return self._in_context(stratum, extent.contexts, number)
        if extent.every:
            listed = self._listed(number, self.starts[stratum], extent.count)
            return Candidate(listed if self.bearers is None or self.bearers.are_named(listed) else ())
        drawn = self.draw(stratum, number).rules
        if self.bearers is not None:
            key = self._key(f"{self.strata[stratum].stream}/{NAMES}", number)
            drawn = self.bearers.named(drawn, lambda draw: mix((key + (draw + 1) * GAMMA) & MASK))
        return Candidate(drawn)

    def _key(self, stream: str, number: int) -> int:
        """Return the key of a candidate's random numbers."""
        start = int.from_bytes(sha256(f"{self.seed}/{stream}".encode()).digest()[:8], "big")
        return mix((start + (number + 1) * GAMMA) & MASK)

    def draw(self, stratum: int, number: int) -> Drawn:
        """Return a derivation from the random stream of a stratum, by its number."""
        key = self._key(self.strata[stratum].stream, number)
        rules, visited, waiting, choices = list[int](), list[int](), [self.starts[stratum]], self.choices
        while waiting and len(rules) + len(waiting) <= LONGEST:
            visited.append(state := waiting.pop())
            bounds, ways = choices[state]
            key = (key + GAMMA) & MASK
            rule, children = ways[bisect_right(bounds, mix(key) * bounds[-1] >> 64) if len(ways) > 1 else 0]
            rules.append(rule)
            waiting += children
        self.spend(10 + len(rules))
        return Drawn((), ()) if waiting else Drawn(tuple(rules), tuple(visited))

    # ---- instances in contexts

    def _in_context(self, stratum: int, contexts: int, number: int) -> Candidate:
        """Return a candidate with the instance of its round, or an empty one if the round has none."""
        first = number - number % (ROUND * contexts)
        if self.round != (stratum, first):
            self.round = stratum, first
            self.given = self._with_instance(stratum, first * TRIALS)
        given = self.given
        if given is None:
            return Candidate(())
        if number == first:
            return Candidate(given.rules, given.phrase)
        for trial in range(TRIALS):
            own = self._with_instance(stratum, number * TRIALS + trial)
            if own is not None and own.state == given.state:
                return Candidate(own.with_phrase(given.phrase), given.phrase)
        return Candidate(())

    def _with_instance(self, stratum: int, number: int) -> FoundInstance | None:
        """Return a sentence with its only smallest phrase of a ``found`` state; None unless there is exactly one."""
        (rules, states), found = self.draw(stratum, number), self.found[stratum]
        waiting, smallest = list[tuple[int, int]](), list[tuple[int, int]]()  # phrases: their beginnings and ends
        for place in range(len(rules) - 1, -1, -1):
            below = [waiting.pop() for _ in range(self.arity[rules[place]])]
            waiting.append((place, below[-1][1] if below else place + 1))
            inside = any(states[child] in found for child, _ in below)
            if states[place] in found and not inside:
                smallest.append(waiting[-1])
        if len(smallest) != 1:
            return None
        [(begin, end)] = smallest
        return FoundInstance(rules, begin, end, states[begin])

    # ---- all derivations, in order

    def _listed(self, number: int, state: int, every: int) -> Derivation:
        """Return derivation number ``number`` of a state with ``every`` derivations, or () if it is too long."""
        if not 0 <= number < every or every != self._ends_of(state)[-1]:
            raise Refusal(f"R01 state {state} does not have {every} derivations")
        rules, waiting = list[int](), [(state, number)]
        while waiting and len(rules) + len(waiting) <= LONGEST:
            state, number = waiting.pop()
            ends, own = self.ends[state], self.states[state]
            choice = bisect_right(ends, number)
            number -= ends[choice - 1] if choice else 0
            rules.append(own.rules[choice])
            for child in own.children[choice]:  # the last child varies fastest
                number, rest = divmod(number, self.ends[child][-1])
                waiting.append((child, rest))
        self.spend(10 + len(rules))
        return () if waiting else tuple(rules)

    def _ends_of(self, start: int) -> list[int]:
        """Return the cumulative numbers of derivations of a state's alternatives."""
        waiting = [] if start in self.ends else [start]
        while waiting:
            state = waiting.pop()
            below = [child for own in self.states[state].children for child in own]
            unknown = [child for child in below if child not in self.ends]
            self.spend(1 + len(below) + len(unknown))
            if unknown:
                waiting += [state, *unknown]
            else:
                self.ends[state] = [*accumulate(map(self._ways, self.states[state].children))]
        return self.ends[start]

    def _ways(self, children: list[int]) -> int:
        """Return the number of ways to derive all of these states; LIMIT stands for all that no certificate gives."""
        return min(LIMIT, math.prod([self.ends[child][-1] for child in children]))


class Alternative(NamedTuple):
    """A choice of a sampler state, both by number."""

    state: int
    choice: int


class Weights:
    """Checks that states draw in proportion to the weights of the grammar."""

    def __init__(self, data: CertificateData, spend: Callable[[int], None]) -> None:
        self.states, self.spend = data.sampler.states, spend
        self.weights = [float(rule.weight) for rule in data.core.grammar.rules]

    def check(self) -> None:
        """Check that some values of the states make all shares agree with the weights."""
        values = self._values()
        for number, state in enumerate(self.states):
            ways = {(rule, *below) for rule, below in zip(state.rules, state.children, strict=True)}
            if number not in values or len(ways) < len(state.bounds):
                raise Refusal(f"R08 state {number} of the sampler derives nothing, or one twice")
        for own in self._alternatives():
            self._check_share(own, self.states[own.state], values)

    def _check_share(self, own: Alternative, state: DrawnState, values: dict[int, float]) -> None:
        width, value = state.width(own.choice), values[own.state] or math.nan
        right = self._worth(own, values) * state.bounds[-1] / value
        if not abs(right - width) <= 2 + EXACT * width:
            share = f"{width} of {state.bounds[-1]}, and its weight gives {right:.0f}"
            raise Refusal(f"R08 state {own.state} of the sampler has rule {state.rules[own.choice]} in {share}")

    def _values(self) -> dict[int, float]:
        """Return the value of each state, from the alternative with the least rounding."""
        values, loss = dict[int, float](), dict[int, float]()
        missing = {own: {*self._below(own)} for own in self._alternatives()}
        users = self._users(missing)
        ready, queue = [own for own, below in missing.items() if not below], list[tuple[float, int, float]]()
        while ready or queue:
            for own in ready:
                heappush(queue, self._offer(own, values, loss))
            ready, (rounded, state, value) = [], heappop(queue)
            if state not in values:
                values[state], loss[state] = value, rounded
                ready = [*_freed(state, users[state], missing)]
        return values

    def _users(self, missing: dict[Alternative, set[int]]) -> list[list[Alternative]]:
        """Return for each state the alternatives that have it as a child."""
        users: list[list[Alternative]] = [[] for _ in self.states]
        for own, below in missing.items():
            self.spend(1 + len(below))
            for child in below:
                users[child].append(own)
        return users

    def _offer(self, own: Alternative, values: dict[int, float], loss: dict[int, float]) -> tuple[float, int, float]:
        """Return the rounding loss of a state's value from this alternative, the state, and the value."""
        state = self.states[own.state]
        width = max(1, state.width(own.choice))
        rounded = 1 / width + sum(loss[child] for child in self._below(own))
        return rounded, own.state, self._worth(own, values) * state.bounds[-1] / width

    def _alternatives(self) -> Iterator[Alternative]:
        for number, state in enumerate(self.states):
            for choice in range(len(state.rules)):
                yield Alternative(number, choice)

    def _below(self, own: Alternative) -> list[int]:
        return self.states[own.state].children[own.choice]

    def _worth(self, own: Alternative, values: dict[int, float]) -> float:
        """Return the weight of an alternative times the values of its children."""
        weight = self.weights[self.states[own.state].rules[own.choice]]
        return math.prod([weight, *(values[child] for child in self._below(own))])


def _freed(state: int, users: list[Alternative], missing: dict[Alternative, set[int]]) -> Iterator[Alternative]:
    """Yield the alternatives that lacked only the value of this state."""
    for own in users:
        missing[own].discard(state)
        if not missing[own]:
            yield own
