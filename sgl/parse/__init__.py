"""Parsing: from the sentences of a text layer back to derivations.

::

    sentence ──> lattice ──> chart ──> packed forest ──> derivations
                 (words)     (spans)   (rules)

``Parser(grammar, layer)`` reads any text layer of a core grammar.  It checks the
sentences that authors write beside their rules, and a derivation found in one
layer can be interpreted in all others.
"""

from sgl.parse.errors import UnparsableLayerError
from sgl.parse.parser import LIMIT, Parser

__all__ = ["LIMIT", "Parser", "UnparsableLayerError"]
