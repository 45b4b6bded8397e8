"""Fill columns of texts from templates, for many derivations at once.

What is filled in is the same whatever the notation: constants, words, other columns and the
numbers of rows.  The plain definition of it is ``sgl.rendering.templates.TemplateWriter``.
"""

from sgl.accel.write.table import TemplateTable
