"""Write out clauses that stand for several structures: for each number of a range, and for nodes that may be one.

::

    forbid { N -[nmod]-> M; W -[amod]-> A; W may be N }     { N -[nmod]-> M; W -[amod]-> A; W is not N }
                                                            { N -[nmod]-> M; N -[amod]-> A }
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from sgl.frontend.elaborate.substitution import Substitution, each
from sgl.frontend.names.scopes import Resolved
from sgl.lang import syntax as s

#: What may be any of several structures.
_ANY_OF = ("forbid", "never", "gen", "exclude")


def each_structure(clause: s.StructureClause, state: Resolved) -> Iterator[s.StructureClause]:
    """Yield a clause once for each number of its range, and with each two nodes that may be one as two and as one."""
    for one in each(clause, state):
        yield from _alternatives(one, state) if one.kind in _ANY_OF else [one]


def _alternatives(clause: s.StructureClause, state: Resolved) -> Iterator[s.StructureClause]:
    told = next((one for one in s.parts_of(s.Sameness, clause.graph) if one.may), None)
    if told is None:
        yield clause
        return
    yield from _alternatives(_stating(clause, told, (replace(told, may=False),)), state)
    same = s.LabelSet(told.span, (s.LabelText(told.first.span, told.first.text, False),), False)
    merged = Substitution({told.second.text: same}, state).write_out(_stating(clause, told, ()))
    yield from _alternatives(merged, state)


def _stating(part: Any, old: s.Sameness, new: tuple[s.Sameness, ...]) -> Any:  # noqa: ANN401 - with what it has
    """Return a clause, or a part of its structure, with other statements in place of one."""
    match part:
        case s.StructureClause():
            return replace(part, graph=_stating(part.graph, old, new))
        case s.Layered():
            return replace(part, parts=tuple(replace(p, graph=_stating(p.graph, old, new)) for p in part.parts))
        case s.GraphPattern():
            return replace(part, bodies=tuple(_stating(body, old, new) for body in part.bodies))
        case s.BodyPattern():
            said = (new if statement is old else (statement,) for statement in part.statements)
            return replace(part, statements=tuple(chain.from_iterable(said)))
    return part
