"""Everything that reads rows that somebody else has made.

``Corpus`` reads a file row by row, whatever is in it; ``Normalizer`` rewrites a sentence in the spelling of a layer.
:mod:`sgl.corpus.audit` counts what a grammar makes of the rows, :mod:`sgl.corpus.fit` estimates weights from it.
"""

from sgl.corpus.rows import DIFFERENCES, Corpus, CorpusRow, Normalizer, Unreadable, normalizer_of
