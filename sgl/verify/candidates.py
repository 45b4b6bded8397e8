"""Candidates for rows: random numbers, and the tables of a certificate that they choose by.

A state of the sampler gives each alternative an interval.  The shares must be those that the
weights of the grammar have, given what the split excludes; ``check`` has the proof.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from hashlib import sha256
from heapq import heappop, heappush
from itertools import accumulate
from typing import Any

Json = Any  # a part of the certificate
Derivation = tuple[int, ...]  # its rules, in preorder
LONGEST = 10_000  # rules of a derivation
ROUND, TRIALS = 2, 64  # candidates for a context, and sentences for one of these
EXACT = 1e-9  # an interval may differ by this part of it, and by two: bounds are rounded
MASK, GAMMA = (1 << 64) - 1, 0x9E3779B97F4A7C15


class Refusal(ValueError):
    """What is wrong with the rows; it begins with a code."""


class Budget:
    """The steps that are left: about a microsecond each."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Take steps, before they are made."""
        self.left -= steps
        if self.left < 0:
            raise Refusal("R07 the budget of steps is used up")


def mix(key: int) -> int:
    """Return the 64 random bits of a key, by SplitMix64."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & MASK
    return key ^ (key >> 31)


class Candidates:
    """The derivations that the tables of a certificate give, by seed, stream and number."""

    def __init__(self, data: Json, spend: Callable[[int], None]) -> None:
        self.seed, self.states, self.spend = data["seed"], data["sampler"]["states"], spend
        self.streams = [stratum[2] for stratum in data["core"]["plan"]["strata"]]
        self.ends = dict[int, list[int]]()
        self.weights = [float(rule[3]) for rule in data["core"]["grammar"]["rules"]]
        self.arity = [len(rule[2]) for rule in data["core"]["grammar"]["rules"]]
        self.given: tuple[str, int, Json] = ("", 0, None)

    def draw(self, stream: str, number: int, state: int, every: int = 0) -> Derivation:
        """Return a candidate of a stream from a state on, that of its number of ``every`` one; () if too long."""
        if every:
            return self.listed(number, state, every)
        start = int.from_bytes(sha256(f"{self.seed}/{stream}".encode()).digest()[:8], "big")
        key = mix((start + (number + 1) * GAMMA) & MASK)
        rules, waiting = list[int](), [state]
        self.visited = list[int]()
        while waiting and len(rules) + len(waiting) <= LONGEST:
            self.visited.append(state := waiting.pop())
            bounds, choices, children = self.states[state]
            key = (key + GAMMA) & MASK
            choice = bisect_right(bounds, mix(key) * bounds[-1] >> 64)
            rules.append(choices[choice])
            waiting += children[choice]
        self.spend(10 + len(rules))
        return () if waiting else tuple(rules)

    def in_context(self, stream: str, number: int, state: int, contexts: int, found: frozenset[int]) -> Json:
        """Return a candidate of a stratum with contexts, and its instance; both are () if there is none."""
        first = number - number % (ROUND * contexts)
        if self.given[:2] != (stream, first):
            self.given = stream, first, self.with_instance(stream, first * TRIALS, state, found)
        rules, begin, end, given = self.given[2] or ((), 0, 0, -1)
        instance = rules[begin:end]
        if not rules or number == first:
            return rules, instance
        for trial in range(TRIALS):
            rules, begin, end, own = self.with_instance(stream, number * TRIALS + trial, state, found) or ((), 0, 0, -1)
            if rules and own == given:
                return rules[:begin] + instance + rules[end:], instance
        return (), ()

    def with_instance(self, stream: str, number: int, state: int, found: frozenset[int]) -> Json:
        """Return a derivation, and where its only smallest phrase of a ``found`` state is, with that state."""
        rules, waiting, smallest = self.draw(stream, number, state), list[Json](), list[Json]()
        for place in range(len(rules) - 1, -1, -1):
            below = [waiting.pop() for _ in range(self.arity[rules[place]])]
            waiting.append((place, below[-1][1] if below else place + 1))
            if self.visited[place] in found and not any(self.visited[child] in found for child, _ in below):
                smallest.append((*waiting[-1], self.visited[place]))
        return (rules, *smallest[0]) if len(smallest) == 1 else None

    def listed(self, number: int, state: int, every: int) -> Derivation:
        """Return a derivation by its number, if there are so many; () if it is too long."""
        if not 0 <= number < every or every != self.ends_of(state)[-1]:
            raise Refusal(f"R01 state {state} has not {every} derivations")
        rules, waiting = list[int](), [(state, number)]
        while waiting and len(rules) + len(waiting) <= LONGEST:
            state, number = waiting.pop()
            ends, (_, choices, children) = self.ends[state], self.states[state]
            choice = bisect_right(ends, number)
            number -= ends[choice - 1] if choice else 0
            rules.append(choices[choice])
            for child in children[choice]:  # the last one first, which changes quickest
                number, rest = divmod(number, self.ends[child][-1])
                waiting.append((child, rest))
        self.spend(10 + len(rules))
        return () if waiting else tuple(rules)

    def ends_of(self, start: int) -> list[int]:
        """Return the numbers of derivations of a state by its alternatives up to each one."""
        waiting = [] if start in self.ends else [start]
        while waiting:
            children = self.states[state := waiting.pop()][2]
            unknown = [child for own in children for child in own if child not in self.ends]
            self.spend(1 + sum(map(len, children)) + len(unknown))
            waiting += [state, *unknown] if unknown else []
            if not unknown:
                ways = [math.prod([self.ends[child][-1] for child in own]) for own in children]
                self.ends[state] = [*accumulate(ways)]
        return self.ends[start]

    def check(self) -> None:
        """Check that parts of the data have their own candidates, in proportion to the weights.

        The latter is so if each state has a value such that *share of an alternative × value of the state = weight of
        its rule × values of its children*: multiplied over a derivation, all values cancel but that of its start.
        """
        if len({*self.streams}) < len(self.streams):
            raise Refusal("R01 two parts of the data have one stream")
        values = self.values()
        for state, (bounds, rules, children) in enumerate(self.states):
            ways = {(rule, *below) for rule, below in zip(rules, children, strict=True)}
            if state not in values or len(ways) < len(bounds):
                raise Refusal(f"R08 state {state} of the sampler derives nothing, or one twice")
            for choice, rule in enumerate(rules):
                width, own = self.width(state, choice), values[state] or math.nan
                right = self.worth(state, choice, values) * bounds[-1] / own
                if not abs(right - width) <= 2 + EXACT * width:
                    share = f"{width} of {bounds[-1]}, and its weight gives {right:.0f}"
                    raise Refusal(f"R08 state {state} of the sampler has rule {rule} in {share}")

    def values(self) -> dict[int, float]:
        """Return the values of the states, each from one alternative: that with least rounding."""
        values, loss = dict[int, float](), dict[int, float]()
        queue, ready = list[tuple[float, int, float]](), list[tuple[int, int]]()
        places = [(n, k) for n, (_, rules, _) in enumerate(self.states) for k in range(len(rules))]
        missing = {(n, k): {*self.states[n][2][k]} for n, k in places}
        users: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for place, below in missing.items():
            self.spend(1 + len(below))
            ready += [place] if not below else []
            for child in below:
                users[child].append(place)
        while ready or queue:
            for state, choice in ready:
                width = max(1, self.width(state, choice))
                rounded = 1 / width + sum(loss[child] for child in self.states[state][2][choice])
                value = self.worth(state, choice, values) * self.states[state][0][-1] / width
                heappush(queue, (rounded, state, value))
            rounded, state, value = heappop(queue)
            new = state not in values
            if new:
                values[state], loss[state] = value, rounded
                for place in users[state]:
                    missing[place].discard(state)
            ready = [place for place in users[state] if not missing[place]] if new else []
        return values

    def width(self, state: int, choice: int) -> int:
        """Return the size of the interval of an alternative."""
        bounds: list[int] = self.states[state][0]
        return bounds[choice] - (bounds[choice - 1] if choice else 0)

    def worth(self, state: int, choice: int, values: dict[int, float]) -> float:
        """Return the weight of an alternative with the values of its children."""
        _, rules, children = self.states[state]
        return math.prod([self.weights[rules[choice]], *(values[x] for x in children[choice])])
