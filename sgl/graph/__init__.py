"""Graphs and their written forms."""

from sgl.graph.conllu import ConlluError, conllu
from sgl.graph.output import Output, TextOutput, ViewOutput, outputs, view_renderer

__all__ = [
    "ConlluError",
    "Output",
    "TextOutput",
    "ViewOutput",
    "conllu",
    "outputs",
    "view_renderer",
]
