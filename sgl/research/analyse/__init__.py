"""Analyse treebanks, and how well systems reproduce their sentences; ``sglc analyse``.

How deep, long and tangled are the trees of a treebank?  Do systems do worse on some of them, and which structures are
to blame?  The measures and methods follow Shimorina, Parmentier and Gardent (2021), *An Error Analysis Framework
for Shallow Surface Realization*; they work on any treebank in CoNLL-U.
"""

from sgl.research.analyse.analysis import Analysis, analyse
from sgl.research.analyse.metrics import Measures, Sides, edge_accuracy, measure, sentence_bleu, without_punctuation
from sgl.research.analyse.scoring import AnalysisSettings
from sgl.research.treebank import TreebankReader, TreebankSentence, TreebankWord
