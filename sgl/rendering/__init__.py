"""Write derivations as texts, CoNLL-U and views of graphs."""

from sgl.rendering.conllu import ConlluError, conllu
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, outputs, text_output
