"""Check the splits of a certificate: they are parts of the grammar, and rows are drawn from them.

A *transition* of a split derives a state from its children, by the rules of a symbol: ``[symbol, state, children…]``.
"""

from collections.abc import Callable, Collection
from functools import cache
from itertools import chain

from sgl.verify.certificate_format import once
from sgl.verify.certificate_rules import Symbols
from sgl.verify.schema import CertificateData, CertifiedSplit, DrawnState
from sgl.verify.schema_grammar import Flaw

Way = tuple[int, ...]  # a rule and the states of its children


class Splits:
    """The splits of a certificate; ``kinds`` are the dataset splits that each serves, ``streams`` its streams."""

    def __init__(self, data: CertificateData, symbols: Symbols, spend: Callable[[int], None]) -> None:
        self.data, self.symbols, self.spend = data, symbols, spend
        strata = data.core.plan.strata
        own = chain.from_iterable(split.strata for split in data.splits)
        if sorted(own) != [*range(len(strata))]:
            raise Flaw("not every stratum of the plan has one split")
        self.strata = [[*map(strata.__getitem__, split.strata)] for split in data.splits]
        self.streams = [", ".join(stratum.stream for stratum in own) for own in self.strata]
        self.kinds = [{stratum.split for stratum in own} for own in self.strata]
        self.usable, self.users = cache(self._usable), cache(self._users)

    def check(self, number: int) -> None:
        """Check that a split is a part of the grammar and derives a text."""
        split = self.data.splits[number]
        for transition in split.transitions:
            if not self._fits(split, transition):
                raise Flaw(f"the transition {transition} is not a rule of its symbol")
        if any(root >= len(split.states) or split.states[root] != self.data.core.grammar.start for root in split.roots):
            raise Flaw("a root is not a text")
        if not self.usable(number):
            raise Flaw("it derives no text")

    @property
    def trained(self) -> list[int]:
        """The splits that draw training sentences."""
        drawn = [{stratum.split for stratum in own if stratum.count} for own in self.strata]
        return [number for number, kinds in enumerate(drawn) if "train" in kinds]

    def _fits(self, split: CertifiedSplit, transition: list[int]) -> bool:
        """Return whether a transition has the categories of its symbol."""
        if max(transition[1:]) >= len(split.states):
            return False
        category, *below = [split.states[state] for state in transition[1:]]
        return self.symbols.ends.get(transition[0]) == (category, tuple(below))

    def _usable(self, number: int) -> set[int]:
        """Return the rules that texts of a split use."""
        split, used = self.data.splits[number], set[int]()
        made = self._closure([(whole, parts) for _, whole, *parts in split.transitions])
        steps = [*filter(lambda step: made.issuperset(step[2:]), split.transitions)]
        below: list[tuple[int, list[int]]] = [(root, []) for root in made.intersection(split.roots)]
        for _, whole, *parts in steps:
            below += [(part, [whole]) for part in parts]
        reached = self._closure(below)
        for symbol, whole, *_ in steps:
            used.update(self.symbols.rules.get(symbol, ()) if whole in reached else ())
        return used

    def _closure(self, steps: Collection[tuple[int, list[int]]]) -> set[int]:
        """Return all conclusions of steps, each a conclusion with its premises."""
        found, size = set[int](), -1
        while size < (size := len(found)):
            self.spend(len(steps))
            found |= {conclusion for conclusion, premises in steps if found.issuperset(premises)}
        return found

    def _users(self, number: int) -> dict[int, set[int]]:
        """Return the transitions of a split that use each state, and each symbol, encoded as ~symbol."""
        users = dict[int, set[int]]()
        for step, (symbol, *states) in enumerate(self.data.splits[number].transitions):
            for used in (~symbol, *states):
                users.setdefault(used, set()).add(step)
        return users

    def check_sampler(self, number: int) -> None:
        """Check that rows are drawn by exactly the transitions of a split."""
        split, sampler = self.data.splits[number], self.data.sampler
        place, ways = once(split.drawn), self._ways(split)
        drawn = [(sampler.starts[stratum], split.roots) for stratum in split.strata]
        drawn += [(state, [whole]) for state, whole in place.items()]
        for state, wholes in drawn:
            if state >= len(sampler.states):
                raise Flaw(f"there is no state {state} of the sampler")
            allowed = set[Way]().union(*(ways.get(whole, ()) for whole in wholes))
            if self._drawn(sampler.states[state], place) != allowed:
                raise Flaw(f"state {state} of the sampler draws other transitions")
            if not _grows(sampler.states[state].bounds):
                raise Flaw(f"the bounds of state {state} of the sampler do not grow")

    def _ways(self, split: CertifiedSplit) -> dict[int, set[Way]]:
        """Return the ways to derive each state of a split."""
        ways = dict[int, set[Way]]()
        for symbol, whole, *parts in split.transitions:
            ways.setdefault(whole, set()).update((rule, *parts) for rule in self.symbols.rules.get(symbol, ()))
        return ways

    def _drawn(self, state: DrawnState, place: dict[int, int]) -> set[Way]:
        """Return the ways to derive a sampler state, in states of the split; -1 stands for no state."""
        pairs = zip(state.rules, state.children, strict=True)
        return {(rule, *(place.get(child, -1) for child in reversed(below))) for rule, below in pairs}


def _grows(bounds: list[int]) -> bool:
    return 0 not in bounds and bounds == sorted({*bounds})
