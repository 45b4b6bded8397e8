"""From Lark's parse tree of a declaration to the syntax tree.

One method per production of ``grammar.lark``, named like it.
"""

from sgl.lang.builder.declarations import TreeBuilder

__all__ = ["TreeBuilder"]
