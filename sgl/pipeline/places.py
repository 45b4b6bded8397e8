"""Where the author wrote what a part of the dataset is about."""

from __future__ import annotations

from sgl.core.plan import EXPOSURE_PREFIX, PART_PREFIX
from sgl.core.structure import Structure
from sgl.diagnostics import Span
from sgl.frontend import Compiled
from sgl.frontend.plan import GEN
from sgl.lang import syntax as s


def place_of_stream(compiled: Compiled, stream: str) -> Span:
    """Return the clause that asks for a stratum: ``size``, ``expose``, or the size of the split.

    ``stream`` is the name of its stream: ``gen/PATTERN/1`` is the second part of
    ``size``, ``train/exposure:PATTERN/0`` the first ``expose``, ``train/part:PART/0``
    the first number of a part.  Of any other stream it is the dataset.
    """
    split, category, *index = [*stream.split("/"), ""]
    for part in compiled.parts:
        if category == PART_PREFIX + part.part.name:
            return part.sizes[int(index[0])]
    name = category.removeprefix(EXPOSURE_PREFIX)
    for lowered in compiled.patterns:
        if lowered.pattern.name == name:
            return lowered.span("size" if split == GEN else "expose", int(index[0]))
    for unit in compiled.project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, s.Dataset):
                for clause in declaration.clauses:
                    if clause.key.text == split:
                        return clause.span
    return compiled.dataset_span


def place_of_structure(compiled: Compiled, structure: Structure) -> Span | None:
    """The first clause of any declaration with this structure."""
    return next(iter(places_of_structure(compiled, structure)), None)


def places_of_structure(compiled: Compiled, structure: Structure) -> list[Span]:
    """For each declaration that has this structure its first clause with it."""
    places = (
        *(lowered.place(structure) for lowered in compiled.patterns),
        *(lowered.place(structure) for lowered in compiled.parts),
        *(lowered.place(structure) for lowered in compiled.restrictions),
    )
    return [place for place in places if place is not None]
