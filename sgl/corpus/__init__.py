"""Read rows that others have made.

``Corpus`` reads a file row by row, whatever is in it; ``Normalizer`` rewrites a sentence in the spelling of a layer.
:mod:`sgl.corpus.audit` counts how a grammar reads the rows; :mod:`sgl.corpus.fit` estimates weights from them.
"""

from sgl.corpus.rows import DIFFERENCES, Corpus, CorpusRow, Normalizer, Unreadable, normalizer_of
