"""Join a condition of a quota to the structure that its items contain.

A variable of the condition that has the name of a variable of the structure is that
variable, so that the two are found together and not somewhere in one sentence::

    gen     { V -[nsubj]-> N; N -[nmod]-> M }
    within  { C -[ccomp]-> V }
    joined  { V -[nsubj]-> N; N -[nmod]-> M; C -[ccomp]-> V }

A sentence contains the joined structure just when some match of the first can be
extended to the second.  All other variables of the condition are new nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from sgl.core.structure import Body, EdgeAtom, PathAtom, Structure, Variable


def join(first: Structure, second: Structure, shared: frozenset[str]) -> Structure:
    """The structure whose matches are those of ``first`` extended to ``second``.

    ``shared`` names the variables of ``second`` that are variables of the main body
    of ``first``.
    """
    names = _names_apart(first, second, shared)
    body = _united(first.body, _renamed(second.body, names))
    fresh = [name for name in _names(body) if name not in _names(first.body)]
    without = [
        variant for part in first.without for variant in _variants(part, _names(first.body), fresh)
    ]
    without += [_renamed(part, names) for part in second.without]
    return replace(first, body=body, without=tuple(dict.fromkeys(without)))


def _names(body: Body) -> list[str]:
    return [variable.name for variable in body.variables]


def _names_apart(first: Structure, second: Structure, shared: frozenset[str]) -> dict[str, str]:
    """New names for the variables of ``second``: none but the shared occurs in ``first``."""
    taken = {name for body in (first.body, *first.without) for name in _names(body)}
    own = dict.fromkeys(name for body in (second.body, *second.without) for name in _names(body))
    names: dict[str, str] = {}
    for name in own:
        chosen, number = name, 0
        while name not in shared and (chosen in taken or (chosen != name and chosen in own)):
            number += 1
            chosen = f"{name}_{number}"
        names[name] = chosen
        taken.add(chosen)
    return names


def _renamed(body: Body, names: Mapping[str, str]) -> Body:
    variables = (replace(v, name=names.get(v.name, v.name)) for v in body.variables)
    return replace(body, variables=tuple(variables))


def _united(first: Body, second: Body) -> Body:
    """Both conjunctions in one; variables of one name are one."""
    variables: dict[str, Variable] = {v.name: v for v in first.variables}
    for variable in second.variables:
        known = variables.get(variable.name, variable)
        variables[variable.name] = Variable(
            variable.name,
            tuple(dict.fromkeys((*known.tests, *variable.tests))),
            tuple(dict.fromkeys((*known.degrees, *variable.degrees))),
        )
    place = {name: number for number, name in enumerate(variables)}
    number_of = [place[variable.name] for variable in second.variables]

    def moved(link: EdgeAtom | PathAtom) -> tuple[int, int]:
        return number_of[link.source], number_of[link.target]

    edges = [EdgeAtom(moved(e)[0], e.labels, moved(e)[1]) for e in second.edges]
    paths = [PathAtom(moved(p)[0], p.labels, moved(p)[1], p.low, p.high) for p in second.paths]
    return Body(
        tuple(variables.values()),
        tuple(dict.fromkeys((*first.edges, *edges))),
        tuple(dict.fromkeys((*first.paths, *paths))),
    )


def _variants(part: Body, kept: Sequence[str], fresh: Sequence[str]) -> Iterator[Body]:
    """What rules out a match of the first structure, whatever nodes the second adds to it.

    The new variables of a ``without`` body differ from the nodes of the match.  The
    joined match has more nodes, and one of those may be what rules the match out:
    so there is a body for every way to take some of them for new variables.
    """
    own = [name for name in _names(part) if name not in kept]
    for size in range(min(len(own), len(fresh)) + 1):
        for chosen in combinations(own, size):
            for nodes in permutations(fresh, size):
                yield _renamed(part, dict(zip(chosen, nodes, strict=True)))
