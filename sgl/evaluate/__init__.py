"""Judging predictions: logical forms that mean the same."""

from sgl.evaluate.comparison import Comparison
from sgl.evaluate.equivalence import equivalent
from sgl.evaluate.reformatted import reformatted_exact_match

__all__ = ["Comparison", "equivalent", "reformatted_exact_match"]
