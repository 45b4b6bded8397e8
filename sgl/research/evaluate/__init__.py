"""Evaluate predictions: are they right, where not, and what is wrong?  ``sglc eval``.

::

    benchmark, runs           the rows of a dataset; the predictions of systems for them
    equivalence               Exact Match; logical forms that mean the same
    surface                   BLEU and chrF++, and how texts are cut into words
    realization               the words and phrases that a derivation writes
    query, partial            Partial Match: what a pattern is about, and is it there?
    trees                     edge accuracy; length and depth of items
    compounds, compound_*     compounds of CoGnition, also as the published script judges them
    scoring, evaluation       all items by all metrics, with everything that is at hand
    data, tables, page        the result as JSON, for the terminal and LaTeX, and as HTML
"""

from sgl.research.evaluate.equivalence import FormComparison, equivalent, reformatted_exact_match
