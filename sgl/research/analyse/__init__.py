"""Analyse treebanks, and what systems that write sentences make of them; ``sglc analyse``.

How deep, long and tangled are the trees of a treebank?  Do systems do worse on some of them,
and which structures are to blame?  The measures and methods are those of Shimorina,
Parmentier and Gardent (2021), *An Error Analysis Framework for Shallow Surface Realization*;
they work on any treebank in CoNLL-U::

    predictions, words     outputs of systems; when two words are the same
    metrics, scoring       measures of a tree and scores of an output; the columns of all
    mining, statistics     structures of failed sentences; correlations and tests
    analysis               a pass over the treebank, and what is found in the columns
    tables                 the findings for the terminal and LaTeX, and as HTML
"""

from sgl.research.analyse.analysis import Analysis, analyse
from sgl.research.analyse.metrics import (
    Measures,
    Sides,
    edge_accuracy,
    measure,
    sentence_bleu,
    without_punctuation,
)
from sgl.research.analyse.scoring import AnalysisSettings
from sgl.research.treebank import TreebankReader, TreebankSentence, TreebankWord
