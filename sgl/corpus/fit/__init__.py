"""Weights from a corpus: how often the rules of a grammar are used in it.

::

    rows ──> readings ──> uses of rules ──> weights ──> a file that the grammar names
             (forests)    (certain, or       (EM)
                           expected)

``Collector`` reads corpora into a ``Sample``, ``estimate`` makes a ``Fit`` of it, and
``weights_file`` writes it in the author's words.
"""

from sgl.corpus.fit.estimate import (
    PRIORS,
    Fit,
    LeftOut,
    Options,
    Prior,
    Selection,
    Vector,
    estimate,
)
from sgl.corpus.fit.inside_outside import expected_uses
from sgl.corpus.fit.report import FATES, Change, Likelihood, changes, fit_data
from sgl.corpus.fit.sample import Collector, CorpusFile, Listed, Sample
from sgl.corpus.fit.weights_file import PROVENANCE, weights_data, weights_text

__all__ = [
    "FATES",
    "PRIORS",
    "PROVENANCE",
    "Change",
    "Collector",
    "CorpusFile",
    "Fit",
    "LeftOut",
    "Likelihood",
    "Listed",
    "Options",
    "Prior",
    "Sample",
    "Selection",
    "Vector",
    "changes",
    "estimate",
    "expected_uses",
    "fit_data",
    "weights_data",
    "weights_text",
]
