"""The core grammar: a weighted regular tree grammar with its interpretations.

Everything the later stages need, and nothing the author wrote that they do not:
categories and rules are integers, features are expanded, morphology is
evaluated.  All values are immutable.
"""
