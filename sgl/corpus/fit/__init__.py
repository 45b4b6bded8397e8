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
    expected_uses,
)
from sgl.corpus.fit.report import (
    FATES,
    PROVENANCE,
    Change,
    Likelihood,
    changes,
    fit_data,
    weights_data,
    weights_text,
)
from sgl.corpus.fit.sample import Collector, CorpusFile, Sample
from sgl.corpus.rows import ListedRow

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
    "ListedRow",
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
