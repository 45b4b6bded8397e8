"""Slips of the program, and whether its tests notice them (``benchmarks/mutations.py``)."""
