"""The language: read ``.sgl`` files into syntax trees with source positions.

The meaning of categories and layers begins in :mod:`sgl.frontend`.
"""

#: Maximum size of a grammar file, and of a table, in bytes.  Defined here so that looking up a grammar in the cache
#: does not import the reader.
MAX_SOURCE = 4_000_000
MAX_TABLE = 32_000_000

#: The extensions of files that a grammar may name: tables, weights and relations; templates of views.  No other file is
#: opened, so that a stranger's grammar, whose errors quote what it reads, reveals none of your other files.
TABLE_SUFFIXES, TEMPLATE_SUFFIXES = (".yaml", ".yml"), (".j2", ".jinja")
SUFFIXES = (".sgl", ".irtg", *TABLE_SUFFIXES, *TEMPLATE_SUFFIXES)

#: The keywords of the language, in one place: for the reader, the docs and the syntax colouring.
_DECLARATIONS = """
    module use param limit layer view column feature category labels words structure word literal lexicon forms
    rule paradigm function pattern part quota relation table restrict weights dataset
    release test
"""
_CLAUSES = """
    after allow ambiguous and apart as assert at be before capital contexts contrast copy depth distinct drop each
    example exclude expose exposures first for forbid forget from gen if in input instances is keep last lemmas length
    like longest may mod most names need never node not of on only or output outside per reject repeat repeated seen
    shared size target targets to train unseen variant waive when where with within without
"""

#: Keywords that start a declaration, in the first column.
DECLARATIONS: tuple[str, ...] = tuple(_DECLARATIONS.split())

#: Keywords inside a declaration.
CLAUSES: tuple[str, ...] = tuple(_CLAUSES.split())
