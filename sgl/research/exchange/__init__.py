"""Grammars from and for other tools: Alto's IRTGs, the PCFGs of NLTK.

::

    write_irtg   core grammar -> text        read_irtg    text -> syntax
    write_nltk   core grammar -> text        lower_irtg   syntax -> core grammar
    write_sgl    core grammar -> text        with_source  -> core grammar with a source layer

What a target cannot say is compiled away where that is possible (``capital``, by
:mod:`sgl.research.exchange.capitals`) and reported where it is not.
"""

from sgl.research.exchange.capitals import without_capitals
from sgl.research.exchange.irtg_file import read_irtg
from sgl.research.exchange.lower_irtg import ImportedGrammar, lower_irtg
from sgl.research.exchange.source_layer import with_source
from sgl.research.exchange.write_irtg import write_irtg
from sgl.research.exchange.write_nltk import write_nltk
from sgl.research.exchange.write_sgl import write_sgl
