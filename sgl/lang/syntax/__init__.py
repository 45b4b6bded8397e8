"""The syntax tree: a frozen class for each construct of the language.

Every node has its span.  Names stay :class:`Name` values (text and place), so that a later pass can point at the exact
word.
"""

from sgl.lang.syntax.declarations import *  # noqa: F403
from sgl.lang.syntax.files import *  # noqa: F403
from sgl.lang.syntax.rules import *  # noqa: F403
from sgl.lang.syntax.structures import *  # noqa: F403
