"""How the words of a lexicon share its weight: equally, by rank, or by a column."""

from __future__ import annotations

from dataclasses import dataclass

from sgl.diagnostics import Label, suggest
from sgl.frontend.morphology import Evaluation
from sgl.frontend.parameters import decimal
from sgl.frontend.state import State
from sgl.lang import syntax as s
from sgl.lang.yaml_files import TableRow

_DISTRIBUTIONS = ("zipf", "uniform")
_LARGEST = 1e12
_STEEPEST = 20.0


@dataclass(frozen=True, slots=True)
class Weighting:
    """The total weight of a lexicon and what the shares of its words follow.

    ``exponent`` is that of Zipf's law (None: not by rank), ``column`` the column
    with the shares, if there is one.
    """

    total: float = 1.0
    exponent: float | None = None
    column: s.Column | None = None

    def share(self, row: TableRow, evaluation: Evaluation) -> float:
        """The share of one row before ranks are known."""
        if self.column is None:
            return 1.0
        text = evaluation.value(self.column)
        number = decimal(text or "")
        if number is not None and 0 < number < _LARGEST:
            return number
        if text is not None:
            evaluation.diagnostics.error(
                "SGL0701",
                row.span,
                f"the weight in the column `{self.column.name}` is `{text}`, not a positive number",
                labels=[Label(self.column.span, "asked for here")],
            )
        return 1.0


def weighting_of(lexicon: s.Lexicon, state: State) -> Weighting:
    """What is written after ``~``; equal shares of 1 without it or after a report."""
    weight = lexicon.weight
    if weight is None:
        return Weighting()
    total = _number(weight.factor, state)
    exponent = _exponent(weight, state)
    if not 0 < total < _LARGEST or (exponent is not None and not 0 < exponent < _STEEPEST):
        state.diagnostics.error(
            "SGL0701",
            weight.span,
            "the weight of a lexicon and the exponent must be positive",
            hint=f"an exponent is below {_STEEPEST:g}; that of natural vocabularies is about 1",
        )
        return Weighting()
    return Weighting(total, exponent, weight.column)


def _exponent(weight: s.Weight, state: State) -> float | None:
    kind = weight.kind
    if kind is None or kind.text == "uniform":
        return None
    if kind.text == "zipf":
        return _number(weight.argument, state)
    state.diagnostics.error(
        "SGL0701",
        kind.span,
        f"there is no distribution `{kind}`",
        hint=suggest(kind.text, _DISTRIBUTIONS) or "write `zipf(1.0)` or `uniform`",
    )
    return None


def _number(name: s.Name | None, state: State) -> float:
    """The number that is written or named; 1 without one or after a report."""
    number = state.parameters.number(name) if name is not None else None
    return number if number is not None else 1.0
