"""The structures that the author gave names, whether a pattern uses them or not.

Patterns refer to them by name and keep their meaning; whoever searches a corpus wants
to count them under their names.
"""

from __future__ import annotations

from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics
from sgl.frontend.compiler import Compiled
from sgl.frontend.names import resolve_names
from sgl.frontend.structures import StructureContext, lower_structure, vocabulary
from sgl.frontend.switches import set_parameters
from sgl.lang import syntax as s


def named_structures(compiled: Compiled) -> dict[str, Structure]:
    """Every ``structure`` that means something by itself, by name.

    One that asks for ``@targets`` depends on the pattern that uses it and is left out.
    """
    if not compiled.grammar.graph_layers:
        return {}
    layer = compiled.grammar.graph_layers[0].name
    words = vocabulary(compiled.grammar, 0)
    unsaid = Diagnostics()
    parameters = set_parameters(compiled.project, compiled.parameters, unsaid)
    names = resolve_names(compiled.project, parameters, unsaid)
    found: dict[str, Structure] = {}
    for declaration, scope in names.of(s.StructureDecl):
        context = StructureContext(layer, words, parameters, Diagnostics())
        structure = lower_structure(declaration.graph, scope, context)
        if structure is not None:
            found[declaration.name.text] = structure
    return found
