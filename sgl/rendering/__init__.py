"""What derivations are written as: texts, CoNLL-U, views of graphs; and logical forms read back.

Read in this order: ``conllu`` and ``meaning`` (what a graph says), ``views`` (a module for each
notation), ``template`` (an author's own), ``output`` (all of them by name), ``templates`` (many
derivations at once).
"""

from sgl.rendering.conllu import ConlluError, conllu
from sgl.rendering.forms import LogicalFormError
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, TextOutput, ViewOutput, outputs, written
from sgl.rendering.readers import read_cogs, read_varfree

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
