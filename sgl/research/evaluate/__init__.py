"""Evaluate predictions: are they right, where not, and what is wrong?  ``sglc eval``.

::

    benchmark, runs           the rows of a dataset; the predictions of systems for them
    equivalence               Exact Match; logical forms that mean the same
    segmentation, surface     BLEU and chrF++
    matcher, realization      where a structure is, and which words and phrases that are
    query, particles, partial Partial Match: what a pattern is about, and is it there?
    trees                     edge accuracy; length and depth of items
    compounds, compound_*     compounds of CoGnition; published_compounds as its script does
    scoring, significance     all items by all metrics; differences between systems
    data, tables, page        the result as JSON, for the terminal and LaTeX, and as HTML
"""

from sgl.research.evaluate.equivalence import (
    FormComparison,
    equivalent,
    reformatted_exact_match,
)

__all__ = ["FormComparison", "equivalent", "reformatted_exact_match"]
