"""The language: reading ``.sgl`` files into syntax trees with places.

What a category or a layer means begins in :mod:`sgl.frontend`.
"""

#: Bytes that a grammar file, and a table, may have.  They stand here, so that whoever asks
#: whether a grammar is known need not import what reads one.
MAX_SOURCE = 4_000_000
MAX_TABLE = 32_000_000
