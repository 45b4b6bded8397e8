"""Grammars from and for other tools: Alto's IRTGs, the PCFGs of NLTK.

What a target cannot say is compiled away where that is possible (``capital``) and reported where it is not.
"""

from sgl.research.exchange.irtg_file import read_irtg
from sgl.research.exchange.lower_irtg import ImportedGrammar, lower_irtg
from sgl.research.exchange.write_sgl import with_source, write_sgl
from sgl.research.exchange.write_tools import without_capitals, write_irtg, write_nltk
