"""Divide work among processes or the workers of a cluster, in a way that can be resumed.

A *task* is a pure function of the grammar, the seed and a range of numbers, so it does not matter who runs it, when, or
how often.  Modules that start no workers import nothing heavy; tasks load Numba and Arrow.
"""
