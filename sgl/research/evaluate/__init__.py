"""Judging predictions: are they right, where not, and what is wrong with them?

::

    benchmark, predictions    the rows and what was said for them
    exact, surface            texts: Exact Match, BLEU and chrF++
    equivalence, reformatted  logical forms that mean the same
    partial                   what a pattern is about: asked, said, bindings, chunks
    compounds                 compounds of CoGnition
    scoring, result           all items by all metrics; the tables made from them
    significance              differences between systems
"""

from sgl.research.evaluate.comparison import Comparison
from sgl.research.evaluate.equivalence import equivalent
from sgl.research.evaluate.reformatted import reformatted_exact_match

__all__ = ["Comparison", "equivalent", "reformatted_exact_match"]
