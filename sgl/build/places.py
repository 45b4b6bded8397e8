"""Where the author wrote what a part of the dataset is about."""

from __future__ import annotations

from sgl.compile import Compiled
from sgl.compile.plan import GEN
from sgl.core.plan import EXPOSURE_PREFIX
from sgl.core.structure import Structure
from sgl.diagnostics import Span
from sgl.lang import syntax as s


def place_of_stream(compiled: Compiled, stream: str) -> Span:
    """The clause that asks for a stratum: ``size``, ``expose``, or the size of the split.

    ``stream`` is the name of its stream: ``gen/PATTERN/1`` is the second part of
    ``size``, ``train/exposure:PATTERN/0`` the first ``expose``.
    """
    split, category, *index = stream.split("/")
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
    """The first clause of any pattern with this structure."""
    places = (lowered.place(structure) for lowered in compiled.patterns)
    return next((place for place in places if place is not None), None)
