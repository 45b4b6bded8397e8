"""Exchange grammars with other tools: Alto's IRTGs and NLTK's PCFGs.

Features that a target format lacks are compiled away if possible (``capital``), and reported otherwise.
"""

from sgl.research.exchange.irtg_file import read_irtg
from sgl.research.exchange.lower_irtg import ImportedGrammar, lower_irtg
from sgl.research.exchange.write_sgl import with_source, write_sgl
from sgl.research.exchange.write_tools import without_capitals, write_irtg, write_nltk
