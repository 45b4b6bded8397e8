"""The compiler's front end: from syntax trees to the core grammar and the plan of a dataset.

Read :mod:`sgl.frontend.passes` first: it runs the passes in order.  The front end has three rooms:

* :mod:`~sgl.frontend.names` collects declarations, and finds the one that each name means;
* :mod:`~sgl.frontend.elaborate` writes out abbreviations;
* :mod:`~sgl.frontend.lower` turns the result into the core grammar and the plan.
"""

from sgl.frontend.passes import Compilation, Compiled, compile_project, named_structures, run_passes

__all__ = ["Compilation", "Compiled", "compile_project", "named_structures", "run_passes"]
