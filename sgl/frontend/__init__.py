"""The compiler's front end: from syntax trees to the core grammar.

The passes run in this order, each in a module named by its verb; every pass
takes values and returns values, and reports what is wrong on the way:

==============  ===========================================================
``switches``    parameters are set, declarations under ``when`` chosen
``names``       every name means one declaration; layers, features, categories
``lexicons``    tables become words, morphology is evaluated
``expand``      features become categories; what cannot be built is dropped
``lower``       rules become templates and graph fragments
``check_graphs``  words form trees, ports are bound, placeholders filled
``structures``  patterns become structures over the graph layers
``plan``        patterns and the dataset become strata
==============  ===========================================================
"""

from sgl.frontend.compiler import Compiled, compile_project
from sgl.frontend.named_structures import named_structures

__all__ = ["Compiled", "compile_project", "named_structures"]
