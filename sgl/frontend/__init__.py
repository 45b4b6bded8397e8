"""The compiler's front end: from syntax trees to the core grammar and the plan of a dataset.

Read :mod:`sgl.frontend.passes` first: it runs the passes in order.  The front end has three rooms:

* :mod:`~sgl.frontend.names`: what there is, and which declaration each name means;
* :mod:`~sgl.frontend.elaborate`: what is abbreviated is written out;
* :mod:`~sgl.frontend.lower`: what is written out becomes the core grammar and the plan.
"""

from sgl.frontend.passes import Compilation, Compiled, compile_project, named_structures, run_passes

__all__ = ["Compilation", "Compiled", "compile_project", "named_structures", "run_passes"]
