"""Recipes: the tables of a paper from the outputs of systems, beside the published figures."""
