"""What all floors of the package share: its errors, and the numbering of values."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from sgl.core.structure import Structure


class AutomataError(Exception):
    """Base of all errors of this package."""


class UnsupportedStructure(AutomataError):
    """What the automata cannot express.

    A structure, a rule of the grammar, or so many structures together that their
    automaton would be too large.
    """


class BudgetSpent(AutomataError):
    """A computation has used up its budget of elementary steps."""


class StructureTooCostly(AutomataError):
    """The automaton of a structure needs more work than its budget allows.

    ``variable`` names the node variable to constrain first: it is tracked from
    the moment a node is created and has the fewest tests.
    """

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
    """Gives equal values the same number, counting from 0; ``values[n]`` is number ``n``.

    >>> words = Numbering[str]()
    >>> [words.number(word) for word in ("the", "dog", "the")]
    [0, 1, 0]
    >>> words.values
    ['the', 'dog']
    """

    def __init__(self) -> None:
        self.values: list[_T] = []
        self._numbers: dict[_T, int] = {}

    def __len__(self) -> int:
        return len(self.values)

    def number(self, value: _T) -> int:
        """Return the number of a value, a new one if the value is new."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number
