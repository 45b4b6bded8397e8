"""Structures as data: bodies over numbered variables, and the text that a reader sees.

::

    { V -[nsubj|nsubj:pass]-> N } without { N[lemma=dog] -[nmod]+-> M }

    relations   0: [[0, "nsubj", "nsubj:pass"]]     1: [[0, "nmod"], 1, null]
    bodies      variables 0 1  names V N            links [[0, 0, 1]]
                variables 1 2  names N M            links [[1, 1, 2]]
                                                    tests [[1, "lemma", 0, "dog"]]

A relation is a test on labels (1 in front: negated), for walks with the least and the
largest length.  Variables of a ``without`` that are not in the first body are numbered
after those.
"""

from __future__ import annotations

from sgl.core.structure import Body, EdgeAtom, LabelTest, PathAtom, Structure

Json = dict[str, object]
Relation = tuple[object, ...]


def structure_entry(structure: Structure) -> Json:
    """The structure with everything that decides whether a graph contains it."""
    relations: dict[Relation, int] = {}
    outer = tuple(variable.name for variable in structure.body.variables)
    bodies = [
        _body_entry(body, outer, relations) for body in (structure.body, *structure.without)
    ]
    return {"text": str(structure), "relations": list(relations), "bodies": bodies}


def _body_entry(body: Body, outer: tuple[str, ...], relations: dict[Relation, int]) -> Json:
    own = tuple(variable.name for variable in body.variables if variable.name not in outer)
    names = (*outer, *own)
    number = [names.index(variable.name) for variable in body.variables]

    def relation(*entry: object) -> int:
        return relations.setdefault(entry, len(relations))

    return {
        "variables": number,
        "names": [variable.name for variable in body.variables],
        "tests": [
            (at, test.attribute, int(test.negated), *sorted(test.values))
            for at, variable in zip(number, body.variables, strict=True)
            for test in variable.tests
        ],
        "degrees": [
            (at, relation(_labels(test.labels)), test.comparison, test.number)
            for at, variable in zip(number, body.variables, strict=True)
            for test in variable.degrees
        ],
        "links": [
            (number[atom.source], relation(*_relation(atom)), number[atom.target])
            for atom in body.links
        ],
    }


def _relation(atom: EdgeAtom | PathAtom) -> Relation:
    labels = _labels(atom.labels)
    return (labels, atom.low, atom.high) if isinstance(atom, PathAtom) else (labels,)


def _labels(test: LabelTest) -> Relation:
    return int(test.negated), *sorted(test.labels)
