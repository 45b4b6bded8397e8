"""Weights from a corpus: how often the rules of a grammar are used in it.

``Collector`` reads corpora into a ``Sample``, ``estimate`` makes a ``Fit`` of it, and
``weights_file`` writes it in the author's words.
"""

from sgl.corpus.fit.estimate import Collector, Fit, LeftOut, Options, Sample, Selection, estimate, expected_uses
from sgl.corpus.fit.report import fit_data, weights_text
