"""The language: reading ``.sgl`` files into syntax trees with places.

What a category or a layer means begins in :mod:`sgl.frontend`.
"""

#: Bytes that a grammar file, and a table, may have.  They stand here, so that whoever asks
#: whether a grammar is known need not import what reads one.
MAX_SOURCE = 4_000_000
MAX_TABLE = 32_000_000

#: The endings of the files that a grammar may name: tables, weights and relations; templates of views.  No other file
#: is opened, so that the grammar of a stranger, whose errors quote what it reads, shows nothing of your other files.
TABLE_SUFFIXES, TEMPLATE_SUFFIXES = (".yaml", ".yml"), (".j2", ".jinja")
SUFFIXES = (".sgl", ".irtg", *TABLE_SUFFIXES, *TEMPLATE_SUFFIXES)

#: The words of the language, in one place: for the reader, the docs and the colours.
_DECLARATIONS = """
    module use param layer view feature category labels words structure word literal lexicon forms
    rule paradigm function pattern part quota relation table restrict weights dataset
    release test
"""
_CLAUSES = """
    after allow ambiguous apart as assert be before capital contexts contrast copy depth distinct drop each
    exclude expose exposures first for forbid forget from gen if in instances is keep last lemmas length like
    longest may need never node not on only or output outside per reject repeat repeated seen shared
    size target targets to train unseen variant waive when where with within without
"""

#: Words that start a declaration, in the first column.
DECLARATIONS: tuple[str, ...] = tuple(_DECLARATIONS.split())

#: Words with a meaning of their own inside a declaration.
CLAUSES: tuple[str, ...] = tuple(_CLAUSES.split())
