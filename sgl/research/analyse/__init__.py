"""Analyse treebanks, and what systems that write sentences make of them.

How deep, long and tangled are the trees of a treebank?  Do systems do worse on some of them,
and which structures are to blame?  The measures and methods are those of Shimorina,
Parmentier and Gardent (2021), *An Error Analysis Framework for Shallow Surface Realization*;
they work on any treebank in CoNLL-U.
"""

from sgl.research.analyse.analysis import analyse
from sgl.research.analyse.bleu import sentence_bleu
from sgl.research.analyse.order import Kept, Sides, edge_accuracy
from sgl.research.analyse.result import Analysis, Settings
from sgl.research.analyse.tree import Measures, measure, without_punctuation
from sgl.research.treebank import Malformed, Sentence, TreebankReader, Word

__all__ = [
    "Analysis",
    "Kept",
    "Malformed",
    "Measures",
    "Sentence",
    "Settings",
    "Sides",
    "TreebankReader",
    "Word",
    "analyse",
    "edge_accuracy",
    "measure",
    "sentence_bleu",
    "without_punctuation",
]
