"""Share errors, numbers for values, and remembered results among all parts of the package."""

from collections.abc import Callable, Hashable, Sequence
from functools import wraps
from typing import Generic, TypeVar, TypeVarTuple

import numpy as np
from numpy.typing import NDArray

from sgl.core.structure import Structure

Numbers = NDArray[np.intp]
Mask = NDArray[np.bool_]


class UnsupportedStructure(Exception):
    """A structure or rule that automata cannot express, or structures that are too large together."""


class BudgetSpent(Exception):
    """A computation has used up its budget of elementary steps."""


class StructureTooCostly(Exception):
    """The automaton of a structure exceeds its budget; ``variable`` is the node variable to constrain first."""

    def __init__(self, structure: Structure, variable: str, budget: int) -> None:
        super().__init__(
            f"{structure} needs more than {budget:,} steps to compile; "
            f"a test on {variable} (for example {variable}[upos=NOUN]) would reduce them"
        )
        self.structure = structure
        self.variable = variable
        self.budget = budget


_T = TypeVar("_T", bound=Hashable)


class Numbering(Generic[_T]):
    """A numbering that gives equal values the same number, counting from 0; ``values[n]`` is number ``n``.

    >>> words = Numbering[str]()
    >>> [words.number(word) for word in ("the", "dog", "the")]
    [0, 1, 0]
    >>> words.values
    ['the', 'dog']
    """

    def __init__(self) -> None:
        self.values: list[_T] = []
        self._numbers: dict[_T, int] = {}

    def number(self, value: _T) -> int:
        """Return the number of a value, adding the value if it is new."""
        values = self.values
        number = self._numbers.setdefault(value, len(values))
        if number == len(values):
            values.append(value)
        return number


def as_numbers(columns: Sequence[Numbers], bound: int) -> Numbers:
    """Return one number for each row, ordered like the rows; all columns but the first are below ``bound``.

    >>> as_numbers((np.array([7, 0, 7]), np.array([2, 1, 2])), 3).tolist()
    [23, 1, 23]
    """
    numbers = columns[0]
    most = int(numbers.max(initial=0)) + 1
    for column in columns[1:]:
        if most >= 2**62 // bound:
            numbers, most = np.unique(numbers, return_inverse=True)[1], len(numbers)
        numbers, most = numbers * bound + column, most * bound
    return numbers


_Arguments = TypeVarTuple("_Arguments")
_R = TypeVar("_R")
_S = TypeVar("_S")


def computed_once(method: Callable[[_S, *_Arguments], _R]) -> Callable[[_S, *_Arguments], _R]:
    """Remember in an object the results of a method for each combination of arguments."""

    @wraps(method)
    def remembered(self: _S, *arguments: *_Arguments) -> _R:
        known: dict[tuple[object, ...], _R]
        known = self.__dict__.setdefault(f"{method.__name__}()", {})
        # Equal arguments may be costly to compare: once is enough.
        if (result := known.get(arguments)) is not None:
            return result
        if arguments not in known:
            known[arguments] = method(self, *arguments)
        return known[arguments]

    return remembered
