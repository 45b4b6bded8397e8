"""The compiler's front end: from syntax trees to the core grammar and the plan of a dataset.

Read :data:`~sgl.frontend.passes.PASSES` first: it lists the passes in their order, with what
each of them needs; the docstring of each says what holds before and after it.
"""

from sgl.frontend.passes import PASSES, Compiled, Pass, compile_project, compiled_of, named_structures, run_passes
from sgl.frontend.state import CompilerState

__all__ = [
    "PASSES",
    "Compiled",
    "CompilerState",
    "Pass",
    "compile_project",
    "compiled_of",
    "named_structures",
    "run_passes",
]
