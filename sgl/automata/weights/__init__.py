"""Compute probabilities, sizes and counts of the derivations that an automaton accepts.

Weighted grammars: Goodman (1999), *Semiring Parsing*; Booth & Thompson (1973) for moments; Etessami & Yannakakis (2009)
for the least solution of the equations.
"""
