"""The syntax tree: one frozen value per thing an author can write.

Every node has the span it was written at.  Names stay :class:`Name` values (text
and place), so that a later pass can point at the very word it complains about.
"""

from sgl.lang.syntax.declarations import *  # noqa: F403
from sgl.lang.syntax.rules import *  # noqa: F403
from sgl.lang.syntax.structures import *  # noqa: F403
