"""Evaluate predictions: are they right, where not, and what is wrong?  ``sglc eval``.

::

    benchmark                 the rows of a dataset, and the grammar that they come from
    equivalence               Exact Match; logical forms that mean the same
    surface                   BLEU and chrF++, and how texts are cut into words
    realization               what a derivation writes: words, phrases, trees and their edges
    query, partial            Partial Match: what a pattern is about, and is it there?
    compounds, compound_*     compounds of CoGnition, also as the published script judges them
    scoring, command          the predictions of systems, by all metrics; all that is at hand
    data, tables              the result as JSON and as HTML, for the terminal and LaTeX
"""

from sgl.research.evaluate.equivalence import FormComparison, equivalent, reformatted_exact_match
