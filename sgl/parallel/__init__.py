"""Divide work among processes or the workers of a cluster, so that it can be resumed.

A *task* is a pure function of the grammar, the seed and a range of numbers, so it does not matter who does it, when,
or how often.  The modules that start nothing import nothing heavy; Numba and Arrow are loaded by tasks.
"""
