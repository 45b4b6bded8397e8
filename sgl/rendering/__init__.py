"""Graphs and their written forms: CoNLL-U, logical forms, and back from logical forms.

The views of semantic graphs are in ``sgl.rendering.views``, by name.
"""

from sgl.rendering.conllu import ConlluError, conllu
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, TextOutput, ViewOutput, outputs, written
from sgl.rendering.read_cogs import read_cogs
from sgl.rendering.read_varfree import read_varfree
from sgl.rendering.reading import LogicalFormError

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
