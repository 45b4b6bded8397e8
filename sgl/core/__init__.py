"""Define the core grammar: a weighted regular tree grammar with its interpretations.

Categories and rules are integers, features are expanded, morphology is evaluated.  All values are immutable.
"""
