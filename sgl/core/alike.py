"""When two structures are one: whatever their variables are called, and in whatever order their parts are written.

Variables are told apart by what is said of them, and then, round by round, by the variables that they are linked with
(colour refinement); of those that are still alike the first is set apart, and the rounds begin anew.
"""

from collections.abc import Hashable, Sequence

from sgl.core.structure import Body, Structure, Variable

#: What a link says: whether it is of a ``without``, its labels and its bounds.  And a link of a variable: what it says,
#: whether it leaves, and the colour of the other end.
_Said = tuple[int, str, int, int]
_Incident = tuple[_Said, bool, int]


def key(structure: Structure) -> Hashable:
    """Return what structures have in common only if they say the same of the same parts.

    Structures that are alike nearly always have it: not some whose variables are alike although no renaming of the
    whole takes one to the other.
    """
    bodies = (structure.body, *structure.without)
    number = {name: place for place, name in enumerate(_numbered(bodies))}

    def part(body: Body) -> Hashable:
        own = [number[variable.name] for variable in body.variables]
        said = sorted((number[variable.name], *_said(variable)) for variable in body.variables)
        links = sorted(
            (own[link.source], str(link.labels), link.low, link.high or 0, own[link.target]) for link in body.links
        )
        return tuple(said), tuple(links), tuple(sorted(map(str, body.lengths)))

    return structure.layer, part(structure.body), tuple(sorted(map(repr, map(part, structure.without))))


def _numbered(bodies: Sequence[Body]) -> list[str]:
    """Return the names of the variables in an order that does not depend on names or on the order of the parts."""
    names = list(dict.fromkeys(variable.name for body in bodies for variable in body.variables))
    said: dict[str, list[Hashable]] = {name: [] for name in names}
    for place, body in enumerate(bodies):
        for variable in body.variables:
            said[variable.name].append((min(place, 1), *_said(variable)))
    colours = _ranked({name: sorted(map(repr, own)) for name, own in said.items()})
    while len(set(colours.values())) < len(names):
        refined = _refined(bodies, colours)
        if len(set(refined.values())) > len(set(colours.values())):
            colours = refined
            continue
        alike = min(colour for colour in colours.values() if [*colours.values()].count(colour) > 1)
        first = next(name for name in names if colours[name] == alike)
        colours = _ranked({name: (colour, name != first) for name, colour in colours.items()})
    return sorted(names, key=colours.__getitem__)


def _refined(bodies: Sequence[Body], colours: dict[str, int]) -> dict[str, int]:
    """Return finer colours: a variable's own with those of the variables that it is linked with."""
    incident: dict[str, list[_Incident]] = {name: [] for name in colours}
    for place, body in enumerate(bodies):
        for link in body.links:
            source, target = body.variables[link.source].name, body.variables[link.target].name
            said = min(place, 1), str(link.labels), link.low, link.high or 0
            incident[source].append((said, True, colours[target]))
            incident[target].append((said, False, colours[source]))
    return _ranked({name: (colour, sorted(incident[name])) for name, colour in colours.items()})


def _ranked(marks: dict[str, object]) -> dict[str, int]:
    """Return whole numbers that are equal and ordered as the marks are, by what is written of them."""
    ranks = {mark: rank for rank, mark in enumerate(sorted({repr(mark) for mark in marks.values()}))}
    return {name: ranks[repr(mark)] for name, mark in marks.items()}


def _said(variable: Variable) -> tuple[str, ...]:
    return (*sorted(map(str, variable.tests)), "", *sorted(map(str, variable.degrees)))
