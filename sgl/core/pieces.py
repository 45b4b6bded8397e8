"""List the pieces of a structure, which a model has seen if it has seen everything smaller.

A benchmark that holds a structure out claims that training shows everything smaller.  The *pieces* of a structure are
what remains if one link is taken away, a path is one shorter, or a number of edges one less.  A *link* is everything
that a structure says about two nodes together: a relative clause and its gap are one.  If the rest falls apart, each
connected part is a piece.  A single node without a test is not a piece.  A ``without`` stays with a piece that has all
its nodes.

    { V -[nsubj]-> N; N -[nmod]-> M }     { V -[nsubj]-> N }   { N -[nmod]-> M }
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from sgl.core.graphs import components
from sgl.core.joint import LAYER
from sgl.core.structure import Body, Link, Structure, Variable


def pieces_of(structure: Structure) -> tuple[Structure, ...]:
    """Return the pieces of a structure, distinct up to the names of variables."""
    pieces: dict[Structure, Structure] = {}
    for piece in _pieces(structure):
        pieces.setdefault(piece.canonical() if piece.body.variables else piece, piece)
    return tuple(pieces.values())


def _pieces(structure: Structure) -> Iterator[Structure]:
    whole = structure.body
    for test in whole.lengths if whole.variables or whole.lengths[1:] else ():
        yield replace(structure, body=Body((), lengths=(test,)), without=())
    for body in _smaller(whole):
        for members in connected(body):
            own = [link for link in body.links if link.source in members]
            if own or _says_something(body.variables[members[0]]):
                yield _piece(structure, body.variables, own, members)


def connected(body: Body) -> list[list[int]]:
    """Return the variables of each connected part, in order."""
    linked: dict[int, list[int]] = {node: [] for node in range(len(body.variables))}
    for link in body.links:
        linked[link.source].append(link.target)
        linked[link.target].append(link.source)
    return sorted(sorted(part) for part in components(linked))


def _smaller(body: Body) -> Iterator[Body]:
    if body.lengths:
        # A length is not connected to anything: the rest without it is a piece.
        yield replace(body, lengths=())
    else:
        yield from _with_less(body)
        yield from _with_lower_counts(body)


def _with_less(body: Body) -> Iterator[Body]:
    """Yield the body with one link removed or shortened, in each possible way."""
    for pair in dict.fromkeys(frozenset((link.source, link.target)) for link in body.links):
        own = [link for link in body.links if {link.source, link.target} == pair]
        rest = [link for link in body.links if {link.source, link.target} != pair]
        if len(own) == 1 and own[0].low > 1:
            low = own[0].low - 1
            rest.append(replace(own[0], low=low, high=low))
        yield replace(body, links=tuple(rest))


def _with_lower_counts(body: Body) -> Iterator[Body]:
    """Yield the body with one number of edges lower, in each possible way."""
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                lower = replace(test, number=test.number - 1)
                degrees = (*variable.degrees[:number], lower, *variable.degrees[number + 1 :])
                changed = replace(variable, degrees=degrees)
                yield replace(body, variables=(*body.variables[:place], changed, *body.variables[place + 1 :]))


def _says_something(alone: Variable) -> bool:
    return bool(alone.degrees) or any(test.attribute != LAYER for test in alone.tests)


def _piece(
    structure: Structure, variables: Sequence[Variable], links: Sequence[Link], members: Collection[int]
) -> Structure:
    """Return the structure of one connected part."""
    # Number nodes in order of mention, so that the piece reads as an author would write it.
    in_order = sorted(links, key=lambda link: not link.is_edge)
    ends = chain.from_iterable((link.source, link.target) for link in in_order)
    number = {old: new for new, old in enumerate(dict.fromkeys([*ends, *members]))}
    body = Body(tuple(variables[old] for old in number), tuple(link.between(number) for link in in_order))
    # A `without` stays with a piece that has all the nodes that it mentions.
    gone = _names(structure.body) - _names(body)
    return replace(
        structure, body=body, without=tuple(own for own in structure.without if gone.isdisjoint(_names(own)))
    )


def _names(body: Body) -> set[str]:
    return {variable.name for variable in body.variables}
