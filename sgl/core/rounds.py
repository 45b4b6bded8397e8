"""Apply rules until nothing more follows.

What the phrases of a category can be follows from the children of its rules, and so on down to words.  Going over all
rules until nothing is new takes as many rounds as phrases are deep; in a chain of categories, the time grows with the
square of the number of rules.  Here a rule is tried again only after something that it uses has grown, in the order of
those rounds::

    rules    0: S -> B    1: B -> A    2: A -> "a"
    tried    0  1  2 (A has grown)  1 (B has grown)  0
"""

from collections.abc import Hashable, Iterable, Iterator
from heapq import heappop, heappush
from typing import Generic, TypeVar

_Used = TypeVar("_Used", bound=Hashable)


class Rounds(Generic[_Used]):
    """An iterator over the numbers of rules: each once, and again after something that it uses has grown.

    >>> rules, built, tried = [("S", ["B"]), ("B", ["A"]), ("A", [])], set(), []
    >>> rounds = Rounds(children for _, children in rules)
    >>> for number in rounds:
    ...     tried.append(number)
    ...     name, children = rules[number]
    ...     if name not in built and built.issuperset(children):
    ...         built.add(name)
    ...         rounds.grew(name)
    >>> tried
    [0, 1, 2, 1, 0]
    """

    def __init__(self, uses: Iterable[Iterable[_Used]]) -> None:
        self._users: dict[_Used, list[int]] = {}
        #: A heap of rounds with the rules to try in them.
        self._turns: list[tuple[int, int]] = []
        for number, used in enumerate(uses):
            self._turns.append((0, number))
            for one in set(used):
                self._users.setdefault(one, []).append(number)
        self._waiting = set(self._turns)

    def __iter__(self) -> Iterator[int]:
        while self._turns:
            self._current = heappop(self._turns)
            self._waiting.remove(self._current)
            yield self._current[1]

    def grew(self, used: _Used) -> None:
        """Try the rules that use something again: later rules in this round, others in the next."""
        now, current = self._current
        for number in self._users.get(used, ()):
            turn = now + (number <= current), number
            if turn not in self._waiting:
                self._waiting.add(turn)
                heappush(self._turns, turn)
