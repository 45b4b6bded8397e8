"""Say where in the author's files something is: strata, structures, what cannot be decided."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.core.plan import EXPOSURE_PREFIX, NEED_PREFIX, PART_PREFIX
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, Span
from sgl.frontend import Compiled
from sgl.frontend.plan import GEN
from sgl.lang import syntax as s


def place_of_stream(compiled: Compiled, stream: str) -> Span:
    """Return the clause that asks for a stratum: ``size``, ``expose``, or the size of the split.

    ``stream`` is the name of its stream: ``gen/PATTERN/1`` is the second part of
    ``size``, ``train/exposure:PATTERN/0`` the first ``expose``, ``train/part:PART/0``
    the first number of a part, ``train/need:PATTERN/0`` the first ``need``.  Of
    any other stream it is the dataset.
    """
    split, category, *index = [*stream.split("/"), ""]
    for part in compiled.parts:
        if category == PART_PREFIX + part.part.name:
            return part.sizes[int(index[0])]
    name = category.removeprefix(EXPOSURE_PREFIX).removeprefix(NEED_PREFIX)
    kind = "need" if category.startswith(NEED_PREFIX) else "expose"
    for lowered in compiled.patterns:
        if lowered.pattern.name == name:
            return lowered.span("size" if split == GEN else kind, int(index[0]))
    declarations = (d for unit in compiled.project.units for d in unit.file.declarations)
    datasets = (d for d in declarations if isinstance(d, s.Dataset))
    sizes = (c.span for dataset in datasets for c in dataset.clauses if c.key.text == split)
    return next(sizes, compiled.dataset_span)


def places_of_structure(compiled: Compiled, structure: Structure) -> list[Span]:
    """Return for each declaration that has this structure its first clause with it."""
    places = (
        *(lowered.places for lowered in compiled.patterns),
        *(lowered.places for lowered in compiled.parts),
        *(lowered.places for lowered in compiled.restrictions),
    )
    return [found[structure] for found in places if structure in found]


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
    places = [] if compiled is None else places_of_structure(compiled, problem.structure)
    return Diagnostic(
        "SGL0810",
        Severity.ERROR,
        next(iter(places), None),
        "this structure has too many ways to match: its automaton would be too large",
        notes=(f"the variable that costs most is `{problem.variable}`",),
        hint=f"give `{problem.variable}` a test such as [upos=NOUN], or label its edges; "
        f"`--limit matches=NUMBER` changes the limit of {problem.budget:,} steps",
    )
