"""Check inflected words independently with a morphological analyser.

The paradigms of ``stdlib/ja`` make forms; SudachiPy, which does not use them, maps forms back to dictionary forms.  A
form is accepted if the analyser finds the lexicon's word in it, followed by the morphemes of the form: 行かれた is 行く
+ れる + た.
"""
