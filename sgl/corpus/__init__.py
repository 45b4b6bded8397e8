"""Read corpora that were made elsewhere.

``Corpus`` reads any file row by row; ``Normalizer`` rewrites a sentence in the spelling of a layer.
:mod:`sgl.corpus.audit` counts how a grammar reads the rows; :mod:`sgl.corpus.fit` estimates weights from them.
"""

from sgl.corpus.rows import DIFFERENCES, Corpus, CorpusRow, Normalizer, Unreadable, normalizer_of
