"""A second opinion on inflected words: a morphological analyser reads them.

The paradigms of ``stdlib/ja`` make forms from dictionary forms; SudachiPy, which
knows nothing of them, leads forms back to dictionary forms.  A form is accepted
when the analyser finds the word of the lexicon in it, in a dictionary form of the
class that the lexicon gives, followed by what belongs to the form::

    行かれた = past of the passive of 行く (godan)     行く + れる + た
"""
