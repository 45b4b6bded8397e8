"""Say in the author's words that a structure is too large to decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.pipeline.places import place_of_structure


@contextmanager
def deciding(compiled: Compiled, diagnostics: Diagnostics) -> Iterator[None]:
    """Where structures become automata: reports the one that is too large, and goes on after."""
    try:
        yield
    except StructureTooCostly as problem:
        diagnostics.error(
            "SGL0810",
            place_of_structure(compiled, problem.structure),
            "this structure has too many ways to match: its automaton would be too large",
            notes=(f"the variable that costs most is `{problem.variable}`",),
            hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges",
        )
    except UnsupportedStructure as problem:
        diagnostics.error("SGL0810", compiled.dataset_span, str(problem))
