"""What can go wrong when structures are compiled."""

from __future__ import annotations

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
