"""A second opinion on inflected words: a morphological analyser reads them.

The paradigms of ``stdlib/ja`` make forms; SudachiPy, which knows nothing of them, leads forms back
to dictionary forms.  A form is accepted when the analyser finds the word of the lexicon in it,
followed by what belongs to the form: 行かれた is 行く + れる + た.
"""
