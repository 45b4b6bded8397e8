"""Structures as data, and the symbols of rules.

A *symbol* stands for rules that the automata and the splits of a certificate do not tell apart: every rule with
children is one, and so are such words of one category.  A structure is written body by body::

    { V -[nsubj|nsubj:pass]-> N[lemma=dog] } without { N -[nmod]{2,}-> M[#amod>=1] }

    variables [V, N]  links [[V, [0, [nsubj, nsubj:pass]], 1, 1, N]]  tests [[N, lemma, [0, [dog]]]]
    variables [N, M]  links [[N, [0, [nmod]], 2, null, M]]  degrees [[M, [0, [amod]], ">=", 1]]

A list of labels or values has a number in front: 1 if it is negated.  A link is a walk with its
least and largest number of edges; an edge is a walk of one.
"""

from collections.abc import Collection, Hashable, Mapping

from sgl.automata.common import Numbering
from sgl.core.grammar import CoreGrammar
from sgl.core.structure import Body, PathAtom, Structure

Json = dict[str, object]


def symbols_of(grammar: CoreGrammar, alike: Mapping[int, Hashable]) -> list[int]:
    """Return the symbol of each rule; words with equal values in ``alike`` can be one."""
    symbols: Numbering[Hashable] = Numbering()
    return [symbols.number(rule.id if rule.rhs else (rule.lhs, alike[rule.id])) for rule in grammar.rules]


def structure_data(structure: Structure) -> Json:
    """Return the name of a structure, its layer, and all that decides whether a graph has it."""
    return {
        "name": str(structure),
        "layer": structure.layer,
        "bodies": [_body(body) for body in (structure.body, *structure.without)],
    }


def _body(body: Body) -> Json:
    names = [variable.name for variable in body.variables]

    def written(members: Collection[str], *, negated: bool) -> tuple[int, list[str]]:
        return int(negated), sorted(members)

    links = []
    for atom in body.links:
        bounds = (atom.low, atom.high) if isinstance(atom, PathAtom) else (1, 1)
        labels = written(atom.labels.labels, negated=atom.labels.negated)
        links.append((names[atom.source], labels, *bounds, names[atom.target]))
    return {
        "variables": names,
        "tests": [
            (variable.name, test.attribute, written(test.values, negated=test.negated))
            for variable in body.variables
            for test in variable.tests
        ],
        "degrees": [
            (variable.name, written(test.labels.labels, negated=test.labels.negated), test.comparison, test.number)
            for variable in body.variables
            for test in variable.degrees
        ],
        "links": links,
        **({"lengths": [(x.layer, x.comparison, x.number) for x in body.lengths]} if body.lengths else {}),
    }
