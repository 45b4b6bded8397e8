"""Evaluate predictions: which are right, where systems fail, and how.  ``sglc eval``."""

from sgl.research.evaluate.equivalence import FormComparison, equivalent, reformatted_exact_match
