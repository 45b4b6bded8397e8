"""Evaluate predictions: are they right, where not, and what is wrong?  ``sglc eval``."""

from sgl.research.evaluate.equivalence import FormComparison, equivalent, reformatted_exact_match
