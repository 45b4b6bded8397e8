"""Diagnostics: what the compiler tells an author.

Passes collect diagnostics in a :class:`Diagnostics` and go on; only the command line renders them.
"""

from sgl.diagnostics.model import (
    Diagnostic,
    Diagnostics,
    FileDependencies,
    Label,
    Severity,
    SourceFile,
    SourceMap,
    Span,
    one_slip,
    shortlist,
    suggest,
    suggested,
)
from sgl.diagnostics.registry import CODES, Code
