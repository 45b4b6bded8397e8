"""What derivations are written as: texts, CoNLL-U, views of graphs.

Read in this order: ``conllu`` and ``meaning`` (what a graph says), ``views`` (a module for each
notation), ``template`` (an author's own), ``output`` (all of them by name), ``templates`` (many
derivations at once).
"""

from sgl.rendering.conllu import ConlluError, conllu
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, TextOutput, ViewOutput, outputs, written
