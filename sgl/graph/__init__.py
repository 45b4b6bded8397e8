"""Graphs and their written forms."""

from sgl.graph.conllu import ConlluError, conllu

__all__ = ["ConlluError", "conllu"]
