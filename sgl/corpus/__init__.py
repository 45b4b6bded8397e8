"""Corpora that somebody else has made: their rows, and their spelling.

``Corpus`` reads a file row by row, whatever is in it; ``Speller`` brings a sentence
into the spelling of a layer, as far as that is asked for.
"""

from sgl.corpus.rows import Corpus, Row, Unreadable
from sgl.corpus.spelling import DIFFERENCES, Speller

__all__ = ["DIFFERENCES", "Corpus", "Row", "Speller", "Unreadable"]
