"""The pieces of a held-out structure, found apart from the compiler.

A piece is what is left of a structure when one link is taken away, a path is made shorter,
or a number of edges is made smaller (``docs/guarantees.md``)::

    { V -[nsubj]-> N; N -[nmod]-> M }    { N -[nmod]-> M } and { V -[nsubj]-> N }

Pieces are compared up to the names of variables, so they are returned in a form in which
variables are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx

from sgl.verify.structure import (
    DegreeComparison,
    GraphPattern,
    Link,
    NodeVariable,
    StructureBody,
    read_structure,
)

#: A structure without names.
Nameless = tuple[Any, ...]


def nameless(text: str) -> Nameless:
    """Return a structure in the notation without the names of its variables."""
    return _nameless(read_structure(text))


def pieces_of(text: str) -> set[Nameless]:
    """Return the pieces of a structure in the notation."""
    structure, found = read_structure(text), set()
    for variables, links in _reduced(structure.body):
        for members in _parts(len(variables), links):
            own = [link for link in links if link.source in members]
            (first, *_) = members
            if own or variables[first].tests or variables[first].degrees:
                found.add(_nameless(_piece(structure, variables, own, members)))
    return found


def _reduced(body: StructureBody) -> Iterator[tuple[Sequence[NodeVariable], list[Link]]]:
    """Yield the body with one link less or shorter, or one count lower, in each possible way."""
    for pair in {frozenset((link.source, link.target)) for link in body.links}:
        own = [link for link in body.links if {link.source, link.target} == pair]
        rest = [link for link in body.links if link not in own]
        if len(own) == 1 and own[0].walk.low > 1:
            low = own[0].walk.low - 1
            rest.append(replace(own[0], walk=replace(own[0].walk, low=low, high=low)))
        yield body.variables, rest
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                lower = DegreeComparison(test.labels, test.comparison, test.number - 1)
                degrees = (*variable.degrees[:number], lower, *variable.degrees[number + 1 :])
                changed = replace(variable, degrees=degrees)
                variables = (*body.variables[:place], changed, *body.variables[place + 1 :])
                yield variables, [*body.links]


def _parts(size: int, links: Iterable[Link]) -> list[list[int]]:
    """Return the connected parts of the variables."""
    graph = nx.Graph([(link.source, link.target) for link in links])
    graph.add_nodes_from(range(size))
    return sorted(sorted(part) for part in nx.connected_components(graph))


def _piece(
    structure: GraphPattern, variables: Sequence[NodeVariable], own: list[Link], members: list[int]
) -> GraphPattern:
    """Return one connected part; a ``without`` stays if all nodes that it mentions do."""
    in_order = [link for link in own if link.walk.is_edge]
    in_order += [link for link in own if not link.walk.is_edge]
    mentioned = dict.fromkeys(end for link in in_order for end in (link.source, link.target))
    number = {old: new for new, old in enumerate(dict.fromkeys([*mentioned, *members]))}
    gone = {variable.name for variable in variables} - {variables[old].name for old in number}
    links = [replace(x, source=number[x.source], target=number[x.target]) for x in in_order]
    body = StructureBody(tuple(variables[old] for old in number), tuple(links))
    bodies = structure.without
    kept = [one for one in bodies if gone.isdisjoint(v.name for v in one.variables)]
    return GraphPattern(body, tuple(kept))


def _nameless(structure: GraphPattern) -> Nameless:
    names = {variable.name: n for n, variable in enumerate(structure.body.variables)}
    without = (_body(body, names) for body in structure.without)
    return _body(structure.body, names), *without


def _body(body: StructureBody, shared: Mapping[str, int]) -> Nameless:
    """Return a body with numbers for names; those that are not shared follow."""
    names = dict(shared)
    for variable in body.variables:
        names.setdefault(variable.name, len(names))
    numbers = [names[variable.name] for variable in body.variables]
    variables = [
        (number, frozenset(variable.tests), frozenset(variable.degrees))
        for number, variable in zip(numbers, body.variables, strict=True)
    ]
    links = [(numbers[link.source], link.walk, numbers[link.target]) for link in body.links]
    return frozenset(variables), frozenset(links)
