"""Diagnostics: the compiler's messages to an author.

Passes collect diagnostics in a :class:`Diagnostics` and go on; only the command line renders them.
"""

from sgl.diagnostics.model import *  # noqa: F403
from sgl.diagnostics.parts import attempt, each, sound, there, whole
from sgl.diagnostics.registry import CODES, Code
