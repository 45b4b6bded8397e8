"""Say in the author's words that a structure is too large to decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.diagnostics import Diagnostic, Diagnostics, Severity
from sgl.frontend import Compiled
from sgl.pipeline.places import place_of_structure


@contextmanager
def deciding(compiled: Compiled, diagnostics: Diagnostics) -> Iterator[None]:
    """Report a structure that is too large for an automaton, and go on after the block."""
    try:
        yield
    except (StructureTooCostly, UnsupportedStructure) as problem:
        diagnostics.add(undecided(problem, compiled))


def undecided(
    problem: StructureTooCostly | UnsupportedStructure, compiled: Compiled | None
) -> Diagnostic:
    """Return what there is to say about a structure that cannot be decided."""
    if isinstance(problem, UnsupportedStructure):
        place = None if compiled is None else compiled.dataset_span
        return Diagnostic("SGL0810", Severity.ERROR, place, str(problem))
    return Diagnostic(
        "SGL0810",
        Severity.ERROR,
        None if compiled is None else place_of_structure(compiled, problem.structure),
        "this structure has too many ways to match: its automaton would be too large",
        notes=(f"the variable that costs most is `{problem.variable}`",),
        hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges",
    )
