"""Recipes: the tables of a paper from the outputs of systems, beside the published figures.

A recipe is data (``papers/*.yml``): which evaluations to run, which of their figures make which
table, and what the paper has there.
"""
