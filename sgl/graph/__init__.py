"""Graphs and their written forms: CoNLL-U, logical forms, and back from logical forms.

The views of semantic graphs are in ``sgl.graph.views``, by name.
"""

from sgl.graph.conllu import ConlluError, conllu
from sgl.graph.meaning import ViewError
from sgl.graph.output import Output, TextOutput, ViewOutput, outputs, written
from sgl.graph.read_cogs import read_cogs
from sgl.graph.read_varfree import read_varfree
from sgl.graph.reading import LogicalFormError

__all__ = [
    "ConlluError",
    "LogicalFormError",
    "Output",
    "TextOutput",
    "ViewError",
    "ViewOutput",
    "conllu",
    "outputs",
    "read_cogs",
    "read_varfree",
    "written",
]
