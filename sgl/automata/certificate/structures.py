"""Structures as data.

::

    { V -[nsubj|nsubj:pass]-> N[lemma=dog] } without { N -[nmod]{2,}-> M[#amod>=1] }

    variables [V, N]  links [[V, [0, nsubj, nsubj:pass], 1, 1, N]]  tests [[N, lemma, 0, dog]]
    variables [N, M]  links [[N, [0, nmod], 2, null, M]]   degrees [[M, [0, amod], ">=", 1]]

A list of labels or values has a number in front: 1 if it is negated.  A link is a walk with
its least and largest number of edges; an edge is a walk of one.
"""

from __future__ import annotations

from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure

Json = dict[str, object]


def structure_data(structure: Structure) -> Json:
    """The structure with everything that decides whether a graph contains it."""
    return {"bodies": [_body(body) for body in (structure.body, *structure.without)]}


def _body(body: Body) -> Json:
    names = [variable.name for variable in body.variables]
    return {
        "variables": names,
        "tests": [
            (variable.name, test.attribute, int(test.negated), *sorted(test.values))
            for variable in body.variables
            for test in variable.tests
        ],
        "degrees": [
            (variable.name, _labels(test.labels), test.comparison, test.number)
            for variable in body.variables
            for test in variable.degrees
        ],
        "links": [
            (names[atom.source], _labels(atom.labels), *_bounds(atom), names[atom.target])
            for atom in body.links
        ],
    }


def _labels(test: LabelTest) -> list[object]:
    return [int(test.negated), *sorted(test.labels)]


def _bounds(atom: EdgeAtom | PathAtom) -> tuple[int, int | None]:
    return (atom.low, atom.high) if isinstance(atom, PathAtom) else (1, 1)
